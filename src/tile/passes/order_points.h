// The order of a grid's points where matrix units multiply, and which of them are clusters of blocks, where the copy
// engine fills stages.
//
// Before                        After
//   grid i by 128, j by 256       grid i by 128 band 8 cluster 2, j by 256
//
// Blocks that run at once read what others of them read too: of n blocks in bands of b rows, b rows and n / b columns.
// Bands keep both few, so that the second-level cache holds what is read again. Two blocks of a cluster, which stand
// along the axis that the larger share of their copies does not depend on, each copy half of that share, for both: less
// comes from the second-level cache. An axis of few points has none: where they are odd in number, the last pair has a
// block too many. A grid of few blocks has no clusters, whose blocks wait for each other.
//
// Requires: pipeline_copies. Ensures: verify in the placed phase.
#pragma once

#include "nest/facts.h"
#include "support/target.h"
#include "tile/ir.h"

namespace tilewright::tile {

void order_points(Program& program, const nest::Facts& facts, const GpuTarget& target);

}  // namespace tilewright::tile
