// Scalar operators and folds on single elements, as the tile evaluator computes them: floats in f64 with one rounding
// to the dtype, integers modulo 2ⁿ (docs/language.md, Types).
#pragma once

#include <cstdint>

#include "support/dtype.h"
#include "support/scalar_op.h"

namespace tilewright::tile {

/// `value` as an element of the float type: rounded to nearest even.
double normalize(double value, DType type);
/// `value` modulo 2ⁿ in the integer type's range; for bool whether it is not zero.
std::int64_t normalize(std::int64_t value, DType type);

/// The operator on floats of `type`, for every operator whose result is of the operands' type. Unused operands are
/// ignored. Not for select, whose condition is no float.
double apply(ScalarOp op, double a, double b, DType type);
/// The same on integers and bools. Division by zero gives 0 (its value is unspecified), MIN / −1 wraps.
std::int64_t apply(ScalarOp op, std::int64_t a, std::int64_t b, DType type);

/// Comparisons; u32 elements are held as 0 … 2³² − 1, so that signed comparison is right.
bool compare(ScalarOp op, double a, double b);
bool compare(ScalarOp op, std::int64_t a, std::int64_t b);

}  // namespace tilewright::tile
