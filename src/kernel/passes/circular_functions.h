// sin and cos of f32 and f64 for arguments of any size, in terms of + − · fma, integers and selects: what
// expand_functions puts in place of the ops. Infinities and NaN give NaN; sin of a zero is that zero.
#pragma once

#include "kernel/passes/formula.h"

namespace tilewright::kernel {

Formula expand_sin(Formula x);
Formula expand_cos(Formula x);

}  // namespace tilewright::kernel
