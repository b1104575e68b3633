// Tokens of the IRs' text forms and the indenting writer. See text.h.
#include "support/text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>

#include "support/utf8.h"

namespace tilewright {
namespace {

constexpr std::string_view syntax_error = "X001";
constexpr std::string_view number_range_error = "X002";

// Longest first.
constexpr std::array<std::string_view, 7> long_punctuation = {"++=", "->", "..", "<=", ">=", "==", "!="};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name_character(char c) {
  return is_name_start(c) || is_digit(c);
}

/// A read-only view of the text from the token's start; `at(i)` is '\0' past the end.
struct Rest {
  std::string_view text;
  char at(std::size_t i) const { return i < text.size() ? text[i] : '\0'; }
};

std::size_t name_length(Rest rest, std::size_t begin) {
  std::size_t i = begin;
  while (is_name_character(rest.at(i)) || (rest.at(i) == '.' && i > begin && is_name_character(rest.at(i + 1)))) ++i;
  return i;
}

std::size_t digits_end(Rest rest, std::size_t i) {
  while (is_digit(rest.at(i))) ++i;
  return i;
}

struct Lexeme {
  TokenKind kind;
  std::size_t length;
};

Lexeme scan_number(Rest rest) {
  std::size_t i = digits_end(rest, 0);
  TokenKind kind = TokenKind::integer;
  if (rest.at(i) == '.' && is_digit(rest.at(i + 1))) {
    kind = TokenKind::floating;
    i = digits_end(rest, i + 1);
  }
  if (rest.at(i) == 'e' || rest.at(i) == 'E') {
    const std::size_t sign = rest.at(i + 1) == '+' || rest.at(i + 1) == '-' ? 1 : 0;
    if (is_digit(rest.at(i + 1 + sign))) {
      kind = TokenKind::floating;
      i = digits_end(rest, i + 1 + sign);
    }
  }
  return {kind, i};
}

/// A string ends on its line; a backslash takes the next character with it.
Lexeme scan_string(Rest rest) {
  std::size_t i = 1;
  while (i < rest.text.size() && rest.at(i) != '"' && rest.at(i) != '\n')
    i += rest.at(i) == '\\' && rest.at(i + 1) != '\n' && i + 1 < rest.text.size() ? 2 : 1;
  if (rest.at(i) != '"') return {TokenKind::invalid, i};
  return {TokenKind::string, i + 1};
}

Lexeme scan_punctuation(Rest rest) {
  for (std::string_view punctuation : long_punctuation)
    if (rest.text.starts_with(punctuation)) return {TokenKind::punctuation, punctuation.size()};
  const Utf8Character character = utf8_character(rest.text, 0);
  const bool printable = character.valid && character.code_point > 0x20 && character.code_point < 0x7F;
  return {printable ? TokenKind::punctuation : TokenKind::invalid, character.bytes};
}

Lexeme scan_lexeme(Rest rest) {
  const char first = rest.at(0);
  if (is_name_start(first)) return {TokenKind::name, name_length(rest, 0)};
  if (first == '%' && is_name_character(rest.at(1))) return {TokenKind::value, name_length(rest, 1)};
  if (is_digit(first)) return scan_number(rest);
  if (first == '"') return scan_string(rest);
  return scan_punctuation(rest);
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const char c = text[at];
    if (c == '#')
      at = std::min(text.find('\n', at), text.size());
    else if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
      ++at;
    else
      break;
  }
  return at;
}

std::string describe(const Token& token) {
  constexpr std::size_t longest = 40;
  if (token.kind == TokenKind::end) return "the end of the text";
  if (token.kind == TokenKind::string) return "a string";
  if (token.kind == TokenKind::invalid)
    return token.text.starts_with('"') ? "a string without its closing quote" : "a character that is not allowed here";
  if (token.text.size() > longest) return fmt::format("'{}…'", token.text.substr(0, longest));
  return fmt::format("'{}'", token.text);
}

bool has_text(const Token& token, std::string_view text) {
  return (token.kind == TokenKind::name || token.kind == TokenKind::punctuation) && token.text == text;
}

}  // namespace

TextCursor::TextCursor(SourcePtr source) : source_(std::move(source)) {
  current_ = scan();
}

Token TextCursor::scan() {
  const std::string_view text = source_->text();
  const std::size_t begin = skip_blanks(text, position_);
  const auto span = [&](std::size_t end) {
    return Span{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  };
  position_ = static_cast<std::uint32_t>(begin);
  if (begin == text.size()) return {TokenKind::end, text.substr(begin), span(begin)};
  const Lexeme lexeme = scan_lexeme({text.substr(begin)});
  const std::size_t end = begin + lexeme.length;
  position_ = static_cast<std::uint32_t>(end);
  std::string_view written = text.substr(begin, lexeme.length);
  if (lexeme.kind == TokenKind::string) written = written.substr(1, written.size() - 2);
  return {lexeme.kind, written, span(end)};
}

Token TextCursor::take() {
  const Token taken = current_;
  current_ = scan();
  return taken;
}

bool TextCursor::next_is(std::string_view text) const {
  return has_text(current_, text);
}

bool TextCursor::accept(std::string_view text) {
  if (!next_is(text)) return false;
  take();
  return true;
}

std::unexpected<Diagnostics> TextCursor::error_here(std::string_view code, std::string message,
                                                    std::string remedy) const {
  return fail(code, std::move(message), std::move(remedy), source_, current_.span);
}

Result<Token> TextCursor::expect(std::string_view text) {
  if (!next_is(text)) return error_here(syntax_error, fmt::format("expected '{}', found {}", text, describe(current_)));
  return take();
}

Result<std::string> TextCursor::expect_name(std::string_view what) {
  if (current_.kind != TokenKind::name)
    return error_here(syntax_error, fmt::format("expected {}, found {}", what, describe(current_)));
  return std::string(take().text);
}

Result<std::string> TextCursor::expect_value(std::string_view what) {
  if (current_.kind != TokenKind::value)
    return error_here(syntax_error, fmt::format("expected {}, found {}", what, describe(current_)));
  return std::string(take().text.substr(1));
}

Result<std::int64_t> TextCursor::expect_int(std::string_view what) {
  const std::string_view sign = accept("-") ? "-" : "";
  if (current_.kind != TokenKind::integer)
    return error_here(syntax_error, fmt::format("expected {}, found {}", what, describe(current_)));
  const std::string digits = fmt::format("{}{}", sign, current_.text);
  std::int64_t value = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc())
    return error_here(number_range_error, fmt::format("'{}' does not fit a signed 64-bit integer", digits),
                      "write an integer from -9223372036854775808 to 9223372036854775807");
  take();
  return value;
}

Result<double> TextCursor::expect_number(std::string_view what) {
  const bool negative = accept("-");
  const auto signed_value = [&](double value) {
    take();
    return negative ? -value : value;
  };
  if (next_is("inf")) return signed_value(std::numeric_limits<double>::infinity());
  if (next_is("nan")) return signed_value(std::numeric_limits<double>::quiet_NaN());
  if (current_.kind != TokenKind::integer && current_.kind != TokenKind::floating)
    return error_here(syntax_error, fmt::format("expected {}, found {}", what, describe(current_)));
  double value = 0;
  const std::string_view text = current_.text;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
    return error_here(number_range_error, fmt::format("{} is outside the range of f64", describe(current_)),
                      "write a number of magnitude 4.9e-324 to 1.8e308, 0 or inf");
  return signed_value(value);
}

void TextWriter::line(std::string_view text) {
  text_.append(static_cast<std::size_t>(depth_) * 2, ' ');
  text_.append(text);
  text_.push_back('\n');
}

void TextWriter::open(std::string_view text) {
  line(text);
  ++depth_;
}

void TextWriter::close(std::string_view text) {
  --depth_;
  if (!text.empty()) line(text);
}

}  // namespace tilewright
