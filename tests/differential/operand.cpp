// Operands of differential tests. See operand.h.
#include "operand.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace tilewright::differential {
namespace {

/// What a kernel reads behind one operand by mistake lies in no other: the simulator tells memory by address.
constexpr std::int64_t guard_bytes = 1 << 15;
constexpr std::uintptr_t alignment = 64;

/// Not a value that results often have, and as any float type far from small numbers.
std::byte pattern(std::size_t position) {
  return static_cast<std::byte>(0xA5U ^ (position * 37U % 251U));
}

/// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
    z = (z ^ z >> 30U) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ z >> 27U) * 0x94D049BB133111EBULL;
    return z ^ z >> 31U;
  }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  double unit() { return std::ldexp(static_cast<double>(next() >> 11U), -53); }

 private:
  std::uint64_t state_;
};

double draw_extreme_float(DType type, Random& random) {
  const double largest = type == DType::f64      ? std::numeric_limits<double>::max()
                         : type == DType::f16    ? 65504
                         : type == DType::f8e4m3 ? 448
                         : type == DType::f8e5m2 ? 57344
                         : type == DType::bf16   ? std::ldexp(255.0, 120)
                                                 : static_cast<double>(std::numeric_limits<float>::max());
  const int exponent = type == DType::f64 ? 1074 : type == DType::bf16 ? 133 : type == DType::f32 ? 149 : 16;
  const double smallest = std::ldexp(1.0, type == DType::f16 ? -24 : type == DType::f8e4m3 ? -9 : -exponent);
  const std::array<double, 14> odd{0.0,      -0.0,      1.0,     -1.0,     std::nan(""), HUGE_VAL,     -HUGE_VAL,
                                   smallest, -smallest, largest, -largest, 0.5,          3 * smallest, -2.5};
  return odd[static_cast<std::size_t>(random.next() % odd.size())];
}

double draw_float(DType type, Values values, Random& random) {
  switch (values) {
    case Values::normal:
      return 2 * (random.unit() + random.unit() + random.unit()) - 3;
    case Values::whole:
      return static_cast<double>(random.between(-4, 4));
    case Values::positive:
      return 0.5 + 1.5 * random.unit();
    case Values::near_one:
      return (0.75 + 0.5 * random.unit()) * (random.next() % 2 == 0 ? 1 : -1);
    case Values::extreme:
      return random.next() % 2 == 0 ? draw_extreme_float(type, random) : 4 * random.unit() - 2;
  }
  return 0;
}

std::int64_t draw_integer(DType type, Values values, Random& random) {
  const bool is_unsigned = type == DType::u8 || type == DType::u32;
  switch (values) {
    case Values::normal:
      return is_unsigned ? random.between(0, 20) : random.between(-9, 9);
    case Values::whole:
      return is_unsigned ? random.between(0, 7) : random.between(-4, 4);
    case Values::positive:
      return random.between(1, 5);
    case Values::near_one:
      return is_unsigned ? random.between(0, 2) : random.between(-2, 2);
    case Values::extreme: {
      const auto bits = static_cast<std::int64_t>(random.next());
      const std::array<std::int64_t, 4> odd{std::numeric_limits<std::int64_t>::min(),
                                            std::numeric_limits<std::int64_t>::max(), 0, -1};
      const std::int64_t edge = odd[static_cast<std::size_t>(random.next() % 4)];
      if (random.next() % 3 != 0) return bits;
      const int unused = 64 - 8 * static_cast<int>(size_of(type));
      return edge == 0 || edge == -1 ? edge : edge >> unused;
    }
  }
  return 0;
}

Scalar draw(DType type, Values values, Random& random) {
  if (is_boolean(type)) return Scalar::of(static_cast<std::int64_t>(random.next() % 2));
  if (is_floating(type)) return Scalar::of(draw_float(type, values, random));
  return Scalar::of(draw_integer(type, values, random));
}

}  // namespace

Reach reach(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides) {
  Reach result;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0) return {0, -1};
    const std::int64_t span = shape[axis] == 1 ? 0 : (shape[axis] - 1) * strides[axis];
    (span < 0 ? result.low : result.high) += span;
  }
  return result;
}

GuardedMemory::GuardedMemory(DType dtype, const std::vector<std::int64_t>& shape, std::vector<std::int64_t> strides,
                             std::int64_t misalign) {
  if (strides.empty()) strides = row_major_strides(shape);
  const Reach range = reach(shape, strides);
  const auto size = static_cast<std::int64_t>(size_of(dtype));
  bytes_ = (range.high - range.low + 1) * size;
  memory_.resize(static_cast<std::size_t>(bytes_ + misalign * size + 2 * guard_bytes) + alignment);
  const auto start = reinterpret_cast<std::uintptr_t>(memory_.data()) + guard_bytes;
  const std::uintptr_t aligned = (start + alignment - 1) / alignment * alignment;
  lowest_ = memory_.data() + guard_bytes + (aligned - start) + misalign * size;
  view_ = {lowest_ - range.low * size, dtype, shape, std::move(strides)};
  reset();
}

void GuardedMemory::reset() {
  for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i] = pattern(i);
}

std::string GuardedMemory::damage() const {
  std::vector<bool> element(memory_.size());
  const auto size = size_of(view_.dtype);
  const auto origin = view_.data - memory_.data();
  for_each_index(view_.shape, [&](const std::vector<std::int64_t>& index) {
    const auto at = static_cast<std::size_t>(origin + view_.offset_bytes(index));
    for (std::size_t b = 0; b < size; ++b) element[at + b] = true;
  });
  for (std::size_t i = 0; i < memory_.size(); ++i)
    if (!element[i] && memory_[i] != pattern(i))
      return fmt::format("byte {} from the output's lowest element was written",
                         static_cast<std::ptrdiff_t>(i) - (lowest_ - memory_.data()));
  return {};
}

void fill_operand(const OperandSpec& spec, std::uint64_t seed, const TensorView& view) {
  Random random(seed);
  std::size_t n = 0;
  for_each_index(view.shape, [&](const std::vector<std::int64_t>& index) {
    const Scalar value = spec.data.empty() ? draw(spec.dtype, spec.values, random)
                                           : cast_scalar(Scalar::of(spec.data.at(n)), DType::f64, spec.dtype);
    view.set(index, value);
    ++n;
  });
}

}  // namespace tilewright::differential
