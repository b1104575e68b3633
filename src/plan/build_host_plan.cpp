// Nest → plan for a host.
#include "plan/build_host_plan.h"

namespace tilewright::plan {

PlannedKernels build_host_plan(const nest::Nest& nest, const nest::Facts& facts, const HostTarget& target,
                               nest::Trace* trace) {
  return *make_plan(nest, facts, [&](Unit& unit) { return run_passes(host_passes(), unit, target, trace); });
}

}  // namespace tilewright::plan
