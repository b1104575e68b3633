// split(k, n) or split(k, n, atomics): divides a reduction iterator into n parts that are computed apart and combined
// in index order, or, with `atomics`, in place in any order (which gives up identical bits between runs).
//
// Requires the loop of a reduction iterator, not an inner loop: output loops run across cores by `parallel` (N026).
// Said once (N025).
#pragma once

#include "nest/passes/schedule_context.h"

namespace tilewright::nest {

Result<void> split_reduction(Nest& nest, ScheduleContext& context);

}  // namespace tilewright::nest
