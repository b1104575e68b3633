// The scalar operator, monoid and precision tables as data. See scalar_op.h.
#include "support/scalar_op.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tilewright {
namespace {

constexpr std::array operators = {
#define X(name, spelling, arity, form, operands) \
  ScalarOpInfo{#name, spelling, arity, OpForm::form, OpOperands::operands},
    TILEWRIGHT_SCALAR_OPS(X)
#undef X
};

struct MonoidInfo {
  std::string_view name;
  ScalarOp combine;
};

// In the order of Monoid.
constexpr std::array monoids = {
    MonoidInfo{"sum", ScalarOp::add},
    MonoidInfo{"product", ScalarOp::mul},
    MonoidInfo{"max", ScalarOp::max},
    MonoidInfo{"min", ScalarOp::min},
};

// In the order of Precision.
constexpr std::array<std::string_view, 3> precisions = {"exact", "tf32", "tf32x3"};

}  // namespace

const ScalarOpInfo& info(ScalarOp op) {
  return operators[static_cast<std::size_t>(op)];
}

std::optional<ScalarOp> function_from_spelling(std::string_view spelling) {
  const auto found = std::ranges::find_if(
      operators, [&](const ScalarOpInfo& row) { return row.form == OpForm::function && row.spelling == spelling; });
  if (found == operators.end()) return std::nullopt;
  return static_cast<ScalarOp>(found - operators.begin());
}

std::optional<ScalarOp> scalar_op_from_name(std::string_view name) {
  const auto found = std::ranges::find(operators, name, &ScalarOpInfo::name);
  if (found == operators.end()) return std::nullopt;
  return static_cast<ScalarOp>(found - operators.begin());
}

std::string_view name(Monoid monoid) {
  return monoids[static_cast<std::size_t>(monoid)].name;
}

std::optional<Monoid> monoid_from_name(std::string_view name) {
  const auto found = std::ranges::find(monoids, name, &MonoidInfo::name);
  if (found == monoids.end()) return std::nullopt;
  return static_cast<Monoid>(found - monoids.begin());
}

ScalarOp combine(Monoid monoid) {
  return monoids[static_cast<std::size_t>(monoid)].combine;
}

std::string_view name(Precision precision) {
  return precisions[static_cast<std::size_t>(precision)];
}

std::optional<Precision> precision_from_name(std::string_view name) {
  const auto found = std::ranges::find(precisions, name);
  if (found == precisions.end()) return std::nullopt;
  return static_cast<Precision>(found - precisions.begin());
}

}  // namespace tilewright
