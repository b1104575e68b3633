// Scalar operators and casts in kernel ops.
#include "kernel/lower/scalars.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "support/diagnostic.h"

namespace tilewright::kernel {
namespace {

bool is_signed(DType dtype) {
  return info(dtype).type_class == DTypeClass::signed_integer;
}
bool is_small_float(Element element) {
  return is_float(element) && bits(element) < 32;
}

ValueId float_constant(Builder& build, ValueId like, double value) {
  return build.constant(build.type(like), Scalar::of(value));
}
ValueId int_constant(Builder& build, ValueId like, std::int64_t value) {
  return build.constant(build.type(like), Scalar::of(value));
}

ValueId divide(Builder& build, DType dtype, ValueId a, ValueId b) {
  if (is_floating(dtype)) return build.binary(Opcode::fdiv, a, b);
  const ValueId zero = int_constant(build, b, 0);
  const ValueId one = int_constant(build, b, 1);
  const ValueId by_zero = build.cmp(Predicate::eq, b, zero);
  if (!is_signed(dtype)) {
    const ValueId quotient = build.binary(Opcode::udiv, a, build.select(by_zero, one, b));
    return build.select(by_zero, zero, quotient);
  }
  // MIN / -1 traps on x86 although the language says that it wraps: negate instead.
  const ValueId by_minus_one = build.cmp(Predicate::eq, b, int_constant(build, b, -1));
  const ValueId unsafe = build.binary(Opcode::bit_or, by_zero, by_minus_one);
  const ValueId quotient = build.binary(Opcode::sdiv, a, build.select(unsafe, one, b));
  return build.select(by_zero, zero, build.select(by_minus_one, build.unary(Opcode::neg, a), quotient));
}

ValueId extremum(Builder& build, DType dtype, bool is_max, ValueId a, ValueId b) {
  if (is_boolean(dtype)) return build.binary(is_max ? Opcode::bit_or : Opcode::bit_and, a, b);
  if (is_floating(dtype)) return build.binary(is_max ? Opcode::fmax : Opcode::fmin, a, b);
  if (is_signed(dtype)) return build.binary(is_max ? Opcode::smax : Opcode::smin, a, b);
  return build.binary(is_max ? Opcode::umax : Opcode::umin, a, b);
}

ValueId compare(Builder& build, ScalarOp op, DType dtype, ValueId a, ValueId b) {
  struct Row {
    ScalarOp op;
    Predicate floating, with_sign, without_sign;
  };
  static constexpr Row rows[] = {
      {ScalarOp::lt, Predicate::olt, Predicate::slt, Predicate::ult},
      {ScalarOp::le, Predicate::ole, Predicate::sle, Predicate::ule},
      {ScalarOp::gt, Predicate::ogt, Predicate::sgt, Predicate::ugt},
      {ScalarOp::ge, Predicate::oge, Predicate::sge, Predicate::uge},
      {ScalarOp::eq, Predicate::oeq, Predicate::eq, Predicate::eq},
      {ScalarOp::ne, Predicate::une, Predicate::ne, Predicate::ne},
  };
  for (const Row& row : rows)
    if (row.op == op)
      return build.cmp(is_floating(dtype) ? row.floating : is_signed(dtype) ? row.with_sign : row.without_sign, a, b);
  internal_error("not a comparison");
}

/// 1 / (1 + e⁻ˣ), through e^−|x| so that large negative x keeps its tiny result instead of overflowing to 0.
ValueId sigmoid(Builder& build, ValueId x) {
  const ValueId one = float_constant(build, x, 1.0);
  const ValueId e = build.unary(Opcode::exp, build.unary(Opcode::neg, build.unary(Opcode::abs, x)));
  const ValueId denominator = build.add(one, e);
  const ValueId negative = build.cmp(Predicate::olt, x, float_constant(build, x, 0.0));
  return build.binary(Opcode::fdiv, build.select(negative, e, one), denominator);
}

/// x · sigmoid(x). Where the sigmoid would be subnormal, and lose digits that the product has, eˣ is computed larger by
/// a constant factor, which the product takes back: one rounding to a subnormal, the last.
ValueId silu(Builder& build, ValueId x) {
  const bool is_double = build.type(x).element == Element::f64;
  const double shift = is_double ? 256.0 : 32.0;
  const ValueId zero = float_constant(build, x, 0.0);
  const ValueId one = float_constant(build, x, 1.0);
  const ValueId far = build.cmp(Predicate::olt, x, float_constant(build, x, -2 * shift));
  const ValueId negative = build.cmp(Predicate::olt, x, zero);
  const ValueId exponent = build.add(build.unary(Opcode::neg, build.unary(Opcode::abs, x)),
                                     build.select(far, float_constant(build, x, shift), zero));
  const ValueId e = build.unary(Opcode::exp, exponent);
  const ValueId ratio = build.binary(Opcode::fdiv, build.select(negative, e, one), build.add(one, e));
  const double factor = is_double ? std::exp(-256.0) : std::exp(-32.0);
  return build.mul(build.mul(x, ratio), build.select(far, float_constant(build, x, factor), one));
}

/// As below in f32 alone: what rounding leaves of the argument, d, changes erfc by about −d (a + √(a² + 4/π)) of it.
ValueId gelu_of_single(Builder& build, ValueId x) {
  constexpr double factor = -1.0 / std::numbers::sqrt2;
  constexpr double high = static_cast<float>(factor);
  const auto number = [&](double value) { return float_constant(build, x, value); };
  const ValueId a = build.mul(x, number(high));
  const ValueId rest = build.fma(x, number(high), build.unary(Opcode::neg, a));
  const ValueId d = build.fma(x, number(factor - high), rest);
  const ValueId root = build.unary(Opcode::sqrt, build.fma(a, a, number(4 / std::numbers::pi)));
  const ValueId e = build.unary(Opcode::erfc, a);
  const ValueId change = build.mul(d, build.add(a, root));
  // Far out the argument's square is past the type, and nothing is left to change.
  const ValueId near = build.cmp(Predicate::olt, build.unary(Opcode::abs, a), number(16.0));
  const ValueId corrected = build.select(near, build.fma(build.unary(Opcode::neg, e), change, e), e);
  return build.mul(build.mul(x, number(0.5)), corrected);
}

/// x/2 · erfc(−x/√2): 1 + erf would cancel for negative x. In f64 for f32 operands, since the relative error of erfc
/// grows with the square of its argument.
ValueId gelu(Builder& build, ValueId x, Element widest) {
  const Element element = build.type(x).element;
  if (widest == Element::f32) return gelu_of_single(build, x);
  const ValueId wide = element == Element::f64 ? x : build.convert(Opcode::fconvert, x, Element::f64);
  const ValueId argument = build.mul(wide, float_constant(build, wide, -1.0 / std::numbers::sqrt2));
  const ValueId half = build.mul(wide, float_constant(build, wide, 0.5));
  const ValueId result = build.mul(half, build.unary(Opcode::erfc, argument));
  return element == Element::f64 ? result : build.convert(Opcode::fconvert, result, element);
}

ValueId relu(Builder& build, DType dtype, ValueId x) {
  if (is_floating(dtype)) return build.binary(Opcode::fmax, x, float_constant(build, x, 0.0));
  return is_signed(dtype) ? build.binary(Opcode::smax, x, int_constant(build, x, 0)) : x;
}

ValueId lower_native(Builder& build, ScalarOp op, DType dtype, const std::vector<ValueId>& v, Element widest) {
  switch (op) {
    case ScalarOp::add:
      return build.add(v[0], v[1]);
    case ScalarOp::sub:
      return build.sub(v[0], v[1]);
    case ScalarOp::mul:
      return build.mul(v[0], v[1]);
    case ScalarOp::div:
      return divide(build, dtype, v[0], v[1]);
    case ScalarOp::neg:
      return build.unary(Opcode::neg, v[0]);
    case ScalarOp::lt:
    case ScalarOp::le:
    case ScalarOp::gt:
    case ScalarOp::ge:
    case ScalarOp::eq:
    case ScalarOp::ne:
      return compare(build, op, dtype, v[0], v[1]);
    case ScalarOp::logical_and:
      return build.binary(Opcode::bit_and, v[0], v[1]);
    case ScalarOp::logical_or:
      return build.binary(Opcode::bit_or, v[0], v[1]);
    case ScalarOp::logical_not:
      return build.binary(Opcode::bit_xor, v[0], int_constant(build, v[0], 1));
    case ScalarOp::select:
      return build.select(v[0], v[1], v[2]);
    case ScalarOp::min:
      return extremum(build, dtype, false, v[0], v[1]);
    case ScalarOp::max:
      return extremum(build, dtype, true, v[0], v[1]);
    case ScalarOp::abs:
      return is_floating(dtype) || is_signed(dtype) ? build.unary(Opcode::abs, v[0]) : v[0];
    case ScalarOp::relu:
      return relu(build, dtype, v[0]);
    case ScalarOp::exp:
      return build.unary(Opcode::exp, v[0]);
    case ScalarOp::log:
      return build.unary(Opcode::log, v[0]);
    case ScalarOp::sqrt:
      return build.unary(Opcode::sqrt, v[0]);
    case ScalarOp::rsqrt:
      return build.binary(Opcode::fdiv, float_constant(build, v[0], 1.0), build.unary(Opcode::sqrt, v[0]));
    case ScalarOp::tanh:
      return build.unary(Opcode::tanh, v[0]);
    case ScalarOp::sin:
      return build.unary(Opcode::sin, v[0]);
    case ScalarOp::cos:
      return build.unary(Opcode::cos, v[0]);
    case ScalarOp::erf:
      return build.unary(Opcode::erf, v[0]);
    case ScalarOp::pow:
      return build.binary(Opcode::pow, v[0], v[1]);
    case ScalarOp::sigmoid:
      return sigmoid(build, v[0]);
    case ScalarOp::gelu:
      return gelu(build, v[0], widest);
    case ScalarOp::silu:
      return silu(build, v[0]);
  }
  internal_error("unknown scalar operator");
}

}  // namespace

ValueId lower_scalar_op(Builder& build, ScalarOp op, DType dtype, const std::vector<ValueId>& operands,
                        Element widest) {
  const Element element = register_element(dtype);
  if (!is_small_float(element) || op == ScalarOp::select) return lower_native(build, op, dtype, operands, widest);
  // min, max and comparisons of 16- and 8-bit floats: exact in f32.
  std::vector<ValueId> wide;
  for (ValueId operand : operands) wide.push_back(build.convert(Opcode::fconvert, operand, Element::f32));
  const ValueId result = lower_native(build, op, DType::f32, wide, widest);
  return build.type(result).element == Element::f32 ? build.convert(Opcode::fconvert, result, element) : result;
}

ValueId lower_cast(Builder& build, ValueId value, DType from, DType to) {
  if (from == to) return value;
  const Element target = register_element(to);
  if (is_floating(from)) {
    if (is_floating(to)) return build.convert(Opcode::fconvert, value, target);
    if (is_small_float(build.type(value).element)) value = build.convert(Opcode::fconvert, value, Element::f32);
    if (is_boolean(to)) return build.cmp(Predicate::une, value, float_constant(build, value, 0.0));
    return build.convert(is_signed(to) ? Opcode::fptosi : Opcode::fptoui, value, target);
  }
  if (is_boolean(to)) return build.cmp(Predicate::ne, value, int_constant(build, value, 0));
  if (is_floating(to)) return build.convert(is_signed(from) ? Opcode::sitofp : Opcode::uitofp, value, target);
  const int before = bits(build.type(value).element);
  if (bits(target) == before) return value;
  if (bits(target) < before) return build.convert(Opcode::trunc, value, target);
  return build.convert(is_signed(from) ? Opcode::sext : Opcode::zext, value, target);
}

ValueId from_memory(Builder& build, ValueId value, DType dtype) {
  return is_boolean(dtype) ? build.cmp(Predicate::ne, value, int_constant(build, value, 0)) : value;
}

ValueId to_memory(Builder& build, ValueId value, DType dtype) {
  return is_boolean(dtype) ? build.convert(Opcode::zext, value, Element::i8) : value;
}

ValueId round_to_tf32(Builder& build, ValueId value) {
  constexpr std::int64_t half = 0x1000;
  constexpr std::int64_t kept = -0x2000;
  const Type type = build.type(value);
  const Type word{Element::i32, type.lanes};
  ValueId bits = build.add(build.bitcast(value, word), build.constant(word, Scalar::of(half)));
  bits = build.binary(Opcode::bit_and, bits, build.constant(word, Scalar::of(kept)));
  const ValueId nan = build.constant(type, Scalar::of(std::numeric_limits<double>::quiet_NaN()));
  return build.select(build.cmp(Predicate::uno, value, value), nan, build.bitcast(bits, type));
}

ValueId constant_of(Builder& build, DType dtype, Scalar value, int lanes) {
  return build.constant({register_element(dtype), static_cast<std::uint16_t>(lanes)}, value);
}

}  // namespace tilewright::kernel
