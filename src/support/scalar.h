// One element's value outside of any tensor, and exact conversions to and from its bytes. The reference evaluator, the
// tile evaluator, the kernel interpreter, .npy files and literals use it; generated code does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "support/dtype.h"
#include "support/scalar_op.h"

namespace tilewright {

/// A float's value in f64 (every float type embeds in it) or an integer's in i64 (u32 as 0 … 2³² − 1; bool as 0 or 1).
/// Which of the two is active follows from the element type that the value belongs to.
struct Scalar {
  std::variant<double, std::int64_t> value = 0.0;

  static Scalar of(double v) { return {v}; }
  static Scalar of(std::int64_t v) { return {v}; }
  bool is_float() const { return value.index() == 0; }
  /// The value as f64, whichever is active.
  double as_double() const;
  /// The value as i64; a float truncates and saturates, NaN gives 0.
  std::int64_t as_int() const;
  friend bool operator==(const Scalar&, const Scalar&) = default;
};

/// Reads one element of `type` at `bytes` (any alignment, native byte order).
Scalar load_scalar(DType type, const std::byte* bytes);
/// Writes `value`, already of `type`'s class, rounding floats to nearest even (f8e4m3 saturates at ±448, f8e5m2 at
/// ±57344; infinities too) and wrapping integers modulo 2ⁿ.
void store_scalar(DType type, Scalar value, std::byte* bytes);

/// `cast(to, value)` as language.md defines it: float to integer truncates and saturates with NaN as 0, integers wrap,
/// to bool is x ≠ 0 (NaN is true), float to float rounds once to nearest even; f8 saturates.
Scalar cast_scalar(Scalar value, DType from, DType to);
/// The nearest value of `type`: the rounding of `cast_scalar` on a value of the same class.
Scalar round_to(Scalar value, DType type);

/// The identity of `monoid` over `type`: sum 0, product 1, max the lowest and min the highest value (∓inf for floats
/// that have one, ∓448 for f8e4m3; false and true for bool).
Scalar identity(Monoid monoid, DType type);

/// Shortest text that reads back as the same value of `type`: "1.5", "-3", "inf", "nan", "true".
std::string to_text(Scalar value, DType type);

// Bit-level conversions of the small float types (IEEE binary16, bfloat16, OCP 8-bit E4M3 "fn" and E5M2). Rounding to
// nearest even; NaN stays NaN; the f8 types saturate.
float half_to_float(std::uint16_t bits);
std::uint16_t float_to_half(float value);
std::uint16_t double_to_half(double value);
float bfloat16_to_float(std::uint16_t bits);
/// To 10 bits of mantissa and f32's exponents, as matrix units read f32 (precision tf32).
float float_to_tf32(float value);
std::uint16_t float_to_bfloat16(float value);
std::uint16_t double_to_bfloat16(double value);
float f8e4m3_to_float(std::uint8_t bits);
std::uint8_t double_to_f8e4m3(double value);
float f8e5m2_to_float(std::uint8_t bits);
std::uint8_t double_to_f8e5m2(double value);

}  // namespace tilewright
