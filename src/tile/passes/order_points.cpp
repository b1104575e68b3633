// Bands and clusters. See order_points.h.
#include "tile/passes/order_points.h"

#include <algorithm>
#include <utility>

#include "tile/engine_copy.h"
#include "tile/grid_points.h"
#include "tile/walk.h"

namespace tilewright::tile {
namespace {

constexpr std::int64_t band_points = 8;
constexpr std::int64_t cluster_of = 2;
/// Points along an axis, or half as many and one: where they are odd in number, the last pair has one past the end, a
/// tenth of the work at most.
constexpr std::int64_t least_clustered = 16;
constexpr std::int64_t few_points = 256;  ///< about two for each multiprocessor of a device

/// Of a stage, what is the same for all points along the axis.
std::int64_t shared_bytes(const Program& program, const For& loop, const GridAxis& axis) {
  std::int64_t bytes = 0;
  for (const Op& op : loop.body.ops)
    if (const auto* copy = std::get_if<Copy>(&op.node); copy && is_shared_along(*copy, axis))
      bytes += program.buffers[copy->buffer].elements.constant() *
               static_cast<std::int64_t>(size_of(program.buffers[copy->buffer].dtype));
  return bytes;
}

/// The loop whose steps a matrix unit multiplies; null: there is none.
const For* find_unit_loop(const Program& program) {
  const For* found = nullptr;
  walk(program.body, [&](const Op& op) {
    const auto* loop = std::get_if<For>(&op.node);
    if (loop == nullptr) return;
    for (const Op& inner : loop->body.ops)
      if (const auto* contract = std::get_if<Contract>(&inner.node); contract && contract->unit != Unit::scalar)
        found = loop;
  });
  return found;
}

}  // namespace

void order_points(Program& program, const nest::Facts& facts, const GpuTarget& target) {
  const For* loop = find_unit_loop(program);
  if (loop == nullptr) return;
  GridAxis* chosen = nullptr;
  std::pair<bool, std::int64_t> most{false, 0};  // long enough for clusters, and what they would share
  for (GridAxis& axis : program.grid) {
    if (!axis.step.is_constant()) continue;
    const std::int64_t along = points_along(axis, facts);
    const std::pair here{along >= least_clustered, shared_bytes(program, *loop, axis)};
    if (along < 2 || here.second == 0 || here <= most || find_threads(program, axis.iter) == nullptr) continue;
    chosen = &axis;
    most = here;
  }
  if (chosen == nullptr) return;
  chosen->band = band_points;
  const std::int64_t points = points_of_grid(program, facts, UnknownSteps::one_point);
  if (most.first && points >= few_points && target.max_cluster_blocks >= cluster_of &&
      can_cluster(program, *chosen, cluster_of))
    chosen->cluster = cluster_of;
}

}  // namespace tilewright::tile
