// Tensor: allocation, borrowing, byte ranges, copies and element access.
#include "runtime/tensor.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numeric>

namespace tilewright {
namespace {

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

template <class T>
std::string code_of(const Result<T>& result) {
  return result ? "no error" : result.error().front().code;
}

/// 0, 1, 2, … in `count` floats that outlive no test.
template <std::size_t Count>
std::array<float, Count> numbered() {
  std::array<float, Count> values{};
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

TEST(Tensor, DefaultHasNoElements) {
  const Tensor tensor;
  EXPECT_EQ(tensor.shape(), Shape{0});
  EXPECT_EQ(tensor.element_count(), 0);
  EXPECT_EQ(tensor.data(), nullptr);
  EXPECT_TRUE(tensor.bytes().is_empty());
}

TEST(Tensor, AllocatesRowMajorAlignedMemory) {
  const Tensor tensor = Tensor::allocate(DType::i32, {2, 3, 4}).value();
  EXPECT_EQ(tensor.strides(), (Shape{12, 4, 1}));
  EXPECT_EQ(tensor.byte_size(), 96);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data()) % 64, 0U);
  EXPECT_EQ(tensor.bytes().size(), 96U);
  EXPECT_TRUE(tensor.is_contiguous());
  EXPECT_FALSE(tensor.is_read_only());
}

TEST(Tensor, RankZeroHasOneElement) {
  const Tensor tensor = Tensor::allocate(DType::f64, {}).value();
  tensor.at<double>({}) = 2.5;
  EXPECT_EQ(tensor.get({}), Scalar::of(2.5));
  EXPECT_EQ(tensor.bytes().size(), 8U);
}

TEST(Tensor, RefusesImpossibleShapes) {
  EXPECT_EQ(code_of(Tensor::allocate(DType::f32, Shape(9, 1))), "R001");
  EXPECT_TRUE(Tensor::allocate(DType::f32, Shape(8, 1)).has_value());
  EXPECT_EQ(code_of(Tensor::allocate(DType::f32, {2, -1})), "R002");
  EXPECT_EQ(code_of(Tensor::allocate(DType::f32, {huge, 2})), "R003");
  EXPECT_EQ(code_of(Tensor::allocate(DType::f64, {std::int64_t{1} << 60})), "R003");
  EXPECT_EQ(code_of(Tensor::allocate(DType::u8, {huge})), "R004");
}

TEST(Tensor, ZeroExtentDoesNotHideAnOverflow) {
  EXPECT_EQ(code_of(Tensor::allocate(DType::f32, {huge, huge, 0})), "R003");
  const Tensor tensor = Tensor::allocate(DType::f32, {3, 0, 5}).value();
  EXPECT_EQ(tensor.element_count(), 0);
  EXPECT_EQ(tensor.byte_size(), 0);
}

TEST(Tensor, BorrowsStridedMemoryAtAnOffset) {
  auto values = numbered<24>();
  const Tensor tensor =
      Tensor::borrow({.data = values.data(), .byte_offset = 8, .shape = {2, 3}, .strides = Shape{12, 2}}).value();
  EXPECT_EQ(tensor.at<float>({0, 0}), 2.0F);
  EXPECT_EQ(tensor.at<float>({1, 2}), 18.0F);
  EXPECT_EQ(tensor.base(), values.data());
  EXPECT_EQ(tensor.byte_offset(), 8U);
  EXPECT_FALSE(tensor.is_contiguous());
}

TEST(Tensor, ByteRangeReachesBelowTheDataForNegativeStrides) {
  auto values = numbered<12>();
  const auto base = reinterpret_cast<std::uintptr_t>(values.data());
  const Tensor tensor =
      Tensor::borrow({.data = values.data(), .byte_offset = 32, .shape = {2, 3}, .strides = Shape{3, -4}}).value();
  EXPECT_EQ(tensor.bytes(), (ByteRange{base, base + 48}));  // elements 8, 4, 0 and 11, 7, 3
  EXPECT_EQ(tensor.at<float>({1, 2}), 3.0F);
}

TEST(Tensor, StridesOfExtentOneAxesDoNotCount) {
  auto values = numbered<4>();
  for (std::int64_t stride : {std::int64_t{0}, std::int64_t{-7}, huge}) {
    const Tensor tensor = Tensor::borrow({.data = values.data(), .shape = {1, 4}, .strides = Shape{stride, 1}}).value();
    EXPECT_EQ(tensor.bytes().size(), 16U);
    EXPECT_TRUE(tensor.is_contiguous());
    EXPECT_EQ(tensor.strides()[0], stride);
    EXPECT_EQ(tensor.select(0, 0)->at<float>({3}), 3.0F);
    EXPECT_EQ(tensor.clone()->at<float>({0, 2}), 2.0F);
  }
}

TEST(Tensor, RefusesImpossibleMemory) {
  auto values = numbered<4>();
  EXPECT_EQ(code_of(Tensor::borrow({.data = values.data(), .shape = {2, 2}, .strides = Shape{1}})), "R005");
  EXPECT_EQ(code_of(Tensor::borrow({.data = values.data(), .shape = {3}, .strides = Shape{huge}})), "R006");
  EXPECT_EQ(code_of(Tensor::borrow({.data = values.data(), .shape = {2}, .strides = Shape{-(huge / 4)}})), "R006");
  EXPECT_EQ(code_of(Tensor::borrow({.data = values.data(), .byte_offset = ~std::uint64_t{0}, .shape = {2}})), "R006");
  EXPECT_EQ(code_of(Tensor::borrow({.data = nullptr, .shape = {2, 2}})), "R007");
  EXPECT_EQ(code_of(Tensor::borrow({.data = values.data(), .byte_offset = 2, .shape = {2}})), "R008");
  EXPECT_TRUE(Tensor::borrow({.data = values.data(), .byte_offset = 2, .dtype = DType::f16, .shape = {2}}));
}

TEST(Tensor, NullDataAndAnyStridesAreFineWithoutElements) {
  const Tensor tensor = Tensor::borrow({.shape = {1, 8, 0, 128}, .strides = Shape{huge, huge, huge, huge}}).value();
  EXPECT_EQ(tensor.element_count(), 0);
  EXPECT_EQ(tensor.slice(3, {.step = 2})->shape(), (Shape{1, 8, 0, 64}));
  EXPECT_EQ(tensor.clone()->shape(), (Shape{1, 8, 0, 128}));
}

TEST(Tensor, KeepsBorrowedMemoryAliveThroughViews) {
  auto owner = std::make_shared<std::array<float, 4>>(numbered<4>());
  std::weak_ptr<std::array<float, 4>> watch = owner;
  auto last = [&] {
    const Tensor tensor = Tensor::borrow({.data = owner->data(), .shape = {4}, .keep_alive = owner}).value();
    return tensor.slice(0, {.start = 3}).value();
  }();
  owner.reset();
  ASSERT_FALSE(watch.expired());
  EXPECT_EQ(last.at<float>({0}), 3.0F);
  last = Tensor();
  EXPECT_TRUE(watch.expired());
}

TEST(Tensor, CloneCopiesEveryElementSizeInRowMajorOrder) {
  for (DType type : {DType::u8, DType::f16, DType::i32, DType::i64}) {
    const Tensor source = Tensor::allocate(type, {3, 4}).value();
    for (std::int64_t i = 0; i < 12; ++i)
      store_scalar(type, is_floating(type) ? Scalar::of(static_cast<double>(i)) : Scalar::of(i),
                   source.data() + i * static_cast<std::int64_t>(size_of(type)));
    const Tensor copy = source.transpose({1, 0})->slice(0, {.step = -2})->clone().value();  // columns 3 and 1
    ASSERT_EQ(copy.shape(), (Shape{2, 3}));
    EXPECT_TRUE(copy.is_contiguous());
    EXPECT_EQ(copy.get({0, 0}).as_int(), 3) << name(type);
    EXPECT_EQ(copy.get({0, 2}).as_int(), 11) << name(type);
    EXPECT_EQ(copy.get({1, 1}).as_int(), 5) << name(type);
  }
}

TEST(Tensor, ContiguousSharesAndCloneDoesNot) {
  const Tensor tensor = Tensor::allocate(DType::f32, {2, 2}).value();
  EXPECT_EQ(tensor.contiguous()->data(), tensor.data());
  EXPECT_NE(tensor.clone()->data(), tensor.data());
  EXPECT_NE(tensor.transpose({1, 0})->contiguous()->data(), tensor.data());
}

TEST(Tensor, DeviceMemoryIsNotReadByTheHost) {
  auto values = numbered<4>();
  const Tensor tensor = Tensor::borrow({.data = values.data(), .shape = {4}, .device = {DeviceKind::cuda, 1}}).value();
  EXPECT_EQ(code_of(tensor.clone()), "R017");
  EXPECT_THROW(tensor.at<float>({0}), InternalError);
  EXPECT_EQ(to_text(tensor.device()), "cuda:1");
  EXPECT_EQ(to_text(Device{}), "cpu");
}

TEST(Tensor, ElementAccessChecksTypeRankAndBounds) {
  const Tensor tensor = Tensor::allocate(DType::f16, {2, 2}).value();
  tensor.at<std::uint16_t>({1, 0}) = 0x3c00;
  EXPECT_EQ(tensor.get({1, 0}), Scalar::of(1.0));
  EXPECT_THROW(tensor.at<float>({0, 0}), InternalError);
  EXPECT_THROW(tensor.at<std::uint16_t>({0}), InternalError);
  EXPECT_THROW(tensor.at<std::uint16_t>({0, 2}), InternalError);
  EXPECT_THROW(tensor.get({0, -1}), InternalError);
}

}  // namespace
}  // namespace tilewright
