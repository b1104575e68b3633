// Bands and clusters. See order_points.h.
#include "tile/passes/order_points.h"

#include <algorithm>

#include "tile/engine_copy.h"

namespace tilewright::tile {
namespace {

constexpr std::int64_t band_points = 8;
constexpr std::int64_t cluster_of = 2;
constexpr std::int64_t few_points = 256;  ///< about two for each multiprocessor of a device

std::int64_t points_along(const GridAxis& axis, const nest::Facts& facts) {
  const std::int64_t extent = facts.size_buckets[axis.iter.index];
  return axis.step.is_constant() ? (extent + axis.step.constant() - 1) / axis.step.constant() : 1;
}

/// Of a stage, what is the same for all points along the axis.
std::int64_t shared_bytes(const Program& program, const For& loop, const GridAxis& axis) {
  std::int64_t bytes = 0;
  for (const Op& op : loop.body.ops)
    if (const auto* copy = std::get_if<Copy>(&op.node); copy && is_shared_along(*copy, axis))
      bytes += program.buffers[copy->buffer].elements.constant() *
               static_cast<std::int64_t>(size_of(program.buffers[copy->buffer].dtype));
  return bytes;
}

}  // namespace

void order_points(Program& program, const nest::Facts& facts, const NvptxTarget& target) {
  const For* loop = find_engine_loop(program);
  if (loop == nullptr) return;
  GridAxis* chosen = nullptr;
  std::int64_t most = 0;
  std::int64_t points = 1;
  for (GridAxis& axis : program.grid) {
    points *= std::max<std::int64_t>(points_along(axis, facts), 1);
    const std::int64_t shared = shared_bytes(program, *loop, axis);
    if (points_along(axis, facts) < cluster_of || shared <= most || find_threads(program, axis.iter) == nullptr)
      continue;
    chosen = &axis;
    most = shared;
  }
  if (chosen == nullptr) return;
  chosen->band = band_points;
  if (points >= few_points && target.max_cluster_blocks >= cluster_of && can_cluster(program, *chosen, cluster_of))
    chosen->cluster = cluster_of;
}

}  // namespace tilewright::tile
