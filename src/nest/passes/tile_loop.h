// tile(i, n): splits the loop `i` in place into an outer loop of step n and an inner loop `i.in` over one step.
//
//   loop i step 1   →   loop i step 128
//   loop k step 1       loop i.in step 1
//                       loop k step 1
//
// n is 32 where left out. Requires a loop that is not tiled yet (N021) and, for an inner loop, an n no larger than the
// step it runs over (N022). `vectorize` and `unroll` said of the loop earlier move to the inner one, `parallel` stays.
// Ensures that the new loops visit the same points in the same order. Stands anywhere; `cache` needs it before.
#pragma once

#include "nest/passes/schedule_context.h"

namespace tilewright::nest {

Result<void> tile_loop(Nest& nest, ScheduleContext& context);

}  // namespace tilewright::nest
