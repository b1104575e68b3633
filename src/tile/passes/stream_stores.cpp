// Marks the stores of large, aligned, write-only outputs as nontemporal.
#include "tile/passes/stream_stores.h"

#include <algorithm>

#include "tile/passes/place_for_host.h"
#include "tile/walk.h"

namespace tilewright::tile {
namespace {

/// Bytes of the output by the size buckets, which round up.
std::int64_t bucket_bytes(const Program& program, const Store& store, const nest::Facts& facts) {
  std::int64_t bytes = static_cast<std::int64_t>(size_of(program.tensors[store.tensor].dtype));
  for (const StoreIndex& slot : store.index) {
    bytes *= facts.size_buckets[slot.iter.index];
    if (bytes > (std::int64_t{1} << 38)) break;
  }
  return bytes;
}

bool is_read(const Program& program, TensorId tensor) {
  bool read = false;
  walk(program.body, [&](const Op& op) {
    if (const auto* load = std::get_if<Load>(&op.node)) read = read || load->tensor == tensor;
  });
  return read;
}

/// Every scope of the iterator starts at a multiple of `points`.
bool starts_at_multiples(const Program& program, IterId iter, std::int64_t points) {
  bool multiples = true;
  const auto check = [&](IterId of, const IntExpr& step) {
    if (of == iter) multiples = multiples && step.is_constant() && step.constant() % points == 0;
  };
  for (const GridAxis& axis : program.grid) check(axis.iter, axis.step);
  walk(program.body, [&](const Op& op) {
    if (const auto* loop = std::get_if<For>(&op.node)) check(loop->iter, loop->step);
  });
  return multiples;
}

bool may_stream(const Program& program, const Store& store, const nest::Facts& facts, const HostTarget& target) {
  const TileType& type = program.values[store.value].type;
  const auto lanes = std::ranges::find_if(type.axes, &Axis::lanes);
  if (lanes == type.axes.end() || is_read(program, store.tensor)) return false;
  // Rounded up twice at the most for two axes: half of the cache, then, is a quarter of this.
  if (bucket_bytes(program, store, facts) < target.l3_bytes / 2) return false;
  const std::int64_t length = std::min<std::int64_t>(lanes->size, vector_lanes(program, target));
  const std::int64_t vector_bytes = length * static_cast<std::int64_t>(size_of(type.dtype));
  const bool aligned =
      vector_bytes >= 16 && facts.output.align >= vector_bytes && facts.output.stride_align >= vector_bytes;
  return aligned && starts_at_multiples(program, lanes->iter, length);
}

}  // namespace

void stream_stores(Program& program, const nest::Facts& facts, const HostTarget& target) {
  walk(program.body, [&](Op& op) {
    auto* store = std::get_if<Store>(&op.node);
    if (store) store->nontemporal = may_stream(program, *store, facts, target);
  });
}

}  // namespace tilewright::tile
