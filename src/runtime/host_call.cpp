// Prepares and runs a host plan.
#include "runtime/host_call.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "runtime/host_memory.h"
#include "runtime/thread_pool.h"

namespace tilewright {
namespace {

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

}  // namespace

Result<HostCall> HostCall::prepare(std::shared_ptr<const HostPlan> plan, const std::vector<TensorView>& views) {
  auto recorded = record_call(*plan, views);
  if (!recorded) return std::unexpected(recorded.error());
  HostCall call;
  call.plan_ = std::move(plan);
  call.call_ = std::move(*recorded);
  return call;
}

Result<void> HostCall::run_launch(const RecordedCall::LaunchStep& step, const std::vector<std::byte*>& bases) const {
  const std::vector<std::int64_t> arguments = patched_arguments(step, bases);
  const codegen::HostEntry entry = plan_->code[step.kernel]->entry();
  std::atomic<bool> out_of_memory = false;
  parallel_for(0, step.points, grain_of(step), [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> mine = arguments;
    mine[step.begin_slot.value()] = begin;
    mine[step.end_slot.value()] = end;
    if (step.workspace_slot) {
      std::byte* memory = task_memory(std::max<std::int64_t>(step.task_bytes, 1));
      if (memory == nullptr) {
        out_of_memory = true;
        return;
      }
      mine[*step.workspace_slot] = reinterpret_cast<std::int64_t>(memory);
    }
    entry(mine.data());
  });
  if (out_of_memory)
    return fail("R081", "no memory for a task's buffers of " + std::to_string(step.task_bytes) + " bytes");
  return {};
}

Result<void> HostCall::run(const std::vector<std::byte*>& addresses) const {
  HostMemory workspace;
  std::vector<std::byte*> bases = addresses;
  if (call_.workspace_bytes > 0) {
    workspace.reset(allocate_host(call_.workspace_bytes));
    if (!workspace)
      return fail("R081", "no memory for a workspace of " + std::to_string(call_.workspace_bytes) + " bytes");
  }
  bases.push_back(workspace.get());
  for (const RecordedCall::Step& step : call_.steps) {
    if (const auto* fill = std::get_if<RecordedCall::FillStep>(&step)) {
      fill_on_host(*fill, bases);
    } else if (auto done = run_launch(std::get<RecordedCall::LaunchStep>(step), bases); !done) {
      return done;
    }
  }
  return {};
}

}  // namespace tilewright
