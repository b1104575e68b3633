// Interval arithmetic on the language's types: operators and casts. See interval.h.
#include "interval.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace tilewright::differential {
namespace {

constexpr long double infinity = std::numeric_limits<long double>::infinity();

/// Precision in bits, exponents of the smallest normal and of the largest value.
struct Format {
  int precision, least_exponent, most_exponent;
  long double largest;
  bool saturates;
};

Format format(DType type) {
  switch (type) {
    case DType::f64:
      return {53, -1022, 1023, static_cast<long double>(std::numeric_limits<double>::max()), false};
    case DType::f16:
      return {11, -14, 15, 65504.0L, false};
    case DType::bf16:
      return {8, -126, 127, std::ldexp(255.0L, 120), false};
    case DType::f8e4m3:
      return {4, -6, 8, 448.0L, true};
    case DType::f8e5m2:
      return {3, -14, 15, 57344.0L, true};
    default:
      return {24, -126, 127, static_cast<long double>(std::numeric_limits<float>::max()), false};
  }
}

Bounds between(DType type, long double low, long double high, bool may_be_nan = false) {
  Bounds result;
  result.type = type;
  result.low = low;
  result.high = high;
  result.may_be_nan = may_be_nan;
  return result;
}
Bounds only_nan(DType type) {
  return between(type, infinity, -infinity, true);
}
Bounds between_integers(DType type, std::int64_t first, std::int64_t last) {
  Bounds result;
  result.type = type;
  result.first = first;
  result.last = last;
  return result;
}
Bounds either(bool may_be_false, bool may_be_true) {
  return between_integers(DType::boolean, may_be_false ? 0 : 1, may_be_true ? 1 : 0);
}

/// A real result, rounded or not. In f64 a long double is itself rounded, so both neighbours of an inexact result
/// count.
long double rounded_down(long double value, DType type) {
  const long double near = nearest(value, type);
  if (type == DType::f64 && near != value && near > value) return near - ulp(near, type);
  return std::min(near, value);
}
long double rounded_up(long double value, DType type) {
  const long double near = nearest(value, type);
  if (type == DType::f64 && near != value && near < value) return near + ulp(near, type);
  return std::max(near, value);
}
Bounds rounded(DType type, long double low, long double high, bool may_be_nan) {
  return between(type, rounded_down(low, type), rounded_up(high, type), may_be_nan);
}

bool holds_zero(const Bounds& x) {
  return x.low <= 0 && x.high >= 0;
}
bool may_be_infinite(const Bounds& x) {
  return std::isinf(x.low) || std::isinf(x.high);
}

long double evaluate(ScalarOp op, long double x, long double y) {
  switch (op) {
    case ScalarOp::add:
      return x + y;
    case ScalarOp::sub:
      return x - y;
    case ScalarOp::mul:
      return x * y;
    default:
      return x / y;
  }
}

/// + − × ÷ by the corners.
Bounds arithmetic(ScalarOp op, DType type, const Bounds& a, const Bounds& b) {
  const bool may_be_nan = a.may_be_nan || b.may_be_nan;
  if (op == ScalarOp::div && holds_zero(b)) {
    if (!b.is_exact() || !a.is_exact()) return anything(type);
    return a.low == 0 ? only_nan(type) : between(type, -infinity, infinity);  // the zero may have either sign
  }
  const bool times = op == ScalarOp::mul;
  if (!(a.is_exact() && b.is_exact()) &&
      ((times && ((may_be_infinite(a) && holds_zero(b)) || (may_be_infinite(b) && holds_zero(a)))) ||
       (op == ScalarOp::div && may_be_infinite(a) && may_be_infinite(b))))
    return anything(type);
  long double low = infinity;
  long double high = -infinity;
  for (const long double x : {a.low, a.high})
    for (const long double y : {b.low, b.high}) {
      const long double value = evaluate(op, x, y);
      if (std::isnan(value)) return a.is_exact() && b.is_exact() ? only_nan(type) : anything(type);
      low = std::min(low, value);
      high = std::max(high, value);
    }
  return rounded(type, low, high, may_be_nan);
}

long double logistic(long double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}
long double evaluate(ScalarOp op, long double x) {
  switch (op) {
    case ScalarOp::exp:
      return std::exp(x);
    case ScalarOp::log:
      return std::log(x);
    case ScalarOp::sqrt:
      return std::sqrt(x);
    case ScalarOp::rsqrt:
      return 1 / std::sqrt(x);
    case ScalarOp::tanh:
      return std::tanh(x);
    case ScalarOp::sin:
      return std::sin(x);
    case ScalarOp::cos:
      return std::cos(x);
    case ScalarOp::erf:
      return std::erf(x);
    case ScalarOp::sigmoid:
      return logistic(x);
    case ScalarOp::gelu:
      return x / 2 * std::erfc(-x / std::numbers::sqrt2_v<long double>);
    default:
      return x * logistic(x);
  }
}

/// `most` ulp away.
Bounds near_function(DType type, long double low, long double high, bool may_be_nan, long double most = 4) {
  const auto away = [&](long double value) { return std::isinf(value) || value == 0 ? 0 : most * ulp(value, type); };
  return rounded(type, low - away(low), high + away(high), may_be_nan);
}

/// Functions of one float. The monotone ones by their ends, the others by a bound on their slope.
Bounds function(ScalarOp op, DType type, const Bounds& x) {
  const bool monotone = op != ScalarOp::sin && op != ScalarOp::cos && op != ScalarOp::gelu && op != ScalarOp::silu;
  if (x.low == x.high || monotone) {
    long double at_low = evaluate(op, x.low);
    long double at_high = evaluate(op, x.high);
    if (std::isnan(at_low) || std::isnan(at_high)) return x.is_exact() ? only_nan(type) : anything(type);
    if (op == ScalarOp::rsqrt && x.low <= 0) return x.is_exact() ? between(type, -infinity, infinity) : anything(type);
    if (at_low > at_high) std::swap(at_low, at_high);
    if (op == ScalarOp::sqrt) return rounded(type, at_low, at_high, x.may_be_nan);
    // The argument of erfc in f64 is rounded twice, and its relative error counts x² times.
    const long double farthest = std::max(std::fabs(x.low), std::fabs(x.high));
    const bool amplifies = op == ScalarOp::gelu && type == DType::f64 && std::isfinite(farthest);
    return near_function(type, at_low, at_high, x.may_be_nan, amplifies ? 4 + 2 * farthest * farthest : 4);
  }
  if (may_be_infinite(x)) return anything(type);
  const long double middle = evaluate(op, (x.low + x.high) / 2);
  const long double reach = 1.2L * (x.high - x.low) / 2;  // |gelu'|, |silu'| < 1.13
  return near_function(type, middle - reach, middle + reach, x.may_be_nan);
}

Bounds power(DType type, const Bounds& x, const Bounds& y) {
  if (x.is_exact() && y.is_exact()) {
    const long double value = std::pow(x.low, y.low);
    if (std::isnan(value)) return only_nan(type);
    if (x.low == 0) return between(type, -infinity, infinity);  // the zero may have either sign
    return near_function(type, value, value, false);
  }
  if (!(x.low > 0) || may_be_infinite(x) || may_be_infinite(y) || x.may_be_nan || y.may_be_nan) return anything(type);
  long double low = infinity;
  long double high = 0;
  for (const long double base : {x.low, x.high})
    for (const long double exponent : {y.low, y.high}) {
      low = std::min(low, std::pow(base, exponent));
      high = std::max(high, std::pow(base, exponent));
    }
  return near_function(type, low, high, false);
}

template <class Number>
Bounds compare_ends(ScalarOp op, Number a_low, Number a_high, Number b_low, Number b_high) {
  switch (op) {
    case ScalarOp::lt:
      return either(a_high >= b_low, a_low < b_high);
    case ScalarOp::le:
      return either(a_high > b_low, a_low <= b_high);
    case ScalarOp::gt:
      return compare_ends(ScalarOp::lt, b_low, b_high, a_low, a_high);
    case ScalarOp::ge:
      return compare_ends(ScalarOp::le, b_low, b_high, a_low, a_high);
    default:
      break;
  }
  const bool may_be_equal = a_low <= b_high && b_low <= a_high;
  const bool may_differ = !(a_low == a_high && b_low == b_high && a_low == b_low);
  return op == ScalarOp::eq ? either(may_differ, may_be_equal) : either(may_be_equal, may_differ);
}

Bounds compare(ScalarOp op, const Bounds& a, const Bounds& b) {
  if (!is_floating(a.type)) return compare_ends(op, a.first, a.last, b.first, b.last);
  const Bounds unordered = op == ScalarOp::ne ? either(false, true) : either(true, false);
  if (a.is_only_nan() || b.is_only_nan()) return unordered;
  const Bounds ordered = compare_ends(op, a.low, a.high, b.low, b.high);
  return a.may_be_nan || b.may_be_nan ? hull(ordered, unordered) : ordered;
}

Bounds with_zeros(Bounds value, bool plus, bool minus) {
  value.plus_zero = plus;
  value.minus_zero = minus;
  return value;
}

Bounds negated(const Bounds& x) {
  return with_zeros(between(x.type, -x.high, -x.low, x.may_be_nan), x.minus_zero, x.plus_zero);
}

/// −0 lies below +0.
Bounds maximum(const Bounds& a, const Bounds& b) {
  const Bounds result = between(a.type, std::max(a.low, b.low), std::max(a.high, b.high), a.may_be_nan || b.may_be_nan);
  const auto may_be_minus = [](const Bounds& x) { return holds_zero(x) && x.minus_zero; };
  const auto may_be_plus = [](const Bounds& x) { return holds_zero(x) && x.plus_zero; };
  const auto below_plus = [&](const Bounds& x) { return x.low < 0 || may_be_minus(x); };
  const bool minus = (may_be_minus(a) && below_plus(b)) || (may_be_minus(b) && below_plus(a));
  const bool plus = (may_be_plus(a) && b.low <= 0) || (may_be_plus(b) && a.low <= 0);
  return with_zeros(result, plus, minus);
}

Bounds float_op(ScalarOp op, DType type, std::span<const Bounds> v) {
  const bool any_only_nan = std::ranges::any_of(v, &Bounds::is_only_nan);
  const bool may_be_nan = std::ranges::any_of(v, &Bounds::may_be_nan);
  if (op == ScalarOp::pow && any_only_nan) return anything(type);  // pow(NaN, 0) and pow(1, NaN) are 1
  if (any_only_nan) return only_nan(type);
  switch (op) {
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::mul:
    case ScalarOp::div:
      return arithmetic(op, type, v[0], v[1]);
    case ScalarOp::neg:
      return negated(v[0]);
    case ScalarOp::abs:
      return with_zeros(between(type, holds_zero(v[0]) ? 0 : std::min(std::fabs(v[0].low), std::fabs(v[0].high)),
                                std::max(std::fabs(v[0].low), std::fabs(v[0].high)), may_be_nan),
                        true, false);
    case ScalarOp::relu:
      return maximum(v[0], exactly(type, Scalar::of(0.0)));
    case ScalarOp::max:
      return maximum(v[0], v[1]);
    case ScalarOp::min:
      return negated(maximum(negated(v[0]), negated(v[1])));
    case ScalarOp::pow:
      return power(type, v[0], v[1]);
    default:
      return function(op, type, v[0]);
  }
}

/// The exact integer, or the range of the type where it may wrap.
Bounds within(DType type, __int128 first, __int128 last) {
  if (first == last) return between_integers(type, wrap(first, type), wrap(first, type));
  if (first < lowest_integer(type) || last > highest_integer(type)) return anything(type);
  return between_integers(type, static_cast<std::int64_t>(first), static_cast<std::int64_t>(last));
}

Bounds integer_op(ScalarOp op, DType type, std::span<const Bounds> v) {
  using Wide = __int128;
  const Wide a_first = v[0].first;
  const Wide a_last = v[0].last;
  const Wide b_first = v.size() > 1 ? v[1].first : 0;
  const Wide b_last = v.size() > 1 ? v[1].last : 0;
  switch (op) {
    case ScalarOp::add:
      return within(type, a_first + b_first, a_last + b_last);
    case ScalarOp::sub:
      return within(type, a_first - b_last, a_last - b_first);
    case ScalarOp::mul: {
      const auto [least, most] = std::minmax({a_first * b_first, a_first * b_last, a_last * b_first, a_last * b_last});
      return within(type, least, most);
    }
    case ScalarOp::div:
      if (!v[0].is_exact() || !v[1].is_exact() || b_first == 0) return anything(type);
      return within(type, a_first / b_first, a_first / b_first);
    case ScalarOp::neg:
      return within(type, -a_last, -a_first);
    case ScalarOp::abs:
      if (a_first >= 0) return v[0];
      return a_last <= 0 ? within(type, -a_last, -a_first) : within(type, 0, std::max(-a_first, a_last));
    case ScalarOp::relu:
      return within(type, std::max<Wide>(a_first, 0), std::max<Wide>(a_last, 0));
    case ScalarOp::max:
      return within(type, std::max(a_first, b_first), std::max(a_last, b_last));
    case ScalarOp::min:
      return within(type, std::min(a_first, b_first), std::min(a_last, b_last));
    case ScalarOp::logical_and:
      return between_integers(type, v[0].first & v[1].first, v[0].last & v[1].last);
    case ScalarOp::logical_or:
      return between_integers(type, v[0].first | v[1].first, v[0].last | v[1].last);
    case ScalarOp::logical_not:
      return between_integers(type, 1 - v[0].last, 1 - v[0].first);
    default:
      internal_error("an operator that integers have not");
  }
}

std::int64_t truncated(long double value, DType type) {
  if (value <= static_cast<long double>(lowest_integer(type))) return lowest_integer(type);
  if (value >= static_cast<long double>(highest_integer(type))) return highest_integer(type);
  return static_cast<std::int64_t>(value);
}

Bounds cast_float(const Bounds& value, DType to) {
  if (is_floating(to)) {
    if (value.is_only_nan()) return only_nan(to);
    const Bounds result = between(to, nearest(value.low, to), nearest(value.high, to), value.may_be_nan);
    if (!value.is_exact() || result.low != 0) return result;
    if (value.low == 0) return with_zeros(result, value.plus_zero, value.minus_zero);
    return with_zeros(result, value.low > 0, value.low < 0);  // what vanishes keeps its sign
  }
  if (is_boolean(to)) {
    if (value.is_only_nan()) return either(false, true);
    return either(holds_zero(value), !(value.low == 0 && value.high == 0) || value.may_be_nan);
  }
  const Bounds of_nan = between_integers(to, 0, 0);
  if (value.is_only_nan()) return of_nan;
  const Bounds result = between_integers(to, truncated(value.low, to), truncated(value.high, to));
  return value.may_be_nan ? hull(result, of_nan) : result;
}

}  // namespace

Bounds exactly(DType type, Scalar value) {
  if (!is_floating(type)) return between_integers(type, value.as_int(), value.as_int());
  const double v = value.as_double();
  return std::isnan(v) ? only_nan(type) : with_zeros(between(type, v, v), !std::signbit(v), std::signbit(v));
}

Bounds anything(DType type) {
  if (is_floating(type)) return between(type, -infinity, infinity, true);
  return between_integers(type, lowest_integer(type), highest_integer(type));
}

Bounds hull(const Bounds& a, const Bounds& b) {
  Bounds result = a;
  result.low = std::min(a.low, b.low);
  result.high = std::max(a.high, b.high);
  result.may_be_nan = a.may_be_nan || b.may_be_nan;
  result.plus_zero = a.plus_zero || b.plus_zero;
  result.minus_zero = a.minus_zero || b.minus_zero;
  result.first = std::min(a.first, b.first);
  result.last = std::max(a.last, b.last);
  return result;
}

Bounds apply(ScalarOp op, DType type, std::span<const Bounds> operands) {
  if (op == ScalarOp::select) {
    const Bounds& condition = operands[0];
    if (condition.is_exact()) return condition.first != 0 ? operands[1] : operands[2];
    return hull(operands[1], operands[2]);
  }
  if (info(op).operands == OpOperands::comparison) return compare(op, operands[0], operands[1]);
  return is_floating(type) ? float_op(op, type, operands) : integer_op(op, type, operands);
}

Bounds cast(const Bounds& value, DType to) {
  if (is_floating(value.type)) return cast_float(value, to);
  if (is_floating(to))
    return with_zeros(between(to, nearest(static_cast<long double>(value.first), to),
                              nearest(static_cast<long double>(value.last), to)),
                      true, false);
  if (is_boolean(to)) return compare_ends<std::int64_t>(ScalarOp::ne, value.first, value.last, 0, 0);
  return within(to, value.first, value.last);
}

long double nearest(long double value, DType type) {
  if (value == 0 || std::isnan(value)) return value;
  const Format f = format(type);
  if (std::isinf(value)) return f.saturates ? std::copysign(f.largest, value) : value;
  const int quantum = std::max(std::ilogb(value), f.least_exponent) - (f.precision - 1);
  const long double result = std::ldexp(std::nearbyint(std::ldexp(value, -quantum)), quantum);
  if (std::fabs(result) <= f.largest) return result;
  return std::copysign(f.saturates ? f.largest : infinity, value);
}

long double rounding_unit(DType type) {
  return std::ldexp(1.0L, -format(type).precision);
}
long double ulp(long double value, DType type) {
  const Format f = format(type);
  const int exponent = value == 0 ? f.least_exponent : std::clamp(std::ilogb(value), f.least_exponent, f.most_exponent);
  return std::ldexp(1.0L, exponent - (f.precision - 1));
}
long double largest(DType type) {
  return format(type).largest;
}
long double smallest_normal(DType type) {
  return std::ldexp(1.0L, format(type).least_exponent);
}

std::int64_t lowest_integer(DType type) {
  if (is_boolean(type) || info(type).type_class == DTypeClass::unsigned_integer) return 0;
  return std::numeric_limits<std::int64_t>::min() >> (64 - 8 * static_cast<int>(size_of(type)));
}
std::int64_t highest_integer(DType type) {
  if (is_boolean(type)) return 1;
  const int bits = 8 * static_cast<int>(size_of(type));
  if (info(type).type_class == DTypeClass::unsigned_integer) return (std::int64_t{1} << bits) - 1;
  return std::numeric_limits<std::int64_t>::max() >> (64 - bits);
}
std::int64_t wrap(__int128 value, DType type) {
  if (is_boolean(type)) return value != 0;
  const int unused = 64 - 8 * static_cast<int>(size_of(type));
  const auto low_bits = static_cast<std::uint64_t>(value) << unused;
  if (info(type).type_class == DTypeClass::unsigned_integer) return static_cast<std::int64_t>(low_bits >> unused);
  return static_cast<std::int64_t>(low_bits) >> unused;
}

}  // namespace tilewright::differential
