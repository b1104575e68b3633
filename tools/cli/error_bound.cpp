// Forward error analysis over a nest's expressions. See error_bound.h.
#include "cli/error_bound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "nest/walk.h"
#include "support/overloaded.h"
#include "support/tensor_symbol.h"
#include "tile/apply_scalar.h"

namespace tilewright::cli {
namespace {

using nest::ExprId;

constexpr double infinity = std::numeric_limits<double>::infinity();
/// language.md: at most 4 units in the last place, each at most two unit roundoffs.
constexpr double function_roundoffs = 8;

/// An operator on values that are not rounded.
double float_function(ScalarOp op, double a, double b = 0) {
  return tile::apply(op, a, b, DType::f64);
}

/// The error of the operation itself, beside what its operands carry: `roundoffs` of its magnitude.
Bounded rounded(double value, double carried, double roundoffs, DType type) {
  const double own = roundoffs * unit_roundoff(type) * (std::fabs(value) + carried) + least_positive(type);
  return {Scalar::of(value), carried + own};
}

/// The spread of a function over the operand's range, by its ends: exact for monotone functions.
double spread(const std::function<double(double)>& function, double value, double at, double error) {
  if (error == 0) return 0;
  double widest = 0;
  for (const double x : {at - error, at + error}) {
    const double moved = std::fabs(function(x) - value);
    widest = std::isnan(moved) ? infinity : std::max(widest, moved);
  }
  return widest;
}

Bounded apply_integers(ScalarOp op, const std::vector<Bounded>& operands, DType type) {
  const std::int64_t b = operands.size() > 1 ? operands[1].value.as_int() : 0;
  Bounded result{Scalar::of(tile::apply(op, operands[0].value.as_int(), b, type))};
  // What came from rounded floats may differ by more than a step after any integer operation but a sum.
  for (const Bounded& operand : operands)
    if (!operand.is_exact()) result.error = infinity;
  return result;
}

Bounded apply_comparison(ScalarOp op, const Bounded& a, const Bounded& b) {
  const bool floats = a.value.is_float();
  const bool holds = floats ? tile::compare(op, a.value.as_double(), b.value.as_double())
                            : tile::compare(op, a.value.as_int(), b.value.as_int());
  const double distance = std::fabs(a.value.as_double() - b.value.as_double());
  const double doubt = a.error + b.error;
  const bool unsure = floats ? doubt > 0 && !(distance > doubt) : doubt > 0;
  return {Scalar::of(std::int64_t{holds}), unsure ? 1.0 : 0.0};
}

Bounded apply_logical(ScalarOp op, const std::vector<Bounded>& operands) {
  const bool a = operands[0].value.as_int() != 0;
  const bool b = operands.size() > 1 && operands[1].value.as_int() != 0;
  const bool value = op == ScalarOp::logical_not ? !a : op == ScalarOp::logical_and ? a && b : a || b;
  const bool unsure = std::ranges::any_of(operands, [](const Bounded& o) { return !o.is_exact(); });
  return {Scalar::of(std::int64_t{value}), unsure ? 1.0 : 0.0};
}

Bounded apply_select(const std::vector<Bounded>& operands) {
  const Bounded& taken = operands[0].value.as_int() != 0 ? operands[1] : operands[2];
  if (operands[0].is_exact()) return taken;
  const double apart = std::fabs(operands[1].value.as_double() - operands[2].value.as_double());
  return {taken.value, std::max(operands[1].error, operands[2].error) + (std::isnan(apart) ? infinity : apart)};
}

Bounded apply_arithmetic(ScalarOp op, const std::vector<Bounded>& operands, DType type) {
  const double a = operands[0].value.as_double();
  const double b = operands[1].value.as_double();
  const double ea = operands[0].error;
  const double eb = operands[1].error;
  const double value = float_function(op, a, b);
  double carried = ea + eb;  // of sums and differences
  if (op == ScalarOp::mul) carried = std::fabs(a) * eb + std::fabs(b) * ea + ea * eb;
  if (op == ScalarOp::div)
    carried = carried == 0 ? 0 : std::fabs(b) > eb ? (ea + std::fabs(value) * eb) / (std::fabs(b) - eb) : infinity;
  Bounded result = rounded(value, carried, 1, type);
  result.rounded_once = ea == 0 && eb == 0;
  return result;
}

Bounded apply_pow(const std::vector<Bounded>& operands, DType type) {
  const double a = operands[0].value.as_double();
  const double b = operands[1].value.as_double();
  const double value = std::pow(a, b);
  double carried = 0;
  for (const double x : {a - operands[0].error, a + operands[0].error})
    carried = std::max(carried, spread([x](double y) { return std::pow(x, y); }, value, b,
                                       std::max(operands[1].error, operands[0].error > 0 ? 1e-300 : 0)));
  return rounded(value, carried, function_roundoffs, type);
}

Bounded apply_unary(ScalarOp op, const Bounded& operand, DType type) {
  const double x = operand.value.as_double();
  const auto function = [op](double at) { return float_function(op, at); };
  const double value = function(x);
  switch (op) {
    case ScalarOp::neg:
    case ScalarOp::abs:
    case ScalarOp::relu:
      return {Scalar::of(value), operand.error};
    case ScalarOp::sin:
    case ScalarOp::cos:
      return rounded(value, operand.error, function_roundoffs, type);
    case ScalarOp::gelu:  // slopes are at most 1.13
    case ScalarOp::silu:  // and 1.10
      return rounded(value, 1.13 * operand.error, function_roundoffs, type);
    case ScalarOp::sqrt: {
      Bounded result = rounded(value, spread(function, value, x, operand.error), 1, type);
      result.rounded_once = operand.is_exact();
      return result;
    }
    default:
      return rounded(value, spread(function, value, x, operand.error), function_roundoffs, type);
  }
}

Bounded cast(const Bounded& operand, DType from, DType to) {
  const Scalar value = cast_scalar(operand.value, from, to);
  if (operand.is_exact()) return {value};
  if (is_floating(from) && is_floating(to)) {
    if (unit_roundoff(to) <= unit_roundoff(from)) {
      Bounded wider = operand;
      wider.rounded_once &= unit_roundoff(to) == unit_roundoff(from);  // which was to the narrower type
      return wider;
    }
    // Either neighbour of the exact value's rounding.
    const double step = 2 * unit_roundoff(to) * std::fabs(value.as_double()) + least_positive(to);
    return {value, operand.error + step};
  }
  if (!is_floating(from)) return {value, operand.error};
  const double x = operand.value.as_double();
  const double low = cast_scalar(Scalar::of(x - operand.error), from, to).as_double();
  const double high = cast_scalar(Scalar::of(x + operand.error), from, to).as_double();
  return {value, std::isnan(high - low) ? infinity : std::fabs(high - low)};
}

struct FloatFormat {
  int precision;  ///< bits, the hidden one included
  int least;      ///< exponent of the least positive value
  double largest;
};

FloatFormat format_of(DType type) {
  switch (type) {
    case DType::f64:
      return {53, -1074, std::numeric_limits<double>::max()};
    case DType::f32:
      return {24, -149, std::numeric_limits<float>::max()};
    case DType::f16:
      return {11, -24, 65504};
    case DType::bf16:
      return {8, -133, 0x1.FEp127};
    case DType::f8e4m3:
      return {4, -9, 448};
    case DType::f8e5m2:
      return {3, -16, 57344};
    default:
      internal_error("a bound of an element type that is no float");
  }
}

constexpr double largest_tf32 = 0x1.ffcp127;

/// Of the reads below, by the precision tier (docs/language.md): tf32 has 10 bits of mantissa and f32's exponents; what
/// tf32x3 leaves out of a product is as if each factor were off by so much.
double operand_roundoff(const nest::Nest& nest, ExprId root) {
  if (root != nest.value || nest.precision == Precision::exact) return 0;
  return std::ldexp(1.0, nest.precision == Precision::tf32 ? -11 : -22);
}

}  // namespace

double unit_roundoff(DType type) {
  return std::ldexp(1.0, -format_of(type).precision);
}
double least_positive(DType type) {
  return std::ldexp(1.0, format_of(type).least);
}
double largest_finite(DType type) {
  return format_of(type).largest;
}

ErrorBound::ErrorBound(const nest::Nest& nest, const std::vector<nest::NamedView>& operands)
    : nest_(nest), values_(nest.exprs.size()) {
  for (const nest::Tensor& tensor : nest.tensors)
    tensors_.push_back(std::ranges::find(operands, tensor.name, &nest::NamedView::name)->view);
  const SymbolValues symbols = [&](std::string_view text) -> std::optional<std::int64_t> {
    const auto symbol = parse_tensor_symbol(text);
    if (!symbol) return std::nullopt;
    const auto view = std::ranges::find(operands, symbol->tensor, &nest::NamedView::name);
    if (view == operands.end() || symbol->axis >= view->view.rank()) return std::nullopt;
    return symbol->stride ? view->view.strides[symbol->axis] : view->view.shape[symbol->axis];
  };
  for (const nest::Iterator& iter : nest.iterators)
    extents_.push_back(tilewright::evaluate(iter.extent, symbols).value_or(0));
}

Bounded ErrorBound::evaluate(ExprId root, const std::vector<std::int64_t>& point,
                             const std::optional<Bounded>& accumulated) {
  operand_roundoff_ = operand_roundoff(nest_, root);
  nest::walk(nest_.exprs, root,
             [&](ExprId id, const nest::Expr& expr) { values_[id.index] = expression(expr, point, accumulated); });
  return values_[root.index];
}

Bounded ErrorBound::expression(const nest::Expr& expr, const std::vector<std::int64_t>& point,
                               const std::optional<Bounded>& accumulated) const {
  return std::visit(Overloaded{
                        [&](const nest::Constant& n) { return Bounded{n.value}; },
                        [&](const nest::ReadValue& n) { return read(nest_.reads[n.read], point); },
                        [&](const nest::IterValue& n) { return Bounded{Scalar::of(point[n.iter.index])}; },
                        [&](const nest::ExtentValue& n) {
                          for (std::size_t i = 0; i < extents_.size(); ++i)
                            if (nest_.iterators[nest::IterId{static_cast<std::uint32_t>(i)}].extent == n.value)
                              return Bounded{Scalar::of(extents_[i])};
                          return Bounded{Scalar::of(n.value.is_constant() ? n.value.constant() : 0)};
                        },
                        [&](const nest::Accumulated&) { return *accumulated; },
                        [&](const nest::CastExpr& n) {
                          return cast(values_[n.operand.index], nest_.exprs[n.operand].dtype, expr.dtype);
                        },
                        [&](const nest::ApplyExpr& n) { return apply(n, expr.dtype); },
                    },
                    expr.node);
}

Bounded ErrorBound::read(const nest::Read& read, const std::vector<std::int64_t>& point) const {
  const TensorView& view = tensors_[read.tensor.index];
  std::vector<std::int64_t> index;
  for (const nest::Affine& slot : read.index) {
    std::int64_t at = slot.constant;
    for (const nest::Affine::Term& term : slot.terms) at += term.coefficient * point[term.iter.index];
    if (at < 0 || at >= view.shape[index.size()]) return {read.otherwise.value_or(Scalar{})};
    index.push_back(at);
  }
  const Scalar value = view.get(index);
  if (operand_roundoff_ == 0 || view.dtype != DType::f32 || !std::isfinite(value.as_double())) return {value};
  const double magnitude = std::fabs(value.as_double());
  if (nest_.precision == Precision::tf32 && magnitude > largest_tf32)
    return {value, infinity};  // may be rounded to one
  const double least = nest_.precision == Precision::tf32
                           ? operand_roundoff_ * static_cast<double>(std::numeric_limits<float>::min())
                           : least_positive(DType::bf16);
  return {value, operand_roundoff_ * magnitude + least};
}

Bounded ErrorBound::apply(const nest::ApplyExpr& apply, DType type) const {
  std::vector<Bounded> operands;
  for (ExprId operand : apply.operands) operands.push_back(values_[operand.index]);
  const OpOperands kind = info(apply.op).operands;
  if (kind == OpOperands::comparison) return apply_comparison(apply.op, operands[0], operands[1]);
  if (kind == OpOperands::logical) return apply_logical(apply.op, operands);
  if (kind == OpOperands::selection) return apply_select(operands);
  if (!is_floating(type)) return apply_integers(apply.op, operands, type);
  if (kind == OpOperands::ordered)
    return {Scalar::of(float_function(apply.op, operands[0].value.as_double(), operands[1].value.as_double())),
            std::max(operands[0].error, operands[1].error)};
  if (apply.op == ScalarOp::pow) return apply_pow(operands, type);
  return operands.size() == 2 ? apply_arithmetic(apply.op, operands, type) : apply_unary(apply.op, operands[0], type);
}

std::optional<double> relative_error(const nest::Nest& nest, ExprId root) {
  std::vector<std::optional<double>> known(nest.exprs.size(), 0.0);
  nest::walk(nest.exprs, root, [&](ExprId id, const nest::Expr& expr) {
    const auto* applied = std::get_if<nest::ApplyExpr>(&expr.node);
    const auto* converted = std::get_if<nest::CastExpr>(&expr.node);
    std::optional<double>& result = known[id.index];
    // What a tier rounds has an absolute error, too, where it is small.
    if (std::holds_alternative<nest::ReadValue>(expr.node) && expr.dtype == DType::f32 &&
        operand_roundoff(nest, root) > 0)
      result = std::nullopt;
    if (converted) {
      const DType from = nest.exprs[converted->operand].dtype;
      const std::optional<double> operand = known[converted->operand.index];
      const bool widens =
          is_floating(from) && is_floating(expr.dtype) && unit_roundoff(expr.dtype) <= unit_roundoff(from);
      result = operand == 0.0 || widens ? operand : std::nullopt;
    }
    if (!applied) return;
    double sum = 0;
    bool all = true;
    for (ExprId operand : applied->operands) {
      all = all && known[operand.index].has_value();
      sum += known[operand.index].value_or(0);
    }
    const OpOperands kind = info(applied->op).operands;
    const bool floats = is_floating(expr.dtype);
    const bool product = applied->op == ScalarOp::mul || applied->op == ScalarOp::div;
    const bool keeps = applied->op == ScalarOp::neg || applied->op == ScalarOp::abs || applied->op == ScalarOp::relu;
    if (!all || (sum > 0 && !(floats && (product || keeps))))
      result = std::nullopt;
    else if (keeps || !floats || kind == OpOperands::ordered || kind == OpOperands::selection)
      result = sum;
    else
      result = sum + (kind == OpOperands::floating ? function_roundoffs : 1);
  });
  return known[root.index];
}

}  // namespace tilewright::cli
