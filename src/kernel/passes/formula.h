// Kernel values as operands of formulas: `fma(x, 0.5, y) + 1.0` builds the ops. Numbers become constants of the other
// operand's type; every function takes scalars and vectors. For passes that write mathematics (expand_functions).
#pragma once

#include <concepts>
#include <limits>
#include <span>

#include "kernel/builder.h"

namespace tilewright::kernel {

class Formula {
 public:
  Formula(Builder& builder, ValueId value) : builder_(&builder), value_(value) {}

  ValueId value() const { return value_; }
  Builder& builder() const { return *builder_; }
  Type type() const { return builder_->type(value_); }

  /// Constants like this value: of its element, or of another with its lanes.
  Formula number(double value) const { return constant(type().element, Scalar::of(value)); }
  Formula integer(std::int64_t value) const { return constant(type().element, Scalar::of(value)); }
  Formula constant(Element element, Scalar value) const {
    return {*builder_, builder_->constant(type().with(element), value)};
  }

  Formula binary(Opcode code, Formula other) const { return {*builder_, builder_->binary(code, value_, other.value_)}; }
  Formula unary(Opcode code) const { return {*builder_, builder_->unary(code, value_)}; }
  Formula to(Opcode code, Element element) const { return {*builder_, builder_->convert(code, value_, element)}; }
  Formula cmp(Predicate predicate, Formula other) const {
    return {*builder_, builder_->cmp(predicate, value_, other.value_)};
  }
  /// The bits as an integer of the element's size, and back.
  Formula bits() const { return to(Opcode::bitcast, kernel::bits(type().element) == 64 ? Element::i64 : Element::i32); }
  Formula as_float() const {
    return to(Opcode::bitcast, kernel::bits(type().element) == 64 ? Element::f64 : Element::f32);
  }

 private:
  Builder* builder_;
  ValueId value_;
};

// ---- floats

inline Formula operator+(Formula a, Formula b) {
  return a.binary(Opcode::add, b);
}
inline Formula operator-(Formula a, Formula b) {
  return a.binary(Opcode::sub, b);
}
inline Formula operator*(Formula a, Formula b) {
  return a.binary(Opcode::mul, b);
}
inline Formula operator/(Formula a, Formula b) {
  return a.binary(Opcode::fdiv, b);
}
inline Formula operator-(Formula a) {
  return a.unary(Opcode::neg);
}
inline Formula operator+(Formula a, std::floating_point auto b) {
  return a + a.number(b);
}
inline Formula operator-(Formula a, std::floating_point auto b) {
  return a - a.number(b);
}
inline Formula operator*(Formula a, std::floating_point auto b) {
  return a * a.number(b);
}
inline Formula operator-(double a, Formula b) {
  return b.number(a) - b;
}
inline Formula operator/(double a, Formula b) {
  return b.number(a) / b;
}
inline Formula abs(Formula a) {
  return a.unary(Opcode::abs);
}
/// a · b + c in one rounding.
inline Formula fma(Formula a, Formula b, Formula c) {
  return {a.builder(), a.builder().fma(a.value(), b.value(), c.value())};
}
inline Formula fma(Formula a, double b, Formula c) {
  return fma(a, a.number(b), c);
}
inline Formula fma(Formula a, Formula b, double c) {
  return fma(a, b, a.number(c));
}
inline Formula fma(Formula a, double b, double c) {
  return fma(a, a.number(b), a.number(c));
}
/// The polynomial of x with these coefficients, the highest power's first.
inline Formula polynomial(Formula x, std::span<const double> coefficients) {
  Formula sum = x.number(coefficients.front());
  for (const double coefficient : coefficients.subspan(1)) sum = fma(sum, x, coefficient);
  return sum;
}

// ---- integers

inline Formula operator+(Formula a, std::integral auto b) {
  return a + a.integer(b);
}
inline Formula operator-(Formula a, std::integral auto b) {
  return a - a.integer(b);
}
inline Formula operator&(Formula a, Formula b) {
  return a.binary(Opcode::bit_and, b);
}
inline Formula operator|(Formula a, Formula b) {
  return a.binary(Opcode::bit_or, b);
}
inline Formula operator&(Formula a, std::integral auto b) {
  return a & a.integer(b);
}
inline Formula operator<<(Formula a, Formula b) {
  return a.binary(Opcode::shl, b);
}
inline Formula operator<<(Formula a, std::integral auto b) {
  return a << a.integer(b);
}
/// Zeros enter.
inline Formula operator>>(Formula a, Formula b) {
  return a.binary(Opcode::lshr, b);
}
inline Formula operator>>(Formula a, std::integral auto b) {
  return a >> a.integer(b);
}
/// The sign enters.
inline Formula signed_shift(Formula a, std::int64_t b) {
  return a.binary(Opcode::ashr, a.integer(b));
}

// ---- choices

inline Formula less(Formula a, Formula b) {
  return a.cmp(is_float(a.type().element) ? Predicate::olt : Predicate::slt, b);
}
inline Formula less(Formula a, double b) {
  return less(a, a.number(b));
}
inline Formula equal(Formula a, Formula b) {
  return a.cmp(is_float(a.type().element) ? Predicate::oeq : Predicate::eq, b);
}
inline Formula equal(Formula a, double b) {
  return equal(a, a.number(b));
}
inline Formula select(Formula condition, Formula a, Formula b) {
  return {a.builder(), a.builder().select(condition.value(), a.value(), b.value())};
}
inline Formula select(Formula condition, double a, Formula b) {
  return select(condition, b.number(a), b);
}
inline Formula select(Formula condition, Formula a, double b) {
  return select(condition, a, a.number(b));
}

// ---- signs

inline std::int64_t sign_mask(Formula x) {
  return kernel::bits(x.type().element) == 64 ? std::numeric_limits<std::int64_t>::min()
                                              : std::int64_t{std::numeric_limits<std::int32_t>::min()};
}
inline Formula sign_bit(Formula x) {
  return x.bits() & sign_mask(x);
}
/// `magnitude`, which has no sign, with the sign of x.
inline Formula with_sign_of(Formula x, Formula magnitude) {
  return (magnitude.bits() | sign_bit(x)).as_float();
}

/// f32 or f64: a choice that depends on the format.
template <class T>
T by_format(Formula x, T single, T twice) {
  return x.type().element == Element::f64 ? twice : single;
}

}  // namespace tilewright::kernel
