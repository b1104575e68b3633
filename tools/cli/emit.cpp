// `tilewright emit`: what a kernel is at one stage of compilation, as text or, for obj, as bytes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "cli/cases.h"
#include "cli/compile_case.h"
#include "cli/load.h"
#include "cli/outputs.h"
#include "cli/subcommands.h"
#include "codegen/llvm/host_jit.h"
#include "codegen/llvm/nvptx.h"
#include "runtime/nvptx_compilation.h"

namespace tilewright::cli {
namespace {

/// What --target names.
struct Target {
  const NvptxTarget* nvptx = nullptr;  ///< null: the host
  std::string name;
};

Result<std::string> nest_text(const Target&, const Compilation& compilation) {
  return to_text(compilation.nest);
}

Result<std::string> tile_text(const Target&, const Compilation& compilation) {
  return to_text_with_kernels(compilation.plan->plan);
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

Result<std::string> kernel_text(const Target&, const Compilation& compilation) {
  return each_kernel(compilation, [](const kernel::Kernel& kernel) -> Result<std::string> { return to_text(kernel); });
}

template <codegen::HostStage stage>
Result<std::string> host_text(const Target&, const Compilation& compilation) {
  return each_kernel(compilation, [](const kernel::Kernel& kernel) { return codegen::emit_for_host(kernel, stage); });
}

template <codegen::NvptxStage stage>
Result<std::string> nvptx_text(const Target& target, const Compilation& compilation) {
  return each_kernel(
      compilation, [&](const kernel::Kernel& kernel) { return codegen::emit_for_nvptx(kernel, stage, *target.nvptx); });
}

/// A stage's text; null where the target has no such stage.
struct Stage {
  using Text = Result<std::string> (*)(const Target& target, const Compilation& compilation);
  std::string_view name;
  Text host;
  Text nvptx;
};
constexpr std::array<Stage, 8> stages = {
    {{"nest", nest_text, nest_text},
     {"tile", tile_text, tile_text},
     {"kernel", kernel_text, kernel_text},
     {"llvm", host_text<codegen::HostStage::llvm>, nvptx_text<codegen::NvptxStage::llvm>},
     {"asm", host_text<codegen::HostStage::assembly>, nullptr},
     {"obj", host_text<codegen::HostStage::object>, nullptr},
     {"ptx", nullptr, nvptx_text<codegen::NvptxStage::ptx>},
     {"msl", nullptr, nullptr}}};

/// C014: no such target. C016: the target is not there.
Result<Target> choose_target(const std::string& name) {
  constexpr std::string_view nvptx = "nvptx:";
  if (name == "host") return Target{nullptr, name};
  if (name.starts_with(nvptx) && name.size() > nvptx.size()) {
    if (const NvptxTarget* target = nvptx_target_named(std::string_view(name).substr(nvptx.size())))
      return Target{target, name};
    return fail("C016", fmt::format("target '{}' is not there: this build knows no such architecture", name),
                "nvptx:sm_80, nvptx:sm_89 or nvptx:sm_90a");
  }
  if (name == "metal")
    return fail("C016",
                fmt::format("target '{}' is not there: this build generates code for 'host' and 'nvptx' only", name),
                "use '--target host' or '--target nvptx:sm_90a'");
  return fail("C014", fmt::format("'{}' is no target", name), "host, nvptx:ARCH (nvptx:sm_90a) or metal");
}

/// C014: no such stage. C016: the target has no such stage.
Result<Stage::Text> choose_stage(const std::string& name, const Target& target) {
  const auto stage = std::ranges::find(stages, name, &Stage::name);
  if (stage == stages.end())
    return fail("C014", fmt::format("'{}' is no stage", name), "nest, tile, kernel, llvm, asm, obj, ptx or msl");
  if (const Stage::Text text = target.nvptx != nullptr ? stage->nvptx : stage->host) return text;
  return fail("C016", fmt::format("stage '{}' is not there: the target '{}' has none", name, target.name),
              target.nvptx != nullptr ? "nest, tile, kernel, llvm or ptx" : "nest, tile, kernel, llvm, asm or obj");
}

Result<std::vector<CompiledStep>> compile_for(const Target& target, const Case& each) {
  if (target.nvptx != nullptr) {
    NvptxCompiler compiler(*target.nvptx);
    const Compile compile = [&](const Kernel& kernel, const std::vector<nest::NamedView>& operands) {
      return compiler.compile(*kernel.statement(), operands, nullptr, false);
    };
    return compile_case(compile, each);
  }
  const Result<Engine> engine = Engine::open("cpu");
  if (!engine) return std::unexpected(engine.error());
  return compile_case(*engine, each);
}

}  // namespace

Outcome run_emit(const Options& options) {
  const Result<Target> target = choose_target(options.target);
  if (!target) return std::unexpected(target.error());
  const Result<Stage::Text> stage = choose_stage(options.stage, *target);
  if (!stage) return std::unexpected(stage.error());
  if (options.outputs.size() > 1) return fail("C013", "emit writes one file", "give -o once");
  const Result<std::vector<Kernel>> kernels = load_kernels(options);
  if (!kernels) return std::unexpected(kernels.error());
  if (kernels->size() != 1)
    return fail("C015", fmt::format("'{}' has {} kernels", options.files.front(), kernels->size()),
                "say which one with -k");
  const std::string output = options.outputs.empty() ? "-" : options.outputs.front();
  if (Result<void> writable = check_output(output); !writable) return std::unexpected(std::move(writable.error()));
  const Result<std::vector<Case>> cases = make_cases(*kernels, options, Need::types);
  if (!cases) return std::unexpected(cases.error());
  const Result<std::vector<CompiledStep>> steps = compile_for(*target, cases->front());
  if (!steps) return std::unexpected(steps.error());
  if (options.stage == "obj" && (steps->size() > 1 || steps->front().compilation.plan->kernels.size() > 1))
    return fail("C015",
                fmt::format("'{}' compiles to several kernels, and an object file holds one", kernels->front().name()),
                "emit --stage asm prints them all");
  std::string text;
  for (const CompiledStep& step : *steps) {
    Result<std::string> part = (*stage)(*target, step.compilation);
    if (!part) return std::unexpected(std::move(part.error()));
    text += (text.empty() ? "" : "\n") + *part;
  }
  if (Result<void> written = write_text(output, text); !written) return std::unexpected(std::move(written.error()));
  return ExitCode::right;
}

}  // namespace tilewright::cli
