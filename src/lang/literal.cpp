// The ranges of the element types, as literals see them.
#include "lang/literal.h"

#include <cmath>

#include <fmt/format.h>

#include "support/diagnostic.h"

namespace tilewright::lang {
namespace {

struct IntegerRange {
  std::int64_t low;
  std::int64_t high;
};

IntegerRange integer_range(DType type) {
  if (is_boolean(type)) return {0, 1};
  const std::int64_t low = identity(Monoid::max, type).as_int();
  return {low, identity(Monoid::min, type).as_int()};
}

/// The least magnitude that rounds past the largest finite value of a type that saturates: half a unit beyond it.
/// E4M3 ends at 448 with steps of 32, E5M2 at 57344 with steps of 8192 (OCP 8-bit floating point, section 5).
double saturation_limit(DType type) {
  switch (type) {
    case DType::f8e4m3:
      return 464;
    case DType::f8e5m2:
      return 61440;
    case DType::f64:
    case DType::f32:
    case DType::f16:
    case DType::bf16:
    case DType::i8:
    case DType::u8:
    case DType::i32:
    case DType::u32:
    case DType::i64:
    case DType::boolean:
      return HUGE_VAL;
  }
  internal_error("unknown element type");
}

LiteralFit fit_float(double value, DType type) {
  if (std::isnan(value)) return LiteralFit::fits;
  if (std::isinf(value)) return type == DType::f8e4m3 ? LiteralFit::too_large : LiteralFit::fits;
  if (std::abs(value) >= saturation_limit(type)) return LiteralFit::too_large;
  return std::isinf(round_to(Scalar::of(value), type).as_double()) ? LiteralFit::too_large : LiteralFit::fits;
}

}  // namespace

LiteralFit fit_literal(const Number& number, DType type) {
  if (is_floating(type)) return fit_float(number.is_integer ? static_cast<double>(number.integer) : number.value, type);
  std::int64_t value = number.integer;
  if (!number.is_integer) {
    if (!std::isfinite(number.value) || std::trunc(number.value) != number.value) return LiteralFit::inexact;
    if (std::abs(number.value) >= 0x1p63) return LiteralFit::too_large;
    value = static_cast<std::int64_t>(number.value);
  }
  const IntegerRange range = integer_range(type);
  return value < range.low || value > range.high ? LiteralFit::too_large : LiteralFit::fits;
}

std::string literal_range(DType type) {
  if (is_boolean(type)) return "0 and 1";
  if (type == DType::f8e4m3) return "-448 to 448 and nan";
  if (is_floating(type)) return fmt::format("the finite values of {}, inf and nan", name(type));
  const IntegerRange range = integer_range(type);
  return fmt::format("{} to {}", range.low, range.high);
}

Scalar literal_scalar(const Number& number, DType type) {
  if (is_floating(type))
    return round_to(Scalar::of(number.is_integer ? static_cast<double>(number.integer) : number.value), type);
  return Scalar::of(number.is_integer ? number.integer : static_cast<std::int64_t>(number.value));
}

}  // namespace tilewright::lang
