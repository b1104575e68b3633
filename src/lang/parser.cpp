// Files, programs and statement heads, and the recovery that all parts of the parser share.
#include "lang/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "lang/check.h"

namespace tilewright::lang {
namespace {

struct ReductionSpelling {
  std::string_view spelling;
  std::optional<Monoid> monoid;
};
constexpr std::array<ReductionSpelling, 5> reduction_spellings = {
    {{"++=", Monoid::sum}, {"*=", Monoid::product}, {"max=", Monoid::max}, {"min=", Monoid::min}, {"=", std::nullopt}}};

constexpr std::string_view operators_remedy =
    "operators are one token: '++=' (sum), '*=' (product), 'max=', 'min=', or '=' where nothing is reduced";

}  // namespace

std::string describe(const Lexeme& lexeme) {
  switch (lexeme.kind) {
    case LexemeKind::newline:
    case LexemeKind::dedent:
      return "the end of the line";
    case LexemeKind::end:
      return "the end of the file";
    case LexemeKind::indent:
      return "an indented block";
    case LexemeKind::keyword:
      return fmt::format("the reserved word '{}'", lexeme.text);
    case LexemeKind::name:
    case LexemeKind::integer:
    case LexemeKind::floating:
    case LexemeKind::punctuation:
    case LexemeKind::invalid:
      break;
  }
  constexpr std::size_t longest = 40;
  if (lexeme.text.size() <= longest) return fmt::format("'{}'", lexeme.text);
  return fmt::format("'{}…'", lexeme.text.substr(0, longest));
}

std::string dtype_names() {
  std::string names;
#define X(enumerator, text, ...) names += names.empty() ? text : ", " text;
  TILEWRIGHT_DTYPES(X)
#undef X
  return names;
}

Parser::Parser(SourcePtr source, Diagnostics& diagnostics)
    : source_(std::move(source)), diagnostics_(diagnostics), lexed_(lex(source_)) {
  diagnostics_.insert(diagnostics_.end(), lexed_.diagnostics.begin(), lexed_.diagnostics.end());
}

const Lexeme& Parser::peek(std::size_t ahead) const {
  return lexed_.lexemes[std::min(position_ + ahead, lexed_.lexemes.size() - 1)];
}

const Lexeme& Parser::take() {
  const Lexeme& lexeme = peek();
  if (position_ + 1 < lexed_.lexemes.size()) ++position_;
  return lexeme;
}

bool Parser::accept(std::string_view text) {
  if (!peek().is(text)) return false;
  take();
  return true;
}

bool Parser::at_line_end() const {
  const LexemeKind kind = peek().kind;
  return kind == LexemeKind::newline || kind == LexemeKind::end || kind == LexemeKind::dedent;
}

/// The logical line that holds the lexeme `at` has an invalid lexeme.
bool Parser::line_is_invalid(std::size_t at) const {
  const auto ends = [&](std::size_t i) { return lexed_.lexemes[i].kind == LexemeKind::newline; };
  std::size_t first = std::min(at, lexed_.lexemes.size() - 1);
  while (first > 0 && !ends(first - 1)) --first;
  for (std::size_t i = first; i < lexed_.lexemes.size(); ++i) {
    if (lexed_.lexemes[i].kind == LexemeKind::invalid) return true;
    if (ends(i)) return false;
  }
  return false;
}

std::size_t Parser::error_count() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(diagnostics_, [](const Diagnostic& d) { return d.severity == Severity::error; }));
}

void Parser::error(std::string_view code, Span span, std::string message, std::string remedy) {
  if (line_is_invalid(position_)) return;
  diagnostics_.push_back({std::string(code), std::move(message), std::move(remedy), source_, span});
}

void Parser::error_expected(std::string_view what, std::string remedy) {
  const Lexeme& found = peek();
  Span span = found.span;
  // Structure has no width: point at the last character before it.
  if (span.begin == span.end && span.begin > 0 && position_ > 0) {
    const Span before = lexed_.lexemes[position_ - 1].span;
    if (before.end > before.begin) span = {before.end, before.end + 1};
    if (span.end > source_->text().size()) span = {before.end - 1, before.end};
  }
  error("L011", span, fmt::format("expected {}, found {}", what, describe(found)), std::move(remedy));
}

bool Parser::expect(std::string_view text, std::string_view after) {
  if (accept(text)) return true;
  error_expected(fmt::format("'{}' after {}", text, after));
  return false;
}

std::optional<Named> Parser::expect_name(std::string_view what) {
  const Lexeme& lexeme = peek();
  if (lexeme.kind == LexemeKind::keyword) {
    error("L012", lexeme.span, fmt::format("'{}' is a reserved word and cannot be {}", lexeme.text, what),
          "choose another name; only program, do, then, else, in, and, or, not, schedule, precision and example are "
          "reserved");
    return std::nullopt;
  }
  if (lexeme.kind != LexemeKind::name) {
    error_expected(what);
    return std::nullopt;
  }
  take();
  return Named{std::string(lexeme.text), lexeme.span};
}

std::optional<DType> Parser::expect_dtype() {
  const Lexeme& lexeme = peek();
  const auto dtype = lexeme.kind == LexemeKind::name ? dtype_from_name(lexeme.text) : std::nullopt;
  if (dtype) {
    take();
  } else if (lexeme.kind == LexemeKind::name) {
    error("L019", lexeme.span, fmt::format("'{}' is no element type", lexeme.text), "the types are " + dtype_names());
  } else {
    error_expected("an element type", "the types are " + dtype_names());
  }
  return dtype;
}

/// The value of an integer lexeme; L008 where it does not fit 64 bits.
std::optional<std::int64_t> Parser::integer_value(const Lexeme& lexeme) {
  std::int64_t value = 0;
  const char* end = lexeme.text.data() + lexeme.text.size();
  const auto [stop, status] = std::from_chars(lexeme.text.data(), end, value);
  if (status == std::errc{} && stop == end) return value;
  error("L008", lexeme.span, fmt::format("{} does not fit a 64-bit integer", describe(lexeme)),
        "the largest is 9223372036854775807; as a float, give it a point or an exponent");
  return std::nullopt;
}

/// To the start of the next logical line.
void Parser::skip_line() {
  while (peek().kind != LexemeKind::newline && peek().kind != LexemeKind::end) take();
  if (peek().kind == LexemeKind::newline) take();
}

/// Past an indented block, if one begins here.
void Parser::skip_block() {
  if (peek().kind != LexemeKind::indent) return;
  std::size_t depth = 0;
  do {
    const LexemeKind kind = take().kind;
    if (kind == LexemeKind::indent) ++depth;
    if (kind == LexemeKind::dedent) --depth;
  } while (depth > 0 && peek().kind != LexemeKind::end);
}

/// Takes the end of the line and reports what stands before it, or an indented block after it.
bool Parser::expect_line_end(std::string_view after) {
  bool good = at_line_end();
  if (!good) error_expected(fmt::format("the end of the line after {}", after));
  skip_line();
  if (peek().kind == LexemeKind::indent) {
    if (good) {
      error("L005", peek(1).span,
            fmt::format("this line is indented deeper than the line before, which opens no block"),
            "only lines that end in ':' open a block; a line goes on inside brackets and after a binary operator");
      good = false;
    }
    skip_block();
  }
  return good;
}

File Parser::parse_file() {
  File file{source_, {}};
  while (peek().kind != LexemeKind::end && error_count() < most_errors) {
    if (peek().kind == LexemeKind::indent) {
      error("L005", peek(1).span, "this line is indented, but no block is open", "begin it in the first column");
      skip_block();
    } else if (peek().kind == LexemeKind::newline || peek().kind == LexemeKind::dedent) {
      take();
    } else if (peek().is("program")) {
      if (auto program = parse_program()) file.items.emplace_back(std::move(*program));
    } else if (auto statement = parse_statement()) {
      file.items.emplace_back(std::move(*statement));
    }
  }
  check_file(file, diagnostics_);
  return file;
}

/// A statement with its block. Nothing where it has an error, which is reported and skipped.
std::optional<Statement> Parser::parse_statement() {
  Statement statement;
  statement.source = source_;
  statement_ = &statement;
  heights_.clear();
  const std::size_t errors = error_count();
  const std::size_t first = position_;
  const bool bad_line = line_is_invalid(position_);
  const bool good = parse_head(statement);
  bool opens = false;
  if (good && peek().is("do")) {
    const Lexeme& keyword = take();
    if (expect(":", "'do'")) {
      opens = at_line_end();
      if (!opens) error_expected("the end of the line after 'do:'", "block entries stand on their own, indented lines");
    }
    skip_line();
    if (opens && peek().kind != LexemeKind::indent)
      error("L044", keyword.span, "'do:' has no block",
            "indent its entries deeper on the lines below, or leave it out");
  } else if (good) {
    expect_line_end("the statement");
  } else {
    skip_line();
    opens = position_ >= first + 3 && lexed_.lexemes[position_ - 2].is(":") && lexed_.lexemes[position_ - 3].is("do");
  }
  if (opens && peek().kind == LexemeKind::indent) parse_do_block(statement);
  skip_block();
  statement_ = nullptr;
  std::size_t last = position_;
  while (last > first && lexed_.lexemes[last - 1].text.empty()) --last;
  if (last > first) statement.span = {lexed_.lexemes[first].span.begin, lexed_.lexemes[last - 1].span.end};
  if (!good || bad_line || error_count() > errors) return std::nullopt;
  check_statement(statement, diagnostics_);
  return statement;
}

bool Parser::parse_head(Statement& statement) {
  if (!parse_target(statement) || !parse_operator(statement)) return false;
  if (at_dot_general()) {
    if (!parse_dot_general(statement)) return false;
  } else {
    statement.value = parse_expr();
  }
  if (!statement.value.valid()) return false;
  if (accept("|") && !parse_binding(statement)) return false;
  if (accept("then")) {
    const ExprId epilogue = parse_expr();
    if (!epilogue.valid()) return false;
    statement.epilogue = epilogue;
    if (peek().is("|")) {
      error("L011", peek().span, "the binding stands after 'then'",
            "write it before: value | (iterators) then epilogue");
      return false;
    }
  }
  if (at_line_end() || peek().is("do")) return true;
  error_expected(statement.epilogue                            ? "an operator, 'do:' or the end of the line"
                 : !statement.binding && statement.dot_general ? "'|', 'then', 'do:' or the end of the line"
                 : statement.binding                           ? "'then', 'do:' or the end of the line"
                                     : "an operator, '|', 'then', 'do:' or the end of the line");
  return false;
}

bool Parser::parse_target(Statement& statement) {
  auto name = expect_name("the name of a target");
  if (!name) return false;
  statement.target = std::move(*name);
  if (accept(":")) {
    statement.annotation = expect_dtype();
    if (!statement.annotation) return false;
  } else if (peek().is("*") && peek(1).is("[")) {
    take();
  }
  if (!peek().is("[")) {
    error_expected(fmt::format("'[' after the target '{}'", statement.target.name),
                   fmt::format("write {0}[i, j], or {0}[] for a scalar", statement.target.name));
    return false;
  }
  take();
  if (accept("]")) return true;
  do {
    // The whole slot: up to its ',' or ']'.
    std::size_t length = 0;
    while (!peek(length).is(",") && !peek(length).is("]") && !peek(length).text.empty()) ++length;
    if (length > 1 || (length == 1 && peek().kind != LexemeKind::name && peek().kind != LexemeKind::keyword)) {
      const Span slot{peek().span.begin, peek(length - 1).span.end};
      error("L020", slot,
            fmt::format("a target's slot is an iterator alone, found '{}'",
                        source_->text().substr(slot.begin, slot.end - slot.begin)),
            "give each axis of the target its own iterator and move the arithmetic into the reads");
      return false;
    }
    auto iterator = expect_name("an iterator of the target");
    if (!iterator) return false;
    statement.target_iterators.push_back(std::move(*iterator));
  } while (accept(","));
  return expect("]", "the target's iterators");
}

bool Parser::parse_operator(Statement& statement) {
  const Lexeme& lexeme = peek();
  for (const ReductionSpelling& row : reduction_spellings)
    if (lexeme.is(row.spelling)) {
      statement.reduction = row.monoid;
      statement.op_span = take().span;
      return true;
    }
  // What was probably meant: everything up to the '=' of this line.
  std::size_t length = 0;
  while (length < 3 && !peek(length).is("=")) ++length;
  if (peek(length).is("=") || (lexeme.is("+") && peek(1).is("++="))) {
    const Span span{lexeme.span.begin, peek(length).span.end};
    if (lexeme.text == "argmax" || lexeme.text == "argmin")
      error("L028", span, fmt::format("'{}' is not supported: a reduction yields a value, not a position", lexeme.text),
            "reduce with 'max=' or 'min='");
    else
      error("L013", span, fmt::format("'{}' is no operator", source_->text().substr(span.begin, span.end - span.begin)),
            std::string(operators_remedy));
    return false;
  }
  error_expected("an operator after the target", std::string(operators_remedy));
  return false;
}

bool Parser::parse_binding(Statement& statement) {
  statement.binding.emplace();
  if (accept("(")) return parse_binding_list(statement, ")");
  if (accept("[")) return parse_binding_list(statement, "]");
  return parse_binding_list(statement, "");
}

bool Parser::parse_binding_list(Statement& statement, std::string_view close) {
  do {
    auto name = expect_name("an iterator of the binding");
    if (!name) return false;
    BoundIterator bound{std::move(*name), std::nullopt};
    if (accept("in") && !parse_range(bound)) return false;
    statement.binding->push_back(std::move(bound));
  } while (accept(","));
  return close.empty() || expect(close, "the binding's iterators");
}

/// `0 ..< n` after 'in'.
bool Parser::parse_range(BoundIterator& bound) {
  constexpr std::string_view remedy = "a range is 0 ..< n with an integer literal n";
  const Lexeme& first = peek();
  if (first.kind != LexemeKind::integer || first.text.find_first_not_of('0') != std::string_view::npos) {
    error("L026", first.span, fmt::format("a range begins at 0, found {}", describe(first)), std::string(remedy));
    return false;
  }
  take();
  if (!peek().is("..<")) {
    error("L026", peek().span, fmt::format("expected '..<' in a range, found {}", describe(peek())),
          std::string(remedy));
    return false;
  }
  take();
  const Lexeme& last = peek();
  if (last.kind == LexemeKind::name && peek(1).is("[")) {
    error("L030", last.span, fmt::format("an extent that depends on data ('{}[…]') is not supported", last.text),
          std::string(remedy));
    return false;
  }
  const bool alone = peek(1).is(",") || peek(1).is(")") || peek(1).is("]") || peek(1).is("then") || peek(1).is("do") ||
                     peek(1).kind == LexemeKind::newline;
  if (last.kind != LexemeKind::integer || !alone) {
    const Lexeme& odd = last.kind == LexemeKind::integer ? peek(1) : last;
    error("L026", odd.span, fmt::format("a range ends in an integer literal, found {}", describe(odd)),
          std::string(remedy));
    return false;
  }
  bound.extent = integer_value(take());
  return bound.extent.has_value();
}

/// Recovers at the body: an error in the header does not hide those of the statements.
std::optional<Program> Parser::parse_program() {
  Program program;
  const std::size_t errors = error_count();
  const std::size_t first = position_;
  const bool bad_line = line_is_invalid(position_);
  const Span keyword = take().span;
  bool good = parse_program_header(program);
  if (good && !at_line_end()) {
    error_expected("the end of the line after the program's header", "its statements stand on indented lines below");
    good = false;
  }
  skip_line();
  if (peek().kind == LexemeKind::indent) {
    take();
    parse_program_body(program);
  } else if (good) {
    error("L066", keyword, fmt::format("the program '{}' has no statements", program.name.name),
          "indent its statements deeper on the lines below");
  }
  std::size_t last = position_;
  while (last > first && lexed_.lexemes[last - 1].text.empty()) --last;
  program.span = {keyword.begin, lexed_.lexemes[last - 1].span.end};
  if (!good || bad_line || error_count() > errors) return std::nullopt;
  check_program(program, diagnostics_, source_);
  return program;
}

bool Parser::parse_program_header(Program& program) {
  auto name = expect_name("the name of a program");
  if (!name) return false;
  program.name = std::move(*name);
  return expect("(", "the program's name") && parse_names(program.parameters, "the name of a parameter") &&
         expect("->", "the parameters") && expect("(", "'->'") &&
         parse_names(program.results, "the name of a result") && expect(":", "the results");
}

/// Names up to and with the ')'.
bool Parser::parse_names(std::vector<Named>& names, std::string_view what) {
  if (accept(")")) return true;
  do {
    auto name = expect_name(what);
    if (!name) return false;
    names.push_back(std::move(*name));
  } while (accept(","));
  return expect(")", "the names");
}

/// After the indent, to past the dedent.
void Parser::parse_program_body(Program& program) {
  bool statement_seen = false;
  program_ = &program;
  while (peek().kind != LexemeKind::dedent && peek().kind != LexemeKind::end && error_count() < most_errors) {
    if (peek().kind == LexemeKind::indent) {
      skip_block();
    } else if (peek().is("example")) {
      if (statement_seen)
        error("L065", peek().span, "an example line after a statement of the program",
              "put it before the first statement");
      parse_example(program.examples);
    } else {
      statement_seen = true;
      if (auto statement = parse_statement()) program.statements.push_back(std::move(*statement));
    }
  }
  program_ = nullptr;
  if (peek().kind == LexemeKind::dedent) take();
  if (!statement_seen)
    error("L066", program.name.span, fmt::format("the program '{}' has no statements", program.name.name),
          "add at least one statement after its examples");
}

}  // namespace tilewright::lang
