// The operations of the language on blocks of values, with the meaning that language.md gives them.
#pragma once

#include <vector>

#include "nest/reference/block_program.h"
#include "support/scalar_op.h"

namespace tilewright::nest {

/// `op` on lanes `sources`, whose values (for select, the chosen ones) are of type `operands`, into lane `destination`.
Step apply_step(ScalarOp op, DType operands, std::size_t destination, const std::vector<std::size_t>& sources);
/// `cast(to, …)` of a lane of type `from`.
Step cast_step(DType from, DType to, std::size_t destination, std::size_t source);

/// One pair of values, as the reduction folds them.
double maximum(double a, double b);  ///< NaN if either is; +0 above −0
double minimum(double a, double b);
std::int64_t fold(Monoid monoid, DType type, std::int64_t a, std::int64_t b);

}  // namespace tilewright::nest
