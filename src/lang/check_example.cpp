// check_example.h's function.
#include "lang/check_example.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright::lang {
namespace {

std::string names_of(const std::vector<OperandRank>& operands) {
  std::vector<std::string> names;
  for (const OperandRank& operand : operands)
    if (std::ranges::find(names, operand.name) == names.end()) names.push_back(operand.name);
  return names.empty() ? "it has no operands" : fmt::format("its operands are {}", fmt::join(names, ", "));
}

}  // namespace

void check_examples(const std::vector<Example>& examples, const std::vector<OperandRank>& operands, const Named& owner,
                    const SourcePtr& source, Diagnostics& diagnostics) {
  const auto error = [&](std::string_view code, Span span, std::string message, std::string remedy) {
    diagnostics.push_back({std::string(code), std::move(message), std::move(remedy), source, span});
  };
  for (const Example& example : examples) {
    for (auto it = example.begin(); it != example.end(); ++it) {
      const auto operand = std::ranges::find(operands, it->name.name, &OperandRank::name);
      const auto same = [&](const ExampleOperand& other) { return other.name.name == it->name.name; };
      if (std::find_if(example.begin(), it, same) != it)
        error("L047", it->name.span, fmt::format("the example gives '{}' twice", it->name.name), "keep one");
      else if (operand == operands.end())
        error("L046", it->name.span, fmt::format("'{}' is no operand of '{}'", it->name.name, owner.name),
              names_of(operands));
      else if (operand->rank != it->shape.size())
        error("L049", it->span,
              fmt::format("the example gives '{}' rank {}, but its reads have rank {}", it->name.name, it->shape.size(),
                          operand->rank),
              "one extent for each index, with 'x' between them");
    }
    std::vector<std::string> missing;
    for (const OperandRank& operand : operands) {
      const auto same = [&](const ExampleOperand& given) { return given.name.name == operand.name; };
      if (std::ranges::none_of(example, same) && std::ranges::find(missing, operand.name) == missing.end())
        missing.push_back(operand.name);
    }
    if (!missing.empty() && !example.empty())
      error("L048", {example.front().span.begin, example.back().span.end},
            fmt::format("the example leaves out '{}'", fmt::join(missing, "', '")), names_of(operands));
  }
}

}  // namespace tilewright::lang
