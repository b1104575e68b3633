// Binding: a statement meets its operands. Checks which tensors came, then hands over to type inference
// (infer_types.cpp) and extent inference (infer_extents.cpp). Errors of one call are collected.
#include "lang/bind.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lang/bind_context.h"
#include "lang/infer_extents.h"
#include "lang/infer_types.h"
#include "lang/parser.h"

namespace tilewright::lang {

const OperandType* BindContext::operand(std::string_view name) const {
  auto found = std::ranges::find(operands, name, &OperandType::name);
  return found == operands.end() ? nullptr : &*found;
}

bool BindContext::is_target_iterator(std::string_view iterator) const {
  return std::ranges::any_of(statement.target_iterators, [&](const Named& named) { return named.name == iterator; });
}

void BindContext::report(std::string_view code, std::string message, std::string remedy, Span span) {
  Diagnostics one = std::move(fail(code, std::move(message), std::move(remedy), statement.source, span).error());
  diagnostics.insert(diagnostics.end(), one.begin(), one.end());
}

std::string BindContext::excerpt(Span span) const {
  constexpr std::size_t longest = 40;
  if (!statement.source || span.end <= span.begin || span.end > statement.source->text().size()) return "an operand";
  std::string_view text = statement.source->text().substr(span.begin, span.end - span.begin);
  if (text.size() > longest) return fmt::format("'{}…'", text.substr(0, text.find_last_of(" ,(", longest)));
  return fmt::format("'{}'", text);
}

std::vector<bool> reachable_from(const Statement& statement, ExprId root) {
  std::vector<bool> reached(statement.exprs.size(), false);
  if (!statement.exprs.contains(root)) internal_error("a statement's root expression is not in its table");
  reached[root.index] = true;
  for (std::uint32_t index = root.index + 1; index-- > 0;) {
    if (!reached[index]) continue;
    for_each_operand(statement.exprs[ExprId{index}], [&](ExprId operand) {
      if (operand.index >= index) internal_error("an expression stands before its operand in a statement's table");
      reached[operand.index] = true;
    });
  }
  return reached;
}

namespace {

std::string quoted_list(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Matches what was given with what is read; fills context.operands where every name is there.
void match_operands(BindContext& context, const std::vector<OperandType>& given) {
  const Statement& statement = context.statement;
  const std::vector<std::string> read = statement.tensors_read();
  const std::string reads = read.empty() ? "the statement reads no tensor" : "the statement reads " + quoted_list(read);
  for (std::size_t position = 0; position < given.size(); ++position) {
    const OperandType& operand = given[position];
    if (std::ranges::find(read, operand.name) == read.end())
      context.report("B002", fmt::format("'{}' is no operand of '{}'", operand.name, statement.target.name), reads,
                     statement.target.span);
    else if (std::any_of(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(position),
                         [&](const OperandType& earlier) { return earlier.name == operand.name; }))
      context.report("B003", fmt::format("operand '{}' is given twice", operand.name), "give each operand once",
                     statement.target.span);
  }
  for (const std::string& name : read) {
    auto found = std::ranges::find(given, name, &OperandType::name);
    if (found == given.end())
      context.report("B001", fmt::format("operand '{}' of '{}' is missing", name, statement.target.name), reads,
                     statement.target.span);
    else
      context.operands.push_back(*found);
  }
}

void check_shapes(BindContext& context) {
  for (const OperandType& operand : context.operands) {
    if (operand.shape.size() > largest_rank)
      context.report("B005", fmt::format("operand '{}' has rank {}", operand.name, operand.shape.size()),
                     "ranks 0 to 8 are supported", context.statement.target.span);
    for (std::int64_t extent : operand.shape)
      if (extent < 0)
        context.report("B005", fmt::format("operand '{}' has the negative extent {}", operand.name, extent),
                       "extents are 0 or more", context.statement.target.span);
  }
}

/// Each read has as many indices as its tensor has axes; reads of the target stand in `then`, at its own iterators.
void check_reads(BindContext& context) {
  const Statement& statement = context.statement;
  for (std::uint32_t index = 0; index < statement.exprs.size(); ++index) {
    const Expr& expr = statement.exprs[ExprId{index}];
    const Read* read = std::get_if<Read>(&expr.node);
    if (!read || !(context.in_value[index] || context.in_epilogue[index])) continue;
    if (read->tensor == statement.target.name) {
      bool own = read->indices.size() == statement.target_iterators.size() && !read->otherwise;
      for (std::size_t axis = 0; own && axis < read->indices.size(); ++axis) {
        const std::string* bare = read->indices[axis].bare();
        own = bare && *bare == statement.target_iterators[axis].name;
      }
      if (context.in_value[index] || !own)
        context.report("B027", fmt::format("the target '{}' is read here", read->tensor),
                       "the target is read in 'then' only, at its own iterators", expr.span);
      continue;
    }
    const OperandType* operand = context.operand(read->tensor);
    if (!operand || operand->shape.size() == read->indices.size()) continue;
    if (statement.dot_general && context.in_value[index])
      context.report(
          "B004",
          fmt::format("'{}' has rank {} and is an operand of rank {} of 'dot_general'", read->tensor,
                      operand->shape.size(), read->indices.size()),
          fmt::format("give it a tensor of rank {}, or '{}' one ':' for each axis", read->indices.size(), read->tensor),
          expr.span);
    else
      context.report("B004",
                     fmt::format("'{}' has rank {} and is read with {} {}", read->tensor, operand->shape.size(),
                                 read->indices.size(), read->indices.size() == 1 ? "index" : "indices"),
                     fmt::format("give '{}' one index for each axis", read->tensor), expr.span);
  }
}

/// Reduction iterators have no value in `then`, and `=` has none at all.
void check_reduction_iterators(BindContext& context) {
  const Statement& statement = context.statement;
  if (!statement.reduction)
    for (const std::string& iterator : statement.iterator_order())
      if (!context.is_target_iterator(iterator))
        context.report("B029", fmt::format("'=' with the reduction iterator '{}'", iterator),
                       "reduce with ++=, *=, max= or min=, or give the target the iterator", statement.op_span);
  auto reject = [&](const std::string& iterator, Span span) {
    if (context.is_target_iterator(iterator)) return;
    context.report("B028", fmt::format("'{}' is reduced before 'then' and has no value in it", iterator),
                   "'then' uses the target's iterators and extent(…)", span);
  };
  for (std::uint32_t index = 0; index < statement.exprs.size(); ++index) {
    if (!context.in_epilogue[index]) continue;
    const Expr& expr = statement.exprs[ExprId{index}];
    if (const IteratorValue* value = std::get_if<IteratorValue>(&expr.node)) reject(value->iterator, expr.span);
    if (const Read* read = std::get_if<Read>(&expr.node))
      for (const AffineIndex& slot : read->indices)
        for (const AffineIndex::Term& term : slot.terms) reject(term.iterator, slot.span);
  }
}

}  // namespace

Result<TypedStatement> bind(const Statement& statement, const std::vector<OperandType>& operands) {
  BindContext context{.statement = statement,
                      .operands = {},
                      .in_value = reachable_from(statement, statement.value),
                      .in_epilogue = std::vector<bool>(statement.exprs.size(), false),
                      .diagnostics = {}};
  if (statement.epilogue) context.in_epilogue = reachable_from(statement, *statement.epilogue);
  match_operands(context, operands);
  check_shapes(context);
  check_reads(context);
  check_reduction_iterators(context);
  if (!context.diagnostics.empty()) return std::unexpected(std::move(context.diagnostics));

  TypedStatement typed;
  typed.statement = &statement;
  infer_types(context, typed);
  infer_extents(context, typed);
  if (!context.diagnostics.empty()) return std::unexpected(std::move(context.diagnostics));
  typed.operands = std::move(context.operands);
  return typed;
}

}  // namespace tilewright::lang
