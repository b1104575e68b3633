// The text form of integer expressions. See int_expr.h.
//
//   sum     = product { ("+" | "-") product }
//   product = atom { ("*" | "/" | "%") atom }
//   atom    = ["-"] INTEGER | NAME | "(" sum ")" | ("min" | "max") "(" sum "," sum ")" | "ceil" "(" product ")"
//
// The product inside `ceil` ends in a division, and that last division rounds up.
#include <fmt/format.h>

#include <array>

#include "support/int_expr.h"
#include "support/text.h"

namespace tilewright {
namespace {

constexpr std::string_view syntax_error = "X001";
constexpr std::string_view depth_error = "X003";
constexpr int deepest = 400;          // parentheses and calls
constexpr int most_operators = 4000;  // in one expression; it bounds the depth of recursion over what is parsed

struct Infix {
  IntOp op;
  std::string_view spelling;
  int precedence;
};
constexpr std::array infixes = {
    Infix{IntOp::add, "+", 1},       Infix{IntOp::sub, "-", 1}, Infix{IntOp::mul, "*", 2},
    Infix{IntOp::floor_div, "/", 2}, Infix{IntOp::mod, "%", 2},
};
constexpr int sum_precedence = 1;
constexpr int product_precedence = 2;

const Infix* find_infix(IntOp op) {
  for (const Infix& infix : infixes)
    if (infix.op == op) return &infix;
  return nullptr;
}

/// `precedence` is the loosest that may stand here without parentheses; 3 admits atoms only.
std::string print(const IntExpr& expr, int precedence) {
  if (const Infix* infix = find_infix(expr.op())) {
    const std::string text = fmt::format("{} {} {}", print(expr.lhs(), infix->precedence), infix->spelling,
                                         print(expr.rhs(), infix->precedence + 1));
    return infix->precedence < precedence ? fmt::format("({})", text) : text;
  }
  switch (expr.op()) {
    case IntOp::constant:
      return fmt::format("{}", expr.constant());
    case IntOp::symbol:
      return expr.symbol_name();
    case IntOp::min:
      return fmt::format("min({}, {})", print(expr.lhs(), 1), print(expr.rhs(), 1));
    case IntOp::max:
      return fmt::format("max({}, {})", print(expr.lhs(), 1), print(expr.rhs(), 1));
    case IntOp::ceil_div:
      return fmt::format("ceil({} / {})", print(expr.lhs(), product_precedence),
                         print(expr.rhs(), product_precedence + 1));
    default:
      internal_error("an infix operator without a row");
  }
}

class Parser {
 public:
  explicit Parser(TextCursor& cursor) : cursor_(cursor) {}

  Result<IntExpr> chain(int precedence) {
    auto parsed = open_chain(precedence);
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    return close(*std::move(parsed));
  }

 private:
  /// A chain whose last operator is not applied yet, so that `ceil` can apply its own.
  struct OpenChain {
    IntExpr lhs;
    std::optional<IntOp> op;
    IntExpr rhs;
  };

  static IntExpr close(OpenChain chain) {
    if (!chain.op) return chain.lhs;
    return IntExpr::make(*chain.op, std::move(chain.lhs), std::move(chain.rhs));
  }

  std::optional<IntOp> accept_infix(int precedence) {
    for (const Infix& infix : infixes)
      if (infix.precedence == precedence && cursor_.accept(infix.spelling)) return infix.op;
    return std::nullopt;
  }

  Result<IntExpr> operand(int precedence) {
    return precedence == product_precedence ? atom() : chain(product_precedence);
  }

  Result<OpenChain> open_chain(int precedence) {
    auto first = operand(precedence);
    if (!first) return std::unexpected(std::move(first.error()));
    OpenChain parsed{*std::move(first), std::nullopt, {}};
    while (true) {
      const std::optional<IntOp> op = accept_infix(precedence);
      if (!op) return parsed;
      if (++operators_ > most_operators)
        return cursor_.error_here(depth_error, fmt::format("an expression of more than {} operators", most_operators));
      auto next = operand(precedence);
      if (!next) return std::unexpected(std::move(next.error()));
      parsed = {close(std::move(parsed)), op, *std::move(next)};
    }
  }

  Result<IntExpr> atom() {
    if (depth_ == deepest)
      return cursor_.error_here(depth_error, fmt::format("an expression nested more than {} deep", deepest));
    ++depth_;
    auto parsed = atom_inside();
    --depth_;
    return parsed;
  }

  Result<IntExpr> atom_inside() {
    if (cursor_.accept("(")) return closed(chain(sum_precedence));
    if (cursor_.peek().kind != TokenKind::name) {
      auto value = cursor_.expect_int("an integer expression");
      if (!value) return std::unexpected(std::move(value.error()));
      return IntExpr(*value);
    }
    const std::string name(cursor_.take().text);
    if (!cursor_.next_is("(")) return IntExpr::symbol(name);
    if (name == "min") return call(IntOp::min);
    if (name == "max") return call(IntOp::max);
    if (name == "ceil") return ceil_call();
    return cursor_.error_here(syntax_error, fmt::format("'{}' is not a function of integer expressions", name),
                              "the functions are min, max and ceil");
  }

  Result<IntExpr> call(IntOp op) {
    cursor_.take();
    auto lhs = chain(sum_precedence);
    if (!lhs) return lhs;
    if (auto comma = cursor_.expect(","); !comma) return std::unexpected(std::move(comma.error()));
    auto rhs = chain(sum_precedence);
    if (!rhs) return rhs;
    return closed(IntExpr::make(op, *std::move(lhs), *std::move(rhs)));
  }

  Result<IntExpr> ceil_call() {
    cursor_.take();
    auto inside = open_chain(product_precedence);
    if (!inside) return std::unexpected(std::move(inside.error()));
    if (inside->op != IntOp::floor_div)
      return cursor_.error_here(syntax_error, "ceil takes a division", "write ceil(x / y)");
    return closed(ceil_div(std::move(inside->lhs), std::move(inside->rhs)));
  }

  Result<IntExpr> closed(Result<IntExpr> expr) {
    if (!expr) return expr;
    if (auto end = cursor_.expect(")"); !end) return std::unexpected(std::move(end.error()));
    return expr;
  }

  TextCursor& cursor_;
  int depth_ = 0;
  int operators_ = 0;
};

}  // namespace

std::string to_text(const IntExpr& expr) {
  return print(expr, sum_precedence);
}

Result<IntExpr> parse_int_expr(TextCursor& cursor) {
  return Parser(cursor).chain(sum_precedence);
}

}  // namespace tilewright
