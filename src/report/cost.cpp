// Operations and bytes of a statement. See cost.h.
#include "report/cost.h"

#include "nest/walk.h"
#include "support/tensor_symbol.h"

namespace tilewright::report {
namespace {

double bytes_of(const TensorView& view) {
  double bytes = static_cast<double>(size_of(view.dtype));
  for (std::size_t axis = 0; axis < view.rank(); ++axis)
    bytes *= view.strides[axis] == 0 && view.shape[axis] > 0 ? 1.0 : static_cast<double>(view.shape[axis]);
  return bytes;
}

double operations_of(const nest::Nest& nest, nest::ExprId root) {
  double count = 0;
  nest::walk(nest.exprs, root, [&](nest::ExprId, const nest::Expr& expr) {
    if (const auto* apply = std::get_if<nest::ApplyExpr>(&expr.node)) {
      const OpOperands kind = info(apply->op).operands;
      const bool computes = kind == OpOperands::arithmetic || kind == OpOperands::floating;
      if (computes && is_floating(expr.dtype)) ++count;
    }
  });
  return count;
}

}  // namespace

Cost cost_of(const nest::Nest& nest, const std::vector<TensorView>& operands, const TensorView& output) {
  Cost cost;
  const SymbolValues symbols = [&](std::string_view text) -> std::optional<std::int64_t> {
    const auto symbol = parse_tensor_symbol(text);
    for (std::size_t t = 0; symbol && t < operands.size(); ++t)
      if (nest.tensors[nest::TensorId{static_cast<std::uint32_t>(t)}].name == symbol->tensor &&
          symbol->axis < operands[t].rank())
        return symbol->stride ? operands[t].strides[symbol->axis] : operands[t].shape[symbol->axis];
    return std::nullopt;
  };
  double outputs = 1;
  double terms = 1;
  for (const nest::Iterator& iter : nest.iterators)
    (iter.role == nest::IteratorRole::output ? outputs : terms) *=
        static_cast<double>(evaluate(iter.extent, symbols).value_or(0));
  const bool folds = nest.reduction && *nest.reduction != Monoid::max && *nest.reduction != Monoid::min;
  const double fold = folds && is_floating(nest.accumulate) ? 1 : 0;
  cost.flops = outputs * (terms * (operations_of(nest, nest.value) + fold) + operations_of(nest, nest.result));
  for (const TensorView& operand : operands) cost.bytes_read += bytes_of(operand);
  cost.bytes_written = bytes_of(output);
  return cost;
}

}  // namespace tilewright::report
