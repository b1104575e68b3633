// The axis of each tile that runs along vector lanes, and the transposes that follow.
#include <algorithm>
#include <numeric>

#include "support/overloaded.h"
#include "tile/builder.h"
#include "tile/passes/place_for_host.h"
#include "tile/walk.h"

namespace tilewright::tile {
namespace {

void mark(std::vector<Axis>& axes, IterId lanes) {
  for (Axis& axis : axes) axis.lanes = axis.iter == lanes;
}

/// The axis of `axes` along which the tensor's elements lie one after another; invalid if there is none.
IterId contiguous_axis(const Tensor& tensor, const std::vector<Affine>& index, const std::vector<Axis>& axes) {
  for (std::size_t slot = 0; slot < index.size(); ++slot)
    if (tensor.strides[slot] == StrideClass::one && index[slot].terms.size() == 1 &&
        index[slot].terms[0].coefficient == 1 && find_axis(axes, index[slot].terms[0].iter))
      return index[slot].terms[0].iter;
  return {};
}

bool moves_along(const std::vector<Affine>& index, IterId iter) {
  return std::ranges::any_of(index, [&](const Affine& slot) {
    return std::ranges::any_of(slot.terms, [&](const Affine::Term& term) { return term.iter == iter; });
  });
}

/// The program's choice: the iterator along the lanes, and how many lanes a vector has.
struct Choice {
  IterId lanes;
  std::int64_t length = 1;
};

/// The lanes that memory wants: the contiguous axis if the program's own lanes would jump through memory, and if both
/// axes hold whole vectors, so that squares of vectors turn. Invalid: no lanes.
IterId memory_lanes(const Program& program, TensorId tensor, const std::vector<Affine>& index, const TileType& type,
                    Choice choice) {
  const IterId lanes = choice.lanes;
  const IterId contiguous = contiguous_axis(program.tensors[tensor], index, type.axes);
  const Axis* own = find_axis(type.axes, lanes);
  if (!contiguous.valid() || contiguous == lanes) return lanes;
  if (!own || !moves_along(index, lanes)) return own ? lanes : IterId{};
  const bool squares = find_axis(type.axes, contiguous)->size % choice.length == 0 && own->size % choice.length == 0;
  return squares ? contiguous : lanes;
}

/// The load or store with a convert_layout where memory wants other lanes than the program.
std::optional<std::vector<Op>> turn(Program& program, Op& op, Choice choice) {
  if (const auto* load = std::get_if<Load>(&op.node)) {
    const ValueId result = op.results[0];
    const IterId wanted = memory_lanes(program, load->tensor, load->index, program.values[result].type, choice);
    if (wanted == choice.lanes || !wanted.valid() || load->otherwise) return std::nullopt;
    TileType type = program.values[result].type;
    mark(type.axes, wanted);
    std::vector<Op> ops(2);
    const ValueId loaded = program.values.add({type, {}});
    ops[0] = Op{op.node, {loaded}};
    ops[1] = Op{ConvertLayout{loaded}, {result}};
    return ops;
  }
  if (const auto* store = std::get_if<Store>(&op.node)) {
    TileType type = program.values[store->value].type;
    const IterId wanted = memory_lanes(program, store->tensor, index_of(*store), type, choice);
    if (wanted == choice.lanes || !wanted.valid()) return std::nullopt;
    mark(type.axes, wanted);
    const ValueId turned = program.values.add({type, {}});
    Store moved = *store;
    moved.value = turned;
    std::vector<Op> ops(2);
    ops[0] = Op{ConvertLayout{store->value}, {turned}};
    ops[1] = Op{moved, {}};
    return ops;
  }
  return std::nullopt;
}

}  // namespace

int vector_lanes(const Program& program, const HostTarget& target) {
  std::size_t widest = 1;
  for (const Value& value : program.values)
    if (std::ranges::any_of(value.type.axes, &Axis::lanes)) widest = std::max(widest, size_of(value.type.dtype));
  return target.vector_bytes / static_cast<int>(widest);
}

std::int64_t vector_length(std::int64_t size, int lanes) {
  return size <= lanes ? size : std::gcd(size, std::int64_t{lanes});
}

void assign_lanes(Program& program, IterId lanes, const HostTarget& target) {
  for (Value& value : program.values) mark(value.type.axes, lanes);
  if (!lanes.valid()) return;
  const int length = vector_lanes(program, target);
  rewrite(program.body, [&](Op& op) { return turn(program, op, {lanes, length}); });
}

}  // namespace tilewright::tile
