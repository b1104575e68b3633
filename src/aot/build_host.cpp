// A host's kernels as objects, and a header whose inline function runs the recorded call: the same steps that HostCall
// runs, over OpenMP's threads where the program is compiled with it. See build.h.
#include "aot/build_host.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "aot/planned_step.h"
#include "codegen/llvm/host_jit.h"
#include "lang/parse.h"

namespace tilewright::aot {
namespace {

/// A C program's elements lie at multiples of their size, and a host's vectors anywhere.
constexpr std::size_t host_alignment = 0;

constexpr std::string_view runner = R"(
/* Runs a kernel on all points of its grid, over OpenMP's threads where there are some. */
static inline int twrun_{0}(void (*kernel)(const int64_t *), const int64_t *arguments, size_t count, int begin, int end,
                             int workspace, int64_t points, int64_t grain, size_t bytes) {{
  int failed = 0;
  int64_t first;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) reduction(|| : failed)
#else
  grain = points;
#endif
  for (first = 0; first < points; first += grain) {{
    int64_t mine[{1}];
    void *memory = NULL;
    memcpy(mine, arguments, count * sizeof *mine);
    mine[begin] = first;
    mine[end] = points - first < grain ? points : first + grain;
    if (workspace >= 0) {{
      memory = aligned_alloc(64, bytes);
      if (memory == NULL) {{
        failed = 1;
        continue;
      }}
      mine[workspace] = (int64_t)(intptr_t)memory;
    }}
    kernel(mine);
    free(memory);
  }}
  return failed;
}}
)";

std::int64_t to_lines(std::int64_t bytes) {
  return (std::max<std::int64_t>(bytes, 1) + 63) / 64 * 64;
}

class HostHeader {
 public:
  explicit HostHeader(std::string name) : name_(std::move(name)) {}

  /// The object of each kernel, and the code that runs them.
  Result<void> add(const PlannedStep& step) {
    std::vector<std::string> symbols;
    for (const kernel::LoweredKernel& lowered : step.compilation.plan->kernels) {
      kernel::Kernel kernel = lowered.kernel;
      kernel.name = fmt::format("twkernel{}_{}", objects_.size(), name_);
      const auto object = codegen::emit_for_host(kernel, codegen::HostStage::object);
      if (!object) return std::unexpected(object.error());
      objects_.push_back({"", *object});
      declarations_ += fmt::format("void {}(const int64_t *arguments);\n", kernel.name);
      symbols.push_back(kernel.name);
    }
    body_ += fmt::format("  /* {} */\n", report::title_of(step.name, step.statements));
    if (step.call.workspace_bytes > 0)
      body_ += fmt::format(
          "  char *tw_workspace_{0} = (char *)aligned_alloc(64, {1});\n"
          "  if (tw_workspace_{0} == NULL) tw_failed = 1;\n",
          number_, to_lines(step.call.workspace_bytes));
    for (const RecordedCall::Step& each : step.call.steps) {
      const auto& launch = std::get<RecordedCall::LaunchStep>(each);
      add_launch(step, launch, symbols[launch.kernel]);
    }
    if (step.call.workspace_bytes > 0) frees_ += fmt::format("  free(tw_workspace_{});\n", number_);
    ++number_;
    return {};
  }

  /// Results that only later launches read, in one piece of memory.
  void add_intermediates(const FusedProgram& fused) {
    if (fused.intermediates.empty()) return;
    intermediates_ =
        fmt::format("  char *tw_arena = (char *)aligned_alloc(64, {});\n  if (tw_arena == NULL) tw_failed = 1;\n",
                    to_lines(fused.arena_bytes));
    for (const Intermediate& each : fused.intermediates)
      intermediates_ += fmt::format("  {0} *{1} = ({0} *)(void *)(tw_failed ? NULL : tw_arena + {2});\n",
                                    c_type(fused.program.tensor(each.name)->dtype), c_name(each.name), each.offset);
    frees_ = "  free(tw_arena);\n";
  }

  std::vector<BuiltFile> files(std::string_view text, std::string_view operands, std::string_view signature) const {
    std::string header = fmt::format(
        "/* Written by tilewright: machine code for this kernel and these shapes, for a processor like the one that it "
        "was\n * built on. Link the object files beside this header, and -lm -lmvec.\n *\n{}{} */\n#pragma once\n\n"
        "#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n"
        "#endif\n\n{}",
        commented(text), operands, declarations_);
    header += fmt::format(fmt::runtime(runner), name_, most_arguments_);
    header += fmt::format(
        "\n/* 0: done; 1: no memory. All tensors are row-major; a result overlaps no operand. */\n"
        "static inline int tw_{}({}) {{\n  int tw_failed = 0;\n{}{}{}  return tw_failed;\n}}\n\n"
        "#ifdef __cplusplus\n}}\n#endif\n",
        name_, signature, intermediates_, body_, frees_);
    std::vector<BuiltFile> files = objects_;
    for (std::size_t n = 0; n < files.size(); ++n)
      files[n].name = files.size() == 1 ? name_ + ".o" : fmt::format("{}.{}.o", name_, n);
    files.push_back({name_ + ".h", std::move(header)});
    return files;
  }

 private:
  void add_launch(const PlannedStep& step, const RecordedCall::LaunchStep& launch, const std::string& symbol) {
    std::vector<std::string> arguments;
    for (const std::int64_t argument : launch.arguments)
      arguments.push_back(argument == INT64_MIN ? "INT64_MIN" : fmt::format("{}", argument));
    for (const RecordedCall::Patch& patch : launch.patches) {
      const bool is_tensor = patch.tensor < step.tensors.size();
      const std::string base = is_tensor ? c_name(step.tensors[patch.tensor]) : fmt::format("tw_workspace_{}", number_);
      arguments[patch.slot] =
          fmt::format("(int64_t)(intptr_t){}{}", base, patch.offset == 0 ? "" : fmt::format(" + {}", patch.offset));
    }
    most_arguments_ = std::max(most_arguments_, arguments.size());
    const auto slot = [](const std::optional<std::size_t>& at) { return at ? static_cast<int>(*at) : -1; };
    body_ += fmt::format(
        "  if (!tw_failed) {{\n    const int64_t tw_arguments[] = {{{}}};\n"
        "    tw_failed = twrun_{}({}, tw_arguments, {}, {}, {}, {}, {}, {}, {});\n  }}\n",
        fmt::join(arguments, ", "), name_, symbol, arguments.size(), slot(launch.begin_slot), slot(launch.end_slot),
        slot(launch.workspace_slot), launch.points, grain_of(launch), to_lines(launch.task_bytes));
  }

  std::string name_;
  std::vector<BuiltFile> objects_;
  std::string declarations_, intermediates_, body_, frees_;
  std::size_t most_arguments_ = 1;
  std::size_t number_ = 0;
};

}  // namespace

Result<std::vector<BuiltFile>> build_host(const Kernel& kernel, const std::vector<nest::NamedView>& operands) {
  HostCompiler compiler(codegen::host_target(), DiskCache{});
  const CompileNest compile = [&](const nest::BoundNest& bound, const std::vector<nest::NamedView>& read,
                                  const TensorView* output) { return compiler.compile(bound, read, output, false); };
  const auto fused = fuse_program(kernel, types_of(operands));
  if (!fused) return std::unexpected(fused.error());
  const auto steps = plan_steps(kernel, *fused, operands, host_alignment, compile);
  if (!steps) return std::unexpected(steps.error());

  HostHeader header(kernel.name());
  const std::vector<std::string> results = kernel.result_names();
  std::string signature, described_operands;
  const auto add_parameter = [&](const std::string& name, DType dtype, const std::vector<std::int64_t>& shape,
                                 bool is_result) {
    signature += fmt::format("{}{}{} *{}", signature.empty() ? "" : ", ", is_result ? "" : "const ", c_type(dtype),
                             c_name(name));
    described_operands += fmt::format(" *   {} {}{}\n", name, described(dtype, shape), is_result ? " (result)" : "");
  };
  for (const nest::NamedView& operand : operands)
    add_parameter(operand.name, operand.view.dtype, operand.view.shape, false);
  for (const std::string& result : results) {
    const lang::OperandType& type = *fused->program.tensor(result);
    add_parameter(result, type.dtype, type.shape, true);
  }
  header.add_intermediates(*fused);
  for (const PlannedStep& step : *steps)
    if (auto added = header.add(step); !added) return std::unexpected(std::move(added.error()));
  const std::string text =
      kernel.statement() != nullptr ? lang::to_text(*kernel.statement()) : lang::to_text(*kernel.program());
  return header.files(text, described_operands, signature);
}

}  // namespace tilewright::aot
