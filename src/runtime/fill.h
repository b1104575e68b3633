// New host tensors with given contents: constants, counters and seeded random data. Random values are the same on every
// platform and standard library: integers by a stated generator, and only exactly rounded arithmetic after it.
//
// Each function fails as Tensor::allocate does (R001 to R004).
#pragma once

#include <cstdint>

#include "runtime/tensor.h"

namespace tilewright {

Result<Tensor> zeros(DType dtype, Shape shape);
/// Every element is `value`, converted as the language's cast does.
Result<Tensor> full(DType dtype, Shape shape, Scalar value);
/// Element n in row-major order is first + n·step, computed modulo 2⁶⁴ and then converted as the language's cast does.
Result<Tensor> arange(DType dtype, Shape shape, std::int64_t first = 0, std::int64_t step = 1);

/// What a kernel is run, verified and timed with when its user names no data: floats are random_normal, integers are
/// uniform over all values of the type, bools are true with probability 1/2.
Result<Tensor> random_data(DType dtype, Shape shape, std::uint64_t seed);
/// Floats are uniform over [low, high) in f64 and then rounded to the type; integers are uniform over the integers of
/// that interval (of at most 2⁵³ values), converted as cast does; bools are true with probability 1/2. Requires
/// low < high, both finite.
Result<Tensor> random_uniform(DType dtype, Shape shape, std::uint64_t seed, double low = 0.0, double high = 1.0);
/// mean + deviation · z, rounded to the type (integers: to nearest, and saturated), where z is the sum of twelve
/// uniform variates, less 6: mean 0, variance 1, normal to within 0.3 % of probability at any value, and never outside
/// of ±6. Bools are z > 0.
Result<Tensor> random_normal(DType dtype, Shape shape, std::uint64_t seed, double mean = 0.0, double deviation = 1.0);

}  // namespace tilewright
