// The language's operators on values in f64 and in wrapping integers, for the error analysis.
#pragma once

#include <vector>

#include "cli/error_bound.h"
#include "support/scalar.h"

namespace tilewright::cli {

/// Of one or two operands; arithmetic, ordered and floating operators.
double float_function(ScalarOp op, const std::vector<double>& operands);
/// The same for integers of `type`, wrapping.
Scalar integer_function(ScalarOp op, const std::vector<Bounded>& operands, DType type);
bool compare_values(ScalarOp op, Scalar a, Scalar b);

}  // namespace tilewright::cli
