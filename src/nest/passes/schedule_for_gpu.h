// The GPUs' scheduler: completes a nest's loops for blocks of threads. Beside schedule_for_host, and with the same
// bargain: what it decides is loops of the nest, and nest_to_tile decides nothing.
//
// Before                         After (f32, 8192²)
//   loop i step 1                  loop i step 1 parallel
//   loop k step 1                  loop k step 4096
//                                  loop k.in step 1024 registers        # four pieces a thread
//                                  loop k.in.in step 4 threads 256
//                                  loop k.in.in.in step 1 registers     # of four neighbours (lanes)
//
// Parallel loops are the grid, loops with threads the block; a reduction that threads share is folded across them.
// With `auto` or without a block all is chosen here:
//   copies and maps      threads along the output's contiguous iterator, one vector each where all is aligned; operands
//                        that are contiguous along another iterator go through shared memory, a square at a time
//   reductions           threads along the contiguous reduction iterator, several rows a block where rows are short; or
//                        along the contiguous output iterator and rows of threads that share a column; few outputs and
//                        many terms are split (split_reduction)
//   contractions         a rectangle of outputs a block, one of registers a thread, over iterators joined to rows and
//                        columns, and as many parts of the terms as an estimate of the cycles says; factors staged; a
//                        batch that memory is contiguous along lies along threads; products of several factors are
//                        paired first (pair_factors)
// A schedule block's tiles, threads, caches, order and splits are kept; its output loops are the grid.
//
// Requires: the schedule's passes have run. Ensures: what nest_to_tile requires.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "nest/facts.h"
#include "nest/ir.h"
#include "nest/passes/schedule_for_host.h"
#include "support/target.h"

namespace tilewright::nest {

/// Codes: N050 the schedule asks for more threads than a block has, N051 for more outputs a thread than its registers
/// hold. `rank` is 0 but for a tuner, which asks for a contraction's tiles further down the order of their estimates;
/// past the last one it gets what there is without matrix units, or the last one.
Result<Reasons> schedule_for_gpu(Nest& nest, const Facts& facts, const GpuTarget& target, std::size_t rank = 0);

}  // namespace tilewright::nest
