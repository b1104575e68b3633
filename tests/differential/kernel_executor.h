// Plans on the kernel interpreter: the memory that a kernel may touch is exactly what its tensors reach.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/interpret.h"
#include "plan/run.h"
#include "runtime/host_call.h"

namespace tilewright::differential {

class KernelExecutor : public plan::Executor {
 public:
  /// `memory`: ranges of the operands and the output.
  KernelExecutor(const LoweredPlan& plan, std::vector<kernel::MemoryRange> memory)
      : plan_(plan), memory_(std::move(memory)) {}

  Result<std::byte*> allocate(std::int64_t bytes) override;
  Result<void> fill(const TensorView& view, Scalar value) override;
  /// Runs the grid in three parts, as threads would. R080 as HostCall: a size without a value.
  Result<void> launch(const plan::LaunchCall& call) override;

 private:
  std::byte* fresh(std::int64_t bytes);

  const LoweredPlan& plan_;
  std::vector<kernel::MemoryRange> memory_;
  std::vector<std::unique_ptr<std::byte[]>> owned_;
};

}  // namespace tilewright::differential
