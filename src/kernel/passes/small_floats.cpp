// Bit manipulation of small floats. The encodings are IEEE 754 binary16, bfloat16 and the OCP 8-bit floating point
// specification's E4M3 and E5M2.
#include "kernel/passes/small_floats.h"

#include <cmath>

namespace tilewright::kernel {

namespace {

struct Format {
  int exponent_bits;
  int mantissa_bits;
  std::int64_t largest;   ///< bits of the largest finite value
  std::int64_t overflow;  ///< bits of what a larger value becomes
  bool has_infinity;      ///< else the only NaN is all ones

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int sign_shift() const { return exponent_bits + mantissa_bits; }
  /// From f32's mantissa down to this.
  int shift() const { return 23 - mantissa_bits; }
  std::int64_t magnitude_mask() const { return (std::int64_t{1} << sign_shift()) - 1; }
  std::int64_t mantissa_mask() const { return (std::int64_t{1} << mantissa_bits) - 1; }
  std::int64_t quiet_nan() const {
    const std::int64_t infinity = magnitude_mask() & ~mantissa_mask();
    return has_infinity ? infinity | std::int64_t{1} << (mantissa_bits - 1) : magnitude_mask();
  }
};

constexpr std::int64_t f32_infinity = 0x7F800000;
constexpr std::int64_t f32_magnitude = 0x7FFFFFFF;

Format format_of(Element element) {
  switch (element) {
    case Element::f16:
      return {5, 10, 0x7BFF, 0x7C00, true};
    case Element::bf16:
      return {8, 7, 0x7F7F, 0x7F80, true};
    case Element::f8e4m3:
      return {4, 3, 0x7E, 0x7E, false};
    case Element::f8e5m2:
      return {5, 2, 0x7B, 0x7B, true};
    default:
      internal_error("a small float's format of another element");
  }
}

Element integer_like(Element element) {
  switch (bits(element)) {
    case 8:
      return Element::i8;
    case 16:
      return Element::i16;
    case 32:
      return Element::i32;
    default:
      return Element::i64;
  }
}

}  // namespace

bool is_small_float(Element element) {
  return is_float(element) && bits(element) < 32;
}

bool SmallFloats::is_native(Element element) const {
  switch (element) {
    case Element::f16:
      return native_.f16;
    case Element::bf16:
      return native_.bf16;
    case Element::f8e4m3:
      return native_.f8e4m3;
    case Element::f8e5m2:
      return native_.f8e5m2;
    default:
      return true;
  }
}

ValueId SmallFloats::number(ValueId x, Element element, std::int64_t value) {
  return b_.constant(b_.type(x).with(element), Scalar::of(wrap_to(element, value)));
}

ValueId SmallFloats::real(ValueId x, Element element, double value) {
  return b_.constant(b_.type(x).with(element), Scalar::of(value));
}

ValueId SmallFloats::bits_of(ValueId x) {
  return b_.convert(Opcode::bitcast, x, integer_like(b_.type(x).element));
}

ValueId SmallFloats::widen(ValueId x) {
  const Element element = b_.type(x).element;
  if (is_native(element)) return b_.convert(Opcode::fconvert, x, Element::f32);
  const Format format = format_of(element);
  const auto i32 = [&](std::int64_t value) { return number(x, Element::i32, value); };
  const ValueId word = b_.convert(Opcode::zext, bits_of(x), Element::i32);
  // bfloat16 is the upper half of f32.
  if (format.bias() == 127) return b_.convert(Opcode::bitcast, b_.binary(Opcode::shl, word, i32(16)), Element::f32);

  const ValueId magnitude = b_.binary(Opcode::bit_and, word, i32(format.magnitude_mask()));
  const ValueId sign = b_.binary(Opcode::shl, b_.binary(Opcode::lshr, word, i32(format.sign_shift())), i32(31));
  const ValueId shifted = b_.binary(Opcode::shl, magnitude, i32(format.shift()));
  const ValueId normal = b_.add(shifted, i32(std::int64_t{127 - format.bias()} << 23));
  // A subnormal is its mantissa times the smallest one. (No f32 subnormal takes part: those are slow on some machines.)
  const ValueId scaled = b_.mul(b_.convert(Opcode::sitofp, magnitude, Element::f32),
                                real(x, Element::f32, std::ldexp(1.0, 1 - format.bias() - format.mantissa_bits)));
  const ValueId is_subnormal = b_.cmp(Predicate::ule, magnitude, i32(format.mantissa_mask()));
  const ValueId finite = b_.select(is_subnormal, b_.convert(Opcode::bitcast, scaled, Element::i32), normal);
  const ValueId special = b_.binary(Opcode::bit_or, shifted, i32(f32_infinity));
  const ValueId is_special = b_.cmp(Predicate::ugt, magnitude, i32(format.largest));
  const ValueId result = b_.binary(Opcode::bit_or, b_.select(is_special, special, finite), sign);
  return b_.convert(Opcode::bitcast, result, Element::f32);
}

ValueId SmallFloats::narrow(ValueId x, Element to) {
  if (is_native(to)) return b_.convert(Opcode::fconvert, x, to);
  const Format format = format_of(to);
  const auto i32 = [&](std::int64_t value) { return number(x, Element::i32, value); };
  const ValueId word = bits_of(x);
  const ValueId magnitude = b_.binary(Opcode::bit_and, word, i32(f32_magnitude));

  // Nearest even: half a unit less one is added, and one more if the last bit that stays is odd. The exponent's bias
  // changes in the same addition; a carry out of the mantissa moves the exponent up, as it must.
  const ValueId odd = b_.binary(Opcode::bit_and, b_.binary(Opcode::lshr, magnitude, i32(format.shift())), i32(1));
  const std::int64_t rebias = std::int64_t{format.bias() - 127} * (std::int64_t{1} << 23);
  const std::int64_t half = (std::int64_t{1} << (format.shift() - 1)) - 1;
  ValueId result = b_.binary(Opcode::lshr, b_.add(b_.add(magnitude, odd), i32(rebias + half)), i32(format.shift()));
  if (format.bias() != 127) {
    // Below the smallest normal: adding a power of two whose last place is the smallest subnormal makes the hardware
    // round there.
    const int magic = 1 - format.bias() - format.mantissa_bits + 23;
    const ValueId sum =
        b_.add(b_.convert(Opcode::bitcast, magnitude, Element::f32), real(x, Element::f32, std::ldexp(1.0, magic)));
    const ValueId subnormal =
        b_.sub(b_.convert(Opcode::bitcast, sum, Element::i32), i32(std::int64_t{magic + 127} << 23));
    const ValueId is_subnormal = b_.cmp(Predicate::ult, magnitude, i32(std::int64_t{1 - format.bias() + 127} << 23));
    result = b_.binary(Opcode::umin, b_.select(is_subnormal, subnormal, result), i32(format.overflow));
  }

  // NaN keeps what its payload has room for.
  ValueId nan = i32(format.quiet_nan());
  if (format.has_infinity) {
    const ValueId upper = b_.binary(Opcode::lshr, magnitude, i32(format.shift()));
    nan = b_.binary(Opcode::bit_or, b_.binary(Opcode::bit_and, upper, i32(format.mantissa_mask())), nan);
  }
  result = b_.select(b_.cmp(Predicate::ugt, magnitude, i32(f32_infinity)), nan, result);
  const ValueId sign = b_.binary(Opcode::shl, b_.binary(Opcode::lshr, word, i32(31)), i32(format.sign_shift()));
  const ValueId encoded = b_.binary(Opcode::bit_or, result, sign);
  return b_.convert(Opcode::bitcast, b_.convert(Opcode::trunc, encoded, integer_like(to)), to);
}

/// f64 to f32 such that a further rounding is as one from f64: where inexact, the neighbour whose last bit is set.
ValueId SmallFloats::round_to_odd(ValueId x) {
  const auto i32 = [&](std::int64_t value) { return number(x, Element::i32, value); };
  const ValueId nearest = b_.convert(Opcode::fconvert, x, Element::f32);
  const ValueId back = b_.convert(Opcode::fconvert, nearest, Element::f64);
  const ValueId too_far = b_.cmp(Predicate::ogt, b_.unary(Opcode::abs, back), b_.unary(Opcode::abs, x));
  const ValueId word = bits_of(nearest);
  const ValueId toward_zero = b_.sub(word, b_.convert(Opcode::zext, too_far, Element::i32));
  const ValueId odd = b_.binary(Opcode::bit_or, toward_zero, i32(1));
  const ValueId is_inexact = b_.cmp(Predicate::une, back, x);
  return b_.convert(Opcode::bitcast, b_.select(is_inexact, odd, word), Element::f32);
}

ValueId SmallFloats::narrow_from_f64(ValueId x, Element to) {
  return narrow(round_to_odd(x), to);
}

/// An integer to f32 in the same way.
ValueId SmallFloats::integer_to_odd(ValueId x, bool is_signed) {
  const Element integer = b_.type(x).element;
  const ValueId nearest = b_.convert(is_signed ? Opcode::sitofp : Opcode::uitofp, x, Element::f32);
  // What is rounded past the largest integer comes back as that one: still too far, or a power of two.
  const ValueId back = b_.convert(is_signed ? Opcode::fptosi : Opcode::fptoui, nearest, integer);
  const ValueId above = b_.cmp(is_signed ? Predicate::sgt : Predicate::ugt, back, x);
  const ValueId negative = b_.cmp(Predicate::slt, x, number(x, integer, 0));
  const ValueId too_far = is_signed ? b_.select(negative, b_.cmp(Predicate::slt, back, x), above) : above;
  const ValueId word = bits_of(nearest);
  const ValueId toward_zero = b_.sub(word, b_.convert(Opcode::zext, too_far, Element::i32));
  const ValueId odd = b_.binary(Opcode::bit_or, toward_zero, number(x, Element::i32, 1));
  const ValueId is_inexact = b_.cmp(Predicate::ne, back, x);
  return b_.convert(Opcode::bitcast, b_.select(is_inexact, odd, word), Element::f32);
}

ValueId SmallFloats::convert(ValueId x, Element to) {
  if (b_.type(x).element == Element::f64) return narrow_from_f64(x, to);
  const ValueId single = b_.type(x).element == Element::f32 ? x : widen(x);
  if (to == Element::f32) return single;
  return to == Element::f64 ? b_.convert(Opcode::fconvert, single, Element::f64) : narrow(single, to);
}

/// The product of small floats is exact in the wide one; the sum is rounded to odd there. (Knuth's two-sum gives its
/// error.)
ValueId SmallFloats::fma(ValueId a, ValueId b, ValueId c) {
  const Element element = b_.type(a).element;
  const Element integer = integer_like(wide());
  const ValueId addend = convert(c, wide());
  const ValueId product = b_.mul(convert(a, wide()), convert(b, wide()));
  const ValueId sum = b_.add(product, addend);
  const ValueId part = b_.sub(sum, product);
  const ValueId error = b_.add(b_.sub(product, b_.sub(sum, part)), b_.sub(addend, part));

  const ValueId zero = real(a, wide(), 0.0);
  const ValueId above = b_.cmp(Predicate::ogt, error, zero);
  const ValueId below = b_.cmp(Predicate::olt, error, zero);
  const ValueId word = bits_of(sum);
  const ValueId is_even =
      b_.cmp(Predicate::eq, b_.binary(Opcode::bit_and, word, number(a, integer, 1)), number(a, integer, 0));
  // The odd neighbour on the error's side: away from zero where the error has the sum's sign.
  const ValueId away = b_.cmp(Predicate::eq, above, b_.cmp(Predicate::ogt, sum, zero));
  const ValueId neighbour = b_.add(word, b_.select(away, number(a, integer, 1), number(a, integer, -1)));
  const ValueId moves = b_.binary(Opcode::bit_and, is_even, b_.binary(Opcode::bit_or, above, below));
  const ValueId rounded = b_.convert(Opcode::bitcast, b_.select(moves, neighbour, word), wide());
  return native_.f64 ? narrow_from_f64(rounded, element) : narrow(rounded, element);
}

ValueId SmallFloats::from_integer(ValueId x, bool is_signed, Element to) {
  const Opcode code = is_signed ? Opcode::sitofp : Opcode::uitofp;
  const int width = bits(b_.type(x).element);
  if (width <= 16) return narrow(b_.convert(code, x, Element::f32), to);
  if (!native_.f64) return narrow(integer_to_odd(x, is_signed), to);
  if (width <= 32) return narrow_from_f64(b_.convert(code, x, Element::f64), to);
  // Past 53 bits the lowest eleven are folded into one: too low to be more than a trace in a small float's rounding.
  const auto i64 = [&](std::int64_t value) { return number(x, Element::i64, value); };
  constexpr std::int64_t limit = std::int64_t{1} << 53;
  constexpr std::int64_t low = 0x7FF;
  const ValueId trace = b_.add(b_.binary(Opcode::bit_and, x, i64(low)), i64(low));
  const ValueId folded = b_.binary(Opcode::bit_and, b_.binary(Opcode::bit_or, x, trace), i64(~low));
  const ValueId fits =
      is_signed ? b_.cmp(Predicate::ult, b_.add(x, i64(limit)), i64(2 * limit)) : b_.cmp(Predicate::ult, x, i64(limit));
  return narrow_from_f64(b_.convert(code, b_.select(fits, x, folded), Element::f64), to);
}

ValueId SmallFloats::change_sign(Opcode code, ValueId x) {
  const Element element = b_.type(x).element;
  const Element integer = integer_like(element);
  const std::int64_t sign = std::int64_t{1} << (bits(element) - 1);
  const ValueId word = bits_of(x);
  const ValueId changed = code == Opcode::neg ? b_.binary(Opcode::bit_xor, word, number(x, integer, sign))
                                              : b_.binary(Opcode::bit_and, word, number(x, integer, ~sign));
  return b_.convert(Opcode::bitcast, changed, element);
}

}  // namespace tilewright::kernel
