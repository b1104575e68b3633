// Metal source, a launch description, and a header that compiles the source and encodes the launches. See build.h.
#include "aot/build_metal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "aot/planned_step.h"
#include "codegen/metal/metal.h"
#include "kernel/shared_memory.h"
#include "lang/parse.h"
#include "report/metal_source.h"
#include "runtime/nvptx_compilation.h"

namespace tilewright::aot {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t buffer_alignment = 64;      ///< of what tensors begin at; vectors are loaded whole
constexpr std::int64_t most_groups = 0x7fffffff;  ///< of a launch

/// {0}: the kernel; {1}: the source; {2}: its functions' names; {3}: how many; {4}: their threads; {5}: bytes of
/// workspace; {6}: parameters of encode; {7}: its launches.
constexpr std::string_view metal_launcher = R"(#pragma once

#include <Metal/Metal.hpp>
#include <cstdint>

namespace tw_{0} {{

inline constexpr const char source[] = R"metal({1})metal";

/// The functions, compiled for a device. What load leaves here is released by unload.
struct Kernels {{
  MTL::ComputePipelineState* functions[{3}] = {{}};
}};

inline void unload(Kernels& kernels) {{
  for (MTL::ComputePipelineState*& function : kernels.functions) {{
    if (function != nullptr) function->release();
    function = nullptr;
  }}
}}

/// Compiles the source, without fast math. False: `error` says why, or is null where the device does not run so many
/// threads together, or has simdgroups of other than 32.
inline bool load(Kernels& kernels, MTL::Device* device, NS::Error** error) {{
  static const char* const names[{3}] = {{{2}}};
  static const NS::UInteger threads[{3}] = {{{4}}};
  *error = nullptr;
  MTL::CompileOptions* options = MTL::CompileOptions::alloc()->init();
  options->setLanguageVersion(MTL::LanguageVersion3_1);
  options->setFastMathEnabled(false);
  MTL::Library* library =
      device->newLibrary(NS::String::string(source, NS::UTF8StringEncoding), options, error);
  options->release();
  if (library == nullptr) return false;
  bool good = true;
  for (int n = 0; n < {3} && good; ++n) {{
    MTL::Function* function = library->newFunction(NS::String::string(names[n], NS::UTF8StringEncoding));
    good = function != nullptr;
    if (!good) break;
    kernels.functions[n] = device->newComputePipelineState(function, error);
    function->release();
    good = kernels.functions[n] != nullptr && kernels.functions[n]->maxTotalThreadsPerThreadgroup() >= threads[n] &&
           kernels.functions[n]->threadExecutionWidth() == 32;
  }}
  library->release();
  if (!good) unload(kernels);
  return good;
}}

/// Bytes of memory that a call needs beside its operands and its result.
inline constexpr std::uint64_t workspace_bytes = {5};

/// Encodes the call. Tensors are row-major, each at the begin of its buffer; the result shares memory with no operand;
/// the workspace may be null where none is needed. The encoder's dispatch type is serial, as it is if nothing is said.
inline void encode(const Kernels& kernels, MTL::ComputeCommandEncoder* encoder, {6}MTL::Buffer* workspace) {{
  (void)workspace;
{7}}}

}}  // namespace tw_{0}
)";

class MetalLaunches {
 public:
  MetalLaunches(const PlannedStep& step, const report::MetalSource& source) : step_(step), source_(source) {
    for (const RecordedCall::Step& each : step.call.steps) add(std::get<RecordedCall::LaunchStep>(each));
  }

  const std::string& body() const { return body_; }
  const Json& description() const { return description_; }

 private:
  bool is_tensor(std::size_t number) const { return number < step_.tensors.size(); }
  std::string buffer(std::size_t number) const {
    return is_tensor(number) ? c_name(step_.tensors[number]) : std::string("workspace");
  }

  static Json field(const kernel::LoweredKernel& lowered, std::size_t slot, std::int64_t value) {
    if (const auto* size = std::get_if<kernel::SizeArgument>(&lowered.arguments[slot]))
      return {{"value", value}, {"formula", to_text(size->value)}};
    return {{"first_threadgroup", 0}};
  }

  void add(const RecordedCall::LaunchStep& launch) {
    if (launch.points == 0) return;
    const kernel::LoweredKernel& lowered = step_.compilation.plan->kernels[launch.kernel];
    const codegen::MetalArguments order = codegen::metal_arguments(lowered.kernel);
    const codegen::MetalFunction& function = source_.functions[launch.kernel];
    const std::vector<std::string> types = codegen::metal_buffer_types(lowered.kernel);
    const auto patch_of = [&](std::size_t slot) {
      return *std::ranges::find(launch.patches, slot, &RecordedCall::Patch::slot);
    };
    Json arguments = Json::array();
    std::string text =
        fmt::format("  {{  // {} on {} threadgroups\n    encoder->setComputePipelineState(kernels.functions[{}]);\n",
                    function.name, launch.points, launch.kernel);
    for (std::size_t b = 0; b < order.buffers.size(); ++b) {
      const RecordedCall::Patch patch = patch_of(order.buffers[b]);
      text += fmt::format("    encoder->setBuffer({}, {}, {});\n", buffer(patch.tensor), patch.offset, b);
      arguments.push_back({{"buffer", b},
                           {"tensor", is_tensor(patch.tensor) ? step_.tensors[patch.tensor] : "workspace"},
                           {"type", types[b]},
                           {"offset", patch.offset},
                           {"written", !lowered.kernel.parameters[order.buffers[b]].readonly}});
    }
    std::vector<std::int64_t> values;
    Json fields = Json::array();
    for (const std::size_t slot : order.sizes) {
      values.push_back(launch.arguments[slot]);
      fields.push_back(field(lowered, slot, launch.arguments[slot]));
    }
    const auto first = std::ranges::find(order.sizes, launch.begin_slot.value_or(SIZE_MAX));
    if (!values.empty()) {
      arguments.push_back({{"buffer", order.buffers.size()}, {"structure", function.structure}, {"fields", fields}});
      text += fmt::format("    std::int64_t sizes[] = {{{}}};\n", fmt::join(values, ", "));
    }
    text +=
        fmt::format("    for (std::uint64_t first = 0; first < {0}u; first += {1}u) {{\n", launch.points, most_groups);
    if (first != order.sizes.end())
      text += fmt::format("      sizes[{}] = static_cast<std::int64_t>(first);\n", first - order.sizes.begin());
    if (!values.empty())
      text += fmt::format("      encoder->setBytes(sizes, sizeof sizes, {});\n", order.buffers.size());
    text += fmt::format(
        "      const std::uint64_t groups = {0}u - first < {1}u ? {0}u - first : {1}u;\n"
        "      encoder->dispatchThreadgroups(MTL::Size(groups, 1, 1), MTL::Size({2}, 1, 1));\n    }}\n  }}\n",
        launch.points, most_groups, lowered.kernel.block->threads);
    body_ += text;
    std::string grid;
    for (const IntExpr& axis : lowered.grid) grid += (grid.empty() ? "(" : " * (") + to_text(axis) + ")";
    description_.push_back({{"function", function.name},
                            {"threadgroups", launch.points},
                            {"threadgroups_formula", grid.empty() ? "1" : grid},
                            {"threads_per_threadgroup", lowered.kernel.block->threads},
                            {"threadgroup_memory_bytes", kernel::shared_layout(lowered.kernel).bytes},
                            {"arguments", std::move(arguments)}});
  }

  const PlannedStep& step_;
  const report::MetalSource& source_;
  std::string body_;
  Json description_ = Json::array();
};

}  // namespace

Result<std::vector<BuiltFile>> build_metal(const report::EmitTarget& target, const Kernel& kernel,
                                           const std::vector<nest::NamedView>& operands) {
  if (kernel.statement() == nullptr)
    return fail("R083", kernel.name() + " is a program, which is not built for a GPU as a whole",
                "build its statements one by one");
  NvptxCompiler compiler(*target.gpu);
  const CompileNest compile = [&](const nest::BoundNest& bound, const std::vector<nest::NamedView>& read,
                                  const TensorView* output) { return compiler.compile(bound, read, output, false); };
  const auto fused = fuse_program(kernel, types_of(operands));
  if (!fused) return std::unexpected(fused.error());
  const auto steps = plan_steps(kernel, *fused, operands, buffer_alignment, compile);
  if (!steps) return std::unexpected(steps.error());
  const PlannedStep& step = steps->front();
  const std::string& name = kernel.name();
  const auto source = report::metal_source({step.name, step.statements, step.compilation}, *target.gpu);
  if (!source) return std::unexpected(source.error());
  const MetalLaunches launches(step, *source);

  std::string parameters, described_operands;
  Json tensors = Json::array();
  const auto add = [&](const std::string& tensor, DType dtype, const std::vector<std::int64_t>& shape, bool result) {
    parameters += fmt::format("MTL::Buffer* {}, ", c_name(tensor));
    described_operands += fmt::format("//   {} {}{}\n", tensor, described(dtype, shape), result ? " (result)" : "");
    tensors.push_back({{"name", tensor}, {"type", tilewright::name(dtype)}, {"shape", shape}, {"result", result}});
  };
  for (const nest::NamedView& operand : operands) add(operand.name, operand.view.dtype, operand.view.shape, false);
  add(name, step.compilation.output, step.compilation.output_shape, true);

  std::vector<std::string> names;
  std::vector<std::int64_t> threads;
  for (std::size_t n = 0; n < source->functions.size(); ++n) {
    names.push_back("\"" + source->functions[n].name + "\"");
    threads.push_back(step.compilation.plan->kernels[n].kernel.block->threads);
  }
  const std::string header =
      "// Written by tilewright: a launcher for this kernel and these shapes, over metal-cpp.\n//\n" +
      described_operands +
      fmt::format(fmt::runtime(metal_launcher), name, source->text, fmt::join(names, ", "), names.size(),
                  fmt::join(threads, ", "), step.call.workspace_bytes, parameters, launches.body());
  const Json description = {{"kernel", name},
                            {"text", lang::to_text(*kernel.statement())},
                            {"target", target.name},
                            {"language", "3.1"},
                            {"compile", {"-fno-fast-math", "-ffp-contract=off"}},
                            {"simdgroup_width", target.gpu->warp_threads},
                            {"alignment", buffer_alignment},
                            {"workspace_bytes", step.call.workspace_bytes},
                            {"tensors", std::move(tensors)},
                            {"launches", launches.description()}};
  return std::vector<BuiltFile>{
      {name + ".metal", source->text}, {name + ".json", description.dump(2) + "\n"}, {name + ".h", header}};
}

}  // namespace tilewright::aot
