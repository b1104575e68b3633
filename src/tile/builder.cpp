// The tile builder's type inference.
#include "tile/builder.h"

#include <algorithm>

namespace tilewright::tile {

const Axis* find_axis(const std::vector<Axis>& axes, IterId iter) {
  const auto found = std::ranges::find(axes, iter, &Axis::iter);
  return found == axes.end() ? nullptr : &*found;
}

std::vector<Axis> join_axes(std::vector<Axis> a, const std::vector<Axis>& b) {
  for (const Axis& axis : b)
    if (!find_axis(a, axis.iter)) a.push_back(axis);
  return a;
}

ValueId Builder::value(TileType type, std::string name) {
  return program_.values.add(Value{std::move(type), std::move(name)});
}

ValueId Builder::fill(Scalar value, TileType type) {
  return pure(Fill{value}, std::move(type));
}

ValueId Builder::load(TensorId tensor, std::vector<Affine> index, std::optional<Scalar> otherwise, TileType type) {
  return pure(Load{tensor, std::move(index), otherwise}, std::move(type));
}

ValueId Builder::map(ScalarOp op, std::vector<ValueId> operands) {
  TileType result{type(operands.back()).dtype, {}};
  const OpOperands kind = info(op).operands;
  if (kind == OpOperands::comparison || kind == OpOperands::logical) result.dtype = DType::boolean;
  for (ValueId id : operands) result.axes = join_axes(std::move(result.axes), type(id).axes);
  return pure(Map{op, std::move(operands)}, std::move(result));
}

ValueId Builder::cast(ValueId operand, DType to) {
  TileType result = type(operand);
  if (result.dtype == to) return operand;
  result.dtype = to;
  return pure(Cast{operand}, std::move(result));
}

ValueId Builder::mask(ValueId operand, std::vector<IterId> iters, Scalar value, std::vector<Axis> axes) {
  std::erase_if(iters, [&](IterId iter) { return !find_axis(axes, iter) && !find_threads(program_, iter); });
  if (iters.empty() && type(operand).axes.size() == axes.size()) return operand;
  return pure(Mask{operand, std::move(iters), value}, TileType{type(operand).dtype, std::move(axes)});
}

ValueId Builder::reduce(ValueId operand, Monoid monoid, std::vector<Axis> axes) {
  return pure(Reduce{operand, monoid}, TileType{type(operand).dtype, std::move(axes)});
}

ValueId Builder::contract(ValueId accumulator, ValueId lhs, ValueId rhs) {
  return pure(Contract{accumulator, lhs, rhs}, TileType{type(accumulator)});
}

ValueId Builder::convert_layout(ValueId operand, std::vector<Axis> axes) {
  return pure(ConvertLayout{operand}, TileType{type(operand).dtype, std::move(axes)});
}

}  // namespace tilewright::tile
