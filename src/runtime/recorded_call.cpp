// Records what run_plan decides. See recorded_call.h.
#include "runtime/recorded_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "plan/run.h"
#include "support/overloaded.h"
#include "support/tensor_symbol.h"

namespace tilewright {
namespace {

constexpr std::int64_t cache_line = 64;

/// Work below which a task is not worth its dispatch: elements of the iteration space.
constexpr double least_task = 1 << 14;

/// Values of a launch's symbols: its bindings, and extents and strides of its kernel's tensors.
SymbolValues launch_symbols(const plan::LaunchCall& call) {
  return [&call](std::string_view name) -> std::optional<std::int64_t> {
    for (std::size_t b = 0; b < call.launch->bindings.size(); ++b)
      if (call.launch->bindings[b].symbol == name) return call.bindings[b];
    const auto symbol = parse_tensor_symbol(name);
    if (!symbol) return std::nullopt;
    for (std::size_t a = 0; a < call.launch->arguments.size(); ++a) {
      if (call.launch->arguments[a].parameter != symbol->tensor) continue;
      const TensorView& view = call.arguments[a];
      if (symbol->axis >= view.rank()) return std::nullopt;
      return symbol->stride ? view.strides[symbol->axis] : view.shape[symbol->axis];
    }
    return std::nullopt;
  };
}

/// Workspace addresses are offsets from a base that no tensor can have.
class Recorder : public plan::Executor {
 public:
  Recorder(const LoweredPlan& plan, const std::vector<TensorView>& views) : plan_(plan), views_(views) {}

  RecordedCall take() { return std::move(call_); }

  Result<std::byte*> allocate(std::int64_t bytes) override {
    std::byte* address = workspace_base() + call_.workspace_bytes;
    call_.workspace_bytes += (bytes + cache_line - 1) / cache_line * cache_line;
    return address;
  }

  Result<void> fill(const TensorView& view, Scalar value) override {
    const auto [tensor, offset] = locate(view.data, {});
    TensorView relative = view;
    relative.data = reinterpret_cast<std::byte*>(offset);
    call_.steps.push_back(RecordedCall::FillStep{std::move(relative), tensor, value});
    return {};
  }

  Result<void> launch(const plan::LaunchCall& launch) override {
    const kernel::LoweredKernel& kernel = plan_.kernels[launch.kernel.index];
    const tile::Program& program = plan_.plan.kernels[launch.kernel];
    const SymbolValues symbols = launch_symbols(launch);
    RecordedCall::LaunchStep step;
    step.kernel = launch.kernel.index;
    for (const kernel::LaunchArgument& argument : kernel.arguments) {
      const std::size_t slot = step.arguments.size();
      step.arguments.push_back(0);
      const bool known = std::visit(
          Overloaded{[&](const kernel::TensorArgument& t) { return bind_tensor(step, slot, launch, t.tensor, 0); },
                     [&](const kernel::TensorMapArgument& m) { return bind_map(step, slot, launch, m, symbols); },
                     [&](const kernel::SizeArgument& s) {
                       const auto value = s.evaluated(symbols);
                       step.arguments[slot] = value.value_or(0);
                       return value.has_value();
                     },
                     [&](const kernel::WorkspaceArgument&) { return step.workspace_slot = slot, true; },
                     [&](const kernel::GridBeginArgument&) { return step.begin_slot = slot, true; },
                     [&](const kernel::GridEndArgument&) { return step.end_slot = slot, true; }},
          argument);
      if (!known) return fail_size("a size", program);
    }
    const auto bytes = evaluate(kernel.workspace_bytes, symbols);
    if (!bytes) return fail_size("the workspace", program);
    step.task_bytes = *bytes;
    for (const IntExpr& count : kernel.grid) {
      step.grid.push_back(evaluate(count, symbols).value_or(0));
      step.points *= step.grid.back();
    }
    if (kernel.most_points && step.points > *kernel.most_points)
      return fail("R080", fmt::format("kernel {} has {} blocks of outputs", program.name, step.points),
                  fmt::format("at most {}: blocks divide their numbers in 32 bits", *kernel.most_points));
    double elements = 1;
    for (const tile::Iterator& iter : program.iters)
      elements *= static_cast<double>(evaluate(iter.extent, symbols).value_or(1));
    step.elements_a_point = elements / static_cast<double>(std::max<std::int64_t>(step.points, 1));
    call_.steps.push_back(std::move(step));
    return {};
  }

 private:
  static std::byte* workspace_base() { return reinterpret_cast<std::byte*>(std::uintptr_t{1} << 62); }
  static Result<void> fail_size(const std::string& what, const tile::Program& program) {
    return fail("R080", what + " of kernel " + program.name + " has no value or is past 63 bits");
  }

  /// Which tensor an address belongs to, and how far from its start.
  std::pair<std::size_t, std::int64_t> locate(const std::byte* address, std::optional<std::size_t> view) const {
    if (view) return {*view, address - views_[*view].data};
    for (std::size_t v = 0; v < views_.size(); ++v)
      if (views_[v].data == address && address < workspace_base()) return {v, 0};
    return {views_.size(), address - workspace_base()};
  }

  bool bind_tensor(RecordedCall::LaunchStep& step, std::size_t slot, const plan::LaunchCall& launch,
                   const std::string& name, std::int64_t further) const {
    for (std::size_t a = 0; a < launch.launch->arguments.size(); ++a) {
      if (launch.launch->arguments[a].parameter != name) continue;
      const plan::PlanTensorId tensor = launch.launch->arguments[a].tensor;
      const bool is_view = plan_.plan.tensors[tensor].role != plan::Role::workspace;
      const auto [base, offset] =
          locate(launch.arguments[a].data, is_view ? std::optional<std::size_t>(tensor.index) : std::nullopt);
      step.patches.push_back({slot, base, offset + further});
      return true;
    }
    return false;
  }

  /// What an axis without points, or with one, has for a stride does not matter.
  bool bind_map(RecordedCall::LaunchStep& step, std::size_t slot, const plan::LaunchCall& launch,
                const kernel::TensorMapArgument& argument, const SymbolValues& symbols) const {
    constexpr std::int64_t any_stride = 16;
    const auto offset = evaluate_modular(argument.offset, symbols);
    RecordedCall::LaunchStep::Map bound{slot, {}};
    bound.map.element_bytes = argument.element_bytes;
    bound.map.box = argument.box;
    bound.map.swizzled = true;
    bound.map.tf32 = argument.tf32;
    for (std::size_t axis = 0; axis < argument.extents.size(); ++axis) {
      const auto extent = evaluate(argument.extents[axis], symbols);
      if (!extent) return false;
      bound.map.extents.push_back(std::max<std::int64_t>(*extent, 1));
      if (axis == 0) continue;
      const auto stride = evaluate(argument.strides[axis - 1], symbols);
      if (!stride) return false;
      bound.map.strides.push_back(*extent > 1 ? *stride : any_stride);
    }
    step.maps.push_back(std::move(bound));
    return offset && bind_tensor(step, slot, launch, argument.tensor, *offset);
  }

  const LoweredPlan& plan_;
  const std::vector<TensorView>& views_;
  RecordedCall call_;
};

}  // namespace

std::int64_t grain_of(const RecordedCall::LaunchStep& step) {
  return std::max<std::int64_t>(static_cast<std::int64_t>(least_task / std::max(step.elements_a_point, 1.0)), 1);
}

Result<RecordedCall> record_call(const LoweredPlan& plan, const std::vector<TensorView>& views) {
  std::vector<nest::NamedView> named;
  for (std::size_t v = 0; v < views.size(); ++v)
    named.push_back({plan.plan.tensors[plan::PlanTensorId{static_cast<std::uint32_t>(v)}].name, views[v]});
  Recorder recorder(plan, views);
  if (auto done = plan::run_plan(plan.plan, named, recorder); !done) return std::unexpected(done.error());
  return recorder.take();
}

std::vector<std::int64_t> patched_arguments(const RecordedCall::LaunchStep& step,
                                            const std::vector<std::byte*>& bases) {
  std::vector<std::int64_t> arguments = step.arguments;
  for (const RecordedCall::Patch& patch : step.patches)
    arguments[patch.slot] = reinterpret_cast<std::int64_t>(bases[patch.tensor] + patch.offset);
  return arguments;
}

std::vector<kernel::TensorMap> patched_maps(const RecordedCall::LaunchStep& step,
                                            const std::vector<std::int64_t>& arguments) {
  std::vector<kernel::TensorMap> maps;
  for (const auto& [slot, map] : step.maps) {
    maps.push_back(map);
    maps.back().address = reinterpret_cast<std::byte*>(arguments[slot]);
  }
  return maps;
}

TensorView patched_view(const RecordedCall::FillStep& step, const std::vector<std::byte*>& bases) {
  TensorView view = step.view;
  view.data = bases[step.tensor] + reinterpret_cast<std::intptr_t>(step.view.data);
  return view;
}

void fill_on_host(const RecordedCall::FillStep& step, const std::vector<std::byte*>& bases) {
  const TensorView view = patched_view(step, bases);
  for_each_index(view.shape, [&](const std::vector<std::int64_t>& index) { view.set(index, step.value); });
}

}  // namespace tilewright
