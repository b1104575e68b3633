// Statements with types and shapes as nests without schedule lines: one, or those of a program in order. Stands between
// the language and the passes over a program's nests (passes/fuse_statements.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/bind.h"
#include "nest/ir.h"

namespace tilewright::nest {

/// What is compiled as one: a nest, and the statement whose schedule and precision it has and at which errors stand.
struct BoundNest {
  Nest nest;                                   ///< no schedule line applied yet
  const lang::Statement* statement = nullptr;  ///< must outlive this
  std::vector<std::string> targets;            ///< of the statements that it computes, in order; the last is nest.name
};

struct BoundProgram {
  std::vector<BoundNest> nests;            ///< in an order in which they can run
  std::vector<lang::OperandType> tensors;  ///< the parameters, then the targets of all statements
  std::vector<std::string> results;

  const lang::OperandType* tensor(std::string_view name) const;
};

/// The errors are lang::bind's.
Result<BoundNest> bind_nest(const lang::Statement& statement, const std::vector<lang::OperandType>& operands);
/// A nest for each statement. `parameters` are at least those that are read. The errors are lang::bind's, of the first
/// statement that has any.
Result<BoundProgram> bind_program(const lang::Program& program, const std::vector<lang::OperandType>& parameters);
/// A statement as a program of its own, whose result is its target.
Result<BoundProgram> bind_program(const lang::Statement& statement, const std::vector<lang::OperandType>& parameters);

}  // namespace tilewright::nest
