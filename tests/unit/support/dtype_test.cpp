// The element type table, against language.md's tables.
#include "support/dtype.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(DType, SizesInMemory) {
  EXPECT_EQ(size_of(DType::f64), 8u);
  EXPECT_EQ(size_of(DType::bf16), 2u);
  EXPECT_EQ(size_of(DType::f8e4m3), 1u);
  EXPECT_EQ(size_of(DType::u32), 4u);
  EXPECT_EQ(size_of(DType::boolean), 1u);
}

TEST(DType, EvaluationAndDefaultOutput) {
  EXPECT_EQ(info(DType::f16).evaluate, DType::f32);
  EXPECT_EQ(info(DType::f16).default_output, DType::f16);
  EXPECT_EQ(info(DType::f8e5m2).evaluate, DType::f32);
  EXPECT_EQ(info(DType::f8e5m2).default_output, DType::f16);
  EXPECT_EQ(info(DType::u8).evaluate, DType::i32);
  EXPECT_EQ(info(DType::u32).evaluate, DType::u32);
  EXPECT_EQ(info(DType::f64).evaluate, DType::f64);
}

TEST(DType, Names) {
  EXPECT_EQ(name(DType::boolean), "bool");
  EXPECT_EQ(dtype_from_name("bool"), DType::boolean);
  EXPECT_EQ(dtype_from_name("f8e4m3"), DType::f8e4m3);
  EXPECT_EQ(dtype_from_name("boolean"), std::nullopt);
  EXPECT_EQ(dtype_from_name("u64"), std::nullopt);
  EXPECT_EQ(dtype_from_name(""), std::nullopt);
}

TEST(DType, Classes) {
  EXPECT_TRUE(is_floating(DType::bf16));
  EXPECT_FALSE(is_integer(DType::bf16));
  EXPECT_TRUE(is_integer(DType::u8));
  EXPECT_FALSE(is_integer(DType::boolean));
  EXPECT_TRUE(is_boolean(DType::boolean));
}

}  // namespace
}  // namespace tilewright
