// What a plan decides for one signature of operands: every size is a number, every address an offset from a tensor, so
// that a repeated call only patches pointers and launches. Stands between plans and the devices that run them
// (host_call.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "kernel/tensor_map.h"
#include "plan/planning.h"
#include "support/tensor_view.h"

namespace tilewright {

/// A plan and its kernels for a device, which adds their code.
struct LoweredPlan : plan::PlannedKernels {
  explicit LoweredPlan(plan::PlannedKernels planned) : plan::PlannedKernels(std::move(planned)) {}
  virtual ~LoweredPlan() = default;
};

struct RecordedCall {
  /// Where a pointer argument points: `tensor` counts the views, then the workspace.
  struct Patch {
    std::size_t slot;
    std::size_t tensor;
    std::int64_t offset;
  };
  struct FillStep {
    TensorView view;  ///< its data is the offset from the tensor
    std::size_t tensor;
    Scalar value;
  };
  struct LaunchStep {
    std::size_t kernel;  ///< of the plan
    std::vector<std::int64_t> arguments;
    std::vector<Patch> patches;
    /// An argument that is a tensor map: its slot, which is patched with the tensor's address, and the map without it.
    struct Map {
      std::size_t slot;
      kernel::TensorMap map;
    };
    std::vector<Map> maps;
    std::optional<std::size_t> begin_slot, end_slot, workspace_slot;
    std::vector<std::int64_t> grid;  ///< points along each axis, the last one fastest
    std::int64_t points = 1;         ///< their product
    std::int64_t task_bytes = 0;     ///< of a task's buffers
    double elements_a_point = 1;     ///< of the iteration space
  };
  using Step = std::variant<FillStep, LaunchStep>;

  std::vector<Step> steps;
  std::int64_t workspace_bytes = 0;  ///< of all workspace tensors
};

/// Grid points that make a task of a host worth its dispatch.
std::int64_t grain_of(const RecordedCall::LaunchStep& step);

/// Runs the plan's decisions for these views (by the plan's operands in order, then its output), but no kernel.
/// The errors are run_plan's; R080: a size has no value or is past 63 bits.
Result<RecordedCall> record_call(const LoweredPlan& plan, const std::vector<TensorView>& views);

/// The arguments of a launch for tensors at these addresses (by the views, then the workspace).
std::vector<std::int64_t> patched_arguments(const RecordedCall::LaunchStep& step, const std::vector<std::byte*>& bases);
/// The launch's tensor maps, with the tensors' addresses among its patched arguments.
std::vector<kernel::TensorMap> patched_maps(const RecordedCall::LaunchStep& step,
                                            const std::vector<std::int64_t>& arguments);
/// The view of a fill for tensors at these addresses.
TensorView patched_view(const RecordedCall::FillStep& step, const std::vector<std::byte*>& bases);
/// Does a fill in the host's memory.
void fill_on_host(const RecordedCall::FillStep& step, const std::vector<std::byte*>& bases);

}  // namespace tilewright
