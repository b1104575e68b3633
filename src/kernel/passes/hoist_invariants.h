// Pass: moves pure ops out of the loops that they do not depend on. Code generators run no pass that would.
//
//   for %i = %0 to %n step %8 {       %s = splat f32x8 %alpha
//     %s = splat f32x8 %alpha         for %i = %0 to %n step %8 {
//     …                                 …
//   }                                 }
//
// Pure ops do not trap, so one may be computed for a loop that then runs no iteration. Ops of a branch stay in it. An
// offset by a constant stays in the loop as well: it is part of an access's address there, and a register outside.
//
// Requires and ensures a kernel that verifies. After expand_conversions, whose constants and masks it moves.
#pragma once

#include "kernel/ir.h"

namespace tilewright::kernel {

void hoist_invariants(Kernel& kernel);

}  // namespace tilewright::kernel
