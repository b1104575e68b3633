// stages = n: depth of the asynchronous copy pipeline. Said once (N025).
#pragma once

#include "nest/passes/schedule_context.h"

namespace tilewright::nest {

Result<void> set_stages(Nest& nest, ScheduleContext& context);

}  // namespace tilewright::nest
