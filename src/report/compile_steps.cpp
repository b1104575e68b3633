// Compilation by types alone. See compile_steps.h.
#include "report/compile_steps.h"

#include <algorithm>
#include <utility>

namespace tilewright::report {

std::vector<Kernel> statements_of(const Kernel& kernel) {
  return kernel.statement() ? std::vector{kernel} : kernel.steps();
}

std::vector<Kernel> statements_of(const Kernel& kernel, const std::vector<std::string>& targets) {
  std::vector<Kernel> found;
  for (const Kernel& statement : statements_of(kernel))
    if (std::ranges::find(targets, statement.name()) != targets.end()) found.push_back(statement);
  return found;
}

std::string title_of(const std::string& name, const std::vector<Kernel>& statements) {
  if (statements.size() == 1) return name;
  std::string names;
  for (const Kernel& statement : statements) names += (names.empty() ? "" : ", ") + statement.name();
  return name + " (" + names + ")";
}

Result<std::vector<CompiledStep>> compile_steps(const Compile& compile, const Kernel& kernel,
                                                std::vector<nest::NamedView> operands) {
  const auto fused = fuse_program(kernel, types_of(operands));
  if (!fused) return std::unexpected(fused.error());
  std::vector<CompiledStep> steps;
  for (const nest::BoundNest& bound : fused->program.nests) {
    Result<Compilation> compilation = compile(bound, operands);
    if (!compilation) return std::unexpected(std::move(compilation.error()));
    // Not its view of the result, whose axes may be merged.
    operands.push_back({bound.nest.name, TensorView{nullptr, compilation->output, compilation->output_shape,
                                                    row_major_strides(compilation->output_shape)}});
    steps.push_back({bound.nest.name, statements_of(kernel, bound.targets), std::move(*compilation)});
  }
  return steps;
}

Result<std::vector<CompiledStep>> compile_steps(const Engine& engine, const Kernel& kernel,
                                                std::vector<nest::NamedView> operands) {
  const Compile compile = [&](const nest::BoundNest& bound, const std::vector<nest::NamedView>& read) {
    return engine.compile(bound, read, false);
  };
  return compile_steps(compile, kernel, std::move(operands));
}

}  // namespace tilewright::report
