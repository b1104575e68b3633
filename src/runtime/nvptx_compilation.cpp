// Nest → plan → kernels → PTX.
#include "runtime/nvptx_compilation.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <string_view>
#include <utility>

#include "codegen/llvm/nvptx.h"
#include "plan/build_gpu_plan.h"

namespace tilewright {

GpuTarget within_limit(GpuTarget target, std::int64_t workspace_limit) {
  if (workspace_limit > 0) target.most_repacked_bytes = std::min(target.most_repacked_bytes, workspace_limit);
  return target;
}

Diagnostics at_statement(Diagnostics errors, const lang::Statement& statement) {
  using Row = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Row, 4> lines{{{"N050", "threads"}, {"N050", "warps"}, {"N053", "variant"}, {"N055", "stages"}}};
  for (Diagnostic& error : errors) {
    if (error.source) continue;
    error.source = statement.source;
    error.span = statement.target.span;
    if (!statement.schedule) continue;
    for (const lang::ScheduleLine& line : *statement.schedule | std::views::reverse)
      if (std::ranges::find(lines, Row(error.code, line.name.name)) != lines.end()) error.span = line.span;
  }
  return errors;
}

Result<Compilation> NvptxCompiler::compile(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                                           const TensorView* output, bool code) {
  const lang::Statement& statement = *bound.statement;
  if (auto known = require_precision(statement, target_.precisions, "on " + target_.arch); !known)
    return std::unexpected(known.error());
  Result<Compilation> result = compile_to_nest(bound, operands, output, nest::VectorLoads::aligned);
  if (!result) return result;

  const std::string key = to_text(result->nest) + to_text(result->facts);
  if (code) result->plan = plans_.find(key).value_or(nullptr);
  if (result->plan) return result;
  auto built = plan::build_gpu_plan(result->nest, result->facts, target_, code ? nullptr : &result->trace);
  if (!built) return std::unexpected(at_statement(std::move(built.error()), statement));
  auto plan = std::make_shared<NvptxPlan>(std::move(*built));
  for (const kernel::LoweredKernel& lowered : plan->kernels) {
    if (!code) break;
    auto ptx = codegen::emit_ptx(lowered.kernel, target_);
    if (!ptx) return std::unexpected(ptx.error());
    plan->ptx.push_back(std::move(*ptx));
  }
  if (code)
    result->plan = plans_.insert(key, std::move(plan));
  else
    result->plan = std::move(plan);
  return result;
}

}  // namespace tilewright
