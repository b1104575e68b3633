// Copies into shared memory run ahead of the steps that use them.
//
// Before                              After (3 stages)
//   for k by 32 carry … {               for k by 32 stages 3 carry … {
//     allocate a.shared                   allocate a.shared
//     copy a[i, k] -> a.shared            copy a[i, k] -> a.shared
//     barrier                             for k by 4 { … load_buffer a.shared … }
//     for k by 4 {                        yield …
//       … load_buffer a.shared …        }
//     }
//     barrier
//     yield …
//   }
//
// With n stages the copies of n − 1 steps are under way while a step computes, so that it waits for none that it did
// not start long before; and one barrier a step is enough: whoever has passed it finds what the others' copies wrote,
// and nobody reads the stage any more that the next copies go to, since it was read a step before. A loop that other
// loops come back to has a barrier before it: its first copies go to stages that may be in use.
//
// `stages = n` of the schedule says how many, 1 leaves the loops alone; without it they are as many as let two blocks
// share a multiprocessor's shared memory, or one where not even two stages of two blocks fit; at most 3. A loop that
// loads from tensors too is left alone then: it waits for those loads, and the ring's registers leave it fewer of them.
//
// Where all of a loop's copies are such as the copy engine can do (engine_copy.h), it does them, and stages are as many
// as fit, at most 8: the block's threads then wait for nothing but a stage, and another warp for the engine.
//
// Requires: place_for_gpu, with the barriers that it puts. Ensures: verify in the placed phase. It stands behind the
// placement because that decides what a stage holds.
#pragma once

#include "nest/facts.h"
#include "nest/ir.h"
#include "support/target.h"
#include "tile/ir.h"

namespace tilewright::tile {

void pipeline_copies(Program& program, const nest::Nest& nest, const nest::Facts& facts, const GpuTarget& target);

}  // namespace tilewright::tile
