// Copies into buffers → loops of loads and buffer stores.
#include <algorithm>

#include "tile/builder.h"
#include "tile/passes/place_for_host.h"
#include "tile/walk.h"

namespace tilewright::tile {
namespace {

Scalar zero_of(DType dtype) {
  return is_floating(dtype) ? Scalar::of(0.0) : Scalar::of(std::int64_t{0});
}

/// Loops over the panels from the slowest axis of the buffer to the fastest, then one tile of the panel's inner
/// extents. Where the tensor is contiguous along another axis than the lanes, the tile is a vector long there too, so
/// that a transposing copy reads whole vectors and turns them.
void expand(Builder& build, const Copy& copy, IterId vector_iter, const HostTarget& target) {
  Program& program = build.program();
  const Buffer buffer = program.buffers[copy.buffer];
  const Tensor& tensor = program.tensors[copy.tensor];
  std::vector<BufferAxis> axes = buffer.axes;
  std::ranges::sort(axes, std::ranges::greater{}, [](const BufferAxis& axis) { return axis.outer_stride.constant(); });
  IterId along;  // the iterator that the tensor is contiguous along, if it is one that the buffer steps through
  for (std::size_t slot = 0; slot < copy.index.size(); ++slot)
    if (tensor.strides[slot] == StrideClass::one && copy.index[slot].terms.size() == 1 &&
        copy.index[slot].terms[0].coefficient == 1)
      along = copy.index[slot].terms[0].iter;
  const bool turns =
      std::ranges::any_of(axes, [&](const BufferAxis& axis) { return axis.iter == vector_iter && axis.inner > 1; });
  const std::int64_t lanes = target.vector_bytes / static_cast<std::int64_t>(size_of(buffer.dtype));
  std::vector<Axis> tile;
  for (const BufferAxis& axis : axes) {
    const bool vector_along = turns && axis.iter == along && axis.inner == 1 && axis.capacity.constant() % lanes == 0;
    const bool square = along != vector_iter && axis.iter == vector_iter && axis.capacity.is_constant(axis.inner) &&
                        axis.inner % lanes == 0;
    const std::int64_t size = vector_along || square ? lanes : axis.inner;
    if (size > 1) tile.push_back({axis.iter, size});
  }
  // Reading along the tensor's rows keeps the prefetchers going; the buffer is in a cache whatever the order.
  const auto contiguous = std::ranges::find(axes, along, &BufferAxis::iter);
  if (turns && contiguous != axes.end()) std::rotate(contiguous, contiguous + 1, axes.end());
  const auto nest_from = [&](auto&& self, std::size_t depth) -> void {
    if (depth < axes.size()) {
      const Axis* axis = find_axis(tile, axes[depth].iter);
      const std::int64_t step = axis ? axis->size : 1;
      if (axes[depth].capacity.constant() <= step) return self(self, depth + 1);  // the scope is one tile
      build.for_loop(axes[depth].iter, step, {}, [&](const std::vector<ValueId>&) {
        self(self, depth + 1);
        return std::vector<ValueId>{};
      });
      return;
    }
    ValueId value = build.load(copy.tensor, copy.index, copy.otherwise, {buffer.dtype, tile});
    std::vector<IterId> padded;
    for (const Axis& axis : tile) padded.push_back(axis.iter);
    value = build.mask(value, padded, zero_of(buffer.dtype), tile);
    build.effect(StoreBuffer{copy.buffer, value});
  };
  nest_from(nest_from, 0);
}

}  // namespace

void expand_copies(Program& program, IterId lanes, const HostTarget& target) {
  rewrite(program.body, [&](Op& op) -> std::optional<std::vector<Op>> {
    const auto* copy = std::get_if<Copy>(&op.node);
    if (!copy) return std::nullopt;
    Block block;
    Builder build(program, block);
    expand(build, *copy, lanes, target);
    return std::move(block.ops);
  });
}

}  // namespace tilewright::tile
