// check_example.h's function.
#include "lang/check_example.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace tilewright::lang {
namespace {

using Ranks = std::unordered_map<std::string_view, std::size_t>;

std::string names_of(const std::vector<std::string_view>& names) {
  constexpr std::size_t most = 16;
  if (names.empty()) return "it has no operands";
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most));
  return fmt::format("its operands are {}{}", fmt::join(names.begin(), end, ", "), names.size() > most ? ", …" : "");
}

class ExampleCheck {
 public:
  ExampleCheck(const std::vector<OperandRank>& operands, const Named& owner, const SourcePtr& source,
               Diagnostics& diagnostics)
      : owner_(owner), source_(source), diagnostics_(diagnostics) {
    for (const OperandRank& operand : operands)
      if (ranks_.try_emplace(operand.name, operand.rank).second) names_.push_back(operand.name);
  }

  void check(const Example& example) {
    std::unordered_set<std::string_view> given;
    for (const ExampleOperand& operand : example) {
      if (!given.insert(operand.name.name).second)
        error("L047", operand.name.span, fmt::format("the example gives '{}' twice", operand.name.name), "keep one");
      else
        check_operand(operand);
    }
    std::vector<std::string_view> missing;
    for (std::string_view name : names_)
      if (!given.contains(name)) missing.push_back(name);
    if (!missing.empty() && !example.empty())
      error("L048", {example.front().span.begin, example.back().span.end},
            fmt::format("the example leaves out '{}'", fmt::join(missing, "', '")), names_of(names_));
  }

 private:
  void error(std::string_view code, Span span, std::string message, std::string remedy) {
    diagnostics_.push_back({std::string(code), std::move(message), std::move(remedy), source_, span});
  }

  void check_operand(const ExampleOperand& operand) {
    const std::string& name = operand.name.name;
    const auto rank = ranks_.find(name);
    if (rank == ranks_.end())
      error("L046", operand.name.span, fmt::format("'{}' is no operand of '{}'", name, owner_.name), names_of(names_));
    else if (rank->second != operand.shape.size())
      error("L049", operand.span,
            fmt::format("the example gives '{}' rank {}, but its reads have rank {}", name, operand.shape.size(),
                        rank->second),
            "one extent for each index, with 'x' between them");
  }

  const Named& owner_;
  const SourcePtr& source_;
  Diagnostics& diagnostics_;
  Ranks ranks_;
  std::vector<std::string_view> names_;  ///< in order of first read
};

}  // namespace

void check_examples(const std::vector<Example>& examples, const std::vector<OperandRank>& operands, const Named& owner,
                    const SourcePtr& source, Diagnostics& diagnostics) {
  ExampleCheck check(operands, owner, source, diagnostics);
  for (const Example& example : examples) check.check(example);
}

}  // namespace tilewright::lang
