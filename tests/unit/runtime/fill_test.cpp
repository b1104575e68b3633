// Tensors with given contents. The random values are checked against published outputs of SplitMix64 for seed 0.
#include "runtime/fill.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tilewright {
namespace {

TEST(Fill, ZerosAndFullCoverEveryType) {
  for (DType type : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2, DType::i8,
                     DType::u8, DType::i32, DType::u32, DType::i64, DType::boolean}) {
    EXPECT_EQ(zeros(type, {2, 3})->get({1, 2}).as_double(), 0.0) << name(type);
    const double expected = is_boolean(type) ? 1.0 : 3.0;
    EXPECT_EQ(full(type, {2, 3}, Scalar::of(3.0))->get({1, 2}).as_double(), expected) << name(type);
    EXPECT_EQ(full(type, {2, 3}, Scalar::of(std::int64_t{3}))->get({0, 0}).as_double(), expected) << name(type);
  }
  EXPECT_EQ(full(DType::u8, {1}, Scalar::of(1e9))->get({0}).as_int(), 255);              // floats saturate
  EXPECT_EQ(full(DType::u8, {1}, Scalar::of(std::int64_t{257}))->get({0}).as_int(), 1);  // integers wrap
  EXPECT_TRUE(std::isnan(full(DType::f32, {}, Scalar::of(std::nan("")))->at<float>({})));
  EXPECT_EQ(zeros(DType::f32, {-1}).error().front().code, "R002");
}

TEST(Fill, ArangeCountsInRowMajorOrder) {
  const Tensor grid = arange(DType::f32, {46, 46}).value();
  EXPECT_EQ(grid.at<float>({44, 25}), 2049.0F);
  const Tensor down = arange(DType::i8, {3}, -127, -1).value();
  EXPECT_EQ(down.at<std::int8_t>({1}), -128);
  EXPECT_EQ(down.at<std::int8_t>({2}), 127);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(arange(DType::i64, {2}, most, 1)->at<std::int64_t>({1}), std::numeric_limits<std::int64_t>::min());
}

TEST(Fill, RandomIntegersAreTheHighBitsOfSplitMix) {
  const Tensor words = random_data(DType::i64, {3}, 0).value();
  EXPECT_EQ(static_cast<std::uint64_t>(words.at<std::int64_t>({0})), 0xe220a8397b1dcdafU);
  EXPECT_EQ(static_cast<std::uint64_t>(words.at<std::int64_t>({1})), 0x6e789e6aa1b965f4U);
  EXPECT_EQ(static_cast<std::uint64_t>(words.at<std::int64_t>({2})), 0x06c45d188009454fU);
  EXPECT_EQ(random_data(DType::u32, {1}, 0)->at<std::uint32_t>({0}), 0xe220a839U);
  EXPECT_EQ(random_data(DType::i32, {2}, 0)->at<std::int32_t>({1}), 0x6e789e6a);
  EXPECT_EQ(random_data(DType::u8, {1}, 0)->at<std::uint8_t>({0}), 0xe2);
  EXPECT_EQ(random_data(DType::i8, {1}, 0)->at<std::int8_t>({0}), -30);
  EXPECT_EQ(random_data(DType::boolean, {2}, 0)->at<std::uint8_t>({0}), 1);  // top bits 1 and 0
  EXPECT_EQ(random_data(DType::boolean, {2}, 0)->at<std::uint8_t>({1}), 0);
}

TEST(Fill, RandomNormalIsTheSumOfTwelveUniforms) {
  // From the definition, in exact integers.
  const Tensor values = random_normal(DType::f64, {3}, 0).value();
  EXPECT_EQ(values.at<double>({0}), -0x1.aef5a2f8p-2);
  EXPECT_EQ(values.at<double>({1}), -0x1.104a47a4p+0);
  EXPECT_EQ(values.at<double>({2}), 0x1.03d387fp-2);
  EXPECT_EQ(random_data(DType::f32, {3}, 0)->at<float>({2}), static_cast<float>(0x1.03d387fp-2));
}

TEST(Fill, RandomUniformStaysInItsInterval) {
  EXPECT_EQ(random_uniform(DType::f64, {2}, 0)->at<double>({1}), 0x1.b9e279aa86e58p-2);
  const Tensor digits = random_uniform(DType::i32, {6}, 0, 0.0, 10.0).value();
  EXPECT_EQ(digits.at<std::int32_t>({0}), 8);
  EXPECT_EQ(digits.at<std::int32_t>({1}), 4);
  EXPECT_EQ(digits.at<std::int32_t>({2}), 0);
  const Tensor signs = random_uniform(DType::i8, {1000}, 7, -1.5, 1.5).value();
  int counts[3] = {};
  for (std::int64_t i = 0; i < 1000; ++i) {
    ASSERT_GE(signs.at<std::int8_t>({i}), -1);
    ASSERT_LE(signs.at<std::int8_t>({i}), 1);
    ++counts[signs.at<std::int8_t>({i}) + 1];
  }
  for (int count : counts) EXPECT_GT(count, 250);  // 333 expected, 5.6 standard deviations off
}

TEST(Fill, MomentsAreThoseAsked) {
  const int n = 100'000;
  double sum = 0;
  double squares = 0;
  int beyond_two = 0;
  const Tensor values = random_normal(DType::f32, {n}, 42, 3.0, 2.0).value();
  for (int i = 0; i < n; ++i) {
    const double z = (static_cast<double>(values.at<float>({i})) - 3.0) / 2.0;
    sum += z;
    squares += z * z;
    beyond_two += std::abs(z) > 2.0 ? 1 : 0;
  }
  // Five standard deviations of each estimate; the normal has 4.55 % beyond two deviations.
  EXPECT_NEAR(sum / n, 0.0, 5.0 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1.0, 5.0 * std::sqrt(2.0 / n));
  EXPECT_NEAR(static_cast<double>(beyond_two) / n, 0.0455, 0.003 + 5.0 * std::sqrt(0.0455 * 0.9545 / n));
}

TEST(Fill, SeedsDiffer) {
  EXPECT_NE(random_data(DType::i64, {1}, 1)->get({0}), random_data(DType::i64, {1}, 2)->get({0}));
  EXPECT_EQ(random_data(DType::i64, {1}, 1)->get({0}), random_data(DType::i64, {5}, 1)->get({0}));
}

}  // namespace
}  // namespace tilewright
