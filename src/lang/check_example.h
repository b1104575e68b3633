// Checks example lines against the operands of their kernel or program.
#pragma once

#include <string>
#include <vector>

#include "lang/ast.h"
#include "support/diagnostic.h"

namespace tilewright::lang {

struct OperandRank {
  std::string name;
  std::size_t rank;
};

/// Each example names every operand once and nothing else, with the rank that the reads have: L046 to L049. `operands`
/// may repeat a name; its first rank counts. `owner` is the kernel or program, for the messages.
void check_examples(const std::vector<Example>& examples, const std::vector<OperandRank>& operands, const Named& owner,
                    const SourcePtr& source, Diagnostics& diagnostics);

}  // namespace tilewright::lang
