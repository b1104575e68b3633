// What the planners of all targets share: a nest goes down its target's pipeline and is launched; a split reduction is
// two such steps with a workspace between them.
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
