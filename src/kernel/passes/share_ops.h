// Pass: builds a pure op once where the same op on the same values stands in its region or one around it; folds integer
// arithmetic on constants and adds up constant offsets.
//
//   %a = mul i64 %n, %4               %a = mul i64 %n, %4
//   %b = mul i64 %n, %4
//   %p = offset ptr %x, %b            %p = offset ptr %x, %a
//
// Requires and ensures a kernel that verifies. After hoist_invariants, which brings equal ops of sibling loops
// together.
#pragma once

#include "kernel/ir.h"

namespace tilewright::kernel {

void share_ops(Kernel& kernel);

}  // namespace tilewright::kernel
