// The compilation pipeline above the plan: bind, nest, schedule, merge, facts, plan, code.
#include "runtime/compilation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "code_version.h"
#include "nest/access.h"
#include "nest/passes/schedule_table.h"
#include "plan/build_host_plan.h"
#include "support/tensor_symbol.h"

namespace tilewright {
namespace {

std::string target_text(const HostTarget& target) {
  std::string text = target.cpu;
  for (const std::string& feature : target.features) text += "," + feature;
  text += ";" + std::to_string(target.vector_bytes) + ";" + std::to_string(target.threads);
  return text;
}

/// Extents were checked when the nest was bound, so that they have values.
std::vector<std::int64_t> output_shape(const nest::Nest& nest, const std::vector<nest::NamedView>& operands) {
  const SymbolValues extents = [&](std::string_view name) -> std::optional<std::int64_t> {
    const auto symbol = parse_tensor_symbol(name);
    if (!symbol || symbol->stride) return std::nullopt;
    const auto found = std::ranges::find(operands, symbol->tensor, &nest::NamedView::name);
    if (found == operands.end() || symbol->axis >= found->view.rank()) return std::nullopt;
    return found->view.shape[symbol->axis];
  };
  std::vector<std::int64_t> shape;
  for (const nest::IterId iter : nest.output_index) {
    const auto extent = evaluate(nest.iterators[iter].extent, extents);
    if (!extent) internal_error("compile_to_nest: an extent of " + nest.name + " has no value");
    shape.push_back(*extent);
  }
  return shape;
}

}  // namespace

HostCompiler::HostCompiler(HostTarget target, DiskCache disk) : target_(std::move(target)), disk_(std::move(disk)) {}

Result<std::shared_ptr<const codegen::HostCode>> HostCompiler::compile_kernel(const kernel::LoweredKernel& lowered) {
  const std::string key = cache_key({code_version, target_text(target_), to_text(lowered.kernel)});
  if (const auto object = disk_.load(key))
    if (auto loaded = codegen::load_host_object(*object, lowered.kernel.name)) return loaded;
  auto compiled = codegen::compile_for_host(lowered.kernel, target_);
  if (!compiled) return compiled;
  (void)disk_.store(key, (*compiled)->object());  // a cache that cannot be written is a cache that misses
  return compiled;
}

Result<void> require_precision(const lang::Statement& statement, std::span<const Precision> tiers,
                               std::string_view where) {
  const Precision asked = statement.precision.value_or(Precision::exact);
  if (std::ranges::find(tiers, asked) != tiers.end()) return {};
  std::string legal;
  for (Precision tier : tiers) legal += fmt::format("{}'{}'", legal.empty() ? "use " : " or ", name(tier));
  return fail("R071", fmt::format("precision {} is not to be had {}", name(asked), where), legal, statement.source,
              statement.precision_span);
}

/// R079 at the schedule's `variant` line, if the host does not compute the nest in that way.
Result<void> require_host_variant(const lang::Statement& statement, const nest::Nest& nest) {
  const std::string& variant = nest.schedule.variant;
  const std::string_view has = nest::as_contraction(nest) ? "panel" : "flat";
  if (variant.empty() || variant == has) return {};
  const auto line =
      std::ranges::find(*statement.schedule, "variant", [](const lang::ScheduleLine& each) { return each.name.name; });
  return fail("R079", fmt::format("variant '{}' of this statement is not to be had on this device (cpu)", variant),
              fmt::format("use '{}', or leave the line out", has), statement.source, line->span);
}

std::vector<lang::OperandType> types_of(const std::vector<nest::NamedView>& views) {
  std::vector<lang::OperandType> types;
  for (const nest::NamedView& each : views) types.push_back({each.name, each.view.dtype, each.view.shape});
  return types;
}

Compilation with_views(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                       const TensorView* output) {
  Compilation result;
  result.output = bound.nest.output;
  result.output_shape = output_shape(bound.nest, operands);
  result.reference = bound.nest;
  for (const nest::Tensor& tensor : result.reference.tensors)
    for (const nest::NamedView& operand : operands)
      if (operand.name == tensor.name) result.views.operands.push_back(operand.view);
  result.views.output = output != nullptr ? *output
                                          : TensorView{nullptr, result.output, result.output_shape,
                                                       row_major_strides(result.output_shape)};
  return result;
}

Result<Compilation> compile_to_nest(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                                    const TensorView* output, nest::VectorLoads loads) {
  const lang::Statement& statement = *bound.statement;
  Compilation result = with_views(bound, operands, output);
  result.nest = result.reference;
  if (auto applied = nest::apply_schedule(result.nest, statement, result.trace); !applied)
    return std::unexpected(applied.error());
  if (result.nest.schedule.automatic && !statement.schedule) coalesce_iterators(result.nest, result.views);
  result.facts = gather_facts(result.nest, result.views.operands, result.views.output, loads);
  return result;
}

Result<Compilation> HostCompiler::compile(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                                          const TensorView* output, bool code) {
  const lang::Statement& statement = *bound.statement;
  if (auto known = require_precision(statement, std::array{Precision::exact}, "on this device (cpu)"); !known)
    return std::unexpected(known.error());
  Result<Compilation> result = compile_to_nest(bound, operands, output);
  if (!result) return result;
  if (auto known = require_host_variant(statement, result->nest); !known) return std::unexpected(known.error());

  const std::string key = to_text(result->nest) + to_text(result->facts);
  if (code) result->plan = plans_.find(key).value_or(nullptr);
  if (result->plan) return result;
  auto plan = std::make_shared<HostPlan>(
      plan::build_host_plan(result->nest, result->facts, target_, code ? nullptr : &result->trace));
  for (const kernel::LoweredKernel& lowered : plan->kernels) {
    if (!code) break;
    auto machine_code = compile_kernel(lowered);
    if (!machine_code) return std::unexpected(machine_code.error());
    plan->code.push_back(std::move(*machine_code));
  }
  if (code)
    result->plan = plans_.insert(key, std::move(plan));
  else
    result->plan = std::move(plan);
  return result;
}

}  // namespace tilewright
