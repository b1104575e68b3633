// vectorize(j, n): n neighbouring points of a loop are computed together, as lanes. Of a reduction loop, the lanes are
// summed as a tree at the end. Said once a loop (N025).
#pragma once

#include "nest/passes/schedule_context.h"

namespace tilewright::nest {

Result<void> vectorize_loop(Nest& nest, ScheduleContext& context);

}  // namespace tilewright::nest
