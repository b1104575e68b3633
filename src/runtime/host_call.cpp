// Prepares and runs a host plan.
#include "runtime/host_call.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>

#include "plan/run.h"
#include "runtime/host_memory.h"
#include "runtime/thread_pool.h"
#include "support/overloaded.h"
#include "support/tensor_symbol.h"

namespace tilewright {
namespace {

/// Work below which a task is not worth its dispatch: elements of the iteration space.
constexpr std::int64_t least_task = 1 << 14;
constexpr std::int64_t cache_line = 64;

/// Memory of this thread for the buffers of its tasks: it grows and stays, since tasks of one kernel need the same.
/// Null if it is not to be had.
std::byte* task_memory(std::int64_t bytes) {
  thread_local HostMemory memory;
  thread_local std::int64_t capacity = 0;
  if (bytes > capacity) {
    memory.reset();
    memory.reset(allocate_host(bytes));
    capacity = memory ? bytes : 0;
  }
  return memory.get();
}

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

}  // namespace

/// Records what run_plan decides. Workspace addresses are offsets from a base that no tensor can have.
class HostCall::Recorder : public plan::Executor {
 public:
  Recorder(HostCall& call, const std::vector<TensorView>& views) : call_(call), views_(views) {}

  Result<std::byte*> allocate(std::int64_t bytes) override {
    std::byte* address = workspace_base() + call_.workspace_bytes_;
    call_.workspace_bytes_ += (bytes + cache_line - 1) / cache_line * cache_line;
    return address;
  }

  Result<void> fill(const TensorView& view, Scalar value) override {
    const auto [tensor, offset] = locate(view.data, {});
    TensorView relative = view;
    relative.data = reinterpret_cast<std::byte*>(offset);
    call_.steps_.push_back(FillStep{std::move(relative), tensor, value});
    return {};
  }

  Result<void> launch(const plan::LaunchCall& launch) override {
    const HostPlan& plan = *call_.plan_;
    const HostKernelCode& code = plan.kernels[launch.kernel.index];
    const tile::Program& program = plan.plan.kernels[launch.kernel];
    const SymbolValues symbols = launch_symbols(launch);
    LaunchStep step{code.code->entry(), {}, {}, 0, 0, -1, 0, 1, 1};
    for (const kernel::LaunchArgument& argument : code.kernel.arguments) {
      const std::size_t slot = step.arguments.size();
      step.arguments.push_back(0);
      const bool known = std::visit(
          Overloaded{[&](const kernel::TensorArgument& t) { return bind_tensor(step, slot, launch, t.tensor); },
                     [&](const kernel::SizeArgument& s) {
                       const auto value = evaluate(s.value, symbols);
                       step.arguments[slot] = value.value_or(0);
                       return value.has_value();
                     },
                     [&](const kernel::WorkspaceArgument&) {
                       step.workspace_slot = static_cast<std::ptrdiff_t>(slot);
                       return true;
                     },
                     [&](const kernel::GridBeginArgument&) { return step.begin_slot = slot, true; },
                     [&](const kernel::GridEndArgument&) { return step.end_slot = slot, true; }},
          argument);
      if (!known) return fail("R080", "a size of kernel " + program.name + " has no value or is past 63 bits");
    }
    const auto bytes = evaluate(code.kernel.workspace_bytes, symbols);
    if (!bytes) return fail("R080", "the workspace of kernel " + program.name + " is past 63 bits");
    step.task_bytes = *bytes;
    for (const IntExpr& count : code.kernel.grid) step.points *= evaluate(count, symbols).value_or(0);
    step.grain = grain_of(program, symbols, step.points);
    call_.steps_.push_back(std::move(step));
    return {};
  }

 private:
  static std::byte* workspace_base() { return reinterpret_cast<std::byte*>(std::uintptr_t{1} << 62); }

  /// Which tensor an address belongs to, and how far from its start.
  std::pair<std::size_t, std::int64_t> locate(const std::byte* address, std::optional<std::size_t> view) const {
    if (view) return {*view, address - views_[*view].data};
    for (std::size_t v = 0; v < views_.size(); ++v)
      if (views_[v].data == address && address < workspace_base()) return {v, 0};
    return {views_.size(), address - workspace_base()};
  }

  bool bind_tensor(LaunchStep& step, std::size_t slot, const plan::LaunchCall& launch, const std::string& name) {
    for (std::size_t a = 0; a < launch.launch->arguments.size(); ++a) {
      if (launch.launch->arguments[a].parameter != name) continue;
      const plan::PlanTensorId tensor = launch.launch->arguments[a].tensor;
      const bool is_view = call_.plan_->plan.tensors[tensor].role != plan::Role::workspace;
      const auto [base, offset] =
          locate(launch.arguments[a].data, is_view ? std::optional<std::size_t>(tensor.index) : std::nullopt);
      step.patches.push_back({slot, base, offset});
      return true;
    }
    return false;
  }

  /// Grid points that make a task worth its dispatch.
  static std::int64_t grain_of(const tile::Program& program, const SymbolValues& symbols, std::int64_t points) {
    double work = 1;
    for (const tile::Iterator& iter : program.iters)
      work *= static_cast<double>(evaluate(iter.extent, symbols).value_or(1));
    const double each = work / static_cast<double>(std::max<std::int64_t>(points, 1));
    return std::max<std::int64_t>(static_cast<std::int64_t>(least_task / std::max(each, 1.0)), 1);
  }

  HostCall& call_;
  const std::vector<TensorView>& views_;
};

Result<HostCall> HostCall::prepare(std::shared_ptr<const HostPlan> plan, const std::vector<TensorView>& views) {
  HostCall call;
  call.plan_ = std::move(plan);
  std::vector<nest::NamedView> named;
  for (std::size_t v = 0; v < views.size(); ++v)
    named.push_back({call.plan_->plan.tensors[plan::PlanTensorId{static_cast<std::uint32_t>(v)}].name, views[v]});
  Recorder recorder(call, views);
  if (auto done = plan::run_plan(call.plan_->plan, named, recorder); !done) return std::unexpected(done.error());
  return call;
}

void HostCall::run_fill(const FillStep& step, const std::vector<std::byte*>& bases) const {
  TensorView view = step.view;
  view.data = bases[step.tensor] + reinterpret_cast<std::intptr_t>(step.view.data);
  for_each_index(view.shape, [&](const std::vector<std::int64_t>& index) { view.set(index, step.value); });
}

Result<void> HostCall::run_launch(const LaunchStep& step, const std::vector<std::byte*>& bases) const {
  std::vector<std::int64_t> arguments = step.arguments;
  for (const Patch& patch : step.patches)
    arguments[patch.slot] = reinterpret_cast<std::int64_t>(bases[patch.tensor] + patch.offset);
  std::atomic<bool> out_of_memory = false;
  parallel_for(0, step.points, step.grain, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> mine = arguments;
    mine[step.begin_slot] = begin;
    mine[step.end_slot] = end;
    if (step.workspace_slot >= 0) {
      std::byte* memory = task_memory(std::max<std::int64_t>(step.task_bytes, 1));
      if (memory == nullptr) {
        out_of_memory = true;
        return;
      }
      mine[static_cast<std::size_t>(step.workspace_slot)] = reinterpret_cast<std::int64_t>(memory);
    }
    step.entry(mine.data());
  });
  if (out_of_memory)
    return fail("R081", "no memory for a task's buffers of " + std::to_string(step.task_bytes) + " bytes");
  return {};
}

Result<void> HostCall::run(const std::vector<std::byte*>& addresses) const {
  HostMemory workspace;
  std::vector<std::byte*> bases = addresses;
  if (workspace_bytes_ > 0) {
    workspace.reset(allocate_host(workspace_bytes_));
    if (!workspace) return fail("R081", "no memory for a workspace of " + std::to_string(workspace_bytes_) + " bytes");
  }
  bases.push_back(workspace.get());
  for (const Step& step : steps_) {
    if (const auto* fill = std::get_if<FillStep>(&step)) {
      run_fill(*fill, bases);
    } else if (auto done = run_launch(std::get<LaunchStep>(step), bases); !done) {
      return done;
    }
  }
  return {};
}

}  // namespace tilewright
