// exp, log, tanh and pow of f32 and f64 in terms of + − · / fma, integers and selects: what expand_functions puts in
// place of the ops. NaN, infinities, zeros and subnormals are as in C (ISO C, annex F.10).
#pragma once

#include "kernel/passes/formula.h"

namespace tilewright::kernel {

Formula expand_exp(Formula x);
Formula expand_log(Formula x);
Formula expand_tanh(Formula x);
Formula expand_pow(Formula x, Formula y, bool has_f64);

/// e^(x + low), where |low| is below an ulp of x.
Formula exp_of_sum(Formula x, Formula low);

}  // namespace tilewright::kernel
