// A GPU's plan on the simulator: the kernels that a GPU would be given, run block by block on the processor with every
// access checked. Stands where cuda_backend.cpp's launches stand for a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/simulate.h"
#include "runtime/recorded_call.h"
#include "support/source.h"

namespace tilewright {

/// A plan with simulators, which borrow its kernels.
struct SimulatedPlan final : LoweredPlan {
  using LoweredPlan::LoweredPlan;
  std::vector<kernel::Simulator> simulators;  ///< by the plan's kernels
  SourcePtr source;                           ///< of the statement; may be null
  Span span;                                  ///< of its name
};

/// Blocks of a launch for full checks, ascending; empty: all.
std::vector<std::uint32_t> blocks_to_check(const std::vector<std::int64_t>& grid);

/// Decodes the kernels. K208: one has an op that is not simulated.
Result<void> make_simulators(SimulatedPlan& plan);

class SimulatedCall {
 public:
  /// Errors: record_call's.
  static Result<SimulatedCall> prepare(std::shared_ptr<const SimulatedPlan> plan, const std::vector<TensorView>& views);
  /// `addresses` by the plan's operands in order, then its output. Kernels may reach what the views do, and workspace.
  /// Errors: the simulator's, at the statement; R081: no memory for the workspace.
  ///
  /// A launch of many blocks is checked fully on those that differ in what guards them: the first, the last and one
  /// between along each grid axis, in all combinations. The others are run on several threads, where no block can learn
  /// of another, with checks of bounds, alignment, values read and bytes that two blocks write. `counters`, where there
  /// are any, are raised by what the blocks that are checked fully cost.
  Result<void> run(const std::vector<std::byte*>& addresses, const kernel::SimulationOptions& options = {},
                   kernel::SimulationCounters* counters = nullptr) const;
  std::int64_t workspace_bytes() const { return call_.workspace_bytes; }

 private:
  Result<void> launch(const RecordedCall::LaunchStep& step, const std::vector<std::byte*>& bases,
                      const std::vector<kernel::SimulatedRange>& memory, const kernel::SimulationOptions& options,
                      kernel::SimulationCounters* counters) const;

  std::shared_ptr<const SimulatedPlan> plan_;
  RecordedCall call_;
  std::vector<kernel::SimulatedRange> reach_;  ///< of each view, from its address
};

}  // namespace tilewright
