// How a lane of each float element is read, computed with and written.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "support/scalar.h"

namespace tilewright::kernel::interpreter {

struct F32Lane {
  using Stored = float;
  using Value = float;
  static float get(float stored) { return stored; }
  static float put(float value) { return value; }
};

struct F64Lane {
  using Stored = double;
  using Value = double;
  static double get(double stored) { return stored; }
  static double put(double value) { return value; }
};

/// A float below f32 is computed with in f64 and rounded after each op: f64 has more than twice its precision and two
/// bits, so that the two roundings of + - * / and sqrt are as one.
template <class StoredType, float (*decode)(StoredType), StoredType (*encode)(double)>
struct SmallLane {
  using Stored = StoredType;
  using Value = double;
  static double get(Stored stored) { return static_cast<double>(decode(stored)); }
  static Stored put(double value) { return encode(value); }
};
using F16Lane = SmallLane<std::uint16_t, half_to_float, double_to_half>;
using Bf16Lane = SmallLane<std::uint16_t, bfloat16_to_float, double_to_bfloat16>;
using F8e4m3Lane = SmallLane<std::uint8_t, f8e4m3_to_float, double_to_f8e4m3>;
using F8e5m2Lane = SmallLane<std::uint8_t, f8e5m2_to_float, double_to_f8e5m2>;

/// a · b + c rounded to odd in f64: rounding that to a float below f32 is as rounding the exact value. Requires the
/// product to be exact in f64, which it is for those floats.
inline double fma_to_odd(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  if (!std::isfinite(sum)) return sum;
  const double part = sum - product;  // the error of the sum, exactly (Knuth's two-sum)
  const double error = (product - (sum - part)) + (c - part);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (error == 0.0 || (bits & 1) != 0) return sum;
  // The neighbour on the error's side is odd.
  const bool away = (error > 0.0) == (sum > 0.0);
  return std::bit_cast<double>(away ? bits + 1 : bits - 1);
}

/// An integer as the f64 that a narrower float rounds as it would the integer: exact up to 53 bits, else to odd.
inline double integer_to_odd(std::uint64_t magnitude) {
  const int excess = static_cast<int>(std::bit_width(magnitude)) - 53;
  if (excess <= 0) return static_cast<double>(magnitude);
  const std::uint64_t lost = magnitude & ((std::uint64_t{1} << excess) - 1);
  return std::ldexp(static_cast<double>(magnitude >> excess | (lost != 0 ? 1u : 0u)), excess);
}

}  // namespace tilewright::kernel::interpreter
