// Each small float format over all of its bit patterns. The expected values come from the formats' definition by ldexp,
// and rounding is checked at each midpoint of two neighbours and right beside it, which pins down the whole function.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/scalar.h"

namespace tilewright {
namespace {

struct Format {
  const char* name;
  int exponent_bits;
  int mantissa_bits;
  std::uint32_t largest;  // bits of the largest finite value
  double largest_value;
  bool saturates;
  double (*decode)(std::uint32_t bits);
  std::uint32_t (*encode)(double value);

  std::uint32_t sign_bit() const { return 1u << (exponent_bits + mantissa_bits); }
};

const Format formats[] = {
    {"half", 5, 10, 0x7BFF, 65504.0, false,
     [](std::uint32_t b) { return double{half_to_float(static_cast<std::uint16_t>(b))}; },
     [](double v) { return std::uint32_t{double_to_half(v)}; }},
    {"bfloat16", 8, 7, 0x7F7F, 0x1.FEp127, false,
     [](std::uint32_t b) { return double{bfloat16_to_float(static_cast<std::uint16_t>(b))}; },
     [](double v) { return std::uint32_t{double_to_bfloat16(v)}; }},
    {"f8e4m3", 4, 3, 0x7E, 448.0, true,
     [](std::uint32_t b) { return double{f8e4m3_to_float(static_cast<std::uint8_t>(b))}; },
     [](double v) { return std::uint32_t{double_to_f8e4m3(v)}; }},
    {"f8e5m2", 5, 2, 0x7B, 57344.0, true,
     [](std::uint32_t b) { return double{f8e5m2_to_float(static_cast<std::uint8_t>(b))}; },
     [](double v) { return std::uint32_t{double_to_f8e5m2(v)}; }},
};

/// The value of finite, non-negative `bits` by definition.
double defined_value(std::uint32_t bits, const Format& format) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> format.mantissa_bits);
  const int mantissa = static_cast<int>(bits & ((1u << format.mantissa_bits) - 1));
  if (exponent == 0) return std::ldexp(mantissa, 1 - bias - format.mantissa_bits);
  return std::ldexp(mantissa + (1 << format.mantissa_bits), exponent - bias - format.mantissa_bits);
}

class SmallFloat : public testing::TestWithParam<Format> {};

TEST_P(SmallFloat, DecodesEveryFinitePattern) {
  const Format& format = GetParam();
  EXPECT_EQ(defined_value(format.largest, format), format.largest_value);
  for (std::uint32_t bits = 0; bits <= format.largest; ++bits) {
    const double expected = defined_value(bits, format);
    ASSERT_EQ(format.decode(bits), expected) << std::hex << bits;
    const double negative = format.decode(bits | format.sign_bit());
    ASSERT_EQ(negative, -expected) << std::hex << bits;
    ASSERT_TRUE(std::signbit(negative)) << std::hex << bits;
  }
}

TEST_P(SmallFloat, DecodesInfinityAndNaN) {
  const Format& format = GetParam();
  const bool has_infinity = format.largest + 1 != format.sign_bit() - 1;  // e4m3's one pattern above is NaN
  for (std::uint32_t bits = format.largest + 1; bits < format.sign_bit(); ++bits) {
    const bool infinite = has_infinity && bits == format.largest + 1;
    const double positive = format.decode(bits);
    const double negative = format.decode(bits | format.sign_bit());
    if (infinite) {
      EXPECT_EQ(positive, std::numeric_limits<double>::infinity());
      EXPECT_EQ(negative, -std::numeric_limits<double>::infinity());
    } else {
      ASSERT_TRUE(std::isnan(positive)) << std::hex << bits;
      ASSERT_TRUE(std::isnan(negative)) << std::hex << bits;
      ASSERT_TRUE(std::isnan(format.decode(format.encode(positive)))) << std::hex << bits;
      ASSERT_TRUE(std::isnan(format.decode(format.encode(negative)))) << std::hex << bits;
    }
  }
}

TEST_P(SmallFloat, EncodesItsOwnValues) {
  const Format& format = GetParam();
  for (std::uint32_t bits = 0; bits <= format.largest; ++bits) {
    ASSERT_EQ(format.encode(defined_value(bits, format)), bits);
    ASSERT_EQ(format.encode(-defined_value(bits, format)), bits | format.sign_bit());
  }
}

TEST_P(SmallFloat, RoundsToNearestAndTiesToEven) {
  const Format& format = GetParam();
  for (std::uint32_t bits = 0; bits < format.largest; ++bits) {
    const double below = defined_value(bits, format);
    const double above = defined_value(bits + 1, format);
    const double middle = (below + above) / 2;  // exact in f64
    const std::uint32_t even = bits % 2 == 0 ? bits : bits + 1;
    ASSERT_EQ(format.encode(middle), even) << std::hex << bits;
    ASSERT_EQ(format.encode(-middle), even | format.sign_bit()) << std::hex << bits;
    // One f64 step off the tie: an encoder that goes through f32 first loses it.
    ASSERT_EQ(format.encode(std::nextafter(middle, below)), bits) << std::hex << bits;
    ASSERT_EQ(format.encode(std::nextafter(middle, above)), bits + 1) << std::hex << bits;
  }
}

TEST_P(SmallFloat, OverflowsOrSaturates) {
  const Format& format = GetParam();
  const double largest = defined_value(format.largest, format);
  const double step = largest - defined_value(format.largest - 1, format);
  const double limit = largest + step / 2;  // the first value that would round to the step above
  const std::uint32_t beyond = format.saturates ? format.largest : format.largest + 1;
  EXPECT_EQ(format.encode(std::nextafter(limit, 0.0)), format.largest);
  EXPECT_EQ(format.encode(limit), beyond);
  EXPECT_EQ(format.encode(-limit), beyond | format.sign_bit());
  EXPECT_EQ(format.encode(2 * limit), beyond);
  EXPECT_EQ(format.encode(std::numeric_limits<double>::max()), beyond);
  EXPECT_EQ(format.encode(std::numeric_limits<double>::infinity()), beyond);
  EXPECT_EQ(format.encode(-std::numeric_limits<double>::infinity()), beyond | format.sign_bit());
}

TEST_P(SmallFloat, TinyValuesBecomeSignedZero) {
  const Format& format = GetParam();
  const double half_of_smallest = defined_value(1, format) / 2;
  for (double tiny : {half_of_smallest, half_of_smallest / 3, 0x1p-1022, 0x1p-1074}) {
    EXPECT_EQ(format.encode(tiny), 0u) << tiny;
    EXPECT_EQ(format.encode(-tiny), format.sign_bit()) << tiny;
  }
  EXPECT_EQ(format.encode(std::nextafter(half_of_smallest, 1.0)), 1u);
}

INSTANTIATE_TEST_SUITE_P(All, SmallFloat, testing::ValuesIn(formats),
                         [](const testing::TestParamInfo<Format>& param) { return param.param.name; });

TEST(SmallFloatFromFloat, AgreesWithKnownBits) {
  EXPECT_EQ(float_to_half(1.0f), 0x3C00);
  EXPECT_EQ(float_to_half(0.1f), 0x2E66);
  EXPECT_EQ(float_to_half(65520.0f), 0x7C00);
  EXPECT_EQ(float_to_half(-2.0f), 0xC000);
  EXPECT_EQ(float_to_bfloat16(1.0f), 0x3F80);
  EXPECT_EQ(float_to_bfloat16(0.1f), 0x3DCD);
  EXPECT_EQ(float_to_bfloat16(3.0e-40f), 0x0003);  // subnormal: 3.0e-40 / 2^-133 = 3.27
}

}  // namespace
}  // namespace tilewright
