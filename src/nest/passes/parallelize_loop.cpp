// parallel(i). See parallelize_loop.h.
#include "nest/passes/parallelize_loop.h"

#include <fmt/format.h>

namespace tilewright::nest {

Result<void> parallelize_loop(Nest& nest, ScheduleContext& context) {
  Result<std::size_t> place = context.find_loop(nest, 0);
  if (!place) return std::unexpected(std::move(place.error()));
  Loop& loop = nest.loops[*place];
  if (nest.iterators[loop.iter].role == IteratorRole::reduction)
    return context.fail_at(
        0, "N026", fmt::format("'{}' is a reduction loop", loop.name),
        fmt::format("parallel names an output loop; split({}, n) divides a reduction", nest.iterators[loop.iter].name));
  if (loop.parallel)
    return context.fail_at(0, "N025", fmt::format("'{}' is parallel already", loop.name), "say it once");
  loop.parallel = true;
  return {};
}

}  // namespace tilewright::nest
