// vectorize(j, n). See vectorize_loop.h.
#include "nest/passes/vectorize_loop.h"

#include <fmt/format.h>

namespace tilewright::nest {

Result<void> vectorize_loop(Nest& nest, ScheduleContext& context) {
  Result<std::size_t> place = context.find_loop(nest, 0);
  if (!place) return std::unexpected(std::move(place.error()));
  Loop& loop = nest.loops[*place];
  if (loop.vector_width != 0)
    return context.fail_at(0, "N025", fmt::format("'{}' is vectorized by {} already", loop.name, loop.vector_width),
                           "say it once");
  loop.vector_width = context.count_at(1);
  return context.check_register_tile(nest, 1);
}

}  // namespace tilewright::nest
