// The order of the placement's steps.
#include "tile/passes/place_for_host.h"

namespace tilewright::tile {

void place_for_host(Program& program, const nest::Nest& nest, const HostTarget& target) {
  program.phase = Phase::placed;
  stage_reads(program, nest);
  expand_copies(program, nest.schedule.lanes, target);
  assign_lanes(program, nest.schedule.lanes, target);
}

}  // namespace tilewright::tile
