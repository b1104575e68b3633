// Pass: writes exp, log, tanh, sin, cos, erf, erfc and pow of f32 and f64 with arithmetic, for targets that have no
// library of them.
//
//   %y = tanh f32 %x                  %a = abs f32 %x
//                                     …
//                                     %y = bitcast f32 %13
//
// Requires a kernel that verifies, whose functions are of f32 and f64 (expand_conversions leaves no others). Ensures
// that none of these ops is left. NaN, infinities, zeros and subnormals are as in C. Needs a fused multiply-add that
// rounds once. Largest errors that the test finds, in ulp of f32 and of f64: exp 0.95 and 0.96, log 0.81 and 0.76, tanh
// 1.4 and 1.4, sin 2.4 and 2.5, cos 2.4 and 2.2, erf 1.3 and 1.1, erfc 3.4 and 3.3, pow 0.5 and 1.1.
//
// After expand_conversions, and before the passes that share and hoist what it writes.
#pragma once

#include "kernel/ir.h"

namespace tilewright::kernel {

/// Whether it is one of these ops.
bool is_expanded(Opcode code);
/// Without f64, pow of f32 is computed in pairs of f32.
void expand_functions(Kernel& kernel, bool has_f64 = true);

}  // namespace tilewright::kernel
