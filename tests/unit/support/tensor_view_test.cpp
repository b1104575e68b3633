// Element access through strides, and index enumeration.
#include "support/tensor_view.h"

#include <gtest/gtest.h>

#include <array>

namespace tilewright {
namespace {

using Index = std::vector<std::int64_t>;

TEST(TensorView, StridesOfAnyKind) {
  std::array<std::int32_t, 6> storage = {0, 1, 2, 3, 4, 5};
  auto* data = reinterpret_cast<std::byte*>(storage.data());
  const TensorView transposed{data, DType::i32, {3, 2}, {1, 3}};
  EXPECT_EQ(transposed.get({2, 1}), Scalar::of(std::int64_t{5}));
  EXPECT_EQ(transposed.offset_bytes({1, 1}), 16);
  const TensorView reversed{data + 20, DType::i32, {6}, {-1}};
  EXPECT_EQ(reversed.get({4}), Scalar::of(std::int64_t{1}));
  const TensorView broadcast{data + 8, DType::i32, {4, 2}, {0, 1}};
  EXPECT_EQ(broadcast.get({3, 1}), Scalar::of(std::int64_t{3}));
  reversed.set({0}, Scalar::of(std::int64_t{-7}));
  EXPECT_EQ(storage[5], -7);
}

TEST(TensorView, RankZero) {
  double value = 2.5;
  const TensorView scalar{reinterpret_cast<std::byte*>(&value), DType::f64, {}, {}};
  EXPECT_EQ(scalar.element_count(), 1);
  EXPECT_EQ(scalar.get({}), Scalar::of(2.5));
}

TEST(TensorView, ElementCount) {
  EXPECT_EQ((TensorView{nullptr, DType::f32, {3, 4, 5}, {20, 5, 1}}.element_count()), 60);
  EXPECT_EQ((TensorView{nullptr, DType::f32, {3, 0}, {0, 1}}.element_count()), 0);
}

TEST(RowMajorStrides, OfShapes) {
  EXPECT_EQ(row_major_strides({2, 3, 4}), (Index{12, 4, 1}));
  EXPECT_EQ(row_major_strides({7}), (Index{1}));
  EXPECT_EQ(row_major_strides({}), Index{});
}

TEST(ForEachIndex, RowMajorOrder) {
  std::vector<Index> seen;
  const auto record = [&](const Index& index) { seen.push_back(index); };
  for_each_index({2, 2}, record);
  EXPECT_EQ(seen, (std::vector<Index>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  seen.clear();
  for_each_index({}, record);
  EXPECT_EQ(seen, std::vector<Index>{Index{}});
  seen.clear();
  for_each_index({2, 0}, record);
  EXPECT_TRUE(seen.empty());
}

}  // namespace
}  // namespace tilewright
