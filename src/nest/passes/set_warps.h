// warps(m, n) or warps(m, n, k): warps (simdgroups) along the rows, columns and reduction of a tile. Said once (N025).
#pragma once

#include "nest/passes/schedule_context.h"

namespace tilewright::nest {

Result<void> set_warps(Nest& nest, ScheduleContext& context);

}  // namespace tilewright::nest
