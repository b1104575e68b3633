// The host's scheduler: completes a nest's loops for a CPU. Analysis and transform in one, since each choice needs the
// facts of the same accesses.
//
// Before                                After (f32, 1000³, vectors of 8 lanes, two threads)
//   loop i step 1                         loop j step max(ceil(ceil(b.1 / 16) / 2), 1) * 16 parallel
//   loop j step 1                         loop j.in step 1024
//   loop k step 1                         loop k step 256
//   auto                                  loop i step 258
//                                         loop j.in.in step 16
//                                         loop i.in step 6
//                                         loop k.in step 1
//                                         loop i.in.in step 1 unroll 6 registers
//                                         loop j.in.in.in step 1 vectorize 16 registers
//                                         cache %r1 tile (j = 1024, k = 256)
//                                         cache %r0 tile (i = 258, k = 256)
//                                         lanes j
//                                         auto
//
// What a schedule block says is kept: loops in their order, cached reads, vectorize and unroll sizes, parallel loops
// (moved to the front, which permutes output loops only). With `auto` or without a block all is chosen here:
//   copies and maps      lanes along the output's contiguous iterator; a square register tile where an operand is
//                        contiguous along another iterator (a transpose)
//   reductions           lanes along the iterator in which the largest operand is contiguous: lanes of partial sums
//                        where that is reduced, else rows added into a vector that stays in cache; long sums in two
//                        levels so that chains stay short; few outputs and many terms are split (split_reduction)
//   contractions         a register tile of output iterators from both factors, lanes in one of them; panels of the
//                        factor with lanes packed; blocks for the three caches
// Sizes come from the facts' buckets, never from the extents themselves.
//
// Requires: the schedule's passes have run. Ensures: what nest_to_tile requires. It stands between the user's schedule
// and the tile IR because both levels' sizes depend on the machine.
#pragma once

#include <string>
#include <vector>

#include "nest/facts.h"
#include "nest/ir.h"
#include "support/target.h"

namespace tilewright::nest {

/// Each choice and its reason, a line each, for the trace.
using Reasons = std::vector<std::string>;

Reasons schedule_for_host(Nest& nest, const Facts& facts, const HostTarget& target);

}  // namespace tilewright::nest
