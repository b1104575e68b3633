// The cursor whose first failure sticks. See text_reader.h.
#include "support/text_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace tilewright {
namespace {

constexpr std::string_view syntax_error = "X001";
constexpr std::string_view number_range_error = "X002";

}  // namespace

template <class T>
T TextReader::keep(Result<T> result) {
  if (result) return *std::move(result);
  errors_ = std::move(result.error());
  return T{};
}

void TextReader::expect(std::string_view text) {
  if (ok()) keep(cursor_.expect(text));
}
std::string TextReader::name(std::string_view what) {
  return ok() ? keep(cursor_.expect_name(what)) : std::string();
}
std::string TextReader::value(std::string_view what) {
  return ok() ? keep(cursor_.expect_value(what)) : std::string();
}
std::int64_t TextReader::integer(std::string_view what) {
  return ok() ? keep(cursor_.expect_int(what)) : 0;
}
std::int64_t TextReader::integer_in(std::int64_t least, std::int64_t most, std::string_view what) {
  const Span span = peek().span;
  const std::int64_t value = integer(what);
  if (value >= least && value <= most) return value;
  fail_at(span, syntax_error, fmt::format("{} is not {}", value, what));
  return least;
}
DType TextReader::dtype() {
  const Span span = peek().span;
  const std::string text = name("an element type");
  if (const std::optional<DType> type = dtype_from_name(text)) return *type;
  fail_at(span, syntax_error, fmt::format("'{}' is no element type", text));
  return DType::f32;
}
IntExpr TextReader::int_expr() {
  return ok() ? keep(parse_int_expr(cursor_)) : IntExpr();
}

ScalarText TextReader::scalar_text(std::string_view what) {
  if (!ok()) return {};
  const bool negative = cursor_.accept("-");
  const Token& token = cursor_.peek();
  const bool number = token.kind == TokenKind::integer || token.kind == TokenKind::floating;
  const bool word = cursor_.next_is("inf") || cursor_.next_is("nan") ||
                    (!negative && (cursor_.next_is("true") || cursor_.next_is("false")));
  if (!number && !word) {
    fail_here(syntax_error, fmt::format("expected {}", what), "write a number, inf, nan, true or false");
    return {};
  }
  return {negative, cursor_.take()};
}

Scalar TextReader::scalar(const ScalarText& text, DType type) {
  const Scalar zero = is_floating(type) ? Scalar::of(0.0) : Scalar::of(std::int64_t{0});
  if (!ok()) return zero;
  const Token& token = text.token;
  const std::string written = fmt::format("{}{}", text.negative ? "-" : "", token.text);
  const auto no_element = [&] {
    fail_at(token.span, number_range_error, fmt::format("'{}' is no value of {}", written, tilewright::name(type)));
    return zero;
  };
  if (is_boolean(type)) {
    if (token.text != "true" && token.text != "false") return no_element();
    return Scalar::of(std::int64_t{token.text == "true"});
  }
  if (is_floating(type)) {
    double value = 0;
    if (token.text == "inf")
      value = std::numeric_limits<double>::infinity();
    else if (token.text == "nan")
      value = std::numeric_limits<double>::quiet_NaN();
    else if (std::from_chars(token.text.data(), token.text.data() + token.text.size(), value).ec != std::errc())
      return no_element();
    return round_to(Scalar::of(text.negative ? -value : value), type);
  }
  std::int64_t value = 0;
  if (token.kind != TokenKind::integer ||
      std::from_chars(written.data(), written.data() + written.size(), value).ec != std::errc())
    return no_element();
  const Scalar integer = Scalar::of(value);
  return round_to(integer, type) == integer ? integer : no_element();
}

void TextReader::fail_here(std::string_view code, std::string message, std::string remedy) {
  fail_at(cursor_.peek().span, code, std::move(message), std::move(remedy));
}
void TextReader::fail_at(Span span, std::string_view code, std::string message, std::string remedy) {
  if (ok()) errors_ = fail(code, std::move(message), std::move(remedy), cursor_.source(), span).error();
}

}  // namespace tilewright
