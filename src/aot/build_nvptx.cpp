// PTX, a launch description, and a header that launches: the same launches that CudaCall queues. See build.h.
#include "aot/build_nvptx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "aot/planned_step.h"
#include "codegen/llvm/nvptx.h"
#include "kernel/shared_memory.h"
#include "lang/parse.h"
#include "runtime/nvptx_compilation.h"

namespace tilewright::aot {
namespace {

using Json = nlohmann::ordered_json;

/// Of what the driver allocates; vectors are loaded whole.
constexpr std::size_t device_alignment = 64;
constexpr std::int64_t most_blocks = 0x7fffffff;  ///< of a grid along x, on every device
constexpr std::int64_t default_shared_bytes = 48 << 10;

/// A text as C's string literals, a line each.
std::string literal(std::string_view text) {
  std::string result = "  \"";
  for (const char c : text) {
    if (c == '\n')
      result += "\\n\"\n  \"";
    else if (c == '"' || c == '\\')
      result += std::string("\\") + c;
    else if (c == '\t')
      result += "\\t";
    else
      result += c;
  }
  return result + "\"";
}

struct Kernels {
  std::vector<std::string> ptx;
  std::vector<std::string> names;
  std::vector<std::int64_t> threads;
  std::vector<std::int64_t> shared;
};

/// {0}: the kernel; {1}: how many modules; {2}: their PTX; {3}: entries; {4}: dynamic shared memory of each.
constexpr std::string_view loader = R"(
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {{
#endif

typedef struct tw_{0}_kernels {{
  void *driver;
  int (*unload)(void *);
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
  void *modules[{1}];
  void *functions[{1}];
}} tw_{0}_kernels;

static inline void tw_{0}_unload(tw_{0}_kernels *kernels) {{
  int n;
  for (n = 0; n < {1}; ++n)
    if (kernels->modules[n] != NULL) kernels->unload(kernels->modules[n]);
  if (kernels->driver != NULL) dlclose(kernels->driver);
  kernels->driver = NULL;
}}

/* Loads the kernels into the current context of this thread. 0, or the driver's error; -1: no driver (libcuda.so.1, or
 * the file that the environment variable TILEWRIGHT_CUDA_DRIVER names). */
static inline int tw_{0}_load(tw_{0}_kernels *kernels) {{
  static const char *const ptx[{1}] = {{
{2}}};
  static const char *const names[{1}] = {{{3}}};
  static const int shared[{1}] = {{{4}}};
  const char *path = getenv("TILEWRIGHT_CUDA_DRIVER");
  int (*load)(void **, const void *), (*find)(void **, void *, const char *), (*allow)(void *, int, int);
  int n, status = 0;
  for (n = 0; n < {1}; ++n) kernels->modules[n] = NULL;
  kernels->driver = dlopen(path != NULL ? path : "libcuda.so.1", RTLD_NOW);
  if (kernels->driver == NULL) return -1;
  *(void **)&load = dlsym(kernels->driver, "cuModuleLoadData");
  *(void **)&find = dlsym(kernels->driver, "cuModuleGetFunction");
  *(void **)&allow = dlsym(kernels->driver, "cuFuncSetAttribute");
  *(void **)&kernels->unload = dlsym(kernels->driver, "cuModuleUnload");
  *(void **)&kernels->launch = dlsym(kernels->driver, "cuLaunchKernel");
  if (!load || !find || !allow || !kernels->unload || !kernels->launch) return -1;
  for (n = 0; n < {1} && status == 0; ++n) {{
    status = load(&kernels->modules[n], ptx[n]);
    if (status == 0) status = find(&kernels->functions[n], kernels->modules[n], names[n]);
    if (status == 0 && shared[n] > {5}) status = allow(kernels->functions[n], 8, shared[n]); /* MAX_DYNAMIC_SHARED */
  }}
  if (status != 0) tw_{0}_unload(kernels);
  return status;
}}
)";

class Launches {
 public:
  Launches(const PlannedStep& step, const Kernels& kernels) : step_(step), kernels_(kernels) {
    for (const RecordedCall::Step& each : step.call.steps) add(std::get<RecordedCall::LaunchStep>(each));
  }

  const std::string& body() const { return body_; }
  const Json& description() const { return description_; }

 private:
  std::string tensor(std::size_t number) const {
    return number < step_.tensors.size() ? c_name(step_.tensors[number]) : "tw_workspace";
  }

  void add(const RecordedCall::LaunchStep& launch) {
    std::vector<std::string> values;
    Json described_values = Json::array();
    for (const std::int64_t argument : launch.arguments) {
      values.push_back(argument == INT64_MIN ? "INT64_MIN" : fmt::format("{}", argument));
      described_values.push_back({{"value", argument}});
    }
    for (const RecordedCall::Patch& patch : launch.patches) {
      const bool is_tensor = patch.tensor < step_.tensors.size();
      values[patch.slot] =
          fmt::format("(int64_t)({} + {}u)", tensor(patch.tensor), static_cast<std::uint64_t>(patch.offset));
      described_values[patch.slot] = {{"tensor", is_tensor ? step_.tensors[patch.tensor] : "workspace"},
                                      {"offset", patch.offset}};
    }
    if (launch.begin_slot) described_values[*launch.begin_slot] = {{"first_block", 0}};
    const std::size_t k = launch.kernel;
    const std::string begin =
        launch.begin_slot ? fmt::format("      tw_values[{}] = tw_first;\n", *launch.begin_slot) : "";
    body_ += fmt::format(
        "  {{ /* {0} on {1} blocks */\n    int64_t tw_values[] = {{{2}}}, tw_first;\n    void *tw_pointers[{3}];\n"
        "    for (tw_n = 0; tw_n < {3}; ++tw_n) tw_pointers[tw_n] = &tw_values[tw_n];\n"
        "    for (tw_first = 0; tw_status == 0 && tw_first < {1}; tw_first += {4}) {{\n{5}"
        "      tw_status = tw_kernels->launch(tw_kernels->functions[{6}], (unsigned)({1} - tw_first < {4} ? {1} - "
        "tw_first : {4}), 1, 1, {7}, 1, 1,\n                                     {8}, tw_stream, tw_pointers, NULL);\n"
        "    }}\n  }}\n",
        kernels_.names[k], launch.points, fmt::join(values, ", "), values.size(), most_blocks, begin, k,
        kernels_.threads[k], kernels_.shared[k]);
    description_.push_back({{"kernel", kernels_.names[k]},
                            {"blocks", launch.points},
                            {"threads", kernels_.threads[k]},
                            {"dynamic_shared_bytes", kernels_.shared[k]},
                            {"arguments", std::move(described_values)}});
  }

  const PlannedStep& step_;
  const Kernels& kernels_;
  std::string body_;
  Json description_ = Json::array();
};

}  // namespace

Result<std::vector<BuiltFile>> build_nvptx(const report::EmitTarget& target, const Kernel& kernel,
                                           const std::vector<nest::NamedView>& operands) {
  if (kernel.statement() == nullptr)
    return fail("R083", kernel.name() + " is a program, which is not built for a GPU as a whole",
                "build its statements one by one");
  GpuTarget without_maps = *target.gpu;  // the header's launches pass addresses and numbers
  without_maps.has_tensor_maps = false;
  NvptxCompiler compiler(without_maps);
  const CompileNest compile = [&](const nest::BoundNest& bound, const std::vector<nest::NamedView>& read,
                                  const TensorView* output) { return compiler.compile(bound, read, output, false); };
  const auto fused = fuse_program(kernel, types_of(operands));
  if (!fused) return std::unexpected(fused.error());
  const auto steps = plan_steps(kernel, *fused, operands, device_alignment, compile);
  if (!steps) return std::unexpected(steps.error());
  const PlannedStep& step = steps->front();
  const std::string& name = kernel.name();

  Kernels kernels;
  for (const kernel::LoweredKernel& lowered : step.compilation.plan->kernels) {
    kernel::Kernel renamed = lowered.kernel;
    renamed.name = fmt::format("tw_{}_{}", name, kernels.names.size());
    auto ptx = codegen::emit_ptx(renamed, *target.gpu);
    if (!ptx) return std::unexpected(std::move(ptx.error()));
    kernels.ptx.push_back(std::move(*ptx));
    kernels.names.push_back(renamed.name);
    kernels.threads.push_back(renamed.block->threads);
    kernels.shared.push_back(kernel::shared_layout(renamed).bytes);
  }
  const Launches launches(step, kernels);

  std::string signature, described_operands, misaligned;
  Json tensors = Json::array();
  const auto add = [&](const std::string& tensor, DType dtype, const std::vector<std::int64_t>& shape, bool result) {
    signature += fmt::format("uint64_t {}, ", c_name(tensor));
    misaligned += fmt::format("{} | ", c_name(tensor));
    described_operands += fmt::format(" *   {} {}{}\n", tensor, described(dtype, shape), result ? " (result)" : "");
    tensors.push_back({{"name", tensor}, {"type", tilewright::name(dtype)}, {"shape", shape}, {"result", result}});
  };
  for (const nest::NamedView& operand : operands) add(operand.name, operand.view.dtype, operand.view.shape, false);
  add(name, step.compilation.output, step.compilation.output_shape, true);

  std::string ptx_literals, name_literals;
  for (std::size_t n = 0; n < kernels.ptx.size(); ++n) {
    ptx_literals += literal(kernels.ptx[n]) + ",\n";
    name_literals += fmt::format("{}\"{}\"", n == 0 ? "" : ", ", kernels.names[n]);
  }
  std::string header = fmt::format(
      "/* Written by tilewright: {} code for this kernel and these shapes. Needs a CUDA context; link with -ldl.\n *\n"
      "{}{} */\n#pragma once\n",
      target.name, commented(lang::to_text(*kernel.statement())), described_operands);
  header += fmt::format(fmt::runtime(loader), name, kernels.ptx.size(), ptx_literals, name_literals,
                        fmt::join(kernels.shared, ", "), default_shared_bytes);
  header += fmt::format(
      "\n/* Bytes of device memory that a call needs beside its operands and its result. */\n"
      "#define TW_{0}_WORKSPACE {1}\n\n"
      "/* Queues the call on a stream (null: the default one) and does not wait. Addresses are of device memory, "
      "multiples\n * of {2}, row-major; the result overlaps no operand; the workspace may be 0 where none is needed. "
      "0, or the driver's\n * error; -2: an address is misaligned. */\n"
      "static inline int tw_{0}_launch(const tw_{0}_kernels *tw_kernels, {3}uint64_t tw_workspace,\n"
      "                                void *tw_stream) {{\n  int tw_status = 0, tw_n;\n"
      "  if ((({4}tw_workspace) & {5}) != 0) return -2;\n{6}  return tw_status;\n}}\n\n"
      "#ifdef __cplusplus\n}}\n#endif\n",
      name, step.call.workspace_bytes, device_alignment, signature, misaligned, device_alignment - 1, launches.body());
  const Json description = {{"kernel", name},
                            {"text", lang::to_text(*kernel.statement())},
                            {"target", target.name},
                            {"alignment", device_alignment},
                            {"workspace_bytes", step.call.workspace_bytes},
                            {"tensors", std::move(tensors)},
                            {"launches", launches.description()}};
  std::vector<BuiltFile> files;
  for (std::size_t n = 0; n < kernels.ptx.size(); ++n)
    files.push_back({kernels.ptx.size() == 1 ? name + ".ptx" : fmt::format("{}.{}.ptx", name, n), kernels.ptx[n]});
  files.push_back({name + ".json", description.dump(2) + "\n"});
  files.push_back({name + ".h", std::move(header)});
  return files;
}

}  // namespace tilewright::aot
