// Traversal and rewriting of tile programs. See walk.h.
#include "tile/walk.h"

namespace tilewright::tile {

std::string_view op_name(const Op& op) {
  return std::visit(Overloaded{
                        [](const Fill&) { return std::string_view("fill"); },
                        [](const Iota&) { return std::string_view("iota"); },
                        [](const ExtentValue&) { return std::string_view("extent"); },
                        [](const Load&) { return std::string_view("load"); },
                        [](const LoadBuffer&) { return std::string_view("load_buffer"); },
                        [](const Map&) { return std::string_view("map"); },
                        [](const Cast&) { return std::string_view("cast"); },
                        [](const Mask&) { return std::string_view("mask"); },
                        [](const Reduce&) { return std::string_view("reduce"); },
                        [](const Contract&) { return std::string_view("contract"); },
                        [](const ConvertLayout&) { return std::string_view("convert_layout"); },
                        [](const ReduceAcross&) { return std::string_view("reduce_across"); },
                        [](const For&) { return std::string_view("for"); },
                        [](const If&) { return std::string_view("if"); },
                        [](const Allocate&) { return std::string_view("allocate"); },
                        [](const Copy&) { return std::string_view("copy"); },
                        [](const Store&) { return std::string_view("store"); },
                        [](const StoreBuffer&) { return std::string_view("store_buffer"); },
                        [](const Prefetch&) { return std::string_view("prefetch"); },
                        [](const Barrier&) { return std::string_view("barrier"); },
                    },
                    op.node);
}

bool has_coordinates(const Op& op) {
  return std::holds_alternative<Load>(op.node) || std::holds_alternative<LoadBuffer>(op.node) ||
         std::holds_alternative<Iota>(op.node) || std::holds_alternative<Mask>(op.node) ||
         std::holds_alternative<Store>(op.node) || std::holds_alternative<StoreBuffer>(op.node);
}

const ThreadAxis* find_threads(const Program& program, IterId iter) {
  for (const ThreadAxis& axis : program.threads)
    if (axis.iter == iter) return &axis;
  return nullptr;
}

std::vector<Affine> index_of(const Store& store) {
  std::vector<Affine> index;
  for (const StoreIndex& slot : store.index) index.push_back(slot.block ? Affine{} : Affine{{{slot.iter, 1}}, 0});
  return index;
}

IterId contiguous_iter(const Tensor& tensor, const std::vector<Affine>& index) {
  for (std::size_t slot = 0; slot < index.size(); ++slot)
    if (tensor.strides[slot] == StrideClass::one && index[slot].terms.size() == 1 &&
        index[slot].terms[0].coefficient == 1)
      return index[slot].terms[0].iter;
  return {};
}

std::vector<BufferLevel> levels_of(const BufferAxis& axis) {
  const std::int64_t outer = axis.capacity.constant() / axis.inner;
  std::vector<BufferLevel> levels;
  if (outer > 1 || axis.inner == 1) levels.push_back({axis.iter, outer, axis.inner, axis.outer_stride.constant()});
  if (axis.inner > 1) levels.push_back({axis.iter, axis.inner, 1, axis.inner_stride});
  return levels;
}

const GridAxis* find_band(const Program& program) {
  const auto found = std::ranges::find_if(program.grid, [](const GridAxis& axis) { return axis.band > 1; });
  return found == program.grid.end() ? nullptr : &*found;
}

std::int64_t cluster_blocks(const Program& program) {
  const GridAxis* band = find_band(program);
  return band == nullptr ? 1 : band->cluster;
}

std::int64_t threads_along(const Program& program, IterId iter) {
  std::int64_t threads = 1;
  for (const ThreadAxis& axis : program.threads) threads *= axis.iter == iter ? axis.count : 1;
  return threads;
}

std::int64_t block_threads(const Program& program) {
  std::int64_t threads = 1;
  for (const ThreadAxis& axis : program.threads) threads *= axis.count;
  return threads;
}

void rewrite(Block& block, const std::function<std::optional<std::vector<Op>>(Op&)>& replace) {
  std::vector<Op> ops;
  ops.reserve(block.ops.size());
  for (Op& op : block.ops) {
    for_each_block(op, [&](Block& inner) { rewrite(inner, replace); });
    if (std::optional<std::vector<Op>> replaced = replace(op))
      for (Op& each : *replaced) ops.push_back(std::move(each));
    else
      ops.push_back(std::move(op));
  }
  block.ops = std::move(ops);
}

void replace_uses(Block& block, ValueId from, ValueId to) {
  const auto change = [&](ValueId& id) {
    if (id == from) id = to;
  };
  for (Op& op : block.ops) {
    for_each_operand(op, change);
    for_each_block(op, [&](Block& inner) { replace_uses(inner, from, to); });
  }
  for (ValueId& id : block.yields) change(id);
}

std::int64_t shared_room(const Buffer& buffer) {
  constexpr std::int64_t granule = 128;
  const std::int64_t bytes = buffer.elements.constant() * static_cast<std::int64_t>(size_of(buffer.dtype));
  return (bytes + granule - 1) / granule * granule;
}

bool fills_shared(const Program& program, const Op& op) {
  const auto is_shared = [&](BufferId id) {
    return program.buffers.contains(id) && program.buffers[id].space == Space::shared;
  };
  if (const auto* allocate = std::get_if<Allocate>(&op.node)) return is_shared(allocate->buffer);
  if (const auto* copy = std::get_if<Copy>(&op.node)) return is_shared(copy->buffer);
  if (const auto* store = std::get_if<StoreBuffer>(&op.node)) return is_shared(store->buffer);
  return false;
}

std::size_t staged_ops(const Program& program, const Block& block) {
  std::size_t count = 0;
  bool copies = false;
  for (; count < block.ops.size(); ++count) {
    const Op& op = block.ops[count];
    if (!fills_shared(program, op) || std::holds_alternative<StoreBuffer>(op.node)) break;
    copies = copies || std::holds_alternative<Copy>(op.node);
  }
  return copies ? count : 0;
}

}  // namespace tilewright::tile
