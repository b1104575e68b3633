// Expressions, reads and affine indices. Precedence, weakest first: or, and, not, comparisons (which do not chain),
// + and -, * and /, unary minus.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "lang/parser.h"
#include "lang/precedence.h"

namespace tilewright::lang {
namespace {

const Infix* infix_at(const Lexeme& lexeme) {
  const auto row =
      std::ranges::find_if(infix_table, [&](const Infix& infix) { return lexeme.is(info(infix.op).spelling); });
  return row == infix_table.end() ? nullptr : &*row;
}

/// Functions of other languages that this one lacks on purpose, so that the message can say so.
struct Unsupported {
  std::string_view name;
  std::string_view code;
  std::string_view what;
};
constexpr std::array<Unsupported, 14> unsupported_functions = {{{"gather", "L027", "indirect indices"},
                                                                {"take", "L027", "indirect indices"},
                                                                {"index_select", "L027", "indirect indices"},
                                                                {"scatter", "L027", "indirect indices"},
                                                                {"argmax", "L028", "positions of values"},
                                                                {"argmin", "L028", "positions of values"},
                                                                {"topk", "L028", "positions of values"},
                                                                {"argsort", "L028", "positions of values"},
                                                                {"scan", "L029", "scans"},
                                                                {"cumsum", "L029", "scans"},
                                                                {"cumprod", "L029", "scans"},
                                                                {"cummax", "L029", "scans"},
                                                                {"cummin", "L029", "scans"},
                                                                {"nonzero", "L030", "extents that depend on data"}}};

std::string function_names() {
  std::string names = "cast, extent";
#define X(enumerator, spelling, arity, form, ...) \
  if (OpForm::form == OpForm::function) names += ", " spelling;
  TILEWRIGHT_SCALAR_OPS(X)
#undef X
  return names;
}

/// Whether the decimal `text` (digits, point, exponent), which no double holds, is too large rather than too small: the
/// decimal place of its first digit other than 0 says so. 0 is neither.
bool is_too_large(std::string_view text) {
  const std::size_t exponent_at = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, exponent_at);
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  std::int64_t place = point - static_cast<std::int64_t>(first);
  if (exponent_at == std::string_view::npos) return place > 0;
  std::string_view digits = text.substr(exponent_at + 1);
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  // Past 64 bits it outweighs any mantissa that a text can hold.
  std::int64_t exponent = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), exponent).ec != std::errc{}) return !negative;
  return place > (negative ? exponent : -exponent);
}

}  // namespace

/// Counts a level of nesting; false, with L014, past the limit. The caller undoes it with --nesting_.
bool Parser::enter_nesting() {
  if (++nesting_ <= deepest_nesting) return true;
  error("L014", peek().span, fmt::format("this expression nests deeper than {} levels", deepest_nesting),
        "compute a part of it in a statement of its own");
  return false;
}

ExprId Parser::add(Expr expr, int height) {
  if (height > tallest_expression) {
    error("L014", expr.span, fmt::format("this expression chains more than {} operators", tallest_expression),
          "compute a part of it in a statement of its own");
    return {};
  }
  heights_.push_back(height);
  return statement_->exprs.add(std::move(expr));
}

int Parser::height(ExprId expr) const {
  return heights_[expr.index];
}

/// Operators of `level` and stronger. Invalid after an error.
ExprId Parser::parse_expr(int level) {
  const bool entered = enter_nesting();
  const std::uint32_t begin = peek().span.begin;
  ExprId left = entered ? parse_prefix(level) : ExprId{};
  while (left.valid()) {
    const Infix* infix = infix_at(peek());
    if (infix == nullptr || infix->level < level) break;
    take();
    const ExprId right = parse_expr(infix->level + 1);
    if (!right.valid()) {
      left = {};
      break;
    }
    const Span span{begin, lexed_.lexemes[position_ - 1].span.end};
    left = add({Apply{infix->op, {left, right}}, span}, std::max(height(left), height(right)) + 1);
    const Infix* next = infix_at(peek());
    if (left.valid() && infix->level == comparison_level && next != nullptr && next->level == comparison_level) {
      error("L016", peek().span, fmt::format("comparisons do not chain: '{}' after a comparison", peek().text),
            "write a < b and b < c, or put one comparison in parentheses");
      left = {};
    }
  }
  --nesting_;
  return left;
}

ExprId Parser::parse_prefix(int level) {
  const Lexeme& lexeme = peek();
  const bool is_not = lexeme.is("not");
  if (!is_not && !lexeme.is("-")) return parse_primary();
  if (is_not && level > not_level) {
    error("L011", lexeme.span, "'not' binds weaker than the operator before it", "put it in parentheses: (not x)");
    return {};
  }
  const std::uint32_t begin = lexeme.span.begin;
  take();
  // A signed literal is a literal: unlike unary minus it is no arithmetic, so it leaves a value's type alone.
  const bool number = peek().kind == LexemeKind::integer || peek().kind == LexemeKind::floating;
  if (!is_not && number) return parse_number(begin);
  const ExprId operand = parse_expr(is_not ? not_level : minus_level);
  if (!operand.valid()) return {};
  const Span span{begin, lexed_.lexemes[position_ - 1].span.end};
  return add({Apply{is_not ? ScalarOp::logical_not : ScalarOp::neg, {operand}}, span}, height(operand) + 1);
}

ExprId Parser::parse_primary() {
  const Lexeme& lexeme = peek();
  if (lexeme.kind == LexemeKind::integer || lexeme.kind == LexemeKind::floating) return parse_number(lexeme.span.begin);
  if (lexeme.kind == LexemeKind::name) {
    if (peek(1).is("(")) return parse_call();
    if (peek(1).is("[")) return parse_read();
    take();
    return add({IteratorValue{std::string(lexeme.text)}, lexeme.span}, 1);
  }
  if (accept("(")) {
    const ExprId inner = parse_expr();
    if (!inner.valid() || !expect(")", "the expression")) return {};
    return inner;
  }
  error_expected("an expression", lexeme.is("+")   ? "leave a sign '+' out"
                                  : lexeme.is("%") ? "the language has no '%'"
                                                   : "an operand is a read, a number, an iterator, a call or (…)");
  return {};
}

/// `begin` is where its sign stands, if it has one.
ExprId Parser::parse_number(std::uint32_t begin) {
  const auto number = number_of(peek(), begin != peek().span.begin);
  if (!number) return {};
  const Span span{begin, take().span.end};
  return add({Literal{*number}, span}, 1);
}

std::optional<Number> Parser::number_of(const Lexeme& lexeme, bool negative) {
  const Lexeme& next = peek(1);
  if (next.kind == LexemeKind::name && next.span.begin == lexeme.span.end) {
    error("L007", {lexeme.span.begin, next.span.end}, fmt::format("'{}{}' is no number", lexeme.text, next.text),
          "numbers are written 2, 2.0, 2., .5 or 1e-3; a product needs its '*'");
    return std::nullopt;
  }
  Number number;
  number.is_integer = lexeme.kind == LexemeKind::integer;
  if (number.is_integer) {
    // 2⁶³ exists only with its sign.
    std::uint64_t magnitude = 0;
    const auto status = std::from_chars(lexeme.text.data(), lexeme.text.data() + lexeme.text.size(), magnitude).ec;
    constexpr std::uint64_t limit = std::uint64_t{1} << 63U;
    if (negative && status == std::errc{} && magnitude == limit) {
      number.integer = std::numeric_limits<std::int64_t>::min();
    } else {
      const auto value = integer_value(lexeme);
      if (!value) return std::nullopt;
      number.integer = negative ? -*value : *value;
    }
    number.value = static_cast<double>(number.integer);
    return number;
  }
  const auto status = std::from_chars(lexeme.text.data(), lexeme.text.data() + lexeme.text.size(), number.value).ec;
  if (status == std::errc::result_out_of_range) {
    if (is_too_large(lexeme.text)) {
      error("L008", lexeme.span, fmt::format("{} is past the largest f64", describe(lexeme)),
            "the largest is 1.7976931348623157e308");
      return std::nullopt;
    }
    number.value = 0;
  }
  if (negative) number.value = -number.value;
  return number;
}

/// After 'else'.
std::optional<Number> Parser::parse_signed_literal() {
  const bool negative = peek().is("-");
  if (negative || peek().is("+")) take();
  const Lexeme& lexeme = peek();
  std::optional<Number> number;
  if (lexeme.kind == LexemeKind::integer || lexeme.kind == LexemeKind::floating) {
    number = number_of(lexeme, negative);
    if (!number) return std::nullopt;
  } else if (lexeme.kind == LexemeKind::name && (lexeme.text == "inf" || lexeme.text == "nan")) {
    using Limits = std::numeric_limits<double>;
    const double value = lexeme.text == "inf" ? Limits::infinity() : Limits::quiet_NaN();
    number = Number{negative ? -value : value, 0, false};
  } else {
    error("L025", lexeme.span.begin == lexeme.span.end ? lexed_.lexemes[position_ - 1].span : lexeme.span,
          fmt::format("'else' takes a signed number, inf or nan, found {}", describe(lexeme)),
          "for anything else use select(condition, x, y)");
    return std::nullopt;
  }
  take();
  return number;
}

/// `name(…)`.
ExprId Parser::parse_call() {
  const Lexeme& name = take();
  take();  // the '('
  const auto close = [&](Expr expr, int height) {
    if (!expect(")", fmt::format("the operands of '{}'", name.text))) return ExprId{};
    expr.span = {name.span.begin, lexed_.lexemes[position_ - 1].span.end};
    return add(std::move(expr), height);
  };
  if (name.text == "extent") {
    auto iterator = expect_name("an iterator");
    return iterator ? close({ExtentOf{std::move(iterator->name)}, {}}, 1) : ExprId{};
  }
  if (name.text == "cast") {
    const auto to = expect_dtype();
    if (!to || !expect(",", "the type of 'cast'")) return {};
    const ExprId operand = parse_expr();
    return operand.valid() ? close({Cast{*to, operand}, {}}, height(operand) + 1) : ExprId{};
  }
  if (name.text == "dot_general") {
    error("L080", name.span, "'dot_general' stands in an expression, and is a statement's whole value",
          "compute it in a statement of its own: t[i, j] = dot_general(…), and read t[i, j] here");
    return {};
  }
  const auto op = function_from_spelling(name.text);
  if (!op) {
    for (const Unsupported& row : unsupported_functions)
      if (row.name == name.text) {
        error(row.code, name.span,
              fmt::format("'{}' is not supported: the language has no {} yet", name.text, row.what),
              "compute it outside and pass the result in");
        return {};
      }
    error("L017", name.span, fmt::format("'{}' is no function", name.text),
          fmt::format("the functions are {}; a tensor is read with brackets, {}[…]", function_names(), name.text));
    return {};
  }
  Apply apply{*op, {}};
  int tallest = 0;
  if (!peek().is(")")) do {
      const ExprId operand = parse_expr();
      if (!operand.valid()) return {};
      tallest = std::max(tallest, height(operand));
      apply.operands.push_back(operand);
    } while (accept(","));
  const auto count = static_cast<int>(apply.operands.size());
  if (peek().is(")") && count != info(*op).arity) {
    error("L018", name.span,
          fmt::format("'{}' takes {} operand{}, found {}", name.text, info(*op).arity, info(*op).arity == 1 ? "" : "s",
                      count),
          "");
    return {};
  }
  return close({std::move(apply), {}}, tallest + 1);
}

/// `name[…]` with its 'else', which binds tightest.
ExprId Parser::parse_read() {
  const Lexeme& name = take();
  Read read;
  read.tensor = std::string(name.text);
  read.name_span = name.span;
  take();  // the '['
  if (!parse_indices(read)) return {};
  if (accept("else")) {
    read.otherwise = parse_signed_literal();
    if (!read.otherwise) return {};
  }
  const Span span{name.span.begin, lexed_.lexemes[position_ - 1].span.end};
  return add({std::move(read), span}, 1);
}

/// After the '[', with the ']'. A '(' opens an index list if its ')' stands right before the ']' and encloses a comma.
bool Parser::parse_indices(Read& read) {
  if (accept("]")) return true;
  bool listed = false;
  if (peek().is("(")) {
    std::size_t at = 0;
    int depth = 0;
    do {
      if (peek(at).is("(") || peek(at).is("[")) ++depth;
      if (peek(at).is(")") || peek(at).is("]")) --depth;
      if (depth == 1 && peek(at).is(",")) listed = true;
      ++at;
    } while (depth > 0 && peek(at).kind != LexemeKind::newline && peek(at).kind != LexemeKind::end);
    listed = listed && peek(at).is("]");
  }
  if (listed) take();
  do {
    auto index = parse_index();
    if (!index) return false;
    read.indices.push_back(std::move(*index));
  } while (accept(","));
  if (listed && !expect(")", "the indices")) return false;
  if (!listed && peek().kind == LexemeKind::punctuation && !peek().is("]")) {
    error_not_affine(peek().span, fmt::format("'{}' has no place in an index", peek().text));
    return false;
  }
  return expect("]", "the indices");
}

}  // namespace tilewright::lang
