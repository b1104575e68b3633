// Lowering: a scheduled nest becomes a tile program of the value phase.
//
// Before (nest)                                  After (tile)
//   loop i step 6 parallel                         grid i by 6
//   loop k step 1                                  %0 = fill 0 : f32 [i 6, j 16]
//   loop i.in in registers                         %1 = for k by 1 carry %2 = %0 { … contract … }
//   loop j in registers                            store mm[i, j], %1
//
// Loops become scopes in their order; the loops in registers become the axes of every tile. Three shapes of reduction:
//   - loops over reduction iterators below all output loops carry the accumulator in registers;
//   - a second level of the same iterator starts from the identity and is combined when it ends, so that a long sum
//     is a tree: with steps of 512 a sum over n terms has chains of 512 and n / 512 additions;
//   - a reduction loop above an output loop accumulates in memory: in the output where that holds the accumulator's
//     type and nothing follows, else in a buffer; the first pass stores, later ones add, the last one finishes.
// Lanes of a reduction axis are masked with the identity where an extent does not fill them.
//
// Requires: `schedule_for_host` (or another target's scheduler) has ordered the loops: parallel ones first, those in
// registers last, each as long as the constant step around it. Ensures: verify(program) in the value phase.
// It stands first because every later decision (staging, layouts, masks) is about tiles.
#pragma once

#include "nest/facts.h"
#include "nest/ir.h"
#include "tile/ir.h"

namespace tilewright::tile {

/// With a `split` in the schedule the program stores accumulators: its output is `NAME.partial` of the accumulate type,
/// with the part's number as an axis before the others; nest::combine_parts makes the nest that finishes.
Program nest_to_tile(const nest::Nest& nest, const nest::Facts& facts);

}  // namespace tilewright::tile
