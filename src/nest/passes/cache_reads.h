// cache(t, …): plans one staged buffer for each distinct access map of the tensors, sized by tiles.
//
//   tile(i, 128), tile(k, 32), cache(a)   →   cache %r0 tile (i = 128, k = 32)      # a[i, k]: 128x32
//
// A read with an `else` has a map of its own: the buffer holds the value that replaces what is outside. Requires that
// the statement reads each tensor (N023), that none is cached yet (N025), that each iterator its maps depend on is
// tiled by now (N024): the buffer of an untiled iterator would have no fixed size; and that a buffer has at most 64 MiB
// (N030).
#pragma once

#include "nest/passes/schedule_context.h"

namespace tilewright::nest {

Result<void> cache_reads(Nest& nest, ScheduleContext& context);

}  // namespace tilewright::nest
