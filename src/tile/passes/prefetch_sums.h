// Fetches what a loop's result will be added to while the loop runs.
//
// Before:                                        After:
//   %s = for k by 1 carry %c = %zero { … }         prefetch o[i, j] : f32 [i 6, j 16 lanes]
//   %o = load o[i, j] : f32 [i 6, j 16 lanes]      %s = for k by 1 carry %c = %zero { … }
//   %t = map add %o, %s                            %o = load o[i, j] : f32 [i 6, j 16 lanes]
//   store o[i, j], %t                              …
//
// Sums that are accumulated in the output pass by once a block of the reduction, in lines that the last block's packed
// operands have driven out of the cache: without the hint every tile ends by waiting for them. Sums of other loops are
// added to a piece of the output that stays in the first-level cache.
//
// Requires: the placed phase, lanes assigned. Ensures: verify(program). It stands after placement because a hint is a
// matter of cache lines.
#pragma once

#include "tile/ir.h"

namespace tilewright::tile {

void prefetch_sums(Program& program);

}  // namespace tilewright::tile
