// The lexer of .tw text. Line structure follows Python: an indentation stack, lines that continue inside brackets and
// after an operator that cannot end a statement. lexer.h has the contracts.
#include "lang/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "lang/text_check.h"

namespace tilewright::lang {
namespace {

constexpr std::array<std::string_view, 11> reserved_words = {"program", "do",  "then",     "else",      "in",     "and",
                                                             "or",      "not", "schedule", "precision", "example"};

// Longest first within a first character.
constexpr std::array<std::string_view, 26> punctuation = {"++=", "..<", "->", "<=", ">=", "==", "!=", "*=", "[",
                                                          "]",   "(",   ")",  ",",  ":",  "|",  "=",  "+",  "-",
                                                          "*",   "/",   "<",  ">",  ".",  "%",  "{",  "}"};

// Operators after which a line cannot end, so that it goes on.
constexpr std::array<std::string_view, 20> continuing = {"+",    "-",  "*",  "/",    "<",  "<=",  ">",
                                                         ">=",   "==", "!=", "and",  "or", "++=", "max=",
                                                         "min=", "*=", "|",  "then", "->", "not"};

// Spellings of other languages, with ours.
struct Foreign {
  std::string_view spelling;
  std::string_view remedy;
};
constexpr std::array<Foreign, 3> foreign_operators = {
    {{"&&", "write 'and'"}, {"||", "write 'or'"}, {"!", "write 'not'"}}};

char closer_of(char open) {
  return open == '(' ? ')' : open == '[' ? ']' : '}';
}

class Lexer {
 public:
  explicit Lexer(const SourcePtr& source) : source_(source), text_(source->text()) {}
  LexedText run();

 private:
  bool at_end() const { return position_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0'; }
  bool starts_with(std::string_view wanted) const { return text_.substr(position_).starts_with(wanted); }
  bool at_line_break() const { return peek() == '\n' || (peek() == '\r' && peek(1) == '\n'); }

  void add(LexemeKind kind, std::size_t begin) {
    const Span span{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(position_)};
    out_.lexemes.push_back({kind, text_.substr(begin, position_ - begin), span});
  }
  void add_structure(LexemeKind kind) {
    const auto at = static_cast<std::uint32_t>(position_);
    out_.lexemes.push_back({kind, {}, {at, at}});
  }
  void error(std::string_view code, std::size_t begin, std::size_t end, std::string message, std::string remedy) {
    if (out_.diagnostics.size() >= most_errors) return;
    out_.diagnostics.push_back({std::string(code), std::move(message), std::move(remedy), source_,
                                Span{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}});
  }

  void begin_line();
  std::size_t measure_indentation();
  void open_or_close_blocks(std::size_t width, bool opens);
  void scan_lexeme();
  void scan_comment(bool own_line);
  void scan_name();
  void scan_number();
  void scan_punctuation();
  void scan_unknown();
  void open_bracket(std::size_t at) { brackets_.push_back(at); }
  void close_bracket(std::size_t at);
  void end_line();
  bool line_continues() const;
  bool statement_begins_ahead() const;
  bool is_schedule_line() const;

  SourcePtr source_;
  std::string_view text_;
  std::size_t position_ = 0;
  LexedText out_;
  struct Level {
    std::size_t width = 0;
    bool opened = false;  ///< by a line that ends in ':'
  };
  std::vector<Level> levels_ = {{}};
  std::vector<std::size_t> brackets_;  ///< offsets of the open ones
  bool in_line_ = false;               ///< the current logical line has a lexeme
  bool bracket_seen_ = false;          ///< the current logical line has had a ']' (so that its '=' assigns a tensor)
  bool line_added_ = false;            ///< the current physical line has one
  std::size_t first_ = 0;              ///< index of the current logical line's first lexeme
  bool line_is_bad_ = false;           ///< an unknown character was reported in this logical line
  bool brackets_are_bad_ = false;      ///< a bracket was reported in this logical line
};

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}

std::size_t skip_name(std::string_view text, std::size_t at) {
  if (at < text.size() && is_name_start(text[at]))
    while (at < text.size() && is_name_part(text[at])) ++at;
  return at;
}

/// `text` from a line's start is `name[…] op`, `program name(` or `entry:`. No line like that continues another. Nor
/// does `name(` or `name =` continue a schedule line, whose arguments are names and integers.
bool begins_anew(std::string_view text, bool after_schedule_line) {
  std::size_t at = skip_blanks(text, 0);
  const std::size_t name_end = skip_name(text, at);
  if (name_end == at) return false;
  const std::string_view first = text.substr(at, name_end - at);
  at = skip_blanks(text, name_end);
  const auto next_is = [&](std::string_view wanted) { return text.substr(at).starts_with(wanted); };
  if (first == "program") {
    const std::size_t end = skip_name(text, at);
    return end != at && text.substr(skip_blanks(text, end)).starts_with("(");
  }
  if (first == "schedule" || first == "precision" || first == "example") return next_is(":");
  if (after_schedule_line && (next_is("(") || (next_is("=") && !next_is("==")))) return true;
  if (next_is(":")) at = skip_blanks(text, skip_name(text, skip_blanks(text, at + 1)));
  if (next_is("*")) ++at;
  if (!next_is("[")) return false;
  at = text.find_first_of("]\n", at);
  if (at == std::string_view::npos || text[at] != ']') return false;
  at = skip_blanks(text, at + 1);
  return next_is("++=") || next_is("*=") || next_is("max=") || next_is("min=") || (next_is("=") && !next_is("=="));
}

LexedText Lexer::run() {
  if (auto defect = find_text_defect(source_)) {
    out_.diagnostics.push_back(std::move(*defect));
    add_structure(LexemeKind::end);
    return std::move(out_);
  }
  if (text_.starts_with("\xEF\xBB\xBF")) position_ = 3;
  while (!at_end()) {
    begin_line();
    while (!at_end() && !at_line_break()) scan_lexeme();
    end_line();
  }
  while (levels_.size() > 1) {
    levels_.pop_back();
    add_structure(LexemeKind::dedent);
  }
  add_structure(LexemeKind::end);
  return std::move(out_);
}

/// Consumes the indentation, and the whole line if it holds nothing but a comment.
void Lexer::begin_line() {
  const std::size_t start = position_;
  const std::size_t width = measure_indentation();
  if (at_end() || at_line_break()) return;
  if (peek() == '#') return scan_comment(true);
  const std::string_view blanks = text_.substr(start, position_ - start);
  const bool has_tab = blanks.find('\t') != std::string_view::npos;
  if (has_tab) {
    const std::size_t tab = start + blanks.find('\t');
    error("L003", tab, tab + 1, "a tab in the indentation", "indent with spaces");
  }
  if (in_line_) return;
  const bool opens = !out_.lexemes.empty() && out_.lexemes.size() > 1 && out_.lexemes[out_.lexemes.size() - 2].is(":");
  // A tab's width is unknown: guess what keeps the blocks as they most likely are.
  const std::size_t open = levels_.back().width;
  open_or_close_blocks(!has_tab ? width : opens ? std::max(width, open + 1) : open, opens);
}

std::size_t Lexer::measure_indentation() {
  const std::size_t start = position_;
  position_ = skip_blanks(text_, position_);
  return position_ - start;
}

void Lexer::open_or_close_blocks(std::size_t width, bool opens) {
  if (width > levels_.back().width) {
    levels_.push_back({width, opens});
    add_structure(LexemeKind::indent);
    return;
  }
  while (width < levels_.back().width) {
    // Lines that are indented for no reason are one error for the parser, however raggedly they stand.
    if (!levels_.back().opened && width > levels_[levels_.size() - 2].width) {
      levels_.back().width = width;
      return;
    }
    levels_.pop_back();
    add_structure(LexemeKind::dedent);
  }
  if (width == levels_.back().width) return;
  error(
      "L004", position_ - width, position_,
      fmt::format("this line is indented by {} spaces, which closes a block but matches no open one", width),
      fmt::format("indent it by {}, or by as much as another line above it that is still open", levels_.back().width));
  in_line_ = true;  // and silence the parser about it
  first_ = out_.lexemes.size();
  add(LexemeKind::invalid, position_);
}

void Lexer::scan_lexeme() {
  const char c = peek();
  if (c == ' ' || c == '\t') {
    ++position_;
    return;
  }
  if (c == '#') return scan_comment(false);
  if (!in_line_) first_ = out_.lexemes.size();
  in_line_ = true;
  line_added_ = true;
  const bool after_name = !out_.lexemes.empty() && out_.lexemes.back().kind == LexemeKind::name &&
                          out_.lexemes.back().span.end == position_;
  if (is_name_start(c)) return scan_name();
  if (is_digit(c) || (c == '.' && is_digit(peek(1)) && !after_name)) return scan_number();
  scan_punctuation();
}

void Lexer::scan_comment(bool own_line) {
  const std::size_t begin = position_;
  while (!at_end() && !at_line_break()) ++position_;
  std::size_t end = position_;
  while (end > begin && (text_[end - 1] == ' ' || text_[end - 1] == '\t' || text_[end - 1] == '\r')) --end;
  out_.comments.push_back({{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}, own_line});
}

void Lexer::scan_name() {
  const std::size_t begin = position_;
  position_ = skip_name(text_, position_);
  const std::string_view word = text_.substr(begin, position_ - begin);
  if ((word == "max" || word == "min") && peek() == '=' && peek(1) != '=') {
    ++position_;
    return add(LexemeKind::punctuation, begin);
  }
  add(is_reserved(word) ? LexemeKind::keyword : LexemeKind::name, begin);
}

void Lexer::scan_number() {
  const std::size_t begin = position_;
  bool floating = false;
  const auto digits = [&] {
    const std::size_t start = position_;
    while (is_digit(peek())) ++position_;
    return position_ > start;
  };
  digits();
  if (peek() == '.' && peek(1) != '.') {
    floating = true;
    ++position_;
    digits();
  }
  bool malformed = false;
  if (peek() == 'e' || peek() == 'E') {
    floating = true;
    ++position_;
    if (peek() == '+' || peek() == '-') ++position_;
    malformed = !digits();
  }
  // `64x32` is an example's shape: the parser tells it from a slip.
  if (is_name_start(peek()) && (floating || peek() != 'x')) malformed = true;
  if (floating && peek() == '.') malformed = true;
  if (!malformed) return add(floating ? LexemeKind::floating : LexemeKind::integer, begin);
  while (is_name_part(peek()) || (peek() == '.' && is_digit(peek(1)))) ++position_;
  error("L007", begin, position_, fmt::format("'{}' is no number", text_.substr(begin, position_ - begin)),
        "numbers are written 2, 2.0, 2., .5 or 1e-3; a product needs its '*'");
  add(LexemeKind::invalid, begin);
}

void Lexer::scan_punctuation() {
  const std::size_t begin = position_;
  if (!starts_with("!="))
    for (const Foreign& foreign : foreign_operators)
      if (starts_with(foreign.spelling)) {
        position_ += foreign.spelling.size();
        error("L006", begin, position_, fmt::format("'{}' is no operator of the language", foreign.spelling),
              std::string(foreign.remedy));
        return add(LexemeKind::invalid, begin);
      }
  const auto match = std::ranges::find_if(punctuation, [&](std::string_view p) { return starts_with(p); });
  if (match == punctuation.end() || *match == "{" || *match == "}") return scan_unknown();
  position_ += match->size();
  add(LexemeKind::punctuation, begin);
  if (*match == "(" || *match == "[") open_bracket(begin);
  if (*match == ")" || *match == "]") close_bracket(begin);
  bracket_seen_ = bracket_seen_ || *match == "]";
}

/// Takes one character, of any length; reports the first of a logical line.
void Lexer::scan_unknown() {
  const std::size_t begin = position_++;
  while (!at_end() && (static_cast<unsigned char>(peek()) & 0xC0U) == 0x80U) ++position_;
  if (!line_is_bad_) {
    const std::string_view character = text_.substr(begin, position_ - begin);
    const bool printable = character.size() > 1 || (character[0] > ' ' && character[0] < 0x7F);
    error("L006", begin, position_,
          printable ? fmt::format("the character '{}' has no meaning here", character)
                    : fmt::format("a control character (0x{:02x})", static_cast<unsigned char>(character[0])),
          "outside comments the language uses ASCII letters, digits, '_' and its operators");
  }
  line_is_bad_ = true;
  add(LexemeKind::invalid, begin);
}

void Lexer::close_bracket(std::size_t at) {
  const char close = text_[at];
  const auto fits = [&](std::size_t open) { return closer_of(text_[open]) == close; };
  if (!brackets_.empty() && fits(brackets_.back())) {
    brackets_.pop_back();
    return;
  }
  out_.lexemes.back().kind = LexemeKind::invalid;
  const bool silent = std::exchange(brackets_are_bad_, true);
  if (brackets_.empty()) {
    if (silent) return;
    error("L010", at, at + 1, fmt::format("'{}' closes nothing", close), "remove it, or open a bracket before it");
    return;
  }
  const std::size_t open = brackets_.back();
  if (!silent)
    error("L010", at, at + 1,
          fmt::format("'{}' cannot close the '{}' of column {}", close, text_[open],
                      source_->position(static_cast<std::uint32_t>(open)).column),
          fmt::format("write '{}'", closer_of(text_[open])));
  // It most likely closes the nearest one of its kind, and what is inside lacks its own.
  const auto own = std::ranges::find_if(brackets_.rbegin(), brackets_.rend(), fits);
  if (own == brackets_.rend())
    brackets_.pop_back();
  else
    brackets_.erase(own.base() - 1, brackets_.end());
}

bool Lexer::line_continues() const {
  if (!in_line_ || statement_begins_ahead()) return false;
  if (!brackets_.empty()) return true;
  if (out_.lexemes.empty()) return false;
  const Lexeme& last = out_.lexemes.back();
  if (last.is("=")) return bracket_seen_;
  return std::ranges::any_of(continuing, [&](std::string_view op) { return last.is(op); });
}

/// The current logical line began with `name(`.
bool Lexer::is_schedule_line() const {
  return first_ + 1 < out_.lexemes.size() && out_.lexemes[first_].kind == LexemeKind::name &&
         out_.lexemes[first_ + 1].is("(");
}

/// The next line with anything on it begins a statement or a block entry.
bool Lexer::statement_begins_ahead() const {
  std::size_t at = position_;
  while (at < text_.size()) {
    if (text_[at] == '\r') ++at;
    if (at < text_.size() && text_[at] == '\n') ++at;
    const std::size_t first = skip_blanks(text_, at);
    if (first >= text_.size()) return true;
    if (text_[first] == '\n' || text_[first] == '\r') {
      at = first;
      if (text_[first] == '\r' && (first + 1 >= text_.size() || text_[first + 1] != '\n')) return false;
      continue;
    }
    if (text_[first] != '#') return begins_anew(text_.substr(first), is_schedule_line());
    at = std::min(text_.find('\n', first), text_.size());
  }
  return true;
}

/// At a line break or the end: ends the logical line unless it goes on, and takes the break.
void Lexer::end_line() {
  // A comment or blank line inside a logical line changes nothing: its end was decided where it began.
  if (in_line_ && line_added_ && !line_continues()) {
    if (!brackets_.empty()) {
      const std::size_t at = brackets_.back();
      if (!brackets_are_bad_)
        error("L009", at, at + 1, fmt::format("'{}' is never closed", text_[at]),
              fmt::format("close it with '{}' before the next statement", closer_of(text_[at])));
      const std::size_t here = position_;
      add(LexemeKind::invalid, here);
      brackets_.clear();
    }
    add_structure(LexemeKind::newline);
    in_line_ = false;
    bracket_seen_ = false;
    line_is_bad_ = false;
    brackets_are_bad_ = false;
  }
  line_added_ = false;
  if (peek() == '\r') ++position_;
  if (!at_end()) ++position_;
}

}  // namespace

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c);
}
bool is_reserved(std::string_view word) {
  return std::ranges::find(reserved_words, word) != reserved_words.end();
}

LexedText lex(const SourcePtr& source) {
  return Lexer(source).run();
}

}  // namespace tilewright::lang
