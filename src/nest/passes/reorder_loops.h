// reorder(i, k, j): permutes the named loops among the places that they hold; the others stay.
//
//   i, j, k  with reorder(k, i)   →   k, j, i
//
// Requires distinct loops, at least two of them, and keeps each inner loop inside the loop it runs over (N027).
#pragma once

#include "nest/passes/schedule_context.h"

namespace tilewright::nest {

Result<void> reorder_loops(Nest& nest, ScheduleContext& context);

}  // namespace tilewright::nest
