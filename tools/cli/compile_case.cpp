// Compilation of a case by types alone. See compile_case.h.
#include "cli/compile_case.h"

#include <algorithm>

#include "cli/load.h"

namespace tilewright::cli {

Result<std::vector<CompiledStep>> compile_case(const Compile& compile, const Case& each) {
  std::vector<nest::NamedView> known;
  for (const Input& input : each.inputs)
    known.push_back({input.name, input.file
                                     ? input.file->view()
                                     : TensorView{nullptr, input.dtype, input.shape, row_major_strides(input.shape)}});
  std::vector<CompiledStep> steps;
  for (const Kernel& kernel : statements_of(*each.kernel)) {
    std::vector<nest::NamedView> operands;
    for (const std::string& name : kernel.operand_names())
      operands.push_back(*std::ranges::find(known, name, &nest::NamedView::name));
    Result<Compilation> compilation = compile(kernel, operands);
    if (!compilation) return std::unexpected(std::move(compilation.error()));
    known.push_back({kernel.name(), compilation->views.output});
    steps.push_back({kernel, std::move(*compilation)});
  }
  return steps;
}

Result<std::vector<CompiledStep>> compile_case(const Engine& engine, const Case& each) {
  const Compile compile = [&](const Kernel& kernel, const std::vector<nest::NamedView>& operands) {
    return engine.compile(kernel, operands, false);
  };
  return compile_case(compile, each);
}

}  // namespace tilewright::cli
