// Constants, counters and random data. See fill.h.
#include "runtime/fill.h"

#include <cmath>
#include <cstring>
#include <utility>

namespace tilewright {

namespace {

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): a counter through a
/// mixing function.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(mix(seed)) {}

  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15U); }
  /// Uniform over the multiples of 2⁻⁵³ in [0, 1).
  double next_unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  static std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
  }
  std::uint64_t state_;
};

/// The sum of twelve uniform variates, centred: exact in f64, so no rounding and no library function can differ between
/// platforms, as a logarithm would.
double next_normal(SplitMix& generator) {
  constexpr std::int64_t mean = 6 * (std::int64_t{1} << 32) - 6;  // of twelve integers below 2³²
  std::int64_t sum = 0;
  for (int pair = 0; pair < 6; ++pair) {
    const std::uint64_t bits = generator.next();
    sum += static_cast<std::int64_t>(bits >> 32) + static_cast<std::int64_t>(bits & 0xffffffffU);
  }
  return static_cast<double>(sum - mean) * 0x1p-32;
}

/// A new tensor whose elements, in row-major order, are what successive calls of `next` return: a Scalar of the class
/// of the element type.
template <class Next>
Result<Tensor> generate(DType dtype, Shape shape, Next&& next) {
  Result<Tensor> tensor = Tensor::allocate(dtype, std::move(shape));
  if (!tensor) return tensor;
  const auto step = static_cast<std::int64_t>(size_of(dtype));
  std::byte* element = tensor->data();
  for (std::int64_t left = tensor->element_count(); left > 0; --left, element += step)
    store_scalar(dtype, next(), element);
  return tensor;
}

}  // namespace

Result<Tensor> zeros(DType dtype, Shape shape) {
  Result<Tensor> tensor = Tensor::allocate(dtype, std::move(shape));
  if (tensor && tensor->data() != nullptr)
    std::memset(tensor->data(), 0, static_cast<std::size_t>(tensor->byte_size()));  // all zero bits is 0 in every type
  return tensor;
}

Result<Tensor> full(DType dtype, Shape shape, Scalar value) {
  const Scalar converted = cast_scalar(value, value.is_float() ? DType::f64 : DType::i64, dtype);
  return generate(dtype, std::move(shape), [&] { return converted; });
}

Result<Tensor> arange(DType dtype, Shape shape, std::int64_t first, std::int64_t step) {
  auto value = static_cast<std::uint64_t>(first);
  return generate(dtype, std::move(shape), [&] {
    const auto current = static_cast<std::int64_t>(value);
    value += static_cast<std::uint64_t>(step);
    return cast_scalar(Scalar::of(current), DType::i64, dtype);
  });
}

Result<Tensor> random_data(DType dtype, Shape shape, std::uint64_t seed) {
  if (is_floating(dtype)) return random_normal(dtype, std::move(shape), seed);
  SplitMix generator(seed);
  const int unused_bits = is_boolean(dtype) ? 63 : 64 - 8 * static_cast<int>(size_of(dtype));
  return generate(dtype, std::move(shape), [&] {
    // The high bits, shifted down with their sign: u32 and u8 wrap to the same bits.
    const auto value = static_cast<std::int64_t>(generator.next()) >> unused_bits;
    return cast_scalar(Scalar::of(value), DType::i64, dtype);
  });
}

Result<Tensor> random_uniform(DType dtype, Shape shape, std::uint64_t seed, double low, double high) {
  SplitMix generator(seed);
  const bool integers = is_integer(dtype);
  const double first = integers ? std::ceil(low) : low;
  const double width = (integers ? std::ceil(high) : high) - first;
  return generate(dtype, std::move(shape), [&] {
    const double unit = generator.next_unit();
    if (is_boolean(dtype)) return Scalar::of(std::int64_t{unit < 0.5});
    // Two statements: within one, a compiler may fuse the multiplication and the addition, and round once.
    const double scaled = integers ? std::floor(unit * width) : unit * width;
    const double value = first + scaled;
    return cast_scalar(Scalar::of(value), DType::f64, dtype);
  });
}

Result<Tensor> random_normal(DType dtype, Shape shape, std::uint64_t seed, double mean, double deviation) {
  SplitMix generator(seed);
  return generate(dtype, std::move(shape), [&] {
    const double normal = next_normal(generator);
    if (is_boolean(dtype)) return Scalar::of(std::int64_t{normal > 0.0});
    const double scaled = deviation * normal;
    const double value = mean + scaled;
    return cast_scalar(Scalar::of(is_integer(dtype) ? std::nearbyint(value) : value), DType::f64, dtype);
  });
}

}  // namespace tilewright
