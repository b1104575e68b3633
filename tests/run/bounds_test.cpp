// The comparison itself: intervals hold the right answers and nothing else.
#include <gtest/gtest.h>

#include <cmath>

#include "interval.h"

namespace tilewright::differential {
namespace {

Bounds f32(double value) {
  return exactly(DType::f32, Scalar::of(value));
}

TEST(Bounds, exact_operations_allow_one_value) {
  const std::array operands{f32(3), f32(4)};
  const Bounds product = apply(ScalarOp::mul, DType::f32, operands);
  EXPECT_TRUE(product.is_exact());
  EXPECT_TRUE(product.holds(Scalar::of(12.0)));
  EXPECT_FALSE(product.holds(Scalar::of(std::nextafterf(12, 13))));
}

TEST(Bounds, a_rounded_operation_allows_its_rounding_only) {
  const std::array operands{f32(1), f32(3)};
  const Bounds third = apply(ScalarOp::div, DType::f32, operands);
  EXPECT_TRUE(third.holds(Scalar::of(static_cast<double>(1.0F / 3.0F))));
  EXPECT_FALSE(third.holds(Scalar::of(static_cast<double>(std::nextafterf(1.0F / 3.0F, 1)))));
  EXPECT_FALSE(third.holds(Scalar::of(static_cast<double>(std::nextafterf(1.0F / 3.0F, 0)))));
}

TEST(Bounds, sums_of_whole_numbers_are_exact_and_others_within_the_stated_error) {
  Fold whole(Monoid::sum, DType::f32, f32(0));
  Fold tenths(Monoid::sum, DType::f32, f32(0));
  for (int i = 0; i < 100; ++i) {
    whole.add(f32(i));
    tenths.add(f32(0.1F));
  }
  EXPECT_TRUE(whole.result().is_exact());
  EXPECT_TRUE(whole.result().holds(Scalar::of(4950.0)));
  // 99 additions of 2⁻²⁴ of 10 each: 5.9e-5 around 10.0000001.
  EXPECT_TRUE(tenths.result().holds(Scalar::of(10.00005)));
  EXPECT_FALSE(tenths.result().holds(Scalar::of(10.00007)));
  EXPECT_FALSE(tenths.result().holds(Scalar::of(0.0)));
}

TEST(Bounds, integers_wrap) {
  Fold fold(Monoid::sum, DType::i32, exactly(DType::i32, Scalar::of(std::int64_t{0})));
  for (int i = 0; i < 3; ++i) fold.add(exactly(DType::i32, Scalar::of(std::int64_t{1} << 30)));
  EXPECT_TRUE(fold.result().holds(Scalar::of(-(std::int64_t{1} << 30))));
  EXPECT_FALSE(fold.result().holds(Scalar::of(std::int64_t{3} << 30)));
}

TEST(Bounds, nan_is_required_where_it_is_certain) {
  const std::array operands{f32(1), f32(std::nan(""))};
  const Bounds most = apply(ScalarOp::max, DType::f32, operands);
  EXPECT_TRUE(most.holds(Scalar::of(std::nan(""))));
  EXPECT_FALSE(most.holds(Scalar::of(1.0)));
  const std::array roots{f32(-1)};
  EXPECT_FALSE(apply(ScalarOp::sqrt, DType::f32, roots).holds(Scalar::of(0.0)));
}

TEST(Bounds, small_floats_round_to_nearest_even_and_saturate) {
  EXPECT_EQ(nearest(1 + std::ldexp(1.0L, -11), DType::f16), 1.0L);
  EXPECT_EQ(nearest(1 + 3 * std::ldexp(1.0L, -11), DType::f16), 1 + std::ldexp(1.0L, -9));
  EXPECT_EQ(nearest(70000.0L, DType::f16), HUGE_VALL);
  EXPECT_EQ(nearest(500.0L, DType::f8e4m3), 448.0L);
  EXPECT_EQ(nearest(std::ldexp(1.0L, -10), DType::f8e4m3), 0.0L);
  EXPECT_EQ(nearest(3 * std::ldexp(1.0L, -25), DType::f16), std::ldexp(1.0L, -23));
}

}  // namespace
}  // namespace tilewright::differential
