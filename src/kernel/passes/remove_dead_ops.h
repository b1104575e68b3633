// Pass: removes what no store or prefetch depends on: ops, whole loops and branches, carried values and results.
//
//   %a, %p = for … carry %x = %0, %q = %in {      %a = for … carry %x = %0 {
//     %y = add i64 %x, %n                           %y = add i64 %x, %n
//     %r = offset ptr %q, %s
//     yield %y, %r                                  yield %y
//   }                                             }
//
// A loop that only computes values nobody reads is removed with them; loops of this IR end. Requires and ensures a
// kernel that verifies. Last: it clears away what the passes before it left behind.
#pragma once

#include "kernel/ir.h"

namespace tilewright::kernel {

void remove_dead_ops(Kernel& kernel);

}  // namespace tilewright::kernel
