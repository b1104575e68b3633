// Stages of compilation as text. See stages.h.
#include "report/stages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "codegen/llvm/host_jit.h"
#include "codegen/llvm/nvptx.h"
#include "report/metal_source.h"
#include "runtime/nvptx_compilation.h"

namespace tilewright::report {
namespace {

Result<std::string> nest_text(const EmitTarget&, const CompiledStep& step) {
  return to_text(step.compilation.nest);
}

Result<std::string> tile_text(const EmitTarget&, const CompiledStep& step) {
  return to_text_with_kernels(step.compilation.plan->plan);
}

/// What `part` makes of each kernel, a blank line between them.
template <class Part>
Result<std::string> each_kernel(const Compilation& compilation, Part&& part) {
  std::string text;
  for (const kernel::LoweredKernel& lowered : compilation.plan->kernels) {
    Result<std::string> next = part(lowered.kernel);
    if (!next) return next;
    text += (text.empty() ? "" : "\n") + *next;
  }
  return text;
}

Result<std::string> kernel_text(const EmitTarget&, const CompiledStep& step) {
  return each_kernel(step.compilation,
                     [](const kernel::Kernel& kernel) -> Result<std::string> { return to_text(kernel); });
}

template <codegen::HostStage stage>
Result<std::string> host_text(const EmitTarget&, const CompiledStep& step) {
  return each_kernel(step.compilation,
                     [](const kernel::Kernel& kernel) { return codegen::emit_for_host(kernel, stage); });
}

template <codegen::NvptxStage stage>
Result<std::string> nvptx_text(const EmitTarget& target, const CompiledStep& step) {
  return each_kernel(step.compilation,
                     [&](const kernel::Kernel& kernel) { return codegen::emit_for_nvptx(kernel, stage, *target.gpu); });
}

Result<std::string> metal_text(const EmitTarget& target, const CompiledStep& step) {
  const Result<MetalSource> source = metal_source(step, *target.gpu);
  return source ? Result<std::string>(source->text) : std::unexpected(source.error());
}

/// A stage's text by kind of target, in the order of CodeKind; null where a target has no such stage.
struct Stage {
  std::string_view name;
  std::array<StageText, 3> of;
};
constexpr std::array<Stage, 8> stages = {
    {{"nest", {nest_text, nest_text, nest_text}},
     {"tile", {tile_text, tile_text, tile_text}},
     {"kernel", {kernel_text, kernel_text, kernel_text}},
     {"llvm", {host_text<codegen::HostStage::llvm>, nvptx_text<codegen::NvptxStage::llvm>, nullptr}},
     {"asm", {host_text<codegen::HostStage::assembly>, nullptr, nullptr}},
     {"obj", {host_text<codegen::HostStage::object>, nullptr, nullptr}},
     {"ptx", {nullptr, nvptx_text<codegen::NvptxStage::ptx>, nullptr}},
     {"msl", {nullptr, nullptr, metal_text}}}};

StageText text_of(const Stage& stage, const EmitTarget& target) {
  return stage.of[static_cast<std::size_t>(target.code)];
}

constexpr std::string_view metal_target = "metal";

}  // namespace

Result<EmitTarget> emit_target_named(const std::string& name) {
  constexpr std::string_view nvptx = "nvptx:";
  if (name == "host") return EmitTarget{name, CodeKind::host, nullptr};
  if (name == metal_target) return EmitTarget{name, CodeKind::metal, gpu_target_named(metal_target)};
  if (name.starts_with(nvptx) && name.size() > nvptx.size()) {
    const std::string_view arch = std::string_view(name).substr(nvptx.size());
    if (const GpuTarget* target = gpu_target_named(arch); target != nullptr && arch != metal_target)
      return EmitTarget{name, CodeKind::nvptx, target};
    return fail("C016", fmt::format("target '{}' is not there: this build knows no such architecture", name),
                "nvptx:sm_80, nvptx:sm_89 or nvptx:sm_90a");
  }
  return fail("C014", fmt::format("'{}' is no target", name), "host, nvptx:ARCH (nvptx:sm_90a) or metal");
}

Result<StageText> stage_named(const std::string& name, const EmitTarget& target) {
  const auto stage = std::ranges::find(stages, name, &Stage::name);
  if (stage == stages.end())
    return fail("C014", fmt::format("'{}' is no stage", name), "nest, tile, kernel, llvm, asm, obj, ptx or msl");
  if (const StageText text = text_of(*stage, target)) return text;
  std::vector<std::string_view> legal;
  for (const Stage& each : stages)
    if (text_of(each, target) != nullptr) legal.push_back(each.name);
  return fail("C016", fmt::format("stage '{}' is not there: the target '{}' has none", name, target.name),
              fmt::format("{} or {}", fmt::join(legal.begin(), legal.end() - 1, ", "), legal.back()));
}

Result<std::vector<CompiledStep>> compile_for(const EmitTarget& target, const Kernel& kernel,
                                              std::vector<nest::NamedView> operands) {
  if (target.gpu != nullptr) {
    NvptxCompiler compiler(*target.gpu);
    const Compile compile = [&](const nest::BoundNest& bound, const std::vector<nest::NamedView>& read) {
      return compiler.compile(bound, read, nullptr, false);
    };
    return compile_steps(compile, kernel, std::move(operands));
  }
  const Result<Engine> engine = Engine::open("cpu");
  if (!engine) return std::unexpected(engine.error());
  return compile_steps(*engine, kernel, std::move(operands));
}

Result<std::string> stage_text(const std::string& stage, const EmitTarget& target, const Kernel& kernel,
                               const std::vector<CompiledStep>& steps) {
  const Result<StageText> known = stage_named(stage, target);
  if (!known) return std::unexpected(known.error());
  if (stage == "obj" && (steps.size() > 1 || steps.front().compilation.plan->kernels.size() > 1))
    return fail("C015", fmt::format("'{}' compiles to several kernels, and an object file holds one", kernel.name()),
                "the stage asm has them all");
  std::string text;
  for (const CompiledStep& step : steps) {
    Result<std::string> part = (*known)(target, step);
    if (!part) return part;
    text += (text.empty() ? "" : "\n") + *part;
  }
  return text;
}

}  // namespace tilewright::report
