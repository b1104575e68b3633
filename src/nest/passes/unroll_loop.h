// unroll(k, n): repeats the body of a loop n times between two tests. Said once a loop (N025); N029: too large a
// register tile.
#pragma once

#include "nest/passes/schedule_context.h"

namespace tilewright::nest {

Result<void> unroll_loop(Nest& nest, ScheduleContext& context);

}  // namespace tilewright::nest
