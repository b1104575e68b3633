// The formatter: re-spaces lexemes, line by line. It works below the statement so that it keeps what a statement does
// not hold: comments, blank lines, the writer's line breaks inside a statement, the spelling of numbers, redundant
// parentheses. It settles indentation (two spaces a level, four more for a continued line), blanks, one spelling of
// targets (no '*'), of bindings (in parentheses) and of index lists (without parentheses).
#include <algorithm>
#include <string>
#include <vector>

#include "lang/lexer.h"
#include "lang/parse.h"

namespace tilewright::lang {
namespace {

/// A lexeme to print; `text` may differ from what was written.
struct Piece {
  LexemeKind kind;
  std::string text;
  Span span;
  bool is(std::string_view wanted) const { return text == wanted && kind != LexemeKind::name; }
};

/// One logical line at its block depth.
struct Line {
  std::size_t level = 0;
  std::vector<Piece> pieces;
};

class LineSplitter {
 public:
  LineSplitter(std::string_view text, const std::vector<Lexeme>& lexemes) : text_(text), lexemes_(lexemes) {}
  std::vector<Line> run();

 private:
  std::size_t matching(std::size_t open, std::size_t end) const;
  Line rewrite(std::size_t begin, std::size_t end, std::size_t level) const;

  bool breaks_between(std::size_t first, std::size_t second) const {
    const std::uint32_t end = lexemes_[first].span.end;
    return text_.substr(end, lexemes_[second].span.begin - end).find('\n') != std::string_view::npos;
  }

  std::string_view text_;
  const std::vector<Lexeme>& lexemes_;
};

std::vector<Line> LineSplitter::run() {
  std::vector<Line> lines;
  std::size_t level = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < lexemes_.size(); ++i) {
    const LexemeKind kind = lexemes_[i].kind;
    if (kind == LexemeKind::newline) lines.push_back(rewrite(begin, i, level));
    if (kind == LexemeKind::indent) ++level;
    if (kind == LexemeKind::dedent) --level;
    if (kind == LexemeKind::newline || kind == LexemeKind::indent || kind == LexemeKind::dedent) begin = i + 1;
  }
  return lines;
}

/// The index of the bracket that closes the one at `open`.
std::size_t LineSplitter::matching(std::size_t open, std::size_t end) const {
  int depth = 0;
  for (std::size_t i = open; i < end; ++i) {
    if (lexemes_[i].is("(") || lexemes_[i].is("[")) ++depth;
    if (lexemes_[i].is(")") || lexemes_[i].is("]")) --depth;
    if (depth == 0) return i;
  }
  return end;
}

Line LineSplitter::rewrite(std::size_t begin, std::size_t end, std::size_t level) const {
  Line line{level, {}};
  std::vector<std::string> replaced(end - begin);
  std::vector<bool> dropped(end - begin, false);
  std::size_t paren_before = end + 1;  // a bare binding's first lexeme, and one past its last
  std::size_t paren_after = end + 1;
  // A '*' at the end of a line is also what makes the line go on: that one stays.
  if (end - begin > 2 && lexemes_[begin + 1].is("*") && lexemes_[begin + 2].is("[") &&
      !breaks_between(begin + 1, begin + 2))
    dropped[1] = true;
  for (std::size_t i = begin; i + 1 < end; ++i) {
    if (lexemes_[i].is("[") && lexemes_[i + 1].is("(")) {
      const std::size_t close = matching(i + 1, end);
      int depth = 0;
      bool listed = false;
      for (std::size_t k = i + 1; k < close; ++k) {
        if (lexemes_[k].is("(")) ++depth;
        if (lexemes_[k].is(")")) --depth;
        if (depth == 1 && lexemes_[k].is(",")) listed = true;
      }
      if (listed && close + 1 < end && lexemes_[close + 1].is("]"))
        dropped[i + 1 - begin] = dropped[close - begin] = true;
    }
    if (!lexemes_[i].is("|")) continue;
    if (lexemes_[i + 1].is("[")) {
      replaced[i + 1 - begin] = "(";
      replaced[matching(i + 1, end) - begin] = ")";
    } else if (!lexemes_[i + 1].is("(")) {
      paren_before = paren_after = i + 1;
      while (paren_after < end && !lexemes_[paren_after].is("then") && !lexemes_[paren_after].is("do")) ++paren_after;
    }
  }
  for (std::size_t i = begin; i < end; ++i) {
    const Lexeme& lexeme = lexemes_[i];
    if (i == paren_before)
      line.pieces.push_back({LexemeKind::punctuation, "(", {lexeme.span.begin, lexeme.span.begin}});
    if (lexemes_[begin].is("example") && (lexeme.is("max=") || lexeme.is("min="))) {  // an operand of that name
      line.pieces.push_back({LexemeKind::name, std::string(lexeme.text.substr(0, 3)), lexeme.span});
      line.pieces.push_back({LexemeKind::punctuation, "=", {lexeme.span.end, lexeme.span.end}});
    } else if (!dropped[i - begin]) {
      const std::string& text = replaced[i - begin];
      line.pieces.push_back({lexeme.kind, text.empty() ? std::string(lexeme.text) : text, lexeme.span});
    }
    if (i + 1 == paren_after) line.pieces.push_back({LexemeKind::punctuation, ")", {lexeme.span.end, lexeme.span.end}});
  }
  return line;
}

/// Decides the blanks between the pieces of one line, left to right.
class Spacing {
 public:
  explicit Spacing(const Line& line)
      : is_example_(line.pieces.front().is("example")), is_entry_(line.pieces.front().kind == LexemeKind::keyword) {}
  /// Whether a blank stands before `next`.
  bool before(const Piece& next);

 private:
  bool is_example_;
  bool in_shape_ = false;       ///< after an example's first extent, up to the ','
  bool unary_ = false;          ///< the last piece is a sign
  bool between_lists_ = false;  ///< the last piece is the 'x' of [1] x [0]
  bool is_entry_;               ///< the line begins with a reserved word
  std::size_t count_ = 0;
  std::vector<char> brackets_;
  Piece last_{LexemeKind::end, {}, {}};
};

bool ends_operand(const Piece& piece) {
  return piece.kind == LexemeKind::name || piece.kind == LexemeKind::integer || piece.kind == LexemeKind::floating ||
         piece.is(")") || piece.is("]");
}

bool Spacing::before(const Piece& next) {
  const bool sign = (next.is("-") || next.is("+")) && !ends_operand(last_);
  const bool in_index = !brackets_.empty() && brackets_.back() == '[';
  const bool tight_product = in_index && (next.is("*") || last_.is("*"));
  bool blank = true;
  if (count_ == 0 || unary_ || in_shape_ || last_.is("(") || last_.is("[") || last_.is(".") || tight_product)
    blank = false;
  else if (next.is(")") || next.is("]") || next.is(",") || next.is("."))
    blank = false;
  else if (next.is(":"))
    blank = last_.is(",");  // dot_general(a[:, :], …)
  else if (next.is("(") || next.is("["))
    blank = last_.kind != LexemeKind::name || between_lists_;
  else if (last_.is(":"))
    blank = count_ != 2 || is_entry_;
  if (next.is(",")) {
    in_shape_ = false;
    blank = false;
  }
  if (is_example_ && next.kind == LexemeKind::integer) in_shape_ = true;
  if (next.is("(") || next.is("[")) brackets_.push_back(next.text[0] == '(' && in_index ? '[' : next.text[0]);
  if ((next.is(")") || next.is("]")) && !brackets_.empty()) brackets_.pop_back();
  unary_ = sign;
  between_lists_ = next.kind == LexemeKind::name && last_.is("]");
  last_ = next;
  ++count_;
  return blank;
}

class Formatter {
 public:
  Formatter(const SourcePtr& source, const LexedText& lexed)
      : text_(source->text()), comments_(lexed.comments), lines_(LineSplitter(source->text(), lexed.lexemes).run()) {}
  std::string run();

 private:
  void write_line(std::size_t index);
  void write_comments_before(std::uint32_t offset, std::size_t outer, std::size_t inner);
  void start_line(std::size_t indentation, std::uint32_t offset);
  void end_line() {
    if (!out_.empty() && out_.back() != '\n') out_ += '\n';
  }
  std::size_t column(std::uint32_t offset) const;
  std::size_t line_breaks(std::uint32_t begin, std::uint32_t end) const {
    return static_cast<std::size_t>(std::ranges::count(text_.substr(begin, end - begin), '\n'));
  }
  std::size_t comment_level(const Comment& comment, std::size_t outer, std::size_t inner) const;

  std::string_view text_;
  const std::vector<Comment>& comments_;
  std::vector<Line> lines_;
  std::string out_;
  std::size_t next_comment_ = 0;
  std::uint32_t written_ = 0;         ///< end of what has been written, in the source
  bool blank_allowed_ = false;        ///< not at the start of the file or of a block
  std::vector<std::size_t> columns_;  ///< by level: where the source's lines of it begin
};

std::size_t Formatter::column(std::uint32_t offset) const {
  const std::size_t newline = text_.substr(0, offset).rfind('\n');
  return newline == std::string_view::npos ? offset : offset - newline - 1;
}

void Formatter::start_line(std::size_t indentation, std::uint32_t offset) {
  end_line();
  if (blank_allowed_ && line_breaks(written_, offset) > 1) out_ += '\n';
  out_.append(indentation, ' ');
  blank_allowed_ = true;
}

/// A comment on its own line belongs to the block whose column it has, between those around it.
std::size_t Formatter::comment_level(const Comment& comment, std::size_t outer, std::size_t inner) const {
  std::size_t level = inner;
  while (level > outer && (level >= columns_.size() || columns_[level] > column(comment.span.begin))) --level;
  return level;
}

void Formatter::write_comments_before(std::uint32_t offset, std::size_t outer, std::size_t inner) {
  for (; next_comment_ < comments_.size() && comments_[next_comment_].span.begin < offset; ++next_comment_) {
    const Comment& comment = comments_[next_comment_];
    if (comment.own_line || out_.empty() || out_.back() == '\n')
      start_line(2 * comment_level(comment, outer, inner), comment.span.begin);
    else
      out_ += "  ";
    out_ += text_.substr(comment.span.begin, comment.span.end - comment.span.begin);
    written_ = comment.span.end;
  }
}

void Formatter::write_line(std::size_t index) {
  const Line& line = lines_[index];
  const std::size_t level = line.level;
  const std::uint32_t begin = line.pieces.front().span.begin;
  const std::size_t before = index == 0 ? level : lines_[index - 1].level;
  columns_.resize(std::max(columns_.size(), level + 1));
  if (level > before) {
    columns_[level] = column(begin);
    blank_allowed_ = false;
  }
  write_comments_before(begin, std::min(level, before), std::max(level, before));
  columns_.resize(level + 1);
  columns_[level] = column(begin);
  start_line(2 * level, begin);
  Spacing spacing(line);
  for (const Piece& piece : line.pieces) {
    const bool blank = spacing.before(piece);
    const bool breaks =
        piece.span.begin > written_ && &piece != &line.pieces.front() && line_breaks(written_, piece.span.begin) > 0;
    if (breaks) {
      blank_allowed_ = false;
      write_comments_before(piece.span.begin, level + 2, level + 2);
      blank_allowed_ = false;
      start_line(2 * level + 4, piece.span.begin);
    } else if (blank) {
      out_ += ' ';
    }
    out_ += piece.text;
    written_ = std::max(written_, piece.span.end);
  }
}

std::string Formatter::run() {
  for (std::size_t i = 0; i < lines_.size(); ++i) write_line(i);
  write_comments_before(static_cast<std::uint32_t>(text_.size() + 1), 0, lines_.empty() ? 0 : lines_.back().level);
  end_line();
  return std::move(out_);
}

}  // namespace

Result<std::string> format(SourcePtr source) {
  if (auto file = parse(source); !file) return std::unexpected(std::move(file.error()));
  const LexedText lexed = lex(source);
  return Formatter(source, lexed).run();
}

}  // namespace tilewright::lang
