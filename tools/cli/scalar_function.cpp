// Operators on values. See scalar_function.h.
#include "cli/scalar_function.h"

#include <cmath>

namespace tilewright::cli {
namespace {

constexpr double root_half = 0.70710678118654752440;

double greatest(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmax(a, b);
}

double least(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmin(a, b);
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

template <class T>
bool compare(ScalarOp op, T a, T b) {
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
      internal_error("an operator that compares nothing");
  }
}

}  // namespace

double float_function(ScalarOp op, const std::vector<double>& operands) {
  const double a = operands[0];
  const double b = operands.size() > 1 ? operands[1] : 0;
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
      return least(a, b);
    case ScalarOp::max:
      return greatest(a, b);
    case ScalarOp::abs:
      return std::fabs(a);
    case ScalarOp::relu:
      return greatest(a, 0);
    case ScalarOp::exp:
      return std::exp(a);
    case ScalarOp::log:
      return std::log(a);
    case ScalarOp::sqrt:
      return std::sqrt(a);
    case ScalarOp::rsqrt:
      return 1 / std::sqrt(a);
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
      return a * std::erfc(-a * root_half) / 2;
    case ScalarOp::silu:
      return a * sigmoid(a);
    default:
      internal_error("an operator that makes no float");
  }
}

Scalar integer_function(ScalarOp op, const std::vector<Bounded>& operands, DType type) {
  const std::int64_t a = operands[0].value.as_int();
  const std::int64_t b = operands.size() > 1 ? operands[1].value.as_int() : 0;
  const auto wrap = [type](std::uint64_t value) {
    return round_to(Scalar::of(static_cast<std::int64_t>(value)), type);
  };
  const auto ua = static_cast<std::uint64_t>(a);
  const auto ub = static_cast<std::uint64_t>(b);
  switch (op) {
    case ScalarOp::add:
      return wrap(ua + ub);
    case ScalarOp::sub:
      return wrap(ua - ub);
    case ScalarOp::mul:
      return wrap(ua * ub);
    case ScalarOp::div:
      if (b == 0) return Scalar::of(std::int64_t{0});
      return b == -1 ? wrap(0 - ua) : wrap(static_cast<std::uint64_t>(a / b));
    case ScalarOp::neg:
      return wrap(0 - ua);
    case ScalarOp::min:
      return Scalar::of(std::min(a, b));
    case ScalarOp::max:
      return Scalar::of(std::max(a, b));
    case ScalarOp::abs:
      return a < 0 ? wrap(0 - ua) : Scalar::of(a);
    case ScalarOp::relu:
      return Scalar::of(std::max<std::int64_t>(a, 0));
    default:
      internal_error("an operator that makes no integer");
  }
}

bool compare_values(ScalarOp op, Scalar a, Scalar b) {
  return a.is_float() ? compare(op, a.as_double(), b.as_double()) : compare(op, a.as_int(), b.as_int());
}

}  // namespace tilewright::cli
