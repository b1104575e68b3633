// How many points a grid has, as far as facts tell.
#pragma once

#include <cstdint>

#include "nest/facts.h"
#include "tile/ir.h"

namespace tilewright::tile {

inline constexpr std::int64_t most_points = std::int64_t{1} << 24;  ///< of one extent, that facts tell apart

/// Along the axis, whose step is a constant, at most most_points.
std::int64_t points_along(const GridAxis& axis, const nest::Facts& facts);
/// How an axis counts whose step is no constant: as one point, or as all of its extent's.
enum class UnknownSteps : std::uint8_t { one_point, all_points };
/// Of the grid, at most most_points.
std::int64_t points_of_grid(const Program& program, const nest::Facts& facts, UnknownSteps unknown);

}  // namespace tilewright::tile
