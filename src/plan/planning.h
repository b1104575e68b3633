// What the planners of all targets share: a nest goes down its target's pipeline and is launched. Some nests take
// others with them, which go the same way, with a workspace between: copies of operands run before, what combines the
// parts of a split reduction runs behind.
#pragma once

#include <functional>
#include <vector>

#include "plan/ir.h"
#include "plan/pipeline.h"

namespace tilewright::plan {

/// A plan with its kernels (by KernelId) as code generation takes them.
struct PlannedKernels {
  Plan plan;
  std::vector<kernel::LoweredKernel> kernels;
};

/// `run_pipeline` is run_passes of a whole table on a unit at the nest. Errors: its own.
Result<PlannedKernels> make_plan(const nest::Nest& nest, const nest::Facts& facts,
                                 const std::function<Result<void>(Unit&)>& run_pipeline);

}  // namespace tilewright::plan
