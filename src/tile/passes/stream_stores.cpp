// Marks the stores of large, aligned, write-only outputs as nontemporal.
#include "tile/passes/stream_stores.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <utility>

#include "tile/passes/place_for_host.h"
#include "tile/walk.h"

namespace tilewright::tile {
namespace {

constexpr std::int64_t piece_bytes = 4096;  ///< of a row, up to which the prefetchers do not follow it
constexpr std::int64_t rows_ahead = 8;

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

/// Too large to stay in the caches, and only written.
bool passes_by(const Program& program, const Store& store, const nest::Facts& facts, const HostTarget& target) {
  const TileType& type = program.values[store.value].type;
  if (std::ranges::none_of(type.axes, &Axis::lanes) || is_read(program, store.tensor)) return false;
  // Rounded up twice at the most for two axes: half of the cache, then, is a quarter of this.
  return bucket_bytes(program, store, facts) >= target.l3_bytes / 2;
}

bool is_aligned(const Program& program, const Store& store, const nest::Facts& facts, const HostTarget& target) {
  const TileType& type = program.values[store.value].type;
  const auto lanes = std::ranges::find_if(type.axes, &Axis::lanes);
  const std::int64_t length = vector_length(lanes->size, vector_lanes(program, target));
  const std::int64_t vector_bytes = length * static_cast<std::int64_t>(size_of(type.dtype));
  const bool aligned = vector_bytes >= 16 && std::has_single_bit(static_cast<std::uint64_t>(vector_bytes)) &&
                       facts.output.align >= vector_bytes && facts.output.stride_align >= vector_bytes;
  return aligned && starts_at_multiples(program, lanes->iter, length);
}

/// The grid cuts the rows along the store's lanes into short pieces.
bool writes_pieces(const Program& program, const Store& store) {
  const TileType& type = program.values[store.value].type;
  const IterId lanes = std::ranges::find_if(type.axes, &Axis::lanes)->iter;
  return std::ranges::any_of(program.grid, [&](const GridAxis& axis) {
    return axis.iter == lanes && axis.step.is_constant() &&
           axis.step.constant() * static_cast<std::int64_t>(size_of(type.dtype)) <= piece_bytes;
  });
}

/// A hint for the piece `rows_ahead` rows further along `row`; none where `row` is no index of the store.
std::optional<Op> hint(const Program& program, const Store& store, IterId row) {
  Prefetch prefetch{store.tensor, {}, program.values[store.value].type};
  bool ahead = false;
  for (const StoreIndex& slot : store.index) {
    if (slot.block) return std::nullopt;
    prefetch.index.push_back({{{slot.iter, 1}}, slot.iter == row ? rows_ahead : 0});
    ahead = ahead || slot.iter == row;
  }
  if (!ahead) return std::nullopt;
  return Op{std::move(prefetch), {}};
}

void insert_hints(const Program& program, Block& block, IterId row, const std::set<TensorId>& outputs) {
  std::vector<Op> ops;
  for (Op& op : block.ops) {
    const auto* loop = std::get_if<For>(&op.node);
    const IterId inner_row = loop && loop->step.is_constant(1) ? loop->iter : row;
    for_each_block(op, [&](Block& inner) { insert_hints(program, inner, inner_row, outputs); });
    if (const auto* store = std::get_if<Store>(&op.node); store && row.valid() && outputs.contains(store->tensor))
      if (std::optional<Op> ahead = hint(program, *store, row)) ops.push_back(std::move(*ahead));
    ops.push_back(std::move(op));
  }
  block.ops = std::move(ops);
}

}  // namespace

void stream_stores(Program& program, const nest::Facts& facts, const HostTarget& target) {
  std::set<TensorId> pieces;  // outputs that are written in pieces through the caches
  walk(program.body, [&](Op& op) {
    auto* store = std::get_if<Store>(&op.node);
    if (!store || !passes_by(program, *store, facts, target)) return;
    store->nontemporal = is_aligned(program, *store, facts, target);
    if (!store->nontemporal && writes_pieces(program, *store)) pieces.insert(store->tensor);
  });
  if (!pieces.empty()) insert_hints(program, program.body, IterId{}, pieces);
}

}  // namespace tilewright::tile
