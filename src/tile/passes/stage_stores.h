// Outputs through shared memory by the copy engine.
//
// Before                                      After
//   for k by 64 stages 4 carry … { … }          buffer mm.shared : f16 shared [i 128 …, j 256 inner 64 …] … swizzled
//   %5 = cast %4 : f16 [i 2, j 64]              …
//   store mm[i, j], %5                          for k by 64 stages 3 carry … { … }
//                                               %5 = cast %4 : f16 [i 2, j 64]
//                                               allocate mm.shared
//                                               store mm[i, j], %5 through mm.shared
//
// What the threads of a matrix unit hold lies scattered in the output's rows. Stored to shared memory, and from there
// by the engine, it goes in whole rows of 128 bytes, no thread tests what is outside of the tensor, and the products of
// a block's next point start while the engine stores. The buffer takes room from the loop's stages, of which as many
// have to be left as hide the copies; blocks that shared a multiprocessor go on doing so, or nothing
// is done. A schedule's number of stages stays.
//
// Requires: pipeline_copies and order_points. Ensures: verify in the placed phase. Programs in which the engine fills
// no stages stay as they are, those whose output it cannot store (engine_copy.h), and those whose epilogue calls
// functions or divides: there each store's test keeps the code of one value from mixing with that of all others, for
// which there are no registers.
#pragma once

#include "nest/facts.h"
#include "nest/ir.h"
#include "support/target.h"
#include "tile/ir.h"

namespace tilewright::tile {

void stage_stores(Program& program, const nest::Nest& nest, const nest::Facts& facts, const GpuTarget& target);

}  // namespace tilewright::tile
