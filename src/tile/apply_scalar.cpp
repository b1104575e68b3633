// Scalar operators of the tile evaluator. See apply_scalar.h.
#include "tile/apply_scalar.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "support/diagnostic.h"
#include "support/scalar.h"

namespace tilewright::tile {
namespace {

/// NaN if either is; −0 lies below +0.
double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  return a < b || (a == b && std::signbit(a)) ? b : a;
}
double minimum(double a, double b) {
  return -maximum(-a, -b);
}
double sigmoid(double x) {
  return x < 0 ? std::exp(x) / (1.0 + std::exp(x)) : 1.0 / (1.0 + std::exp(-x));
}

double apply_exactly(ScalarOp op, double a, double b) {
  switch (op) {
    case ScalarOp::add:
      return a + b;
    case ScalarOp::sub:
      return a - b;
    case ScalarOp::mul:
      return a * b;
    case ScalarOp::div:
      return a / b;
    case ScalarOp::neg:
      return -a;
    case ScalarOp::min:
      return minimum(a, b);
    case ScalarOp::max:
      return maximum(a, b);
    case ScalarOp::abs:
      return std::fabs(a);
    case ScalarOp::relu:
      return maximum(a, 0.0);
    case ScalarOp::exp:
      return std::exp(a);
    case ScalarOp::log:
      return std::log(a);
    case ScalarOp::sqrt:
      return std::sqrt(a);
    case ScalarOp::rsqrt:
      return 1.0 / std::sqrt(a);
    case ScalarOp::tanh:
      return std::tanh(a);
    case ScalarOp::sin:
      return std::sin(a);
    case ScalarOp::cos:
      return std::cos(a);
    case ScalarOp::erf:
      return std::erf(a);
    case ScalarOp::pow:
      return std::pow(a, b);
    case ScalarOp::sigmoid:
      return sigmoid(a);
    case ScalarOp::gelu:
      return 0.5 * a * std::erfc(-a / std::numbers::sqrt2);
    case ScalarOp::silu:
      return a * sigmoid(a);
    case ScalarOp::lt:
    case ScalarOp::le:
    case ScalarOp::gt:
    case ScalarOp::ge:
    case ScalarOp::eq:
    case ScalarOp::ne:
    case ScalarOp::logical_and:
    case ScalarOp::logical_or:
    case ScalarOp::logical_not:
    case ScalarOp::select:
      break;
  }
  internal_error("an operator that gives no float");
}

std::int64_t divide(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  // The one quotient that overflows wraps to itself; -a in unsigned arithmetic says so for all a.
  if (b == -1) return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a));
  return a / b;
}

template <class T>
bool compare_values(ScalarOp op, T a, T b) {
  switch (op) {
    case ScalarOp::lt:
      return a < b;
    case ScalarOp::le:
      return a <= b;
    case ScalarOp::gt:
      return a > b;
    case ScalarOp::ge:
      return a >= b;
    case ScalarOp::eq:
      return a == b;
    case ScalarOp::ne:
      return a != b;
    default:
      internal_error("not a comparison");
  }
}

}  // namespace

double normalize(double value, DType type) {
  switch (type) {
    case DType::f64:
      return value;
    case DType::f32:
      return static_cast<double>(static_cast<float>(value));
    default:
      return std::get<double>(round_to(Scalar::of(value), type).value);
  }
}

std::int64_t normalize(std::int64_t value, DType type) {
  return std::get<std::int64_t>(round_to(Scalar::of(value), type).value);
}

double apply(ScalarOp op, double a, double b, DType type) {
  return normalize(apply_exactly(op, a, b), type);
}

std::int64_t apply(ScalarOp op, std::int64_t a, std::int64_t b, DType type) {
  const auto ua = static_cast<std::uint64_t>(a);
  const auto ub = static_cast<std::uint64_t>(b);
  const auto wrapped = [&](std::uint64_t value) { return normalize(static_cast<std::int64_t>(value), type); };
  switch (op) {
    case ScalarOp::add:
      return wrapped(ua + ub);
    case ScalarOp::sub:
      return wrapped(ua - ub);
    case ScalarOp::mul:
      return wrapped(ua * ub);
    case ScalarOp::div:
      return normalize(divide(a, b), type);
    case ScalarOp::neg:
      return wrapped(0 - ua);
    case ScalarOp::min:
      return b < a ? b : a;
    case ScalarOp::max:
      return a < b ? b : a;
    case ScalarOp::abs:
      return wrapped(a < 0 ? 0 - ua : ua);
    case ScalarOp::relu:
      return a < 0 ? 0 : a;
    case ScalarOp::logical_and:
      return a & b;
    case ScalarOp::logical_or:
      return a | b;
    case ScalarOp::logical_not:
      return a == 0 ? 1 : 0;
    default:
      internal_error("an operator that gives no integer");
  }
}

bool compare(ScalarOp op, double a, double b) {
  return compare_values(op, a, b);
}
bool compare(ScalarOp op, std::int64_t a, std::int64_t b) {
  return compare_values(op, a, b);
}

}  // namespace tilewright::tile
