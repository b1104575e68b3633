// threads = n: threads of a block. Said once (N025). Whether n suits the machine (a multiple of its warp, no more than
// its limit) is for the target to say; a target without threads notes it and goes on.
#pragma once

#include "nest/passes/schedule_context.h"

namespace tilewright::nest {

Result<void> set_threads(Nest& nest, ScheduleContext& context);

}  // namespace tilewright::nest
