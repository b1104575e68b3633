// x = n π/2 + r with |r| ≤ π/4: then sin and cos of r, as n's quadrant asks. Up to a limit n π/2 is subtracted in three
// parts (Cody and Waite). Larger arguments are rare and take a branch: there the product of x's integer mantissa with
// the bits of 2/π that matter is computed exactly (Payne and Hanek, "Radian reduction for trigonometric functions").
#include "kernel/passes/circular_functions.h"

#include <array>
#include <limits>
#include <span>
#include <vector>

namespace tilewright::kernel {

namespace {

using Coefficients = std::span<const double>;
using Words = std::vector<Formula>;

// (sin r − r) / r³ and (cos r − 1 + r²/2) / r⁴ of r², |r| ≤ π/4, interpolated at Chebyshev nodes; relative errors
// 2^-28.1 and 2^-30.5, 2^-57.1 and 2^-59.5.
constexpr std::array sin_f32 = {2.72498642e-06, -0.000198400856, 0.00833333191, -0.166666672};
constexpr std::array cos_f32 = {-2.73009078e-07, 2.48005999e-05, -0.00138888881, 0.0416666679};
constexpr std::array sin_f64 = {-7.5866850700912671e-13, 1.6058531414589011e-10, -2.5052106231157904e-08,
                                2.7557319219335453e-06,  -0.0001984126984126506, 0.0083333333333333315,
                                -0.16666666666666666};
constexpr std::array cos_f64 = {4.7458652037874553e-14, -1.1470460773969325e-11, 2.0876755790363397e-09,
                                -2.755731922140076e-07, 2.4801587301584645e-05,  -0.0013888888888888887,
                                0.041666666666666664};

// 2/π in binary behind the point, after a word of zeros.
constexpr std::array<std::uint32_t, 40> two_over_pi = {
    0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
    0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5,
    0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff,
    0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7,
    0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20};

struct Format {
  int mantissa_bits;
  int bias;
  double round;                   ///< 1.5 · 2^mantissa_bits: adding it rounds to an integer
  double limit;                   ///< of the first way
  std::array<double, 3> half_pi;  ///< its sum
  unsigned index_bits;            ///< of the first word of 2/π that matters
  unsigned words;                 ///< of 2/π that matter
};
constexpr Format single{23, 127, 0x1.8p23, 0x1p16, {0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50}, 3, 3};
constexpr Format twice{
    52, 1023, 0x1.8p52, 0x1p26, {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110}, 5, 6};

struct Reduced {
  Formula r;
  Formula n;  ///< modulo 4; an integer of the float's size
};

Reduced subtract_parts(Formula x, const Format& format) {
  constexpr double two_over_pi_rounded = 0x1.45f306dc9c883p-1;
  const Formula shifted = fma(x, two_over_pi_rounded, format.round);
  const Formula n = shifted - format.round;
  Formula r = x;
  for (const double part : format.half_pi) r = fma(n, -part, r);
  return {r, shifted.bits()};
}

// Words index, index + 1, …, of the table: halved by one bit of the index after the other, the highest first.
Words look_up(Formula index, unsigned bits, unsigned count) {
  Words words;
  for (const std::uint32_t word : two_over_pi) words.push_back(index.integer(word));
  for (unsigned bit = bits; bit-- > 0;) {
    const std::int64_t stride = std::int64_t{1} << bit;
    const Formula set = equal(index & stride, index.integer(stride));
    const std::size_t needed = count + static_cast<std::size_t>(stride) - 1;
    Words chosen;
    for (std::size_t i = 0; i < needed; ++i) {
      const std::size_t above = i + static_cast<std::size_t>(stride);
      chosen.push_back(above < words.size() ? select(set, words[above], words[i]) : words[i]);
    }
    words = std::move(chosen);
  }
  return words;
}

constexpr std::int64_t word_mask = 0xffffffff;

// product += factor · words · 2^(32 shift), modulo the product's size. All words are below 2^32, the least first.
void multiply_add(Words& product, Formula factor, const Words& words, std::size_t shift) {
  Formula carry = factor.integer(0);
  for (std::size_t i = 0; i + shift < product.size(); ++i) {
    const Formula sum = factor * words[i] + product[i + shift] + carry;
    product[i + shift] = sum & word_mask;
    carry = sum >> 32;
  }
}

// |x| = m 2^s with an integer m. Bits of 2/π above 2^(1 − s) only add multiples of 4 to |x| 2/π, so the product of m
// with the next 32 · `words` bits gives it modulo 4: two bits of quadrant, the rest a fraction.
Reduced multiply_exactly(Formula x, const Format& format) {
  const Formula magnitude = abs(x).bits();
  const Formula word = magnitude.type().element == Element::i64 ? magnitude : magnitude.to(Opcode::zext, Element::i64);
  const std::int64_t leading = std::int64_t{1} << format.mantissa_bits;
  const Formula m = (word & (leading - 1)) | word.integer(leading);
  // Where the bits begin: s − 2 behind the point, and a word of zeros before it.
  const Formula begin = (word >> format.mantissa_bits) - (format.bias + format.mantissa_bits + 2 - 32);
  const Words table = look_up(begin >> 5, format.index_bits, format.words + 1);
  const Formula shift = begin & 31;
  Words bits;  // the least first
  for (std::size_t i = format.words; i-- > 0;)
    bits.push_back(((((table[i] << 32) | table[i + 1]) << shift) >> 32) & word_mask);
  Words product(format.words, word.integer(0));
  multiply_add(product, m & word_mask, bits, 0);
  if (format.mantissa_bits > 32) multiply_add(product, m >> 32, bits, 1);

  const std::size_t top = product.size() - 1;
  const Formula high = (product[top] << 32) | product[top - 1];
  const Formula quadrant = (high + (std::int64_t{1} << 61)) >> 62;
  const Formula fraction = (high - (quadrant << 62)).to(Opcode::sitofp, x.type().element) * 0x1p-62;
  Formula r = fraction;
  if (format.mantissa_bits > 32) {
    const Formula low = (product[top - 2] << 32) | product[top - 3];
    r = fma(low.to(Opcode::uitofp, Element::f64), 0x1p-126, fraction);
  }
  r = r * 0x1.921fb54442d18p+0;
  const Formula negative = less(x, 0.0);
  const Formula n = select(negative, quadrant.integer(0) - quadrant, quadrant);
  const Formula narrow = x.type().element == Element::f64 ? n : n.to(Opcode::trunc, Element::i32);
  const Formula finite = less(abs(x), std::numeric_limits<double>::infinity());
  return {select(finite, select(negative, -r, r), x - x), narrow};
}

Formula any_lane(Formula condition) {
  Builder& b = condition.builder();
  Formula any(b, b.extract(condition.value(), 0));
  for (int lane = 1; lane < condition.type().lanes; ++lane) any = any | Formula(b, b.extract(condition.value(), lane));
  return any;
}

Reduced reduce(Formula x) {
  const Format& format = x.type().element == Element::f64 ? twice : single;
  const Reduced near = subtract_parts(x, format);
  // Not below the limit: beyond it, or NaN.
  const Formula below = less(abs(x), format.limit);
  const Formula beyond = equal(below, below.integer(0));
  const std::vector<ValueId> chosen = x.builder().if_then(
      any_lane(beyond).value(),
      [&] {
        const Reduced far = multiply_exactly(x, format);
        return std::vector{select(beyond, far.r, near.r).value(), select(beyond, far.n, near.n).value()};
      },
      [&] { return std::vector{near.r.value(), near.n.value()}; });
  return {Formula(x.builder(), chosen[0]), Formula(x.builder(), chosen[1])};
}

/// sin of r + n π/2, its sign from n's second bit.
Formula of_quadrant(Formula r, Formula n) {
  const Formula z = r * r;
  const Formula sine = fma(r * z, polynomial(z, by_format(r, Coefficients(sin_f32), Coefficients(sin_f64))), r);
  const Formula tail = polynomial(z, by_format(r, Coefficients(cos_f32), Coefficients(cos_f64)));
  const Formula cosine = fma(z * z, tail, fma(z, -0.5, 1.0));
  const Formula is_odd = equal(n & 1, n.integer(1));
  const Formula value = select(is_odd, cosine, sine);
  return select(equal(n & 2, n.integer(2)), -value, value);
}

}  // namespace

// r z P(z) + r of a zero r: the sum of zeros of two signs is +0, so that −0 needs its own way.
Formula expand_sin(Formula x) {
  const Reduced reduced = reduce(x);
  return select(equal(x, 0.0), x, of_quadrant(reduced.r, reduced.n));
}

Formula expand_cos(Formula x) {
  const Reduced reduced = reduce(x);
  return of_quadrant(reduced.r, reduced.n + 1);
}

}  // namespace tilewright::kernel
