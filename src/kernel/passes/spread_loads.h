// Pass: in loops of products, loads from shared memory stand a few products before their use, and those of a loop's
// first products in the iteration before.
//
//   for %k = %0 to %n step %4 carry %s = %zero {     if there is an iteration:
//     %a = load f32x4 of %k                            %f = load of the address at %0
//     %b = load f32x4 of %k + 16                       for %k = %0 to %n step %4 carry %s = %zero, %a = %f {
//     products of %a and %b                              products of %a, the load of %b among them
//     yield %t                                           products of %b, the load of %g among them: from the address at
//   }                                                      %k + %4, in the last iteration from that at %k
//                                                        yield %t, %g
//                                                      }
//
// A load in front of all products is waited for, and holds registers long before its use: the assembler then has no
// choice of register for a product's sum, and operands meet in one bank. Loads that are spread overlap with products.
//
// Only kernels `in_order` are touched, whose order the assembler keeps, and of their loops those of nothing but pure
// ops and loads from shared memory: nothing in such a loop writes what they read.
//
// Requires and ensures a kernel that verifies. The last pass: others would not know why loads stand where they stand.
#pragma once

#include "kernel/ir.h"

namespace tilewright::kernel {

void spread_loads(Kernel& kernel);

}  // namespace tilewright::kernel
