// variant = NAME: the lowering variant, one of variant_names() (N028). Said once (N025). Whether the target has it and
// the statement fits it is checked by the target's compiler (R079 on a CPU).
#pragma once

#include <span>
#include <string_view>

#include "nest/passes/schedule_context.h"

namespace tilewright::nest {

/// flat (one output at a time), thread (one thread an output), block (a tile in registers of a block's threads), warp,
/// warpgroup and simdgroup (matrix instructions), panel (packed panels on a CPU).
std::span<const std::string_view> variant_names();

Result<void> set_variant(Nest& nest, ScheduleContext& context);

}  // namespace tilewright::nest
