// Nest → plan for an NVIDIA GPU.
#include "plan/build_gpu_plan.h"

#include "nest/passes/schedule_for_gpu.h"
#include "plan/planning.h"
#include "tile/passes/place_for_gpu.h"

namespace tilewright::plan {

Result<Plan> build_gpu_plan(const nest::Nest& nest, const nest::Facts& facts, const NvptxTarget& target,
                            nest::Trace& trace) {
  const PlanTarget passes{
      "schedule_for_gpu",
      "complete the loops for blocks of threads",
      [&](nest::Nest& scheduled, const nest::Facts& known) { return nest::schedule_for_gpu(scheduled, known, target); },
      "place_for_gpu",
      "shared memory, barriers and lanes",
      [](tile::Program& program, const nest::Nest& scheduled, const nest::Facts&) {
        tile::place_for_gpu(program, scheduled);
      }};
  return make_plan(nest, facts, passes, trace);
}

}  // namespace tilewright::plan
