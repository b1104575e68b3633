// auto: lets the scheduler fill in what the other lines do not say. Said once (N025).
#pragma once

#include "nest/passes/schedule_context.h"

namespace tilewright::nest {

Result<void> set_automatic(Nest& nest, ScheduleContext& context);

}  // namespace tilewright::nest
