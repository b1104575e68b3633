// Scalars: bytes, casts, identities and text, against language.md.
#include "support/scalar.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "support/diagnostic.h"

namespace tilewright {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t i64_min = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t i64_max = std::numeric_limits<std::int64_t>::max();

Scalar real(double value) {
  return Scalar::of(value);
}
Scalar integer(std::int64_t value) {
  return Scalar::of(value);
}

template <class T>
T stored(DType type, Scalar value) {
  std::array<std::byte, 1 + sizeof(T)> bytes{};
  store_scalar(type, value, bytes.data() + 1);  // any alignment
  T result;
  std::memcpy(&result, bytes.data() + 1, sizeof(T));
  return result;
}

template <class T>
Scalar loaded(DType type, T value) {
  std::array<std::byte, 1 + sizeof(T)> bytes{};
  std::memcpy(bytes.data() + 1, &value, sizeof(T));
  return load_scalar(type, bytes.data() + 1);
}

TEST(Scalar, LoadsEachType) {
  EXPECT_EQ(loaded(DType::f64, 0.1), real(0.1));
  EXPECT_EQ(loaded(DType::f32, 0.1f), real(0x1.99999Ap-4));
  EXPECT_EQ(loaded(DType::f16, std::uint16_t{0x3555}), real(0x1.554p-2));
  EXPECT_EQ(loaded(DType::bf16, std::uint16_t{0xC049}), real(-3.140625));
  EXPECT_EQ(loaded(DType::f8e4m3, std::uint8_t{0x7E}), real(448.0));
  EXPECT_EQ(loaded(DType::f8e5m2, std::uint8_t{0x7C}), real(inf));
  EXPECT_EQ(loaded(DType::i8, std::uint8_t{0xFF}), integer(-1));
  EXPECT_EQ(loaded(DType::u8, std::uint8_t{0xFF}), integer(255));
  EXPECT_EQ(loaded(DType::i32, 0xFFFFFFFEu), integer(-2));
  EXPECT_EQ(loaded(DType::u32, 0xFFFFFFFEu), integer(4294967294));
  EXPECT_EQ(loaded(DType::i64, i64_min), integer(i64_min));
  EXPECT_EQ(loaded(DType::boolean, std::uint8_t{1}), integer(1));
  EXPECT_EQ(loaded(DType::boolean, std::uint8_t{2}), integer(1));
}

TEST(Scalar, StoresRoundedAndWrapped) {
  EXPECT_EQ(stored<float>(DType::f32, real(0x1.000001p0)), 1.0f);  // a tie, to even
  EXPECT_EQ(stored<float>(DType::f32, real(1e300)), std::numeric_limits<float>::infinity());
  EXPECT_EQ(stored<std::uint16_t>(DType::f16, real(0x1.002000001p0)), 0x3C01);
  EXPECT_EQ(stored<std::uint8_t>(DType::f8e4m3, real(-inf)), 0xFE);
  EXPECT_EQ(stored<std::uint8_t>(DType::f8e5m2, real(inf)), 0x7B);
  EXPECT_EQ(stored<std::int8_t>(DType::i8, integer(200)), -56);
  EXPECT_EQ(stored<std::uint8_t>(DType::u8, integer(-1)), 255);
  EXPECT_EQ(stored<std::uint32_t>(DType::u32, integer(-1)), 4294967295u);
  EXPECT_EQ(stored<std::int32_t>(DType::i32, integer(2147483648)), -2147483647 - 1);
  EXPECT_EQ(stored<std::uint8_t>(DType::boolean, integer(256)), 1);
}

TEST(Scalar, AValueOfTheWrongClassIsADefect) {
  std::array<std::byte, 8> bytes{};
  EXPECT_THROW(store_scalar(DType::f32, integer(1), bytes.data()), InternalError);
  EXPECT_THROW(store_scalar(DType::i32, real(1), bytes.data()), InternalError);
}

TEST(Scalar, AsInt) {
  EXPECT_EQ(real(-2.9).as_int(), -2);
  EXPECT_EQ(real(nan).as_int(), 0);
  EXPECT_EQ(real(inf).as_int(), i64_max);
  EXPECT_EQ(real(0x1p63).as_int(), i64_max);
  EXPECT_EQ(real(-0x1p63).as_int(), i64_min);
  EXPECT_EQ(real(0x1.FFFFFFFFFFFFFp62).as_int(), 9223372036854774784);
  EXPECT_EQ(integer(-7).as_double(), -7.0);
}

TEST(Cast, FloatToIntegerTruncatesAndSaturates) {
  const auto cast = [](double value, DType to) { return cast_scalar(real(value), DType::f64, to); };
  EXPECT_EQ(cast(-1.9, DType::i32), integer(-1));
  EXPECT_EQ(cast(127.99, DType::i8), integer(127));
  EXPECT_EQ(cast(128.0, DType::i8), integer(127));
  EXPECT_EQ(cast(-128.99, DType::i8), integer(-128));
  EXPECT_EQ(cast(-1e9, DType::i8), integer(-128));
  EXPECT_EQ(cast(-0.5, DType::u8), integer(0));
  EXPECT_EQ(cast(-3.0, DType::u32), integer(0));
  EXPECT_EQ(cast(5e9, DType::u32), integer(4294967295));
  EXPECT_EQ(cast(4294967295.0, DType::u32), integer(4294967295));
  EXPECT_EQ(cast(2147483647.5, DType::i32), integer(2147483647));
  EXPECT_EQ(cast(-inf, DType::i32), integer(-2147483648LL));
  EXPECT_EQ(cast(nan, DType::i64), integer(0));
}

TEST(Cast, IntegersWrap) {
  EXPECT_EQ(cast_scalar(integer(300), DType::i32, DType::u8), integer(44));
  EXPECT_EQ(cast_scalar(integer(4294967295), DType::u32, DType::i32), integer(-1));
  EXPECT_EQ(cast_scalar(integer(-1), DType::i64, DType::u32), integer(4294967295));
  EXPECT_EQ(cast_scalar(integer(1), DType::boolean, DType::i8), integer(1));
}

TEST(Cast, ToBoolIsNotZero) {
  EXPECT_EQ(cast_scalar(real(nan), DType::f32, DType::boolean), integer(1));
  EXPECT_EQ(cast_scalar(real(-0.0), DType::f32, DType::boolean), integer(0));
  EXPECT_EQ(cast_scalar(real(0.25), DType::f32, DType::boolean), integer(1));
  EXPECT_EQ(cast_scalar(integer(256), DType::i32, DType::boolean), integer(1));
}

TEST(Cast, FloatsRoundOnce) {
  // Between 1 and the next half (1 + 2^-10) and a hair above the middle, beyond f32's precision.
  EXPECT_EQ(cast_scalar(real(0x1.0020000001p0), DType::f64, DType::f16), real(0x1.004p0));
  EXPECT_EQ(cast_scalar(real(70000.0), DType::f32, DType::f16), real(inf));
  EXPECT_EQ(cast_scalar(real(70000.0), DType::f32, DType::f8e5m2), real(57344.0));
  EXPECT_EQ(cast_scalar(real(-1000.0), DType::f32, DType::f8e4m3), real(-448.0));
  EXPECT_TRUE(std::isnan(cast_scalar(real(nan), DType::f32, DType::f8e4m3).as_double()));
}

TEST(Cast, IntegersToFloatsRoundOnce) {
  EXPECT_EQ(cast_scalar(integer(16777217), DType::i32, DType::f32), real(16777216.0));
  EXPECT_EQ(cast_scalar(integer(1), DType::boolean, DType::f16), real(1.0));
  // 2^62 + 2^38 is the middle of two f32; one more decides, though f64 cannot hold it.
  const std::int64_t middle = (std::int64_t{1} << 62) + (std::int64_t{1} << 38);
  EXPECT_EQ(cast_scalar(integer(middle), DType::i64, DType::f32), real(0x1p62));
  EXPECT_EQ(cast_scalar(integer(middle + 1), DType::i64, DType::f32), real(0x1.000002p62));
  EXPECT_EQ(cast_scalar(integer(-middle - 1), DType::i64, DType::f32), real(-0x1.000002p62));
  // The same for bfloat16, whose step at 2^62 is 2^55.
  const std::int64_t wide_middle = (std::int64_t{1} << 62) + (std::int64_t{1} << 54);
  EXPECT_EQ(cast_scalar(integer(wide_middle), DType::i64, DType::bf16), real(0x1p62));
  EXPECT_EQ(cast_scalar(integer(wide_middle + 1), DType::i64, DType::bf16), real(0x1.02p62));
  EXPECT_EQ(cast_scalar(integer(i64_min), DType::i64, DType::bf16), real(-0x1p63));
  EXPECT_EQ(cast_scalar(integer(i64_max), DType::i64, DType::f64), real(0x1p63));
}

TEST(Tf32, RoundsToNearestAndTiesToEven) {
  EXPECT_EQ(float_to_tf32(1.0F), 1.0F);
  EXPECT_EQ(float_to_tf32(0x1.001p0F), 1.0F);
  EXPECT_EQ(float_to_tf32(0x1.002p0F), 1.0F);  // half way
  EXPECT_EQ(float_to_tf32(0x1.002002p0F), 0x1.004p0F);
  EXPECT_EQ(float_to_tf32(-0x1.006p0F), -0x1.008p0F);  // half way, to the even one
  EXPECT_EQ(float_to_tf32(0x1p-149F), 0.0F);
  EXPECT_EQ(float_to_tf32(std::numeric_limits<float>::max()), std::numeric_limits<float>::infinity());
  EXPECT_EQ(float_to_tf32(-std::numeric_limits<float>::infinity()), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(float_to_tf32(std::bit_cast<float>(0x7fffffffU))));
  EXPECT_TRUE(std::isnan(float_to_tf32(std::bit_cast<float>(0x7f800001U))));
}

TEST(RoundTo, IsTheCastOfItsOwnClass) {
  EXPECT_EQ(round_to(real(0.1), DType::f32), real(0x1.99999Ap-4));
  EXPECT_EQ(round_to(real(500.0), DType::f8e4m3), real(448.0));
  EXPECT_EQ(round_to(integer(-1), DType::u8), integer(255));
  EXPECT_EQ(round_to(integer(1), DType::i64), integer(1));
}

TEST(Identity, OfEachMonoid) {
  EXPECT_EQ(identity(Monoid::sum, DType::f16), real(0.0));
  EXPECT_EQ(identity(Monoid::product, DType::u8), integer(1));
  EXPECT_EQ(identity(Monoid::max, DType::f32), real(-inf));
  EXPECT_EQ(identity(Monoid::min, DType::bf16), real(inf));
  EXPECT_EQ(identity(Monoid::max, DType::f8e4m3), real(-448.0));
  EXPECT_EQ(identity(Monoid::min, DType::f8e4m3), real(448.0));
  EXPECT_EQ(identity(Monoid::max, DType::f8e5m2), real(-inf));
  EXPECT_EQ(identity(Monoid::max, DType::i8), integer(-128));
  EXPECT_EQ(identity(Monoid::min, DType::i8), integer(127));
  EXPECT_EQ(identity(Monoid::max, DType::u32), integer(0));
  EXPECT_EQ(identity(Monoid::min, DType::u32), integer(4294967295));
  EXPECT_EQ(identity(Monoid::max, DType::i64), integer(i64_min));
  EXPECT_EQ(identity(Monoid::min, DType::i64), integer(i64_max));
  EXPECT_EQ(identity(Monoid::max, DType::boolean), integer(0));
  EXPECT_EQ(identity(Monoid::min, DType::boolean), integer(1));
}

TEST(ScalarText, IsTheShortestThatReadsBack) {
  EXPECT_EQ(to_text(real(1.5), DType::f32), "1.5");
  EXPECT_EQ(to_text(real(-3.0), DType::f64), "-3");
  EXPECT_EQ(to_text(real(0x1.99999Ap-4), DType::f32), "0.1");
  EXPECT_EQ(to_text(real(0x1.99999Ap-4), DType::f64), "0.10000000149011612");
  EXPECT_EQ(to_text(real(0x1.998p-4), DType::f16), "0.1");
  EXPECT_EQ(to_text(real(65504.0), DType::f16), "65504");
  EXPECT_EQ(to_text(real(57344.0), DType::f8e5m2), "57344");
  EXPECT_EQ(to_text(real(448.0), DType::f8e4m3), "448");
  EXPECT_EQ(to_text(real(-0.0), DType::f32), "-0");
  EXPECT_EQ(to_text(real(-inf), DType::f16), "-inf");
  EXPECT_EQ(to_text(real(nan), DType::f8e4m3), "nan");
  EXPECT_EQ(to_text(integer(1), DType::boolean), "true");
  EXPECT_EQ(to_text(integer(0), DType::boolean), "false");
  EXPECT_EQ(to_text(integer(i64_min), DType::i64), "-9223372036854775808");
  EXPECT_EQ(to_text(integer(4294967295), DType::u32), "4294967295");
}

TEST(ScalarText, EveryHalfReadsBack) {
  for (std::uint32_t bits = 0; bits < 0x7C00; ++bits) {
    const double value = double{half_to_float(static_cast<std::uint16_t>(bits))};
    const std::string text = to_text(real(value), DType::f16);
    ASSERT_EQ(double_to_half(std::strtod(text.c_str(), nullptr)), bits) << text;
    ASSERT_LE(text.size(), 10u) << text;  // five digits do: "0.00010014"
  }
}

}  // namespace
}  // namespace tilewright
