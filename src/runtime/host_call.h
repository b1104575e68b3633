// A plan compiled for this processor and prepared for calls of one signature: every size is a number, every address an
// offset from a tensor, so that a repeated call only patches pointers and runs.
#pragma once

#include <memory>
#include <vector>

#include "codegen/llvm/host_jit.h"
#include "kernel/lower/tile_to_kernel.h"
#include "plan/ir.h"
#include "support/tensor_view.h"

namespace tilewright {

/// One kernel of a plan: its code, and what its parameters are.
struct HostKernelCode {
  std::shared_ptr<const codegen::HostCode> code;
  kernel::HostKernel kernel;
};

/// A plan with code for each of its kernels (by KernelId).
struct HostPlan {
  plan::Plan plan;
  std::vector<HostKernelCode> kernels;
};

class HostCall {
 public:
  /// Runs the plan's decisions for these views (by the plan's operands in order, then its output), but no kernel. The
  /// errors are run_plan's.
  static Result<HostCall> prepare(std::shared_ptr<const HostPlan> plan, const std::vector<TensorView>& views);

  /// Runs on tensors of the same shapes, strides and alignments; `addresses` in the order of the views. Thread-safe.
  /// R081: the workspace cannot be allocated.
  Result<void> run(const std::vector<std::byte*>& addresses) const;

  std::int64_t workspace_bytes() const { return workspace_bytes_; }

 private:
  class Recorder;
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
    codegen::HostEntry entry;
    std::vector<std::int64_t> arguments;
    std::vector<Patch> patches;
    std::size_t begin_slot, end_slot;
    std::ptrdiff_t workspace_slot;  ///< -1: the kernel has no buffers
    std::int64_t task_bytes;
    std::int64_t points;
    std::int64_t grain;
  };
  using Step = std::variant<FillStep, LaunchStep>;

  void run_fill(const FillStep& step, const std::vector<std::byte*>& bases) const;
  Result<void> run_launch(const LaunchStep& step, const std::vector<std::byte*>& bases) const;

  std::shared_ptr<const HostPlan> plan_;
  std::vector<Step> steps_;
  std::int64_t workspace_bytes_ = 0;
};

}  // namespace tilewright
