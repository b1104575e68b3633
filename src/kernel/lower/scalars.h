// Scalar operators and casts of the language in kernel ops, for scalars and vectors alike. Targets share this: what a
// function means is decided once.
#pragma once

#include <vector>

#include "kernel/builder.h"
#include "support/dtype.h"
#include "support/scalar_op.h"

namespace tilewright::kernel {

/// `operands` are of register_element(dtype), as many lanes each; select's condition is i1. The result of a comparison
/// is i1. Integer division never traps: by zero it gives 0 (language.md leaves it open), MIN / −1 wraps.
/// `widest`: the float that functions of f32 may be computed by way of: f64, or f32 where the target has no other.
ValueId lower_scalar_op(Builder& build, ScalarOp op, DType dtype, const std::vector<ValueId>& operands,
                        Element widest = Element::f64);

/// `cast(to, x)` of language.md.
ValueId lower_cast(Builder& build, ValueId value, DType from, DType to);

/// A value of `dtype` in registers from its bits in memory, and back (bool: i8 ≠ 0; others unchanged).
ValueId from_memory(Builder& build, ValueId value, DType dtype);
ValueId to_memory(Builder& build, ValueId value, DType dtype);

/// f32 to 10 bits of mantissa, to nearest, ties away from zero.
ValueId round_to_tf32(Builder& build, ValueId value);

/// The constant in registers.
ValueId constant_of(Builder& build, DType dtype, Scalar value, int lanes);

}  // namespace tilewright::kernel
