// A plan compiled for this processor and prepared for calls of one signature.
#pragma once

#include <memory>
#include <vector>

#include "codegen/llvm/host_jit.h"
#include "runtime/recorded_call.h"

namespace tilewright {

/// A plan with code for each of its kernels; none where it was only to be looked at.
struct HostPlan final : LoweredPlan {
  using LoweredPlan::LoweredPlan;
  std::vector<std::shared_ptr<const codegen::HostCode>> code;
};

class HostCall {
 public:
  /// The errors are record_call's.
  static Result<HostCall> prepare(std::shared_ptr<const HostPlan> plan, const std::vector<TensorView>& views);

  /// Runs on tensors of the same shapes, strides and alignments; `addresses` in the order of the views. Thread-safe.
  /// R081: the workspace cannot be allocated.
  Result<void> run(const std::vector<std::byte*>& addresses) const;

  std::int64_t workspace_bytes() const { return call_.workspace_bytes; }

 private:
  Result<void> run_launch(const RecordedCall::LaunchStep& step, const std::vector<std::byte*>& bases) const;

  std::shared_ptr<const HostPlan> plan_;
  RecordedCall call_;
};

}  // namespace tilewright
