// Statements as canonical text, with the fewest parentheses. What it prints parses to the same statement, but for what
// only C++ can build: a literal inf or nan has no text of its own in an expression.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lang/parse.h"
#include "lang/precedence.h"
#include "support/overloaded.h"

namespace tilewright::lang {
namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

std::string number_text(const Number& number) {
  if (number.is_integer) return fmt::format("{}", number.integer);
  if (std::isnan(number.value)) return std::signbit(number.value) ? "-nan" : "nan";
  std::string text = fmt::format("{}", number.value);
  if (text.find_first_of(".eni") == std::string::npos) text += ".0";
  return text;
}

/// Adds `coefficient · name`, or the number where `name` is empty, with its sign.
void add_term(std::string& text, std::int64_t coefficient, const std::string& name) {
  if (coefficient == lowest) {  // its magnitude is no literal
    add_term(text, coefficient + 1, name);
    return add_term(text, -1, name);
  }
  const bool negative = coefficient < 0;
  const std::int64_t magnitude = negative ? -coefficient : coefficient;
  if (text.empty())
    text += negative ? "-" : "";
  else
    text += negative ? " - " : " + ";
  if (name.empty())
    text += fmt::format("{}", magnitude);
  else
    text += magnitude == 1 ? name : fmt::format("{}*{}", magnitude, name);
}

std::string index_text(const AffineIndex& index) {
  std::string text;
  for (const AffineIndex::Term& term : index.terms) add_term(text, term.coefficient, term.iterator);
  if (index.constant != 0 || text.empty()) add_term(text, index.constant, {});
  return text;
}

std::string read_text(const Read& read) {
  std::string indices;
  for (const AffineIndex& index : read.indices)
    indices += fmt::format("{}{}", indices.empty() ? "" : ", ", index_text(index));
  const std::string text = fmt::format("{}[{}]", read.tensor, indices);
  return read.otherwise ? fmt::format("{} else {}", text, number_text(*read.otherwise)) : text;
}

class ExprPrinter {
 public:
  explicit ExprPrinter(const Statement& statement) : statement_(statement) {}

  /// In parentheses if it binds weaker than `level`.
  std::string text(ExprId id, int level) const {
    const auto [text, own] =
        std::visit(Overloaded{
                       [](const Literal& e) { return literal(e.number); },
                       [](const Read& e) { return Printed{read_text(e), operand_level}; },
                       [](const IteratorValue& e) { return Printed{e.iterator, operand_level}; },
                       [](const ExtentOf& e) { return Printed{fmt::format("extent({})", e.iterator), operand_level}; },
                       [&](const Cast& e) {
                         return Printed{fmt::format("cast({}, {})", name(e.to), this->text(e.operand, weakest_level)),
                                        operand_level};
                       },
                       [&](const Apply& e) { return apply(e); },
                   },
                   statement_.exprs[id].node);
    return own < level ? fmt::format("({})", text) : text;
  }

 private:
  struct Printed {
    std::string text;
    int level;
  };

  static Printed literal(const Number& number) {
    const bool negative = number.is_integer ? number.integer < 0 : std::signbit(number.value);
    return {number_text(number), negative ? minus_level : operand_level};
  }

  Printed apply(const Apply& e) const {
    const ScalarOpInfo& row = info(e.op);
    switch (row.form) {
      case OpForm::infix: {
        const int level = std::ranges::find(infix_table, e.op, &Infix::op)->level;
        const int left = level == comparison_level ? level + 1 : level;
        return {fmt::format("{} {} {}", text(e.operands[0], left), row.spelling, text(e.operands[1], level + 1)),
                level};
      }
      case OpForm::prefix: {
        const bool is_not = e.op == ScalarOp::logical_not;
        const int level = is_not ? not_level : minus_level;
        // -(3) negates a literal, -3 is one: minus and a number need the parentheses.
        const bool number = std::holds_alternative<Literal>(statement_.exprs[e.operands[0]].node);
        const std::string operand = text(e.operands[0], !is_not && number ? operand_level + 1 : level);
        return {fmt::format("{}{}{}", row.spelling, is_not ? " " : "", operand), level};
      }
      case OpForm::function:
        break;
    }
    std::string operands;
    for (ExprId operand : e.operands)
      operands += fmt::format("{}{}", operands.empty() ? "" : ", ", text(operand, weakest_level));
    return {fmt::format("{}({})", row.spelling, operands), operand_level};
  }

  const Statement& statement_;
};

std::string binding_text(const std::vector<BoundIterator>& binding) {
  std::string text;
  for (const BoundIterator& bound : binding) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", bound.iterator.name);
    if (bound.extent) text += fmt::format(" in 0 ..< {}", *bound.extent);
  }
  return fmt::format("({})", text);
}

std::string example_text(const Example& example) {
  std::string text;
  for (const ExampleOperand& operand : example) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", operand.name.name, name(operand.dtype));
    if (!operand.shape.empty()) text += fmt::format(" {}", fmt::join(operand.shape, "x"));
  }
  return text;
}

constexpr std::string_view program_indent = "  ";

std::string names_text(const std::vector<Named>& names) {
  std::string text;
  for (const Named& name : names) text += fmt::format("{}{}", text.empty() ? "" : ", ", name.name);
  return text;
}

/// Adds lines, each with its '\n', one level deeper.
void add_indented(std::string& all, std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n') + 1;
    all += program_indent;
    all += lines.substr(0, end);
    lines.remove_prefix(end);
  }
}

}  // namespace

std::string_view operator_text(const std::optional<Monoid>& reduction) {
  if (!reduction) return "=";
  switch (*reduction) {
    case Monoid::sum:
      return "++=";
    case Monoid::product:
      return "*=";
    case Monoid::max:
      return "max=";
    case Monoid::min:
      return "min=";
  }
  return {};
}

std::string to_text(const ScheduleLine& line) {
  std::string arguments;
  for (const ScheduleLine::Argument& argument : line.arguments) {
    if (!arguments.empty()) arguments += ", ";
    if (const auto* word = std::get_if<std::string>(&argument.value)) arguments += *word;
    if (const auto* number = std::get_if<std::int64_t>(&argument.value)) arguments += fmt::format("{}", *number);
  }
  if (line.is_property) return fmt::format("{} = {}", line.name.name, arguments);
  return line.arguments.empty() ? line.name.name : fmt::format("{}({})", line.name.name, arguments);
}

std::string to_text(const std::vector<ScheduleLine>& lines) {
  std::string text;
  for (const ScheduleLine& line : lines) text += to_text(line) + "\n";
  return text;
}

std::string to_text(const Statement& statement, ExprId expr) {
  return ExprPrinter(statement).text(expr, weakest_level);
}

std::string to_text(const Statement& statement) {
  std::vector<std::string_view> iterators;
  for (const Named& iterator : statement.target_iterators) iterators.push_back(iterator.name);
  std::string text = statement.target.name;
  if (statement.annotation) text += fmt::format(":{}", name(*statement.annotation));
  text += fmt::format("[{}] {} {}", fmt::join(iterators, ", "), operator_text(statement.reduction),
                      to_text(statement, statement.value));
  if (statement.binding) text += fmt::format(" | {}", binding_text(*statement.binding));
  if (statement.epilogue) text += fmt::format(" then {}", to_text(statement, *statement.epilogue));
  const bool has_schedule = statement.schedule && !statement.schedule->empty();
  if (!statement.precision && statement.examples.empty() && !has_schedule) return text + "\n";
  text += " do:\n";
  if (statement.precision) text += fmt::format("  precision: {}\n", name(*statement.precision));
  for (const Example& example : statement.examples) text += fmt::format("  example: {}\n", example_text(example));
  if (!has_schedule) return text;
  text += "  schedule:\n";
  for (const ScheduleLine& line : *statement.schedule) text += fmt::format("    {}\n", to_text(line));
  return text;
}

std::string to_text(const Program& program, std::vector<Span>& statements) {
  std::string text = fmt::format("program {}({}) -> ({}):\n", program.name.name, names_text(program.parameters),
                                 names_text(program.results));
  for (const Example& example : program.examples)
    text += fmt::format("{}example: {}\n", program_indent, example_text(example));
  for (const Statement& statement : program.statements) {
    const auto begin = static_cast<std::uint32_t>(text.size() + program_indent.size());
    add_indented(text, to_text(statement));
    statements.push_back({begin, static_cast<std::uint32_t>(text.size())});
  }
  return text;
}

std::string to_text(const Program& program) {
  std::vector<Span> statements;
  return to_text(program, statements);
}

}  // namespace tilewright::lang
