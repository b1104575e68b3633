// Affine indices, folded while they are parsed: `2*(i + r) - 1` becomes terms and a constant, checked for overflow.
#include <fmt/format.h>

#include <utility>

#include "lang/affine_index.h"
#include "lang/parser.h"

namespace tilewright::lang {
namespace {

constexpr std::string_view affine_remedy =
    "an index is a sum of iterators times integer literals: i, 3, 2*i + r - 1, 2*(i + r), -i + 16";

}  // namespace

void Parser::error_not_affine(Span span, std::string message) {
  error("L023", span, std::move(message), std::string(affine_remedy));
}

/// One slot, simplified: iterators that cancel out are gone.
std::optional<AffineIndex> Parser::parse_index() {
  const std::uint32_t begin = peek().span.begin;
  auto index = parse_affine_sum();
  if (!index) return std::nullopt;
  simplify(*index);
  index->span = {begin, lexed_.lexemes[position_ - 1].span.end};
  return index;
}

namespace {

constexpr std::string_view overflow_message = "the folded index overflows 64 bits";
constexpr std::string_view overflow_remedy = "coefficients and constants of an index are 64-bit integers";

}  // namespace

std::optional<AffineIndex> Parser::parse_affine_sum() {
  const std::uint32_t begin = peek().span.begin;
  auto sum = parse_affine_product();
  while (sum && (peek().is("+") || peek().is("-"))) {
    const std::int64_t sign = take().is("+") ? 1 : -1;
    const auto term = parse_affine_product();
    if (!term) return std::nullopt;
    if (sum->terms.size() > static_cast<std::size_t>(tallest_expression)) {
      error("L014", {begin, lexed_.lexemes[position_ - 1].span.end},
            fmt::format("this index names more than {} iterators", tallest_expression), "name fewer");
      return std::nullopt;
    }
    if (accumulate(*sum, *term, sign)) continue;
    error("L024", {begin, lexed_.lexemes[position_ - 1].span.end}, std::string(overflow_message),
          std::string(overflow_remedy));
    return std::nullopt;
  }
  return sum;
}

std::optional<AffineIndex> Parser::parse_affine_product() {
  const std::uint32_t begin = peek().span.begin;
  auto product = parse_affine_factor();
  while (product && (peek().is("*") || peek().is("/") || peek().is("%"))) {
    const Lexeme& op = take();
    if (!op.is("*")) {
      error_not_affine(op.span, fmt::format("an index has no '{}'", op.text));
      return std::nullopt;
    }
    auto factor = parse_affine_factor();
    if (!factor) return std::nullopt;
    if (!is_constant(*factor)) std::swap(product, factor);
    const Span span{begin, lexed_.lexemes[position_ - 1].span.end};
    if (!is_constant(*factor)) {
      error_not_affine(span, "an index multiplies iterators with one another");
      return std::nullopt;
    }
    if (scale(*product, factor->constant)) continue;
    error("L024", span, std::string(overflow_message), std::string(overflow_remedy));
    return std::nullopt;
  }
  return product;
}

std::optional<AffineIndex> Parser::parse_affine_factor() {
  const Lexeme& lexeme = peek();
  AffineIndex index;
  if (lexeme.kind == LexemeKind::integer) {
    const auto number = number_of(lexeme, false);
    if (!number) return std::nullopt;
    take();
    index.constant = number->integer;
    return index;
  }
  if (lexeme.kind == LexemeKind::name) {
    if (peek(1).is("[")) {
      error("L027", lexeme.span,
            fmt::format("an index that is read from a tensor ('{}[…]', a gather) is not supported", lexeme.text),
            std::string(affine_remedy));
      return std::nullopt;
    }
    if (peek(1).is("(")) {
      error_not_affine(lexeme.span, fmt::format("an index calls '{}'", lexeme.text));
      return std::nullopt;
    }
    take();
    index.terms.push_back({std::string(lexeme.text), 1});
    return index;
  }
  if (lexeme.is("-") || lexeme.is("(")) {
    if (!enter_nesting()) {
      --nesting_;
      return std::nullopt;
    }
    take();
    auto inner = lexeme.is("-") ? parse_affine_factor() : parse_affine_sum();
    --nesting_;
    if (!inner || (lexeme.is("(") && !expect(")", "the index"))) return std::nullopt;
    if (!lexeme.is("-") || scale(*inner, -1)) return inner;
    error("L024", lexeme.span, std::string(overflow_message), std::string(overflow_remedy));
    return std::nullopt;
  }
  if (lexeme.kind == LexemeKind::floating)
    error_not_affine(lexeme.span, fmt::format("an index holds the float {}", describe(lexeme)));
  else if (lexeme.kind == LexemeKind::keyword)
    error("L012", lexeme.span, fmt::format("'{}' is a reserved word and cannot be an iterator", lexeme.text),
          "choose another name");
  else
    error_expected("an index", std::string(affine_remedy));
  return std::nullopt;
}

}  // namespace tilewright::lang
