// Conversions as machine code, against C++'s casts and the support layer's exact scalar conversions.
#include <gtest/gtest.h>

#include "map_lanes.h"
#include "samples.h"
#include "support/scalar.h"

namespace tilewright::codegen {
namespace {

using kernel::Builder;
using kernel::Element;
using kernel::Opcode;
using kernel::ValueId;
using Loaded = std::vector<ValueId>;

template <class To, class From, class Expected>
void expect_convert(Opcode code, Expected expected) {
  const std::vector<From> a = samples<From>(20);
  for (const HostTarget& target : runnable_targets())
    for (const int lanes : {1, 3, 8, 32}) {
      const auto got = map_lanes<To>(
          target, lanes, [&](Builder& k, const Loaded& in) { return k.convert(code, in[0], element_of<To>()); }, a);
      for (std::size_t i = 0; i < a.size(); ++i)
        ASSERT_TRUE(same(got[i], static_cast<To>(expected(a[i]))))
            << info(code).name << ' ' << +a[i] << " = " << +got[i] << ", not " << +static_cast<To>(expected(a[i]))
            << ", lanes " << lanes << ", " << target.cpu;
    }
}

template <class To, class From>
To saturated(From value) {
  using Limits = std::numeric_limits<To>;
  if (std::isnan(value)) return 0;
  const long double wide = std::trunc(static_cast<long double>(value));
  if (wide >= static_cast<long double>(Limits::max())) return Limits::max();
  if (wide <= static_cast<long double>(Limits::min())) return Limits::min();
  return static_cast<To>(wide);
}

template <class From>
void expect_float_to_int() {
  expect_convert<std::int8_t, From>(Opcode::fptosi, saturated<std::int8_t, From>);
  expect_convert<std::int16_t, From>(Opcode::fptosi, saturated<std::int16_t, From>);
  expect_convert<std::int32_t, From>(Opcode::fptosi, saturated<std::int32_t, From>);
  expect_convert<std::int64_t, From>(Opcode::fptosi, saturated<std::int64_t, From>);
  expect_convert<std::uint8_t, From>(Opcode::fptoui, saturated<std::uint8_t, From>);
  expect_convert<std::uint16_t, From>(Opcode::fptoui, saturated<std::uint16_t, From>);
  expect_convert<std::uint32_t, From>(Opcode::fptoui, saturated<std::uint32_t, From>);
  expect_convert<std::uint64_t, From>(Opcode::fptoui, saturated<std::uint64_t, From>);
}

TEST(EmitConvert, FloatToIntTruncatesAndSaturates) {
  expect_float_to_int<float>();
  expect_float_to_int<double>();
}

TEST(EmitConvert, IntToFloatRoundsOnce) {
  expect_convert<float, std::int32_t>(Opcode::sitofp, [](std::int32_t a) { return static_cast<float>(a); });
  expect_convert<float, std::int64_t>(Opcode::sitofp, [](std::int64_t a) { return static_cast<float>(a); });
  expect_convert<double, std::int64_t>(Opcode::sitofp, [](std::int64_t a) { return static_cast<double>(a); });
  expect_convert<float, std::int8_t>(Opcode::sitofp, [](std::int8_t a) { return static_cast<float>(a); });
  expect_convert<float, std::uint8_t>(Opcode::uitofp, [](std::uint8_t a) { return static_cast<float>(a); });
  expect_convert<float, std::uint32_t>(Opcode::uitofp, [](std::uint32_t a) { return static_cast<float>(a); });
  expect_convert<float, std::uint64_t>(Opcode::uitofp, [](std::uint64_t a) { return static_cast<float>(a); });
  expect_convert<double, std::uint64_t>(Opcode::uitofp, [](std::uint64_t a) { return static_cast<double>(a); });
}

TEST(EmitConvert, IntegersExtendAndTruncate) {
  expect_convert<std::int8_t, std::int32_t>(Opcode::trunc, [](std::int32_t a) { return a; });
  expect_convert<std::int32_t, std::int64_t>(Opcode::trunc, [](std::int64_t a) { return a; });
  expect_convert<std::int32_t, std::int8_t>(Opcode::sext, [](std::int8_t a) { return a; });
  expect_convert<std::int64_t, std::int32_t>(Opcode::sext, [](std::int32_t a) { return a; });
  expect_convert<std::int32_t, std::uint8_t>(Opcode::zext, [](std::uint8_t a) { return a; });
  expect_convert<std::int64_t, std::uint32_t>(Opcode::zext, [](std::uint32_t a) { return a; });
}

TEST(EmitConvert, FloatsWidenAndNarrow) {
  expect_convert<double, float>(Opcode::fconvert, [](float a) { return static_cast<double>(a); });
  expect_convert<float, double>(Opcode::fconvert, [](double a) { return static_cast<float>(a); });
}

TEST(EmitConvert, HalvesAreExactAndRoundOnce) {
  const std::vector<float> floats = samples<float>(21);
  const std::vector<double> doubles = samples<double>(22);
  std::vector<std::int16_t> halves(1 << 16);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::int16_t>(i);
  const auto narrow = [](Builder& k, const Loaded& in) {
    return k.convert(Opcode::bitcast, k.convert(Opcode::fconvert, in[0], Element::f16), Element::i16);
  };
  for (const HostTarget& target : runnable_targets())
    for (const int lanes : {1, 4, 8, 16}) {
      const auto widened = map_lanes<float>(
          target, lanes,
          [](Builder& k, const Loaded& in) {
            return k.convert(Opcode::fconvert, k.convert(Opcode::bitcast, in[0], Element::f16), Element::f32);
          },
          halves);
      for (std::size_t i = 0; i < halves.size(); ++i)
        ASSERT_TRUE(same(widened[i], half_to_float(static_cast<std::uint16_t>(i)))) << i;
      const auto is_half_of = [](std::int16_t got, double from) {
        const std::uint16_t expected = double_to_half(from);
        return same(half_to_float(static_cast<std::uint16_t>(got)), half_to_float(expected));
      };
      const auto from_floats = map_lanes<std::int16_t>(target, lanes, narrow, floats);
      const auto from_doubles = map_lanes<std::int16_t>(target, lanes, narrow, doubles);
      for (std::size_t i = 0; i < sample_count; ++i) {
        ASSERT_TRUE(is_half_of(from_floats[i], static_cast<double>(floats[i]))) << floats[i] << ' ' << target.cpu;
        ASSERT_TRUE(is_half_of(from_doubles[i], doubles[i])) << doubles[i] << ' ' << target.cpu;
      }
    }
}

TEST(EmitConvert, BitcastKeepsBits) {
  expect_convert<std::uint32_t, float>(Opcode::bitcast, [](float a) { return std::bit_cast<std::uint32_t>(a); });
  expect_convert<std::uint64_t, double>(Opcode::bitcast, [](double a) { return std::bit_cast<std::uint64_t>(a); });
  const std::vector<std::int16_t> a = samples<std::int16_t>(23);
  for (const HostTarget& target : runnable_targets()) {  // bf16 is its bits in generated code
    const auto got = map_lanes<std::int16_t>(
        target, 8,
        [](Builder& k, const Loaded& in) {
          const ValueId moved = k.convert(Opcode::bitcast, in[0], Element::bf16);
          return k.convert(Opcode::bitcast, k.shuffle(moved, moved, {7, 6, 5, 4, 3, 2, 1, 0}), Element::i16);
        },
        a);
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(got[i], a[i / 8 * 8 + 7 - i % 8]);
  }
}

// Constants of every element, by their bits.
TEST(EmitConvert, ConstantsHaveTheirElementsBits) {
  const std::vector<std::int8_t> none(16);
  const auto constant_bits = [&]<class Bits>(Element element, double value, Bits) {
    return map_lanes<Bits>(
        runnable_targets().front(), 4,
        [&](Builder& k, const Loaded&) {
          return k.convert(Opcode::bitcast, k.constant({element, 4}, Scalar::of(value)), element_of<Bits>());
        },
        none)[3];
  };
  EXPECT_EQ(constant_bits(Element::f32, -1.5, std::uint32_t{}), 0xbfc00000U);
  EXPECT_EQ(constant_bits(Element::f64, -1.5, std::uint64_t{}), 0xbff8000000000000U);
  EXPECT_EQ(constant_bits(Element::f16, -1.5, std::uint16_t{}), 0xbe00U);
  EXPECT_EQ(constant_bits(Element::bf16, -1.5, std::uint16_t{}), 0xbfc0U);
  EXPECT_EQ(constant_bits(Element::f8e4m3, -1.5, std::uint8_t{}), 0xbcU);
  EXPECT_EQ(constant_bits(Element::f8e5m2, -1.5, std::uint8_t{}), 0xbeU);
}

}  // namespace
}  // namespace tilewright::codegen
