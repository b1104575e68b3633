// erf and erfc of f32 and f64 in terms of + − · / fma, exp's parts and selects: what expand_functions puts in place of
// the ops. NaN, infinities and zeros are as in C.
#pragma once

#include "kernel/passes/formula.h"

namespace tilewright::kernel {

Formula expand_erf(Formula x);
Formula expand_erfc(Formula x);

}  // namespace tilewright::kernel
