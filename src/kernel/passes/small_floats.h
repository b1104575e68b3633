// Conversions of the floats below f32 written as kernel ops: what passes/expand_conversions puts in place of an
// fconvert. Every function takes scalars and vectors alike.
#pragma once

#include "kernel/builder.h"
#include "kernel/passes/expand_conversions.h"

namespace tilewright::kernel {

/// f16, bf16, f8e4m3, f8e5m2.
bool is_small_float(Element element);

class SmallFloats {
 public:
  SmallFloats(Builder& builder, const NativeConversions& native) : b_(builder), native_(native) {}

  /// A small float as f32, exactly.
  ValueId widen(ValueId x);
  /// f32 to a small float, to nearest even, saturating for the f8 types.
  ValueId narrow(ValueId x, Element to);
  /// f64 to a small float in one rounding.
  ValueId narrow_from_f64(ValueId x, Element to);
  /// The widest float of the target.
  Element wide() const { return native_.f64 ? Element::f64 : Element::f32; }
  /// Between any two float elements of which one or both are small.
  ValueId convert(ValueId x, Element to);
  /// a · b + c of small floats in one rounding.
  ValueId fma(ValueId a, ValueId b, ValueId c);
  /// An integer to a small float in one rounding.
  ValueId from_integer(ValueId x, bool is_signed, Element to);
  /// neg and abs: the sign bit alone.
  ValueId change_sign(Opcode code, ValueId x);

 private:
  /// A constant like `x` but of `element`.
  ValueId number(ValueId x, Element element, std::int64_t value);
  ValueId real(ValueId x, Element element, double value);
  ValueId bits_of(ValueId x);
  ValueId round_to_odd(ValueId x);
  ValueId integer_to_odd(ValueId x, bool is_signed);
  bool is_native(Element element) const;

  Builder& b_;
  const NativeConversions& native_;
};

}  // namespace tilewright::kernel
