// parallel(i): runs the iterations of an output loop across blocks or cores.
//
//   loop i step 128   →   loop i step 128 parallel
//
// Requires an output loop: a reduction is divided by `split` (N026). Said once a loop (N025).
#pragma once

#include "nest/passes/schedule_context.h"

namespace tilewright::nest {

Result<void> parallelize_loop(Nest& nest, ScheduleContext& context);

}  // namespace tilewright::nest
