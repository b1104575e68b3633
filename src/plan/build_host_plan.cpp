// Nest → plan for a host.
#include "plan/build_host_plan.h"

#include "nest/passes/schedule_for_host.h"
#include "plan/planning.h"
#include "tile/passes/place_for_host.h"
#include "tile/passes/prefetch_sums.h"
#include "tile/passes/stream_stores.h"

namespace tilewright::plan {

Plan build_host_plan(const nest::Nest& nest, const nest::Facts& facts, const HostTarget& target, nest::Trace& trace) {
  const PlanTarget passes{"schedule_for_host",
                          "complete the loops for the processor",
                          [&](nest::Nest& scheduled, const nest::Facts& known) -> Result<nest::Reasons> {
                            return nest::schedule_for_host(scheduled, known, target);
                          },
                          "place_for_host",
                          "staging, layouts and lanes",
                          [&](tile::Program& program, const nest::Nest& scheduled, const nest::Facts& known) {
                            tile::place_for_host(program, scheduled, target);
                            tile::prefetch_sums(program);
                            const bool split = scheduled.schedule.split_iter.valid() && scheduled.schedule.split > 0;
                            if (!split) tile::stream_stores(program, known, target);
                          }};
  return *make_plan(nest, facts, passes, trace);
}

}  // namespace tilewright::plan
