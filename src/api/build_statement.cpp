// build_statement.h's functions: trees become the statement's table, indices are folded.
#include "api/build_statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lang/affine_index.h"
#include "lang/lexer.h"
#include "lang/parse.h"
#include "lang/parser.h"
#include "support/overloaded.h"

namespace tilewright::v0 {

using namespace detail;

std::string place_text(const std::source_location& at) {
  return fmt::format("{}:{}", at.file_name(), at.line());
}

tilewright::Diagnostic excerpt_error(std::string_view code, const std::source_location& at, std::string excerpt,
                                     std::string message, std::string remedy) {
  auto source = std::make_shared<const Source>(place_text(at), std::move(excerpt));
  const Span all{0, static_cast<std::uint32_t>(source->text().size())};
  return {std::string(code), std::move(message), std::move(remedy), std::move(source), all};
}

bool is_name(std::string_view text) {
  return !text.empty() && lang::is_name_start(text.front()) && std::ranges::all_of(text, lang::is_name_part);
}

namespace {

/// Why an expression is no index.
struct Trouble {
  std::string_view code;
  std::string message;
  std::string_view remedy = "an index is a sum of iterators times integer literals: i, 3, 2 * i + r - 1, -i + 16";
};

class IndexFolder {
 public:
  IndexFolder(const Naming& names, Trouble& trouble) : names_(names), trouble_(trouble) {}

  /// Nothing, with the trouble set, where the expression is no index.
  std::optional<lang::AffineIndex> fold(const ExprNode& expr) {
    return std::visit(
        Overloaded{
            [&](const Number& e) { return number(e); },
            [&](const IteratorNode& e) {
              lang::AffineIndex index;
              index.terms.push_back({names_.text(e.iterator), 1});
              return std::optional(index);
            },
            [&](const ReadNode& e) {
              return no("L027", fmt::format("an index that is read from a tensor ('{}[…]', a gather) is not supported",
                                            names_.text(e.tensor)));
            },
            [&](const ExtentNode&) { return no("L023", "an index calls 'extent'"); },
            [&](const CastNode&) { return no("L023", "an index calls 'cast'"); },
            [&](const ApplyNode& e) { return apply(e); },
            [&](const TooLargeNode&) { return no("L014", "this index has too many parts"); },
        },
        expr.node);
  }

 private:
  std::optional<lang::AffineIndex> no(std::string_view code, std::string message) {
    trouble_.code = code;
    trouble_.message = std::move(message);
    return std::nullopt;
  }
  std::optional<lang::AffineIndex> overflow() {
    trouble_.remedy = "coefficients and constants of an index are 64-bit integers";
    return no("L024", "the folded index overflows 64 bits");
  }

  std::optional<lang::AffineIndex> number(const Number& number) {
    if (!number.is_integer) return no("L023", fmt::format("an index holds the float {}", number.value));
    if (!number.fits) return overflow();
    lang::AffineIndex index;
    index.constant = number.integer;
    return index;
  }

  std::optional<lang::AffineIndex> apply(const ApplyNode& e) {
    const ScalarOpInfo& row = info(e.op);
    const bool affine =
        e.op == ScalarOp::add || e.op == ScalarOp::sub || e.op == ScalarOp::mul || e.op == ScalarOp::neg;
    if (!affine)
      return no("L023", row.form == OpForm::function ? fmt::format("an index calls '{}'", row.spelling)
                                                     : fmt::format("an index has no '{}'", row.spelling));
    auto left = fold(*e.operands[0]);
    if (!left) return std::nullopt;
    if (e.op == ScalarOp::neg) return lang::scale(*left, -1) ? left : overflow();
    auto right = fold(*e.operands[1]);
    if (!right) return std::nullopt;
    if (e.op != ScalarOp::mul)
      return lang::accumulate(*left, *right, e.op == ScalarOp::add ? 1 : -1) ? left : overflow();
    if (!lang::is_constant(*right)) std::swap(left, right);
    if (!lang::is_constant(*right)) return no("L023", "an index multiplies iterators with one another");
    return lang::scale(*left, right->constant) ? left : overflow();
  }

  const Naming& names_;
  Trouble& trouble_;
};

/// Adds trees to one statement.
class TreeBuilder {
 public:
  TreeBuilder(const Naming& names, const std::source_location& at, lang::Statement& statement,
              tilewright::Diagnostics& found)
      : names_(names), at_(at), statement_(statement), found_(found) {}

  lang::ExprId add(const ExprNode& expr) {
    return statement_.exprs.add({std::visit([&](const auto& e) { return node(e); }, expr.node), {}});
  }

  /// A target's slot: an iterator alone.
  lang::Named target_iterator(const ExprNode& expr) {
    if (const auto* iterator = std::get_if<IteratorNode>(&expr.node)) return {names_.text(iterator->iterator), {}};
    const std::string slot = excerpt(expr);
    error("L020", slot, fmt::format("a target's slot is an iterator alone, found '{}'", slot),
          "give each axis of the target its own iterator and move the arithmetic into the reads");
    return {};
  }

 private:
  using Node = decltype(lang::Expr::node);

  void error(std::string_view code, std::string text, std::string message, std::string remedy) {
    found_.push_back(excerpt_error(code, at_, std::move(text), std::move(message), std::move(remedy)));
  }

  /// An expression as text, for a message.
  std::string excerpt(const ExprNode& expr) const {
    lang::Statement scratch;
    tilewright::Diagnostics ignored;
    const lang::ExprId id = TreeBuilder(names_, at_, scratch, ignored).add(expr);
    return lang::to_text(scratch, id);
  }

  lang::Number number(const Number& number, bool may_be_infinite) {
    if (!number.fits)
      error("A031", fmt::format("{}", number.value), "an integer literal is past the 64 bits that the language has",
            "the largest is 9223372036854775807; a double may be larger");
    else if (!may_be_infinite && !number.is_integer && !std::isfinite(number.value))
      error("A031", fmt::format("{}", number.value), fmt::format("a literal {}", number.value),
            "only otherwise() takes it; pass it in as a rank-0 tensor");
    return {number.value, number.integer, number.is_integer};
  }

  lang::AffineIndex index(const ExprNode& expr) {
    Trouble trouble;
    auto folded = IndexFolder(names_, trouble).fold(expr);
    if (!folded) {
      error(trouble.code, excerpt(expr), std::move(trouble.message), std::string(trouble.remedy));
      return {};
    }
    lang::simplify(*folded);
    return *folded;
  }

  Node node(const Number& e) { return lang::Literal{number(e, false)}; }
  Node node(const ReadNode& e) {
    lang::Read read{names_.text(e.tensor), {}, std::nullopt, {}};
    for (const NodePtr& slot : e.indices) read.indices.push_back(index(*slot));
    if (e.otherwise) read.otherwise = number(*e.otherwise, true);
    return read;
  }
  Node node(const IteratorNode& e) { return lang::IteratorValue{names_.text(e.iterator)}; }
  Node node(const ExtentNode& e) { return lang::ExtentOf{names_.text(e.iterator)}; }
  Node node(const CastNode& e) { return lang::Cast{inner(e.to), add(*e.operand)}; }
  Node node(const ApplyNode& e) {
    lang::Apply apply{e.op, {}};
    for (const NodePtr& operand : e.operands) apply.operands.push_back(add(*operand));
    return apply;
  }
  Node node(const TooLargeNode&) {
    error("L014", "…",
          fmt::format("this expression chains more than {} operators, or has more than a million parts",
                      lang::tallest_expression),
          "compute a part of it in a statement of its own");
    return lang::Literal{};
  }

  const Naming& names_;
  const std::source_location& at_;
  lang::Statement& statement_;
  tilewright::Diagnostics& found_;
};

lang::ScheduleLine build_line(const LinePart& part, const Naming& names) {
  lang::ScheduleLine line{{std::string(part.name), {}}, {}, part.is_property, {}};
  for (const LinePart::Argument& argument : part.arguments)
    std::visit(Overloaded{
                   [&](const Loop& loop) {
                     std::string text = names.text(loop.index().name());
                     for (int depth = 0; depth < loop.depth(); ++depth) text += ".in";
                     line.arguments.push_back({std::move(text), {}});
                   },
                   [&](const NamePtr& tensor) { line.arguments.push_back({names.text(tensor), {}}); },
                   [&](const std::string& word) { line.arguments.push_back({word, {}}); },
                   [&](std::int64_t count) { line.arguments.push_back({count, {}}); },
               },
               argument);
  return line;
}

/// Words of a schedule that the text could not hold.
void check_words(const StatementParts& parts, tilewright::Diagnostics& found) {
  for (const LinePart& line : parts.schedule)
    for (const LinePart::Argument& argument : line.arguments)
      if (const auto* word = std::get_if<std::string>(&argument); word != nullptr && !is_name(*word))
        found.push_back(excerpt_error("A033", parts.at, *word, fmt::format("'{}' is no name of a variant", *word),
                                      "names are letters, digits and '_', and begin with no digit"));
  for (std::string_view call : parts.repeated)
    found.push_back(excerpt_error("A032", parts.at, fmt::format(".{}(…)", call),
                                  fmt::format("'{}' is called twice", call), "keep one"));
}

}  // namespace

lang::Example build_example(const std::vector<ExampleOperand>& operands, const Naming& names) {
  lang::Example example;
  for (const ExampleOperand& operand : operands)
    example.push_back({{names.text(operand.tensor.name()), {}}, inner(operand.dtype), operand.shape, {}});
  return example;
}

lang::Statement build_statement(const StatementParts& parts, const Naming& names, tilewright::Diagnostics& found) {
  lang::Statement statement;
  TreeBuilder trees(names, parts.at, statement, found);
  statement.target = {names.text(parts.target), {}};
  for (const NodePtr& index : parts.target_indices) statement.target_iterators.push_back(trees.target_iterator(*index));
  if (parts.annotation) statement.annotation = inner(*parts.annotation);
  statement.reduction = parts.reduction;
  statement.value = trees.add(*parts.value);
  if (parts.binding) {
    statement.binding.emplace();
    for (const IndexRange& range : *parts.binding)
      statement.binding->push_back({{names.text(range.index.name()), {}}, range.below});
  }
  if (parts.epilogue) statement.epilogue = trees.add(**parts.epilogue);
  if (parts.precision) statement.precision = static_cast<tilewright::Precision>(*parts.precision);
  for (const auto& example : parts.examples) statement.examples.push_back(build_example(example, names));
  if (!parts.schedule.empty()) statement.schedule.emplace();
  for (const LinePart& line : parts.schedule) statement.schedule->push_back(build_line(line, names));
  check_words(parts, found);
  return statement;
}

}  // namespace tilewright::v0
