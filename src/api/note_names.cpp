// note_names.h's functions.
#include "api/note_names.h"

#include "support/overloaded.h"

namespace tilewright::v0 {

using namespace detail;

namespace {

void note_tree(const ExprNode& expr, Naming& names) {
  std::visit(Overloaded{
                 [](const Number&) {},
                 [&](const ReadNode& e) {
                   names.note_tensor(e.tensor);
                   for (const NodePtr& index : e.indices) note_tree(*index, names);
                 },
                 [&](const IteratorNode& e) { names.note_iterator(e.iterator); },
                 [&](const ExtentNode& e) { names.note_iterator(e.iterator); },
                 [&](const CastNode& e) { note_tree(*e.operand, names); },
                 [&](const ApplyNode& e) {
                   for (const NodePtr& operand : e.operands) note_tree(*operand, names);
                 },
                 [](const TooLargeNode&) {},
             },
             expr.node);
}

void note_examples(const std::vector<std::vector<ExampleOperand>>& examples, Naming& names) {
  for (const auto& example : examples)
    for (const ExampleOperand& operand : example) names.note_tensor(operand.tensor.name());
}

void note_schedule(const std::vector<LinePart>& schedule, Naming& names) {
  for (const LinePart& line : schedule)
    for (const LinePart::Argument& argument : line.arguments)
      std::visit(Overloaded{
                     [&](const Loop& loop) { names.note_iterator(loop.index().name()); },
                     [&](const NamePtr& tensor) { names.note_tensor(tensor); },
                     [](const std::string&) {},
                     [](std::int64_t) {},
                 },
                 argument);
}

}  // namespace

void note_names(const StatementParts& parts, Naming& names) {
  for (const NodePtr& index : parts.target_indices) note_tree(*index, names);
  if (parts.binding)
    for (const IndexRange& range : *parts.binding) names.note_iterator(range.index.name());
  note_tree(*parts.value, names);
  if (parts.epilogue) note_tree(**parts.epilogue, names);
  names.note_tensor(parts.target);
  note_examples(parts.examples, names);
  note_schedule(parts.schedule, names);
}

void note_names(const ProgramParts& parts, Naming& names) {
  for (const TensorName& parameter : parts.parameters) names.note_tensor(parameter.name());
  for (const StatementParts& statement : parts.statements) note_names(statement, names);
  for (const TensorName& result : parts.results) names.note_tensor(result.name());
  note_examples(parts.examples, names);
}

}  // namespace tilewright::v0
