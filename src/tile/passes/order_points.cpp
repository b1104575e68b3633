// Bands and clusters. See order_points.h.
#include "tile/passes/order_points.h"

#include <algorithm>
#include <utility>

#include "tile/engine_copy.h"

namespace tilewright::tile {
namespace {

constexpr std::int64_t band_points = 8;
constexpr std::int64_t cluster_of = 2;
/// Points along an axis, or half as many and one: where they are odd in number, the last pair has one past the end, a
/// tenth of the work at most.
constexpr std::int64_t least_clustered = 16;
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
  std::pair<bool, std::int64_t> most{false, 0};  // long enough for clusters, and what they would share
  std::int64_t points = 1;
  for (GridAxis& axis : program.grid) {
    const std::int64_t along = points_along(axis, facts);
    points *= std::max<std::int64_t>(along, 1);
    const std::pair here{along >= least_clustered, shared_bytes(program, *loop, axis)};
    if (along < 2 || here.second == 0 || here <= most || find_threads(program, axis.iter) == nullptr) continue;
    chosen = &axis;
    most = here;
  }
  if (chosen == nullptr) return;
  chosen->band = band_points;
  if (most.first && points >= few_points && target.max_cluster_blocks >= cluster_of &&
      can_cluster(program, *chosen, cluster_of))
    chosen->cluster = cluster_of;
}

}  // namespace tilewright::tile
