// Float operations in f64, integer operations modulo 2ⁿ of their type. See block_ops.h.
#include "nest/reference/block_ops.h"

#include <cmath>
#include <type_traits>

#include "support/diagnostic.h"
#include "support/scalar.h"

namespace tilewright::nest {
namespace {

template <class T>
auto& values(Lane& lane) {
  if constexpr (std::is_same_v<T, double>)
    return lane.real;
  else
    return lane.integer;
}

/// A step that computes `operation(x)`, or `operation(x, y)`, of In values into Out values.
template <class In, class Out, class Operation>
Step unary(std::size_t destination, std::size_t source, Operation operation) {
  return [=](Frame& frame, std::size_t count) {
    const auto& x = values<In>(frame.lanes[source]);
    auto& out = values<Out>(frame.lanes[destination]);
    for (std::size_t point = 0; point < count; ++point) out[point] = operation(x[point]);
  };
}
template <class In, class Out, class Operation>
Step binary(std::size_t destination, const std::vector<std::size_t>& sources, Operation operation) {
  return [=, left = sources[0], right = sources[1]](Frame& frame, std::size_t count) {
    const auto& x = values<In>(frame.lanes[left]);
    const auto& y = values<In>(frame.lanes[right]);
    auto& out = values<Out>(frame.lanes[destination]);
    for (std::size_t point = 0; point < count; ++point) out[point] = operation(x[point], y[point]);
  };
}
template <class T>
Step selection(std::size_t destination, const std::vector<std::size_t>& sources) {
  return [=](Frame& frame, std::size_t count) {
    const auto& condition = frame.lanes[sources[0]].integer;
    const auto& x = values<T>(frame.lanes[sources[1]]);
    const auto& y = values<T>(frame.lanes[sources[2]]);
    auto& out = values<T>(frame.lanes[destination]);
    for (std::size_t point = 0; point < count; ++point) out[point] = condition[point] != 0 ? x[point] : y[point];
  };
}

/// Two's complement arithmetic on 64 bits without undefined behaviour.
std::int64_t wrapping(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}
std::uint64_t bits(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

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
    case DType::f64:
    case DType::f32:
    case DType::f16:
    case DType::bf16:
    case DType::f8e4m3:
    case DType::f8e5m2:
      break;
  }
  internal_error("reference: a float type has no modulus");
}

/// Truncates towards zero. What a division by zero gives is unspecified; here it gives 0.
std::int64_t divide(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return wrapping(0 - bits(a));
  return a / b;
}

double sigmoid(double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}
double relu(double x) {
  return std::isnan(x) || x > 0 ? x : 0.0;
}
/// x · Φ(x) with Φ(x) = erfc(−x / √2) / 2, which keeps its digits where x is very negative.
double gelu(double x) {
  return 0.5 * x * std::erfc(-x * 0.70710678118654752440);
}

template <class T>
Step comparison(ScalarOp op, std::size_t to, const std::vector<std::size_t>& from) {
  switch (op) {
    case ScalarOp::lt:
      return binary<T, std::int64_t>(to, from, [](T a, T b) { return a < b; });
    case ScalarOp::le:
      return binary<T, std::int64_t>(to, from, [](T a, T b) { return a <= b; });
    case ScalarOp::gt:
      return binary<T, std::int64_t>(to, from, [](T a, T b) { return a > b; });
    case ScalarOp::ge:
      return binary<T, std::int64_t>(to, from, [](T a, T b) { return a >= b; });
    case ScalarOp::eq:
      return binary<T, std::int64_t>(to, from, [](T a, T b) { return a == b; });
    case ScalarOp::ne:
      return binary<T, std::int64_t>(to, from, [](T a, T b) { return a != b; });
    default:
      internal_error("reference: no comparison");
  }
}

Step float_step(ScalarOp op, std::size_t to, const std::vector<std::size_t>& from) {
  const auto one = [&](auto operation) { return unary<double, double>(to, from[0], operation); };
  const auto two = [&](auto operation) { return binary<double, double>(to, from, operation); };
  switch (op) {
    case ScalarOp::add:
      return two([](double a, double b) { return a + b; });
    case ScalarOp::sub:
      return two([](double a, double b) { return a - b; });
    case ScalarOp::mul:
      return two([](double a, double b) { return a * b; });
    case ScalarOp::div:
      return two([](double a, double b) { return a / b; });
    case ScalarOp::min:
      return two(minimum);
    case ScalarOp::max:
      return two(maximum);
    case ScalarOp::pow:
      return two([](double a, double b) { return std::pow(a, b); });
    case ScalarOp::neg:
      return one([](double x) { return -x; });
    case ScalarOp::abs:
      return one([](double x) { return std::fabs(x); });
    case ScalarOp::relu:
      return one(relu);
    case ScalarOp::exp:
      return one([](double x) { return std::exp(x); });
    case ScalarOp::log:
      return one([](double x) { return std::log(x); });
    case ScalarOp::sqrt:
      return one([](double x) { return std::sqrt(x); });
    case ScalarOp::rsqrt:
      return one([](double x) { return 1 / std::sqrt(x); });
    case ScalarOp::tanh:
      return one([](double x) { return std::tanh(x); });
    case ScalarOp::sin:
      return one([](double x) { return std::sin(x); });
    case ScalarOp::cos:
      return one([](double x) { return std::cos(x); });
    case ScalarOp::erf:
      return one([](double x) { return std::erf(x); });
    case ScalarOp::sigmoid:
      return one(sigmoid);
    case ScalarOp::gelu:
      return one(gelu);
    case ScalarOp::silu:
      return one([](double x) { return x / (1 + std::exp(-x)); });
    case ScalarOp::select:
      return selection<double>(to, from);
    case ScalarOp::lt:
    case ScalarOp::le:
    case ScalarOp::gt:
    case ScalarOp::ge:
    case ScalarOp::eq:
    case ScalarOp::ne:
      return comparison<double>(op, to, from);
    case ScalarOp::logical_and:
    case ScalarOp::logical_or:
    case ScalarOp::logical_not:
      break;
  }
  internal_error("reference: no float operation");
}

Step integer_step(ScalarOp op, DType type, std::size_t to, const std::vector<std::size_t>& from) {
  using Int = std::int64_t;
  const auto one = [&](auto operation) {
    return unary<Int, Int>(to, from[0], [=](Int x) { return wrap(operation(x), type); });
  };
  const auto two = [&](auto operation) {
    return binary<Int, Int>(to, from, [=](Int a, Int b) { return wrap(operation(a, b), type); });
  };
  switch (op) {
    case ScalarOp::add:
      return two([](Int a, Int b) { return wrapping(bits(a) + bits(b)); });
    case ScalarOp::sub:
      return two([](Int a, Int b) { return wrapping(bits(a) - bits(b)); });
    case ScalarOp::mul:
      return two([](Int a, Int b) { return wrapping(bits(a) * bits(b)); });
    case ScalarOp::div:
      return two(divide);
    case ScalarOp::min:
      return two([](Int a, Int b) { return a < b ? a : b; });
    case ScalarOp::max:
      return two([](Int a, Int b) { return a > b ? a : b; });
    case ScalarOp::neg:
      return one([](Int x) { return wrapping(0 - bits(x)); });
    case ScalarOp::abs:
      return one([](Int x) { return x < 0 ? wrapping(0 - bits(x)) : x; });
    case ScalarOp::relu:
      return one([](Int x) { return x > 0 ? x : 0; });
    case ScalarOp::select:
      return selection<Int>(to, from);
    case ScalarOp::logical_and:
      return two([](Int a, Int b) { return a & b; });
    case ScalarOp::logical_or:
      return two([](Int a, Int b) { return a | b; });
    case ScalarOp::logical_not:
      return one([](Int x) { return x ^ 1; });
    case ScalarOp::lt:
    case ScalarOp::le:
    case ScalarOp::gt:
    case ScalarOp::ge:
    case ScalarOp::eq:
    case ScalarOp::ne:
      return comparison<Int>(op, to, from);
    case ScalarOp::exp:
    case ScalarOp::log:
    case ScalarOp::sqrt:
    case ScalarOp::rsqrt:
    case ScalarOp::tanh:
    case ScalarOp::sin:
    case ScalarOp::cos:
    case ScalarOp::erf:
    case ScalarOp::pow:
    case ScalarOp::sigmoid:
    case ScalarOp::gelu:
    case ScalarOp::silu:
      break;
  }
  internal_error("reference: no integer operation");
}

}  // namespace

double maximum(double a, double b) {
  if (std::isnan(a) || a > b) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return b;
}

double minimum(double a, double b) {
  if (std::isnan(a) || a < b) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return b;
}

std::int64_t fold(Monoid monoid, DType type, std::int64_t a, std::int64_t b) {
  switch (monoid) {
    case Monoid::sum:
      return wrap(wrapping(bits(a) + bits(b)), type);
    case Monoid::product:
      return wrap(wrapping(bits(a) * bits(b)), type);
    case Monoid::max:
      return a > b ? a : b;
    case Monoid::min:
      return a < b ? a : b;
  }
  internal_error("reference: unknown monoid");
}

Step apply_step(ScalarOp op, DType operands, std::size_t destination, const std::vector<std::size_t>& sources) {
  return is_floating(operands) ? float_step(op, destination, sources)
                               : integer_step(op, operands, destination, sources);
}

Step cast_step(DType from, DType to, std::size_t destination, std::size_t source) {
  if (is_floating(from) && is_floating(to)) {
    // A value of a smaller type is exact in f32 already; a value of f32 itself may not have been rounded yet.
    if (to == DType::f64 || (to == DType::f32 && size_of(from) < size_of(to)))
      return unary<double, double>(destination, source, [](double x) { return x; });
    if (to == DType::f32)
      return unary<double, double>(destination, source,
                                   [](double x) { return static_cast<double>(static_cast<float>(x)); });
    return unary<double, double>(destination, source,
                                 [=](double x) { return round_to(Scalar::of(x), to).as_double(); });
  }
  if (is_floating(from))
    return unary<double, std::int64_t>(destination, source,
                                       [=](double x) { return cast_scalar(Scalar::of(x), from, to).as_int(); });
  if (is_floating(to))
    return unary<std::int64_t, double>(
        destination, source, [=](std::int64_t x) { return cast_scalar(Scalar::of(x), from, to).as_double(); });
  return unary<std::int64_t, std::int64_t>(destination, source, [=](std::int64_t x) { return wrap(x, to); });
}

}  // namespace tilewright::nest
