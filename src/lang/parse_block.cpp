// What stands under 'do:': precision, examples, schedule. Each entry and each schedule line recovers on its own.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "lang/parser.h"
#include "lang/schedule_lines.h"

namespace tilewright::lang {

/// At the indent, to past the dedent.
void Parser::parse_do_block(Statement& statement) {
  take();
  while (peek().kind != LexemeKind::dedent && peek().kind != LexemeKind::end) {
    if (peek().kind == LexemeKind::indent)
      skip_block();
    else
      parse_block_entry(statement);
  }
  if (peek().kind == LexemeKind::dedent) take();
}

void Parser::parse_block_entry(Statement& statement) {
  const Lexeme& entry = peek();
  if (entry.is("precision")) return parse_precision(statement);
  if (entry.is("example")) return parse_example(statement.examples);
  if (entry.is("schedule")) return parse_schedule(statement);
  const bool is_schedule_line = entry.kind == LexemeKind::name && find_schedule_line(entry.text) != nullptr;
  error("L041", entry.span, fmt::format("{} begins no block entry", describe(entry)),
        is_schedule_line ? "schedule lines stand indented under 'schedule:'"
                         : "the entries are 'precision: TIER', 'example: OPERANDS' and 'schedule:'");
  skip_line();
  skip_block();
}

void Parser::parse_precision(Statement& statement) {
  const Lexeme& entry = take();
  if (statement.precision) error("L042", entry.span, "a second 'precision' in one block", "keep one");
  if (!expect(":", "'precision'")) return skip_line();
  const Lexeme& tier = peek();
  const auto precision = tier.kind == LexemeKind::name ? precision_from_name(tier.text) : std::nullopt;
  if (!precision) {
    if (at_line_end())
      error_expected("a precision tier", "the tiers are exact, tf32, tf32x3");
    else
      error("L043", tier.span, fmt::format("{} is no precision tier", describe(tier)),
            "the tiers are exact, tf32, tf32x3");
    skip_line();
    return skip_block();
  }
  statement.precision = precision;
  statement.precision_span = take().span;
  expect_line_end("the precision");
}

void Parser::parse_example(std::vector<Example>& examples) {
  take();
  if (!expect(":", "'example'")) return skip_line();
  Example example;
  do {
    ExampleOperand operand;
    if (!parse_example_operand(operand)) {
      skip_line();
      return skip_block();
    }
    example.push_back(std::move(operand));
  } while (accept(","));
  if (expect_line_end("the example's operands")) examples.push_back(std::move(example));
}

/// `a = f32 64x64`.
bool Parser::parse_example_operand(ExampleOperand& operand) {
  const Lexeme& first = peek();
  // An operand called max or min makes one lexeme with the '='.
  const bool glued = first.is("max=") || first.is("min=");
  if (glued) {
    take();
    operand.name = {std::string(first.text.substr(0, 3)), {first.span.begin, first.span.begin + 3}};
  } else {
    auto name = expect_name("the name of an operand");
    if (!name) return false;
    operand.name = std::move(*name);
    if (!expect("=", fmt::format("'{}'", operand.name.name))) return false;
  }
  const auto dtype = expect_dtype();
  if (!dtype) return false;
  operand.dtype = *dtype;
  if (!parse_extents(operand)) return false;
  operand.span = {first.span.begin, lexed_.lexemes[position_ - 1].span.end};
  return true;
}

/// `64x3x5`, which the lexer has cut into 64 and x3x5; nothing for a scalar.
bool Parser::parse_extents(ExampleOperand& operand) {
  if (peek().is(",") || at_line_end()) return true;
  const std::size_t first = position_;
  std::string shape;
  while (peek().kind == LexemeKind::integer || peek().kind == LexemeKind::floating || peek().kind == LexemeKind::name)
    shape += take().text;
  const Span span{lexed_.lexemes[first].span.begin, lexed_.lexemes[std::max(position_, first + 1) - 1].span.end};
  const char* at = shape.data();
  const char* const end = at + shape.size();
  while (true) {
    std::int64_t extent = 0;
    const auto [stop, status] = std::from_chars(at, end, extent);
    if (status == std::errc::result_out_of_range) {
      error("L008", span, fmt::format("an extent of '{}' does not fit 64 bits", shape), "extents are 64-bit integers");
      return false;
    }
    if (status != std::errc{} || extent < 0 || (stop != end && *stop != 'x')) {
      if (position_ == first) take();
      error("L045", span, fmt::format("'{}' is no shape", source_->text().substr(span.begin, span.end - span.begin)),
            "write extents with 'x' between them: a = f32 64x32; a scalar has none: alpha = f32");
      return false;
    }
    operand.shape.push_back(extent);
    if (stop == end) break;
    at = stop + 1;
  }
  if (operand.shape.size() <= largest_rank) return true;
  error("L022", span, fmt::format("'{}' has rank {}", operand.name.name, operand.shape.size()), "ranks are 0 to 8");
  return false;
}

void Parser::parse_schedule(Statement& statement) {
  const Lexeme& entry = take();
  if (statement.schedule) error("L042", entry.span, "a second 'schedule' in one block", "keep one");
  statement.schedule.emplace();
  if (!expect(":", "'schedule'")) {
    skip_line();
    return skip_block();
  }
  if (!at_line_end()) {
    error_expected("the end of the line after 'schedule:'", "its lines stand indented below");
    skip_line();
    return skip_block();
  }
  skip_line();
  if (peek().kind != LexemeKind::indent)
    return error("L044", entry.span, "'schedule:' has no lines",
                 "indent them deeper on the lines below, or leave it out");
  take();
  while (peek().kind != LexemeKind::dedent && peek().kind != LexemeKind::end) {
    if (peek().kind == LexemeKind::indent) {
      skip_block();
      continue;
    }
    auto line = parse_schedule_line();
    if (!line) {
      skip_line();
      skip_block();
      continue;
    }
    if (!expect_line_end("the schedule line")) continue;
    for (Diagnostic& found : check_schedule_line(*line, source_)) diagnostics_.push_back(std::move(found));
    statement.schedule->push_back(std::move(*line));
  }
  if (peek().kind == LexemeKind::dedent) take();
}

/// `name(argument, …)`, `name = argument` or `name`, up to the end of the line.
std::optional<ScheduleLine> Parser::parse_schedule_line() {
  ScheduleLine line;
  auto name = expect_name("the name of a schedule line");
  if (!name) return std::nullopt;
  line.name = std::move(*name);
  if (accept("(")) {
    if (!parse_schedule_arguments(line)) return std::nullopt;
  } else if (accept("=")) {
    line.is_property = true;
    auto argument = parse_schedule_argument(line.name.name);
    if (!argument) return std::nullopt;
    line.arguments.push_back(std::move(*argument));
  } else if (!at_line_end()) {
    const auto* row = find_schedule_line(line.name.name);
    if (row == nullptr) {
      for (Diagnostic& found : check_schedule_line(line, source_))
        error(found.code, found.span, found.message, found.remedy);
    } else {
      error_expected(fmt::format("'(' or '=' after '{}'", line.name.name), fmt::format("write {}", row->usage));
    }
    return std::nullopt;
  }
  line.span = {line.name.span.begin, lexed_.lexemes[position_ - 1].span.end};
  return line;
}

bool Parser::parse_schedule_arguments(ScheduleLine& line) {
  if (accept(")")) return true;
  do {
    auto argument = parse_schedule_argument(line.name.name);
    if (!argument) return false;
    line.arguments.push_back(std::move(*argument));
  } while (accept(","));
  return expect(")", "the arguments");
}

/// An integer with an optional '-', a name, or a loop's name with its '.in' parts, which are written without blanks.
std::optional<ScheduleLine::Argument> Parser::parse_schedule_argument(std::string_view line) {
  const Lexeme& first = peek();
  const bool negative = first.is("-") && peek(1).kind == LexemeKind::integer;
  if (negative || first.kind == LexemeKind::integer) {
    if (negative) take();
    const auto number = number_of(peek(), negative);
    if (!number) return std::nullopt;
    return ScheduleLine::Argument{number->integer, {first.span.begin, take().span.end}};
  }
  if (first.kind != LexemeKind::name && first.kind != LexemeKind::keyword) {
    const auto* row = find_schedule_line(line);
    error_expected("a name or an integer", row == nullptr ? "" : fmt::format("write {}", row->usage));
    return std::nullopt;
  }
  auto name = expect_name("a name or an integer");
  if (!name) return std::nullopt;
  while (peek().is(".") && peek().span.begin == name->span.end && peek(1).is("in") &&
         peek(1).span.begin == peek().span.end) {
    take();
    name->span.end = take().span.end;
    name->name += ".in";
  }
  return ScheduleLine::Argument{std::move(name->name), name->span};
}

}  // namespace tilewright::lang
