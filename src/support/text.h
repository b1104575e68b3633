// The framework under the IRs' text forms: a token cursor with positions and recovery-free errors, and an indenting
// writer. (The .tw language has its own lexer, which knows indentation and recovers.)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "support/diagnostic.h"

namespace tilewright {

/// Tokens: names (letters, digits, '_' and inner '.'), %values (`%` and directly a name, which may start with a digit:
/// the modulus operator is followed by a blank), integers, floats (also inf, nan as names), strings in double quotes,
/// punctuation (longest match of "->", "..", "<=", ">=", "==", "!=", "++=", then one character), newline where
/// significant is off. `#` starts a comment.
enum class TokenKind : std::uint8_t { name, value, integer, floating, string, punctuation, end, invalid };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;  ///< as written; for a string, without its quotes
  Span span;
};

class TextCursor {
 public:
  explicit TextCursor(SourcePtr source);

  const Token& peek() const { return current_; }
  bool at_end() const { return current_.kind == TokenKind::end; }
  Token take();
  /// Takes the token if its text (of a name or punctuation) is `text`.
  bool accept(std::string_view text);
  bool next_is(std::string_view text) const;

  /// Each fails with code X001 ("expected …, found …") at the token.
  Result<Token> expect(std::string_view text);
  Result<std::string> expect_name(std::string_view what);
  Result<std::string> expect_value(std::string_view what);  ///< without the '%'
  Result<std::int64_t> expect_int(std::string_view what);   ///< with an optional '-'
  Result<double> expect_number(std::string_view what);      ///< integer, float, inf, nan, each with an optional '-'

  std::unexpected<Diagnostics> error_here(std::string_view code, std::string message, std::string remedy = {}) const;
  const SourcePtr& source() const { return source_; }

 private:
  Token scan();
  SourcePtr source_;
  std::uint32_t position_ = 0;
  Token current_;
};

/// Builds indented text. `line("…")` writes at the current depth.
class TextWriter {
 public:
  void line(std::string_view text);
  void open(std::string_view text);   ///< a line, then one level deeper
  void close(std::string_view text);  ///< one level back, then a line; an empty text writes none
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  int depth_ = 0;
};

}  // namespace tilewright
