// Coefficients are those of the polynomials that interpolate each function at Chebyshev nodes, computed in 113 bits and
// rounded; the comments give each polynomial's largest error, relative to the function's value.
#include "kernel/passes/exponential_functions.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace tilewright::kernel {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Coefficients = std::span<const double>;

// (e^r − 1 − r) / r² on |r| ≤ ln 2 / 2: 2^-30.3 and 2^-61.4.
constexpr std::array exp_f32 = {0.000198910027, 0.00139336602, 0.00833331048, 0.041666463, 0.166666672, 0.5};
constexpr std::array exp_f64 = {2.0914696114722447e-09,
                                2.5105229813215689e-08,
                                2.7557273621130952e-07,
                                2.7557255369427714e-06,
                                2.4801587325565073e-05,
                                0.00019841269874844894,
                                0.0013888888888883744,
                                0.0083333333333261289,
                                0.041666666666666671,
                                0.16666666666666671,
                                0.5};

// (log(1 + f) − f + f²/2) / f³ on |f| ≤ 1/3: 2^-28.1.
constexpr std::array log_f32 = {0.113306172,  -0.124222003, 0.109156549,  -0.122887217, 0.142918676,
                                -0.166733161, 0.199999481,  -0.249999449, 0.333333343};
// (2 atanh s − 2 s) / s³ of s², where 1 + f = (1 + s) / (1 − s) is in [√½, √2]: 2^-60.7.
constexpr std::array atanh_f64 = {0.13086743139119072, 0.13268761951330021, 0.15386240120567021, 0.18181795632452163,
                                  0.22222222391785801, 0.28571428570803292, 0.40000000000000879, 0.66666666666666663};
// (2 atanh s − 2 s − ⅔ s³) / s⁵ of s²: 2^-66.4 of 2 atanh s.
constexpr std::array atanh_rest = {0.11723157001190189, 0.11706238407260777, 0.13334804616630111, 0.153845949639382,
                                   0.18181818335379513, 0.22222222221655943, 0.28571428571429364, 0.40000000000000002};

// (tanh x − x) / x³ of x², x ≤ 0.55: 2^-27.5 and 2^-57.3.
constexpr std::array tanh_f32 = {-0.00661004195, 0.0213092901, -0.0539094135, 0.133331135, -0.333333313};
constexpr std::array tanh_f64 = {-2.060149214083168e-05, 8.5111304500651709e-05, -0.00023463362327531061,
                                 0.00058893567556668892, -0.0014556617537393561, 0.0035921103691369332,
                                 -0.0088632343970899297, 0.021869488493635535,   -0.053968253967433329,
                                 0.13333333333332714,    -0.33333333333333331};

/// What differs between the formats. ln 2 is high + low; the high part of f64 leaves room for exact products with
/// exponents.
struct Format {
  int mantissa_bits;
  int bias;
  double ln2_high;
  double ln2_low;
  double round;      ///< 1.5 · 2^mantissa_bits: adding it rounds to an integer
  double exp_least;  ///< below, exp is 0
  double exp_most;   ///< above, exp is infinite
  double least_normal;
};
constexpr Format single{23, 127, 0x1.62e43p-1, -0x1.05c61p-29, 0x1.8p23, -110, 100, 0x1p-126};
constexpr Format twice{52, 1023, 0x1.62e42feep-1, 0x1.a39ef35793c76p-33, 0x1.8p52, -750, 720, 0x1p-1022};

const Format& format_of(Formula x) {
  return x.type().element == Element::f64 ? twice : single;
}

/// 2^k of a normal exponent.
Formula power_of_two(Formula k, const Format& format) {
  return ((k + format.bias) << format.mantissa_bits).as_float();
}

/// x = k ln 2 + r: e^x = 2^k e^r. The power is applied in two halves, so that only the last product rounds or
/// overflows.
Formula exp_with(Formula x, std::optional<Formula> low) {
  const Format& format = format_of(x);
  const Formula least = x.number(format.exp_least);
  const Formula clamped = x.binary(Opcode::fmax, least).binary(Opcode::fmin, x.number(format.exp_most));
  constexpr double log2_e = 0x1.71547652b82fep+0;
  const Formula shifted = fma(clamped, log2_e, format.round);
  const Formula n = shifted - format.round;
  const Formula k = shifted.bits() - shifted.number(format.round).bits();
  Formula r = fma(n, -format.ln2_low, fma(n, -format.ln2_high, clamped));
  if (low) r = r + *low;
  const Formula tail = polynomial(r, by_format(x, Coefficients(exp_f32), Coefficients(exp_f64)));
  const Formula power = fma(tail, r * r, r) + 1.0;
  const Formula half = signed_shift(k, 1);
  return power * power_of_two(half, format) * power_of_two(k - half, format);
}

/// A positive number as 2^k · m, m from `least` to twice that.
struct Scaled {
  Formula m;
  Formula k;  ///< as a float
};
Scaled scale(Formula x, double least) {
  const Format& format = format_of(x);
  const int lift = format.mantissa_bits + 1;
  const Formula subnormal = less(x, format.least_normal);
  const Formula normal = select(subnormal, x * std::ldexp(1.0, lift), x);
  const Formula word = normal.bits();
  const Formula k = signed_shift(word - x.number(least).bits(), format.mantissa_bits);
  const Formula m = (word - (k << format.mantissa_bits)).as_float();
  const Formula moved = select(subnormal, k - lift, k);
  return {m, moved.to(Opcode::sitofp, x.type().element)};
}

/// Of numbers that are positive and finite.
Formula log_of_positive(Formula x) {
  const Format& format = format_of(x);
  if (x.type().element == Element::f32) {
    const auto [m, k] = scale(x, 2.0 / 3.0);
    const Formula f = m - 1.0;
    const Formula rest = f * f * fma(polynomial(f, log_f32), f, -0.5);
    return fma(k, format.ln2_high, f + fma(k, format.ln2_low, rest));
  }
  const auto [m, k] = scale(x, 0x1.6a09e667f3bcdp-1);
  const Formula f = m - 1.0;
  const Formula s = f / (f + 2.0);
  const Formula z = s * s;
  const Formula half_square = f * f * 0.5;
  const Formula rest = half_square + z * polynomial(z, atanh_f64);
  return fma(k, format.ln2_high, f - (half_square - fma(s, rest, k * format.ln2_low)));
}

/// A sum of two floats, the second below an ulp of the first.
struct Pair {
  Formula high;
  Formula low;
};

/// A constant as a sum of two floats. The high part of ln 2 has so few bits that its products with exponents are exact.
struct Parts {
  double high;
  double low;
};
constexpr double two_thirds = 2.0 / 3.0;
constexpr Parts third_of_single{static_cast<float>(two_thirds), two_thirds - static_cast<float>(two_thirds)};
constexpr Parts third_of_double{0x1.5555555555555p-1, 0x1.5555555555555p-55};
constexpr Parts ln2_of_single{0x1.62ep-1, 0x1.0bfbe8e7bcd5ep-15};
constexpr Parts ln2_of_double{twice.ln2_high, twice.ln2_low};

/// log x to about 2^-66 of it in f64, 2^-33 in f32, x positive and finite. s = f / (2 + f), and then
/// 2 atanh s = s (2 + ⅔ s² + …), all but the last term in pairs.
Pair log_pair(Formula x) {
  const Parts third = by_format(x, third_of_single, third_of_double);
  const Parts ln2 = by_format(x, ln2_of_single, ln2_of_double);
  const auto [m, k] = scale(x, 0x1.6a09e667f3bcdp-1);
  const Formula f = m - 1.0;
  const Formula u = m + 1.0;
  const Formula u_low = m - (u - 1.0);
  const Formula s = f / u;
  const Formula s_low = (fma(-s, u, f) - s * u_low) / u;
  const Formula z = s * s;
  const Formula z_low = fma(s, s, -z) + s * s_low * 2.0;
  const Formula t = z * third.high;
  const Formula t_low = fma(z, third.high, -t) + fma(z, third.low, z_low * third.high);
  const Formula q = z * z * polynomial(z, atanh_rest);
  const Formula v = t + q;
  const Formula v_low = q - (v - t) + t_low;
  const Formula w = v + 2.0;
  const Formula w_low = v - (w - 2.0) + v_low;
  const Formula l = s * w;
  const Formula l_low = fma(s, w, -l) + fma(s, w_low, s_low * w);
  const Formula base = k * ln2.high;  // exact
  const Formula high = base + l;
  return {high, l - (high - base) + fma(k, ln2.low, l_low)};
}

/// |x|^y of f32, in f64: its precision leaves nothing to correct.
Formula power_of_single(Formula x, Formula y) {
  const Formula wide = abs(x).to(Opcode::fconvert, Element::f64);
  return exp_with(y.to(Opcode::fconvert, Element::f64) * expand_log(wide), std::nullopt)
      .to(Opcode::fconvert, Element::f32);
}

/// |x|^y: e to the power of a pair.
Formula power_by_pair(Formula x, Formula y) {
  const Formula magnitude = abs(x);
  const auto [high, low] = log_pair(magnitude);
  const Formula ends = select(equal(magnitude, 0.0), -infinity, magnitude);  // -inf, inf or NaN
  const Formula inner = less(magnitude, infinity) & less(magnitude.number(0.0), magnitude);
  const Formula log_high = select(inner, high, ends);
  const Formula product = y * log_high;
  // The rest of the product matters only where the power is finite and not 0.
  const Formula rest = fma(y, log_high, -product) + y * low;
  const Formula matters = inner & less(abs(product), by_format(x, 200.0, 1000.0));
  return exp_with(product, select(matters, rest, 0.0));
}

}  // namespace

Formula expand_exp(Formula x) {
  return exp_with(x, std::nullopt);
}

Formula exp_of_sum(Formula x, Formula low) {
  return exp_with(x, low);
}

Formula expand_log(Formula x) {
  const Formula finite = select(less(x, infinity), log_of_positive(x), x);
  return select(less(x, 0.0), nan, select(equal(x, 0.0), -infinity, finite));
}

// Near 0 a polynomial; elsewhere 1 − 2 / (e^2x + 1), whose subtrahend is at most a half.
Formula expand_tanh(Formula x) {
  const Formula a = abs(x);
  const Formula z = a * a;
  const Formula near = fma(a * z, polynomial(z, by_format(x, Coefficients(tanh_f32), Coefficients(tanh_f64))), a);
  const Formula far = 1.0 - 2.0 / (expand_exp(a + a) + 1.0);
  return with_sign_of(x, select(less(a, 0.55), near, far));
}

Formula expand_pow(Formula x, Formula y, bool has_f64) {
  const bool is_double = x.type().element == Element::f64;
  const Formula magnitude = is_double || !has_f64 ? power_by_pair(x, y) : power_of_single(x, y);

  // Whether y is an integer, and an odd one: every float from 2^53 (2^24) on is an even one.
  const Formula truncated = y.to(Opcode::fptosi, is_double ? Element::i64 : Element::i32);
  const Formula whole = equal(truncated.to(Opcode::sitofp, y.type().element), y);
  const Formula small = less(abs(y), is_double ? 0x1p53 : 0x1p24);
  const Formula large = less(y.number(is_double ? 0x1p52 : 0x1p23), abs(y));
  const Formula is_integer = whole | large;
  const Formula is_odd = whole & small & truncated.to(Opcode::trunc, Element::i1);

  const Formula sign = sign_bit(x);
  Formula result = (magnitude.bits() | select(is_odd, sign, sign.integer(0))).as_float();
  const Formula negative = less(x, 0.0) & less(x.number(-infinity), x);
  const Formula no_power = negative & equal(is_integer, is_integer.integer(0));
  result = select(no_power, nan, result);
  const Formula no_growth = equal(abs(x), 1.0) & equal(abs(y), infinity);
  const Formula unit = equal(x, 1.0) | equal(y, 0.0) | no_growth;
  return select(unit, 1.0, result);
}

}  // namespace tilewright::kernel
