// Exact conversions between a Scalar and the bytes of an element. See scalar.h. Small floats are encoded from f64 in
// one rounding; going through f32 would round twice.
#include "support/scalar.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "support/diagnostic.h"

namespace tilewright {
namespace {

/// A binary float format below f32: sign, exponent field, mantissa field.
struct SmallFloat {
  int exponent_bits;
  int mantissa_bits;
  std::uint32_t largest;  ///< bits of the largest finite value
  bool has_infinity;      ///< then the all-ones exponent is infinity and NaN; else all ones is the only NaN
  bool saturates;         ///< overflow and infinity become `largest`

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr int sign_shift() const { return exponent_bits + mantissa_bits; }
  constexpr std::uint32_t magnitude_mask() const { return (1u << sign_shift()) - 1; }
  constexpr std::uint32_t infinity() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
};

constexpr SmallFloat half{5, 10, 0x7BFF, true, false};
constexpr SmallFloat bfloat16{8, 7, 0x7F7F, true, false};
constexpr SmallFloat f8e4m3{4, 3, 0x7E, false, true};
constexpr SmallFloat f8e5m2{5, 2, 0x7B, true, true};

/// The bits of NaN `value` (quiet) in `format`, with its sign and the top of its payload.
std::uint32_t encode_nan(double value, const SmallFloat& format) {
  if (!format.has_infinity) return format.magnitude_mask();
  const std::uint64_t payload = std::bit_cast<std::uint64_t>(value) & ((std::uint64_t{1} << 52) - 1);
  const std::uint32_t quiet = 1u << (format.mantissa_bits - 1);
  return format.infinity() | quiet | static_cast<std::uint32_t>(payload >> (52 - format.mantissa_bits));
}

/// The bits of |value|, rounded to nearest even.
std::uint32_t encode_magnitude(double value, const SmallFloat& format) {
  const std::uint32_t overflow = format.saturates ? format.largest : format.infinity();
  if (std::isnan(value)) return encode_nan(value, format);
  if (std::isinf(value)) return overflow;

  const std::uint64_t bits = std::bit_cast<std::uint64_t>(std::fabs(value));
  if (bits >> 52 == 0) return 0;  // zero, or a subnormal f64, far below half of every smallest value
  const int exponent = static_cast<int>(bits >> 52) - 1023;
  const std::uint64_t significand = (bits & ((std::uint64_t{1} << 52) - 1)) | (std::uint64_t{1} << 52);

  // Below the smallest normal the unit in the last place stays put, so more of the significand is shifted out.
  const int smallest_normal = 1 - format.bias();
  const int below = exponent < smallest_normal ? smallest_normal - exponent : 0;
  const int shift = 52 - format.mantissa_bits + below;
  if (shift > 53) return 0;
  std::uint64_t rounded = significand >> shift;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t tie = std::uint64_t{1} << (shift - 1);
  if (rest > tie || (rest == tie && (rounded & 1) != 0)) ++rounded;

  // A normal's leading 1 counts one into the exponent field, as does a carry out of the mantissa.
  const std::uint64_t field = below > 0 ? 0 : static_cast<std::uint64_t>(exponent - smallest_normal);
  const std::uint64_t encoded = (field << format.mantissa_bits) + rounded;
  return encoded > format.largest ? overflow : static_cast<std::uint32_t>(encoded);
}

std::uint32_t encode(double value, const SmallFloat& format) {
  const std::uint32_t sign = std::signbit(value) ? 1u << format.sign_shift() : 0u;
  return sign | encode_magnitude(value, format);
}

/// Exact: each format embeds in f32.
float decode(std::uint32_t bits, const SmallFloat& format) {
  const std::uint32_t sign = (bits >> format.sign_shift()) << 31;
  const std::uint32_t magnitude = bits & format.magnitude_mask();
  const int widen = 23 - format.mantissa_bits;
  if (magnitude > format.largest) {
    const std::uint32_t mantissa = magnitude & ((1u << format.mantissa_bits) - 1);
    return std::bit_cast<float>(sign | 0x7F800000u | (mantissa << widen));
  }
  // The fields shifted into f32's places make a float whose exponent is off by the difference of the biases; the
  // multiplication corrects that and normalises subnormals. (bfloat16 has f32's bias: nothing to correct.)
  const float shifted = std::bit_cast<float>(magnitude << widen);
  const auto correction = static_cast<std::uint32_t>(127 + 127 - format.bias()) << 23;
  const float value = format.bias() == 127 ? shifted : shifted * std::bit_cast<float>(correction);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
}

template <class T>
T read(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

template <class T>
void write(T value, std::byte* bytes) {
  std::memcpy(bytes, &value, sizeof(T));
}

/// Truncates towards zero into T, with saturation and NaN as 0.
template <class T>
std::int64_t truncate_to(double value) {
  if (std::isnan(value)) return 0;
  // The lower limit is a power of two (or 0), exact in f64; so is the upper limit plus one.
  const double low = static_cast<double>(std::numeric_limits<T>::min());
  const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (value <= low) return std::numeric_limits<T>::min();
  if (value >= beyond) return static_cast<std::int64_t>(std::numeric_limits<T>::max());
  return static_cast<std::int64_t>(value);
}

std::int64_t truncate_to(double value, DType type) {
  switch (type) {
    case DType::i8:
      return truncate_to<std::int8_t>(value);
    case DType::u8:
      return truncate_to<std::uint8_t>(value);
    case DType::i32:
      return truncate_to<std::int32_t>(value);
    case DType::u32:
      return truncate_to<std::uint32_t>(value);
    case DType::i64:
      return truncate_to<std::int64_t>(value);
    default:
      internal_error("truncate_to: not an integer type");
  }
}

/// `value` modulo 2ⁿ, in `type`'s range; for bool, whether it is not zero.
std::int64_t wrap(std::int64_t value, DType type) {
  switch (type) {
    case DType::i8:
      return static_cast<std::int8_t>(value);
    case DType::u8:
      return static_cast<std::uint8_t>(value);
    case DType::i32:
      return static_cast<std::int32_t>(value);
    case DType::u32:
      return static_cast<std::uint32_t>(value);
    case DType::i64:
      return value;
    case DType::boolean:
      return value != 0 ? 1 : 0;
    default:
      internal_error("wrap: not an integer type");
  }
}

double round_double(double value, DType type) {
  switch (type) {
    case DType::f64:
      return value;
    case DType::f32:
      return static_cast<double>(static_cast<float>(value));
    case DType::f16:
      return half_to_float(double_to_half(value));
    case DType::bf16:
      return bfloat16_to_float(double_to_bfloat16(value));
    case DType::f8e4m3:
      return f8e4m3_to_float(double_to_f8e4m3(value));
    case DType::f8e5m2:
      return f8e5m2_to_float(double_to_f8e5m2(value));
    default:
      internal_error("round_double: not a float type");
  }
}

/// An f64 that any format of at most 51 bits of precision rounds as it would round `value` itself: exact where it can
/// be, else truncated with the last bit set (round to odd).
double integer_to_double_sticky(std::int64_t value) {
  const bool negative = value < 0;
  std::uint64_t magnitude = negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const int excess = static_cast<int>(std::bit_width(magnitude)) - 53;
  if (excess > 0) {
    const bool inexact = (magnitude & ((std::uint64_t{1} << excess) - 1)) != 0;
    magnitude >>= excess;
    if (inexact) magnitude |= 1;
    magnitude <<= excess;
  }
  const double result = static_cast<double>(magnitude);
  return negative ? -result : result;
}

double integer_to_float(std::int64_t value, DType to) {
  if (to == DType::f64) return static_cast<double>(value);
  return round_double(integer_to_double_sticky(value), to);
}

void require_class(Scalar value, DType type) {
  if (value.is_float() != is_floating(type))
    internal_error(fmt::format("a scalar of the wrong class for element type {}", name(type)));
}

std::string shortest_text(double value, DType type) {
  if (std::isnan(value)) return "nan";
  const std::string exact = fmt::format("{}", value);
  if (type == DType::f64 || std::isinf(value)) return exact;
  for (int digits = 1;; ++digits) {
    const std::string candidate = fmt::format("{:.{}e}", value, digits - 1);
    double read_back = 0;
    std::from_chars(candidate.data(), candidate.data() + candidate.size(), read_back);
    if (digits < 17 && round_double(read_back, type) != value) continue;
    const std::string shortest = fmt::format("{}", read_back);
    return exact.size() <= shortest.size() ? exact : shortest;  // 448, rather than 450, which rounds to it
  }
}

}  // namespace

double Scalar::as_double() const {
  return is_float() ? std::get<double>(value) : static_cast<double>(std::get<std::int64_t>(value));
}

std::int64_t Scalar::as_int() const {
  return is_float() ? truncate_to<std::int64_t>(std::get<double>(value)) : std::get<std::int64_t>(value);
}

Scalar load_scalar(DType type, const std::byte* bytes) {
  switch (type) {
    case DType::f64:
      return Scalar::of(read<double>(bytes));
    case DType::f32:
      return Scalar::of(static_cast<double>(read<float>(bytes)));
    case DType::f16:
      return Scalar::of(static_cast<double>(half_to_float(read<std::uint16_t>(bytes))));
    case DType::bf16:
      return Scalar::of(static_cast<double>(bfloat16_to_float(read<std::uint16_t>(bytes))));
    case DType::f8e4m3:
      return Scalar::of(static_cast<double>(f8e4m3_to_float(read<std::uint8_t>(bytes))));
    case DType::f8e5m2:
      return Scalar::of(static_cast<double>(f8e5m2_to_float(read<std::uint8_t>(bytes))));
    case DType::i8:
      return Scalar::of(std::int64_t{read<std::int8_t>(bytes)});
    case DType::u8:
      return Scalar::of(std::int64_t{read<std::uint8_t>(bytes)});
    case DType::i32:
      return Scalar::of(std::int64_t{read<std::int32_t>(bytes)});
    case DType::u32:
      return Scalar::of(std::int64_t{read<std::uint32_t>(bytes)});
    case DType::i64:
      return Scalar::of(read<std::int64_t>(bytes));
    case DType::boolean:
      return Scalar::of(std::int64_t{read<std::uint8_t>(bytes) != 0});
  }
  internal_error("load_scalar: unknown element type");
}

void store_scalar(DType type, Scalar value, std::byte* bytes) {
  require_class(value, type);
  const auto real = [&] { return std::get<double>(value.value); };
  const auto integer = [&] { return std::get<std::int64_t>(value.value); };
  switch (type) {
    case DType::f64:
      return write(real(), bytes);
    case DType::f32:
      return write(static_cast<float>(real()), bytes);
    case DType::f16:
      return write(double_to_half(real()), bytes);
    case DType::bf16:
      return write(double_to_bfloat16(real()), bytes);
    case DType::f8e4m3:
      return write(double_to_f8e4m3(real()), bytes);
    case DType::f8e5m2:
      return write(double_to_f8e5m2(real()), bytes);
    case DType::i8:
      return write(static_cast<std::int8_t>(integer()), bytes);
    case DType::u8:
      return write(static_cast<std::uint8_t>(integer()), bytes);
    case DType::i32:
      return write(static_cast<std::int32_t>(integer()), bytes);
    case DType::u32:
      return write(static_cast<std::uint32_t>(integer()), bytes);
    case DType::i64:
      return write(integer(), bytes);
    case DType::boolean:
      return write(static_cast<std::uint8_t>(integer() != 0 ? 1 : 0), bytes);
  }
}

Scalar cast_scalar(Scalar value, DType from, DType to) {
  require_class(value, from);
  if (value.is_float()) {
    const double real = std::get<double>(value.value);
    if (is_floating(to)) return Scalar::of(round_double(real, to));
    if (is_boolean(to)) return Scalar::of(std::int64_t{real != 0.0});
    return Scalar::of(truncate_to(real, to));
  }
  const std::int64_t integer = std::get<std::int64_t>(value.value);
  if (is_floating(to)) return Scalar::of(integer_to_float(integer, to));
  return Scalar::of(wrap(integer, to));
}

Scalar round_to(Scalar value, DType type) {
  return cast_scalar(value, is_floating(type) ? DType::f64 : DType::i64, type);
}

Scalar identity(Monoid monoid, DType type) {
  const bool is_max = monoid == Monoid::max;
  if (monoid == Monoid::sum || monoid == Monoid::product) {
    const int value = monoid == Monoid::product ? 1 : 0;
    return is_floating(type) ? Scalar::of(static_cast<double>(value)) : Scalar::of(std::int64_t{value});
  }
  if (is_boolean(type)) return Scalar::of(std::int64_t{!is_max});
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double limit = is_max ? -infinity : infinity;
  if (type == DType::f8e4m3) return Scalar::of(round_double(limit, type));
  if (is_floating(type)) return Scalar::of(limit);
  return Scalar::of(truncate_to(limit, type));
}

std::string to_text(Scalar value, DType type) {
  require_class(value, type);
  if (value.is_float()) return shortest_text(std::get<double>(value.value), type);
  const std::int64_t integer = std::get<std::int64_t>(value.value);
  if (is_boolean(type)) return integer != 0 ? "true" : "false";
  return fmt::format("{}", integer);
}

float float_to_tf32(float value) {
  if (std::isnan(value)) return std::numeric_limits<float>::quiet_NaN();
  constexpr std::uint32_t dropped = 13;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t odd = bits >> dropped & 1;
  return std::bit_cast<float>((bits + (1U << (dropped - 1)) - 1 + odd) >> dropped << dropped);
}

float half_to_float(std::uint16_t bits) {
  return decode(bits, half);
}
std::uint16_t float_to_half(float value) {
  return double_to_half(static_cast<double>(value));
}
std::uint16_t double_to_half(double value) {
  return static_cast<std::uint16_t>(encode(value, half));
}
float bfloat16_to_float(std::uint16_t bits) {
  return decode(bits, bfloat16);
}
std::uint16_t float_to_bfloat16(float value) {
  return double_to_bfloat16(static_cast<double>(value));
}
std::uint16_t double_to_bfloat16(double value) {
  return static_cast<std::uint16_t>(encode(value, bfloat16));
}
float f8e4m3_to_float(std::uint8_t bits) {
  return decode(bits, f8e4m3);
}
std::uint8_t double_to_f8e4m3(double value) {
  return static_cast<std::uint8_t>(encode(value, f8e4m3));
}
float f8e5m2_to_float(std::uint8_t bits) {
  return decode(bits, f8e5m2);
}
std::uint8_t double_to_f8e5m2(double value) {
  return static_cast<std::uint8_t>(encode(value, f8e5m2));
}

}  // namespace tilewright
