// Integer expressions: construction with folding, and checked evaluation. See int_expr.h; text in int_expr_text.cpp.
#include "support/int_expr.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "support/diagnostic.h"

namespace tilewright {
namespace {

using Checked = std::optional<std::int64_t>;
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

Checked checked_floor_div(std::int64_t a, std::int64_t b) {
  if (b == 0 || (a == lowest && b == -1)) return std::nullopt;
  const bool round_down = a % b != 0 && (a < 0) != (b < 0);
  return a / b - (round_down ? 1 : 0);
}

Checked checked_ceil_div(std::int64_t a, std::int64_t b) {
  if (b == 0 || (a == lowest && b == -1)) return std::nullopt;
  const bool round_up = a % b != 0 && (a < 0) == (b < 0);
  return a / b + (round_up ? 1 : 0);
}

/// a − floor(a / b) · b: the sign of b. It cannot overflow.
Checked checked_mod(std::int64_t a, std::int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return 0;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Checked apply(IntOp op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (op) {
    case IntOp::add:
      return __builtin_add_overflow(a, b, &result) ? Checked() : result;
    case IntOp::sub:
      return __builtin_sub_overflow(a, b, &result) ? Checked() : result;
    case IntOp::mul:
      return __builtin_mul_overflow(a, b, &result) ? Checked() : result;
    case IntOp::floor_div:
      return checked_floor_div(a, b);
    case IntOp::ceil_div:
      return checked_ceil_div(a, b);
    case IntOp::mod:
      return checked_mod(a, b);
    case IntOp::min:
      return std::min(a, b);
    case IntOp::max:
      return std::max(a, b);
    case IntOp::constant:
    case IntOp::symbol:
      break;
  }
  internal_error("IntExpr: a leaf has no operands");
}

/// What `a op b` is by an identity that holds for all values, if any.
std::optional<IntExpr> simplify(IntOp op, const IntExpr& a, const IntExpr& b) {
  switch (op) {
    case IntOp::add:
      if (a.is_constant(0)) return b;
      if (b.is_constant(0)) return a;
      return std::nullopt;
    case IntOp::sub:
      if (b.is_constant(0)) return a;
      if (a == b) return IntExpr(0);
      return std::nullopt;
    case IntOp::mul:
      if (a.is_constant(0) || b.is_constant(0)) return IntExpr(0);
      if (a.is_constant(1)) return b;
      if (b.is_constant(1)) return a;
      return std::nullopt;
    case IntOp::floor_div:
    case IntOp::ceil_div:
      if (b.is_constant(1)) return a;
      return std::nullopt;
    case IntOp::mod:
      if (b.is_constant(1)) return IntExpr(0);
      return std::nullopt;
    case IntOp::min:
    case IntOp::max:
      if (a == b) return a;
      return std::nullopt;
    case IntOp::constant:
    case IntOp::symbol:
      break;
  }
  internal_error("IntExpr: a leaf has no operands");
}

bool is_leaf(const IntExpr& expr) {
  return expr.op() == IntOp::constant || expr.op() == IntOp::symbol;
}

void collect_symbols(const IntExpr& expr, std::vector<std::string>& names) {
  if (expr.op() == IntOp::symbol) {
    if (std::ranges::find(names, expr.symbol_name()) == names.end()) names.push_back(expr.symbol_name());
  } else if (!is_leaf(expr)) {
    collect_symbols(expr.lhs(), names);
    collect_symbols(expr.rhs(), names);
  }
}

}  // namespace

struct IntExpr::Node {
  IntOp op;
  std::int64_t value = 0;
  std::string name = {};
  std::shared_ptr<const Node> lhs = nullptr;
  std::shared_ptr<const Node> rhs = nullptr;

  static bool equal(const Node& a, const Node& b) {
    if (&a == &b) return true;
    if (a.op != b.op) return false;
    if (a.op == IntOp::constant) return a.value == b.value;
    if (a.op == IntOp::symbol) return a.name == b.name;
    return equal(*a.lhs, *b.lhs) && equal(*a.rhs, *b.rhs);
  }
};

IntExpr::IntExpr(std::int64_t value) : node_(std::make_shared<Node>(Node{.op = IntOp::constant, .value = value})) {}

IntExpr IntExpr::symbol(std::string name) {
  return IntExpr(std::make_shared<Node>(Node{.op = IntOp::symbol, .name = std::move(name)}));
}

IntExpr IntExpr::make(IntOp op, IntExpr lhs, IntExpr rhs) {
  if (lhs.is_constant() && rhs.is_constant())
    if (const Checked folded = apply(op, lhs.constant(), rhs.constant())) return *folded;
  if (auto simple = simplify(op, lhs, rhs)) return *std::move(simple);
  return IntExpr(std::make_shared<Node>(Node{.op = op, .lhs = std::move(lhs.node_), .rhs = std::move(rhs.node_)}));
}

IntOp IntExpr::op() const {
  return node_->op;
}

std::int64_t IntExpr::constant() const {
  if (!is_constant()) internal_error("IntExpr::constant of an expression that is not constant");
  return node_->value;
}

const std::string& IntExpr::symbol_name() const {
  if (op() != IntOp::symbol) internal_error("IntExpr::symbol_name of an expression that is not a symbol");
  return node_->name;
}

IntExpr IntExpr::lhs() const {
  if (is_leaf(*this)) internal_error("IntExpr::lhs of a leaf");
  return IntExpr(node_->lhs);
}

IntExpr IntExpr::rhs() const {
  if (is_leaf(*this)) internal_error("IntExpr::rhs of a leaf");
  return IntExpr(node_->rhs);
}

bool operator==(const IntExpr& a, const IntExpr& b) {
  return IntExpr::Node::equal(*a.node_, *b.node_);
}

IntExpr operator+(IntExpr a, IntExpr b) {
  return IntExpr::make(IntOp::add, std::move(a), std::move(b));
}
IntExpr operator-(IntExpr a, IntExpr b) {
  return IntExpr::make(IntOp::sub, std::move(a), std::move(b));
}
IntExpr operator*(IntExpr a, IntExpr b) {
  return IntExpr::make(IntOp::mul, std::move(a), std::move(b));
}
IntExpr floor_div(IntExpr a, IntExpr b) {
  return IntExpr::make(IntOp::floor_div, std::move(a), std::move(b));
}
IntExpr ceil_div(IntExpr a, IntExpr b) {
  return IntExpr::make(IntOp::ceil_div, std::move(a), std::move(b));
}
IntExpr mod(IntExpr a, IntExpr b) {
  return IntExpr::make(IntOp::mod, std::move(a), std::move(b));
}
IntExpr min(IntExpr a, IntExpr b) {
  return IntExpr::make(IntOp::min, std::move(a), std::move(b));
}
IntExpr max(IntExpr a, IntExpr b) {
  return IntExpr::make(IntOp::max, std::move(a), std::move(b));
}

std::optional<std::int64_t> evaluate(const IntExpr& expr, const SymbolValues& values) {
  if (expr.op() == IntOp::constant) return expr.constant();
  if (expr.op() == IntOp::symbol) return values(expr.symbol_name());
  const Checked lhs = evaluate(expr.lhs(), values);
  if (!lhs) return std::nullopt;
  const Checked rhs = evaluate(expr.rhs(), values);
  if (!rhs) return std::nullopt;
  return apply(expr.op(), *lhs, *rhs);
}

std::optional<std::int64_t> evaluate_modular(const IntExpr& expr, const SymbolValues& values) {
  const IntOp op = expr.op();
  if (op != IntOp::add && op != IntOp::sub && op != IntOp::mul) return evaluate(expr, values);
  const Checked lhs = evaluate_modular(expr.lhs(), values);
  if (!lhs) return std::nullopt;
  const Checked rhs = evaluate_modular(expr.rhs(), values);
  if (!rhs) return std::nullopt;
  const auto a = static_cast<std::uint64_t>(*lhs);
  const auto b = static_cast<std::uint64_t>(*rhs);
  return static_cast<std::int64_t>(op == IntOp::add ? a + b : op == IntOp::sub ? a - b : a * b);
}

IntExpr substitute(const IntExpr& expr, const std::function<std::optional<IntExpr>(std::string_view)>& replacement) {
  if (expr.op() == IntOp::constant) return expr;
  if (expr.op() == IntOp::symbol) return replacement(expr.symbol_name()).value_or(expr);
  return IntExpr::make(expr.op(), substitute(expr.lhs(), replacement), substitute(expr.rhs(), replacement));
}

bool is_multiple_of(const IntExpr& expr, std::int64_t divisor) {
  switch (expr.op()) {
    case IntOp::constant:
      return expr.constant() % divisor == 0;
    case IntOp::mul:
      return is_multiple_of(expr.lhs(), divisor) || is_multiple_of(expr.rhs(), divisor);
    case IntOp::add:
    case IntOp::sub:
    case IntOp::min:
    case IntOp::max:
      return is_multiple_of(expr.lhs(), divisor) && is_multiple_of(expr.rhs(), divisor);
    case IntOp::symbol:
    case IntOp::floor_div:
    case IntOp::ceil_div:
    case IntOp::mod:
      break;
  }
  return divisor == 1;
}

std::vector<std::string> symbols(const IntExpr& expr) {
  std::vector<std::string> names;
  collect_symbols(expr, names);
  return names;
}

}  // namespace tilewright
