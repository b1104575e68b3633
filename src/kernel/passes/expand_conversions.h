// Pass: writes conversions from and to the floats below f32, and arithmetic on them, with integer ops, f32 and f64
// (f32 alone, where the target has no f64).
//
//   %y = fconvert f32 %x        (of bf16 %x)         %a = bitcast i16 %x
//                                                    %b = zext i32 %a
//                                                    %c = shl i32 %b, 16
//                                                    %y = bitcast f32 %c
//
// Requires a kernel that verifies. Ensures: outside of loads, stores, constants, moves of lanes and selects, the only
// op on an f8e4m3, f8e5m2, bf16 or f16 element is a bitcast, or an fconvert between it and f32 that the target has.
// Results are bit for bit those of the ops replaced (support/scalar.h has them); the functions (exp, …) are evaluated
// in f32 and rounded.
//
// First of the kernel passes: those that follow share and hoist what it writes.
#pragma once

#include "kernel/ir.h"
#include "support/target.h"

namespace tilewright::kernel {

/// Which conversions between f32 and a smaller float are instructions of the target, and whether it computes in f64.
struct NativeConversions {
  bool f16 = false;
  bool bf16 = false;
  bool f8e4m3 = false;
  bool f8e5m2 = false;
  bool f64 = true;
};
NativeConversions native_conversions(const HostTarget& target);
NativeConversions native_conversions(const GpuTarget& target);

void expand_conversions(Kernel& kernel, const NativeConversions& native);

}  // namespace tilewright::kernel
