// See metal_source.h.
#include "report/metal_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/parse.h"
#include "report/assumptions.h"

namespace tilewright::report {
namespace {

std::string comment_of(const CompiledStep& step) {
  const Compilation& compilation = step.compilation;
  std::string text;
  for (const Kernel& statement : step.statements) {
    text += lang::to_text(*statement.statement());
    if (!text.ends_with('\n')) text += '\n';
  }
  text += '\n';
  const auto describe = [&](const std::string& tensor, DType dtype, std::size_t rank, std::size_t merged) {
    text += fmt::format("{}: {}, rank {}{}", tensor, name(dtype), rank,
                        merged == rank ? "" : fmt::format(", as rank {}: dense axes are one", merged));
  };
  for (const nest::Tensor& tensor : compilation.nest.tensors) {
    const auto whole = std::ranges::find(compilation.reference.tensors, tensor.name, &nest::Tensor::name);
    const int rank = whole == compilation.reference.tensors.end() ? tensor.rank : whole->rank;
    describe(tensor.name, tensor.dtype, static_cast<std::size_t>(rank), static_cast<std::size_t>(tensor.rank));
    text += '\n';
  }
  describe(compilation.nest.name, compilation.output, compilation.output_shape.size(),
           compilation.views.output.shape.size());
  text += " (result)\n\nassumes\n";
  for (const TensorAssumptions& tensor : assumptions_of(compilation)) text += "  " + to_text(tensor) + "\n";
  text += fmt::format("  {}: shares memory with no operand; no two of its elements are one\n", compilation.nest.name);
  for (const kernel::LoweredKernel& lowered : compilation.plan->kernels)
    if (lowered.most_points)
      text +=
          fmt::format("  launches of {}: at most {} threadgroups in all\n", lowered.kernel.name, *lowered.most_points);
  text += "\n";
  for (const nest::TraceEntry& entry : compilation.trace.entries)
    for (const std::string& note : entry.notes) text += note + "\n";
  text += "\nCompile without fast math: products and sums are fused where fma stands, and nowhere else.\n";
  return text;
}

}  // namespace

Result<MetalSource> metal_source(const CompiledStep& step, const GpuTarget& target) {
  MetalSource source;
  source.functions = codegen::metal_functions(step.compilation.plan->kernels);
  Result<std::string> text = codegen::emit_metal(source.functions, target, comment_of(step));
  if (!text) return std::unexpected(std::move(text.error()));
  source.text = *std::move(text);
  return source;
}

}  // namespace tilewright::report
