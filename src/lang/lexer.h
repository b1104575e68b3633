// Text → lexemes with their line structure. First step of parse and format; nothing else sees lexemes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"

namespace tilewright::lang {

/// A file that is not in the language at all should not print a page for each of its lines.
inline constexpr std::size_t most_errors = 100;

enum class LexemeKind : std::uint8_t {
  name,
  keyword,      ///< a reserved word
  integer,      ///< digits only; its range is the parser's concern
  floating,     ///< with a point or an exponent
  punctuation,  ///< longest match of the table in lexer.cpp; "max=" and "min=" too
  invalid,      ///< reported already; the parser stays silent about the rest of its line
  newline,      ///< end of a logical line
  indent,
  dedent,
  end
};

struct Lexeme {
  LexemeKind kind = LexemeKind::end;
  std::string_view text;  ///< as written; empty for line structure
  Span span;
  bool is(std::string_view wanted) const {
    return (kind == LexemeKind::punctuation || kind == LexemeKind::keyword) && text == wanted;
  }
};

/// `#` to the end of its line, without trailing blanks.
struct Comment {
  Span span;
  bool own_line = false;  ///< nothing but blanks before it
};

/// The lexemes end with newline, dedents and `end`. A comment or blank line yields none. Views point into the source.
struct LexedText {
  std::vector<Lexeme> lexemes;
  std::vector<Comment> comments;
  Diagnostics diagnostics;
};

/// A text that is no text (NUL bytes, invalid UTF-8, 2 GiB or more) gives one error and only `end`. An unclosed bracket
/// ends where the next statement plainly begins, so that one slip does not hide the rest of the file.
LexedText lex(const SourcePtr& source);

bool is_name_start(char c);
bool is_name_part(char c);
bool is_digit(char c);
bool is_reserved(std::string_view word);

}  // namespace tilewright::lang
