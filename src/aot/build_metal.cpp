// Metal source, a launch description, and a header that compiles the source and encodes the launches. See build.h.
#include "aot/build_metal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "aot/metal_launcher.h"
#include "aot/planned_step.h"
#include "codegen/metal/metal.h"
#include "kernel/shared_memory.h"
#include "lang/parse.h"
#include "report/assumptions.h"
#include "report/metal_source.h"
#include "runtime/nvptx_compilation.h"

namespace tilewright::aot {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t buffer_alignment = 64;      ///< of what tensors are taken to begin at
constexpr std::int64_t widest_access = 16;        ///< bytes, of a vector
constexpr std::int64_t most_groups = 0x7fffffff;  ///< of a launch

/// What the kernels rely on of the tensors, and of the result.
Json described_assumptions(const std::vector<report::TensorAssumptions>& assumptions) {
  Json all = Json::array();
  for (const report::TensorAssumptions& tensor : assumptions) {
    Json axes = Json::array();
    for (const report::AxisAssumption& axis : tensor.axes) {
      Json one = {{"axes", axis.axes}};
      if (axis.stride == nest::StrideClass::other)
        one["stride_multiple_bytes"] = axis.multiple;
      else
        one["stride"] = axis.stride == nest::StrideClass::one ? 1 : 0;
      axes.push_back(std::move(one));
    }
    Json one = {{"tensor", tensor.tensor}, {"alignment_bytes", tensor.alignment}, {"axes", std::move(axes)}};
    if (tensor.is_result) one["shares_memory"] = false;
    all.push_back(std::move(one));
  }
  return all;
}

/// What the launcher and the description say of tensors and of the workspace.
class Tensors {
 public:
  Tensors(const PlannedStep& step, const std::vector<report::TensorAssumptions>& assumptions)
      : step_(step), assumptions_(assumptions) {}

  void add(const std::string& tensor, DType dtype, const std::vector<std::int64_t>& shape) {
    note(tensor, dtype, shape, false);
    const std::int64_t bytes = bytes_of(dtype, shape);
    const std::string& result = step_.name;
    forbid_overlap(tensor, bytes, c_name(result), result_bytes(), "result");
    forbid_overlap(tensor, bytes, "workspace", step_.call.workspace_bytes, "workspace");
  }
  /// And the workspace, behind all operands.
  void add_result() {
    const std::string& result = step_.name;
    note(result, step_.compilation.output, step_.compilation.output_shape, true);
    forbid_overlap(result, result_bytes(), "workspace", step_.call.workspace_bytes, "workspace");
    check("workspace", "workspace", step_.call.workspace_bytes, widest_access);
  }

  const std::string& comment() const { return comment_; }
  const std::string& parameters() const { return parameters_; }
  std::string checks() const { return checks_ + overlaps_; }
  const Json& description() const { return description_; }

 private:
  static std::int64_t bytes_of(DType dtype, const std::vector<std::int64_t>& shape) {
    auto bytes = static_cast<std::int64_t>(size_of(dtype));
    for (const std::int64_t extent : shape) bytes *= extent;
    return bytes;
  }
  std::int64_t result_bytes() const { return bytes_of(step_.compilation.output, step_.compilation.output_shape); }

  void note(const std::string& tensor, DType dtype, const std::vector<std::int64_t>& shape, bool result) {
    const auto assumed = std::ranges::find(assumptions_, tensor, &report::TensorAssumptions::tensor);
    const std::int64_t alignment = assumed == assumptions_.end() ? 1 : assumed->alignment;  // 1: nothing reads it
    parameters_ += fmt::format("Memory {}, ", c_name(tensor));
    comment_ += fmt::format("//   {} {}{}\n", tensor, described(dtype, shape), result ? " (result)" : "");
    description_.push_back({{"name", tensor}, {"type", name(dtype)}, {"shape", shape}, {"result", result}});
    check(tensor, c_name(tensor), bytes_of(dtype, shape), alignment);
  }

  void check(const std::string& tensor, const std::string& memory, std::int64_t bytes, std::int64_t alignment) {
    checks_ += fmt::format("  if (const char* what = check({}, {}u, {}u)) return {{\"{}\", what}};\n", memory, bytes,
                           alignment, tensor);
  }

  void forbid_overlap(const std::string& tensor, std::int64_t bytes, const std::string& memory,
                      std::int64_t memory_bytes, std::string_view what) {
    if (bytes == 0 || memory_bytes == 0) return;
    overlaps_ += fmt::format("  if (overlap({}, {}u, {}, {}u)) return {{\"{}\", \"it shares memory with the {}\"}};\n",
                             c_name(tensor), bytes, memory, memory_bytes, tensor, what);
  }

  const PlannedStep& step_;
  const std::vector<report::TensorAssumptions>& assumptions_;
  std::string comment_, parameters_, checks_, overlaps_;
  Json description_ = Json::array();
};

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

  static Json described_field(const codegen::MetalField& field, std::optional<std::int64_t> value) {
    Json one = {{"name", field.name}, {"type", field.type}, {"formula", field.formula}};
    if (value)
      one["value"] = *value;
    else
      one["first_threadgroup"] = 0;
    return one;
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
      text += fmt::format("    encoder->setBuffer({0}.buffer, {0}.offset + {1}u, {2});\n", buffer(patch.tensor),
                          patch.offset, b);
      arguments.push_back({{"buffer", b},
                           {"tensor", is_tensor(patch.tensor) ? step_.tensors[patch.tensor] : "workspace"},
                           {"type", types[b]},
                           {"offset", patch.offset},
                           {"written", !lowered.kernel.parameters[order.buffers[b]].readonly}});
    }
    std::vector<std::int64_t> values;
    Json fields = Json::array();
    for (const codegen::MetalField& each : codegen::metal_fields(function)) {
      const std::size_t slot = each.parameter;
      const bool is_begin = launch.begin_slot == slot;
      values.push_back(is_begin ? 0 : launch.arguments[slot]);
      fields.push_back(described_field(each, is_begin ? std::nullopt : std::optional(launch.arguments[slot])));
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

  const std::vector<report::TensorAssumptions> assumptions = report::assumptions_of(step.compilation);
  Tensors tensors(step, assumptions);
  for (const nest::NamedView& operand : operands) tensors.add(operand.name, operand.view.dtype, operand.view.shape);
  tensors.add_result();

  std::vector<std::string> names;
  std::vector<std::int64_t> threads;
  for (std::size_t n = 0; n < source->functions.size(); ++n) {
    names.push_back("\"" + source->functions[n].name + "\"");
    threads.push_back(step.compilation.plan->kernels[n].kernel.block->threads);
  }
  const std::string header =
      "// Written by tilewright: a launcher for this kernel and these shapes, over metal-cpp.\n//\n" +
      tensors.comment() +
      fmt::format(fmt::runtime(metal_launcher), name, source->text, fmt::join(names, ", "), names.size(),
                  fmt::join(threads, ", "), step.call.workspace_bytes, tensors.parameters(), tensors.checks(),
                  launches.body());
  const Json description = {{"kernel", name},
                            {"text", lang::to_text(*kernel.statement())},
                            {"target", target.name},
                            {"language", "3.1"},
                            {"compile", {"-fno-fast-math", "-ffp-contract=off"}},
                            {"simdgroup_width", target.gpu->warp_threads},
                            {"assumes", described_assumptions(assumptions)},
                            {"workspace_bytes", step.call.workspace_bytes},
                            {"workspace_alignment_bytes", widest_access},
                            {"tensors", tensors.description()},
                            {"launches", launches.description()}};
  return std::vector<BuiltFile>{
      {name + ".metal", source->text}, {name + ".json", description.dump(2) + "\n"}, {name + ".h", header}};
}

}  // namespace tilewright::aot
