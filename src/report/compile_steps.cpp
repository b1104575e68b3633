// Compilation by types alone. See compile_steps.h.
#include "report/compile_steps.h"

#include <algorithm>
#include <utility>

namespace tilewright::report {

std::vector<Kernel> statements_of(const Kernel& kernel) {
  return kernel.statement() ? std::vector{kernel} : kernel.steps();
}

Result<std::vector<CompiledStep>> compile_steps(const Compile& compile, const Kernel& kernel,
                                                std::vector<nest::NamedView> operands) {
  std::vector<CompiledStep> steps;
  for (const Kernel& step : statements_of(kernel)) {
    std::vector<nest::NamedView> read;
    for (const std::string& name : step.operand_names())
      read.push_back(*std::ranges::find(operands, name, &nest::NamedView::name));
    Result<Compilation> compilation = compile(step, read);
    if (!compilation) return std::unexpected(std::move(compilation.error()));
    // Not its view of the result, whose axes may be merged.
    operands.push_back({step.name(), TensorView{nullptr, compilation->output, compilation->output_shape,
                                                row_major_strides(compilation->output_shape)}});
    steps.push_back({step, std::move(*compilation)});
  }
  return steps;
}

Result<std::vector<CompiledStep>> compile_steps(const Engine& engine, const Kernel& kernel,
                                                std::vector<nest::NamedView> operands) {
  const Compile compile = [&](const Kernel& step, const std::vector<nest::NamedView>& read) {
    return engine.compile(step, read, false);
  };
  return compile_steps(compile, kernel, std::move(operands));
}

}  // namespace tilewright::report
