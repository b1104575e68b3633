// Nest → plan for an NVIDIA GPU.
#include "plan/build_gpu_plan.h"

namespace tilewright::plan {

Result<PlannedKernels> build_gpu_plan(const nest::Nest& nest, const nest::Facts& facts, const GpuTarget& target,
                                      nest::Trace* trace) {
  return make_plan(nest, facts, [&](Unit& unit) { return run_passes(gpu_passes(), unit, target, trace); });
}

}  // namespace tilewright::plan
