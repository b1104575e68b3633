// Compilation for an NVIDIA GPU: a nest becomes a plan and its kernels; one launch, or two for a split reduction. A
// launch's grid is points, one a block of threads; kernel::tile_to_kernel has the threads.
#pragma once

#include "nest/facts.h"
#include "nest/ir.h"
#include "nest/trace.h"
#include "plan/planning.h"
#include "support/target.h"

namespace tilewright::plan {

/// As build_host_plan, by gpu_passes. `facts` are of VectorLoads::aligned. Errors: schedule_for_gpu's; N052 more shared
/// memory than a block has.
Result<PlannedKernels> build_gpu_plan(const nest::Nest& nest, const nest::Facts& facts, const GpuTarget& target,
                                      nest::Trace* trace);

}  // namespace tilewright::plan
