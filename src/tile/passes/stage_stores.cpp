// Outputs through shared memory. See stage_stores.h.
#include "tile/passes/stage_stores.h"

#include <algorithm>
#include <optional>

#include "support/matrix_unit.h"
#include "tile/engine_copy.h"
#include "tile/grid_points.h"
#include "tile/walk.h"

namespace tilewright::tile {
namespace {

constexpr std::int64_t least_stages = 3;  ///< that hide the copies

/// The program's only store, at the top of its body.
Store* find_store(Program& program) {
  int stores = 0;
  walk(program.body, [&](const Op& op) { stores += std::holds_alternative<Store>(op.node) ? 1 : 0; });
  if (stores != 1 || program.body.ops.empty()) return nullptr;
  return std::get_if<Store>(&program.body.ops.back().node);
}

/// Rows of 128 bytes: neighbours in the output, as many rows as there are other points, then the next neighbours.
std::optional<Buffer> lay_out(const Program& program, const Store& store) {
  const Tensor& output = program.tensors[store.tensor];
  const std::int64_t row = matrix_unit::row_bytes / static_cast<std::int64_t>(size_of(output.dtype));
  const IterId along = contiguous_iter(output, index_of(store));
  Buffer buffer{output.name + ".shared", output.dtype, Space::shared, {}, 0, true};
  std::int64_t points = 1;
  std::int64_t length = 0;  // of the block's tile, along the neighbours
  for (auto slot = store.index.rbegin(); slot != store.index.rend(); ++slot) {
    const auto axis = std::ranges::find(program.grid, slot->iter, &GridAxis::iter);
    if (slot->block || axis == program.grid.end() || !axis->step.is_constant()) return std::nullopt;
    const std::int64_t size = axis->step.constant();
    if (slot->iter == along) {
      length = size;
      continue;
    }
    if (size > 1) buffer.axes.push_back({slot->iter, size, 1, row * points, 1});
    points *= size;
  }
  if (length == 0 || length % row != 0) return std::nullopt;
  BufferAxis neighbours{along, length, 1, 1, 1};
  if (length > row) neighbours = {along, length, row, row * points, 1};
  buffer.axes.push_back(neighbours);
  buffer.elements = length * points;
  return buffer;
}

/// The epilogue calls functions, of which many at once would not find registers.
bool has_functions(const Program& program) {
  bool found = false;
  walk(program.body, [&](const Op& op) {
    if (const auto* map = std::get_if<Map>(&op.node))
      found = found || map->op == ScalarOp::div || info(map->op).operands == OpOperands::floating;
  });
  return found;
}

/// Coordinates are numbers of 32 bits there, strides go up.
bool fits(const Store& store, const nest::Facts& facts) {
  return !facts.output.descends && std::ranges::all_of(store.index, [&](const StoreIndex& slot) {
    return facts.size_buckets[slot.iter.index] < most_points;
  });
}

}  // namespace

void stage_stores(Program& program, const nest::Nest& nest, const nest::Facts& facts, const GpuTarget& target) {
  For* loop = find_engine_loop(program);
  Store* store = loop == nullptr ? nullptr : find_store(program);
  if (store == nullptr || !fits(*store, facts) || has_functions(program)) return;
  const std::optional<Buffer> buffer = lay_out(program, *store);
  if (!buffer) return;
  std::int64_t stage = 0;
  for (const Op& op : loop->body.ops)
    if (const auto* copy = std::get_if<Copy>(&op.node)) stage += shared_room(program.buffers[copy->buffer]);
  const auto bytes_with = [&](std::int64_t stages) { return stages * (stage + stage_barrier_bytes); };
  const std::int64_t half =
      std::min(target.multiprocessor_shared_bytes / 2 - target.system_shared_bytes, target.max_block_shared_bytes);
  const std::int64_t room = bytes_with(loop->stages) <= half ? half : target.max_block_shared_bytes;
  const std::int64_t stages = std::min((room - shared_room(*buffer)) / bytes_with(1), loop->stages);
  if (stages < (nest.schedule.stages > 0 ? loop->stages : std::min(least_stages, loop->stages))) return;

  if (!plan_engine_store(program, *store, *buffer)) return;
  const BufferId id = program.buffers.add(*buffer);
  store->through = id;
  loop->stages = stages;
  program.body.ops.insert(program.body.ops.end() - 1, Op{Allocate{id}, {}});
}

}  // namespace tilewright::tile
