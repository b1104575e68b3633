// unroll(k, n). See unroll_loop.h.
#include "nest/passes/unroll_loop.h"

#include <fmt/format.h>

namespace tilewright::nest {

Result<void> unroll_loop(Nest& nest, ScheduleContext& context) {
  Result<std::size_t> place = context.find_loop(nest, 0);
  if (!place) return std::unexpected(std::move(place.error()));
  Loop& loop = nest.loops[*place];
  if (loop.unroll != 0)
    return context.fail_at(0, "N025", fmt::format("'{}' is unrolled by {} already", loop.name, loop.unroll),
                           "say it once");
  loop.unroll = context.count_at(1);
  return context.check_register_tile(nest, 1);
}

}  // namespace tilewright::nest
