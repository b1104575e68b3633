// The nest's expressions over intervals, point by point. See bounds.h.
#include "bounds.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

#include "interval.h"
#include "support/diagnostic.h"
#include "support/overloaded.h"
#include "support/tensor_symbol.h"

namespace tilewright::differential {
namespace {

class Evaluation {
 public:
  Evaluation(const nest::Nest& nest, const std::vector<nest::NamedView>& operands) : nest_(nest) {
    for (const nest::Tensor& tensor : nest.tensors)
      for (const nest::NamedView& operand : operands)
        if (operand.name == tensor.name) views_.push_back(operand.view);
    symbols_ = [this](std::string_view name) { return symbol(name); };
    for (const nest::Iterator& iterator : nest.iterators) extents_.push_back(number(iterator.extent));
    point_.assign(extents_.size(), 0);
    for (std::uint32_t i = 0; i < nest.iterators.size(); ++i)
      if (nest.iterators[nest::IterId{i}].role == nest::IteratorRole::reduction) {
        reductions_.push_back(i);
        reduced_.push_back(extents_[i]);
      }
  }

  OutputBounds run() {
    OutputBounds result;
    for (nest::IterId iter : nest_.output_index) result.shape.push_back(extents_[iter.index]);
    for_each_index(result.shape,
                   [&](const std::vector<std::int64_t>& output) { result.elements.push_back(element(output)); });
    return result;
  }

  Bounds element(const std::vector<std::int64_t>& output) {
    for (std::size_t axis = 0; axis < output.size(); ++axis) point_[nest_.output_index[axis].index] = output[axis];
    in_terms_ = true;
    if (nest_.reduction) {
      Fold fold(*nest_.reduction, nest_.accumulate, exactly(nest_.accumulate, nest_.identity));
      for_each_index(reduced_, [&](const std::vector<std::int64_t>& terms) {
        for (std::size_t r = 0; r < terms.size(); ++r) point_[reductions_[r]] = terms[r];
        fold.add(value(nest_.value));
      });
      accumulated_ = fold.result();
    } else {
      accumulated_ = value(nest_.value);
    }
    in_terms_ = false;
    return value(nest_.result);
  }

 private:
  std::optional<std::int64_t> symbol(std::string_view name) const {
    const auto parsed = parse_tensor_symbol(name);
    if (!parsed || parsed->stride) return std::nullopt;
    for (std::uint32_t t = 0; t < nest_.tensors.size(); ++t)
      if (nest_.tensors[nest::TensorId{t}].name == parsed->tensor) return views_[t].shape[parsed->axis];
    return std::nullopt;
  }
  std::int64_t number(const IntExpr& expr) const {
    const auto value = evaluate(expr, symbols_);
    if (!value) internal_error("an extent without a value: " + tilewright::to_text(expr));
    return *value;
  }

  Bounds read(const nest::Read& read) const {
    const TensorView& view = views_[read.tensor.index];
    std::vector<std::int64_t> index;
    for (std::size_t axis = 0; axis < read.index.size(); ++axis) {
      std::int64_t at = read.index[axis].constant;
      for (const nest::Affine::Term& term : read.index[axis].terms) at += term.coefficient * point_[term.iter.index];
      if (at < 0 || at >= view.shape[axis]) {
        if (!read.otherwise) internal_error("a read without 'else' leaves its tensor");
        return exactly(view.dtype, *read.otherwise);
      }
      index.push_back(at);
    }
    Bounds result = exactly(view.dtype, view.get(index));
    if (nest_.precision != Precision::exact && in_terms_ && view.dtype == DType::f32 && std::isfinite(result.low)) {
      // tf32: to nearest, of 10 bits of mantissa and f32's exponents. tf32x3: half of what the pieces leave out of a
      // product, and the least bf16.
      const long double step = nest_.precision == Precision::tf32
                                   ? std::ldexp(std::max(std::fabs(result.low), std::ldexp(1.0L, -126)), -11)
                                   : std::ldexp(std::fabs(result.low), -22) + std::ldexp(1.0L, -133);
      result.low -= step;
      result.high += step;
    }
    return result;
  }

  void add_factors(nest::ExprId id, std::vector<Bounds>& factors) const {
    const auto* node = std::get_if<nest::ApplyExpr>(&nest_.exprs[id].node);
    if (node == nullptr || node->op != ScalarOp::mul) return factors.push_back(value(id));
    for (nest::ExprId operand : node->operands) add_factors(operand, factors);
  }

  /// Products of several floats may be taken in another order (pair_factors): whether one of some of them may leave the
  /// numbers that the type rounds alike.
  bool may_leave_type(const nest::ApplyExpr& node, DType type) const {
    if (node.op != ScalarOp::mul || !is_floating(type)) return false;
    std::vector<Bounds> factors;
    for (nest::ExprId operand : node.operands) add_factors(operand, factors);
    if (factors.size() < 3) return false;
    long double most = 1, least = 1;
    for (const Bounds& factor : factors) {
      const long double low = std::fabs(factor.low), high = std::fabs(factor.high);
      const bool crosses_zero = factor.low < 0 && factor.high > 0;
      most *= std::max({1.0L, low, high});
      if (low != 0 || high != 0)
        least *= std::min(1.0L, crosses_zero || low == 0 || high == 0 ? 0.0L : std::min(low, high));
    }
    return most > largest(type) || least < smallest_normal(type);
  }

  Bounds apply_op(const nest::ApplyExpr& node, DType result) const {
    if (may_leave_type(node, result)) return anything(result);
    std::array<Bounds, 3> operands;
    for (std::size_t i = 0; i < node.operands.size(); ++i) operands[i] = value(node.operands[i]);
    const DType type = node.op == ScalarOp::select ? result : nest_.exprs[node.operands[0]].dtype;
    return apply(node.op, type, std::span(operands).first(node.operands.size()));
  }

  Bounds value(nest::ExprId id) const {
    const nest::Expr& expr = nest_.exprs[id];
    return std::visit(
        Overloaded{
            [&](const nest::Constant& node) { return exactly(expr.dtype, node.value); },
            [&](const nest::ReadValue& node) { return read(nest_.reads[node.read]); },
            [&](const nest::IterValue& node) { return exactly(expr.dtype, Scalar::of(point_[node.iter.index])); },
            [&](const nest::ExtentValue& node) { return exactly(expr.dtype, Scalar::of(number(node.value))); },
            [&](const nest::Accumulated&) { return accumulated_; },
            [&](const nest::CastExpr& node) { return cast(value(node.operand), expr.dtype); },
            [&](const nest::ApplyExpr& node) { return apply_op(node, expr.dtype); }},
        expr.node);
  }

  const nest::Nest& nest_;
  std::vector<TensorView> views_;  ///< by TensorId
  SymbolValues symbols_;
  std::vector<std::int64_t> extents_, point_;  ///< by IterId
  std::vector<std::size_t> reductions_;        ///< iterators
  std::vector<std::int64_t> reduced_;          ///< their extents
  Bounds accumulated_;
  bool in_terms_ = true;  ///< of the reduction
};

}  // namespace

bool Bounds::holds(Scalar value) const {
  if (!is_floating(type)) return !value.is_float() && value.as_int() >= first && value.as_int() <= last;
  if (!value.is_float()) return false;
  const double v = value.as_double();
  if (std::isnan(v)) return may_be_nan;
  if (v == 0 && !(std::signbit(v) ? minus_zero : plus_zero)) return false;
  return low <= v && v <= high;
}

std::string to_text(const Bounds& bounds) {
  if (!is_floating(bounds.type)) return fmt::format("{} … {}", bounds.first, bounds.last);
  if (bounds.is_only_nan()) return "nan";
  const bool one_zero = bounds.low <= 0 && bounds.high >= 0 && bounds.plus_zero != bounds.minus_zero;
  return fmt::format("{:.17g} … {:.17g}{}{}", static_cast<double>(bounds.low), static_cast<double>(bounds.high),
                     bounds.may_be_nan ? " or nan" : "",
                     one_zero ? (bounds.plus_zero ? ", a zero is +0" : ", a zero is -0") : "");
}

OutputBounds bound_output(const nest::Nest& nest, const std::vector<nest::NamedView>& operands) {
  return Evaluation(nest, operands).run();
}

std::vector<Bounds> bound_elements(const nest::Nest& nest, const std::vector<nest::NamedView>& operands,
                                   const std::vector<std::vector<std::int64_t>>& indices) {
  Evaluation evaluation(nest, operands);
  std::vector<Bounds> bounds;
  for (const std::vector<std::int64_t>& index : indices) bounds.push_back(evaluation.element(index));
  return bounds;
}

}  // namespace tilewright::differential
