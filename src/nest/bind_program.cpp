// Statements bound one after the other. See bind_program.h.
#include "nest/bind_program.h"

#include <algorithm>
#include <utility>

#include "nest/build.h"

namespace tilewright::nest {
namespace {

BoundNest built(const lang::TypedStatement& typed) {
  return {build_nest(typed), typed.statement, {typed.statement->target.name}};
}

/// The statement's nest and the type of its target, which those behind it may read.
Result<void> add(const lang::Statement& statement, BoundProgram& bound) {
  std::vector<lang::OperandType> operands;
  for (const std::string& name : statement.tensors_read())
    if (const lang::OperandType* known = bound.tensor(name)) operands.push_back(*known);
  const auto typed = lang::bind(statement, operands);
  if (!typed) return std::unexpected(typed.error());
  bound.nests.push_back(built(*typed));
  bound.tensors.push_back({statement.target.name, typed->output, typed->output_shape});
  return {};
}

}  // namespace

const lang::OperandType* BoundProgram::tensor(std::string_view name) const {
  const auto found = std::ranges::find(tensors, name, &lang::OperandType::name);
  return found == tensors.end() ? nullptr : &*found;
}

Result<BoundNest> bind_nest(const lang::Statement& statement, const std::vector<lang::OperandType>& operands) {
  const auto typed = lang::bind(statement, operands);
  if (!typed) return std::unexpected(typed.error());
  return built(*typed);
}

Result<BoundProgram> bind_program(const lang::Program& program, const std::vector<lang::OperandType>& parameters) {
  BoundProgram bound{{}, parameters, {}};
  for (const lang::Named& result : program.results) bound.results.push_back(result.name);
  for (const lang::Statement& statement : program.statements)
    if (auto added = add(statement, bound); !added) return std::unexpected(std::move(added.error()));
  return bound;
}

Result<BoundProgram> bind_program(const lang::Statement& statement, const std::vector<lang::OperandType>& parameters) {
  BoundProgram bound{{}, parameters, {statement.target.name}};
  if (auto added = add(statement, bound); !added) return std::unexpected(std::move(added.error()));
  return bound;
}

}  // namespace tilewright::nest
