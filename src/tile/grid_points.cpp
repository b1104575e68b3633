// See grid_points.h.
#include "tile/grid_points.h"

#include <algorithm>

namespace tilewright::tile {

std::int64_t points_along(const GridAxis& axis, const nest::Facts& facts) {
  const std::int64_t extent = facts.size_buckets[axis.iter.index];
  const std::int64_t step = axis.step.constant();
  return std::min((extent + step - 1) / step, most_points);
}

std::int64_t points_of_grid(const Program& program, const nest::Facts& facts, UnknownSteps unknown) {
  std::int64_t all = 1;
  for (const GridAxis& axis : program.grid) {
    const std::int64_t extent = unknown == UnknownSteps::all_points ? facts.size_buckets[axis.iter.index] : 1;
    all = std::min(all * (axis.step.is_constant() ? points_along(axis, facts) : std::min(extent, most_points)),
                   most_points);
  }
  return all;
}

}  // namespace tilewright::tile
