// `tilewright emit`: what a kernel is at one stage of compilation, as text or, for obj, as bytes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>

#include "cli/cases.h"
#include "cli/compile_case.h"
#include "cli/device.h"
#include "cli/load.h"
#include "cli/subcommands.h"
#include "codegen/llvm/host_jit.h"
#include "runtime/atomic_file.h"

namespace tilewright::cli {
namespace {

Result<std::string> nest_text(const Compilation& compilation) {
  return to_text(compilation.nest);
}

Result<std::string> tile_text(const Compilation& compilation) {
  return to_text_with_kernels(compilation.plan->plan);
}

Result<std::string> kernel_text(const Compilation& compilation) {
  std::string text;
  for (const kernel::HostKernel& lowered : compilation.plan->kernels)
    text += (text.empty() ? "" : "\n") + to_text(lowered.kernel);
  return text;
}

template <codegen::HostStage stage>
Result<std::string> code_text(const Compilation& compilation) {
  std::string text;
  for (const kernel::HostKernel& lowered : compilation.plan->kernels) {
    Result<std::string> part = codegen::emit_for_host(lowered.kernel, stage);
    if (!part) return part;
    text += (text.empty() ? "" : "\n") + *part;
  }
  return text;
}

struct Stage {
  std::string_view name;
  Result<std::string> (*text)(const Compilation& compilation);  ///< null: not a stage of the host
};
constexpr std::array<Stage, 8> stages = {{{"nest", nest_text},
                                          {"tile", tile_text},
                                          {"kernel", kernel_text},
                                          {"llvm", code_text<codegen::HostStage::llvm>},
                                          {"asm", code_text<codegen::HostStage::assembly>},
                                          {"obj", code_text<codegen::HostStage::object>},
                                          {"ptx", nullptr},
                                          {"msl", nullptr}}};

/// C014: no such target or stage. C016: the target is not there, or has no such stage.
Result<const Stage*> choose_stage(const Options& options) {
  const auto stage = std::ranges::find(stages, options.stage, &Stage::name);
  if (stage == stages.end())
    return fail("C014", fmt::format("'{}' is no stage", options.stage),
                "nest, tile, kernel, llvm, asm, obj, ptx or msl");
  const std::string& target = options.target;
  const bool known = target == "host" || target == "metal" || (target.starts_with("nvptx:") && target.size() > 6);
  if (!known) return fail("C014", fmt::format("'{}' is no target", target), "host, nvptx:ARCH (nvptx:sm_90a) or metal");
  if (target != "host")
    return fail("C016", fmt::format("target '{}' is not there: this build generates code for 'host' only", target),
                "use '--target host'");
  if (stage->text == nullptr)
    return fail("C016",
                fmt::format("stage '{}' is not there: it is one of a GPU, and the target is 'host'", stage->name),
                "nest, tile, kernel, llvm, asm or obj");
  return &*stage;
}

Result<void> write(const Options& options, const std::string& text) {
  if (options.outputs.empty() || options.outputs.front() == "-") {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
      return fail("C018", "cannot write to standard output");
    return {};
  }
  Result<AtomicFile> file = AtomicFile::create(options.outputs.front());
  if (!file) return std::unexpected(std::move(file.error()));
  if (Result<void> written = file->write(std::as_bytes(std::span(text))); !written) return written;
  return file->commit();
}

}  // namespace

Outcome run_emit(const Options& options) {
  const Result<const Stage*> stage = choose_stage(options);
  if (!stage) return std::unexpected(stage.error());
  if (options.outputs.size() > 1) return fail("C013", "emit writes one file", "give -o once");
  const Result<std::vector<Kernel>> kernels = load_kernels(options);
  if (!kernels) return std::unexpected(kernels.error());
  if (kernels->size() != 1)
    return fail("C015", fmt::format("'{}' has {} kernels", options.files.front(), kernels->size()),
                "say which one with -k");
  const Result<std::vector<Case>> cases = make_cases(*kernels, options, Need::types);
  if (!cases) return std::unexpected(cases.error());
  const Result<Engine> engine = open_device(options);
  if (!engine) return std::unexpected(engine.error());
  const Result<std::vector<CompiledStep>> steps = compile_case(*engine, cases->front());
  if (!steps) return std::unexpected(steps.error());
  if (options.stage == "obj" && (steps->size() > 1 || steps->front().compilation.plan->kernels.size() > 1))
    return fail("C015",
                fmt::format("'{}' compiles to several kernels, and an object file holds one", kernels->front().name()),
                "emit --stage asm prints them all");
  std::string text;
  for (const CompiledStep& step : *steps) {
    Result<std::string> part = (*stage)->text(step.compilation);
    if (!part) return std::unexpected(std::move(part.error()));
    text += (text.empty() ? "" : "\n") + *part;
  }
  if (Result<void> written = write(options, text); !written) return std::unexpected(std::move(written.error()));
  return ExitCode::right;
}

}  // namespace tilewright::cli
