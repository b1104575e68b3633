// Fills of device memory: every type, any strides, nothing beside the elements.
#include "runtime/cuda/fill_tensor.h"

#include <cstring>
#include <limits>

#include "cuda_test.h"
#include "runtime/cuda/copy.h"
#include "runtime/fill.h"

namespace tilewright::cuda {
namespace {

using FillTest = CudaTest;

std::vector<std::byte> bytes_of(const Tensor& tensor) {
  return {tensor.data(), tensor.data() + tensor.byte_size()};
}

/// The same fill on the device and, element by element, on the host; all of the memory around counts too.
template <class View>
void expect_same_fill(const Stream& queue, DType type, Scalar value, View&& view) {
  const Tensor host = random_data(type, {6, 7, 8}, 11).value();
  const Tensor there = to_device(queue, host).value();
  const auto filled = fill_tensor(queue, view(there).view(), value);
  ASSERT_TRUE(filled.has_value()) << error_of(filled);
  const TensorView target = view(host).view();
  for_each_index(target.shape, [&](const std::vector<std::int64_t>& index) { target.set(index, value); });
  EXPECT_EQ(bytes_of(to_host(queue, there).value()), bytes_of(host)) << name(type);
}

Tensor all_of(const Tensor& tensor) {
  return tensor;
}
Tensor turned(const Tensor& tensor) {
  return tensor.transpose({2, 0, 1}).value();
}
Tensor backwards(const Tensor& tensor) {
  return tensor.slice(0, {.step = -1}).value().slice(2, {.start = 6, .stop = 1, .step = -2}).value();
}
Tensor scattered(const Tensor& tensor) {
  return tensor.slice(0, {.step = 2}).value().slice(1, {.start = 1, .step = 3}).value().slice(2, {.step = 4}).value();
}
Tensor one_element(const Tensor& tensor) {
  return tensor.select(0, 3).value().select(0, 2).value().select(0, 7).value();
}
Tensor inner_columns(const Tensor& tensor) {
  return tensor.slice(2, {.start = 2, .stop = 5}).value();
}

TEST_F(FillTest, SetsEveryElementAndNothingElse) {
  const Stream queue = stream();
  for (const DType type : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::f8e4m3, DType::i8, DType::u8,
                           DType::i32, DType::u32, DType::i64, DType::boolean})
    for (const auto view : {&all_of, &turned, &backwards, &scattered, &one_element, &inner_columns})
      expect_same_fill(queue, type, is_floating(type) ? Scalar::of(-1.5) : Scalar::of(std::int64_t{1}), view);
}

TEST_F(FillTest, SetsWhatReductionsStartFrom) {
  const Stream queue = stream();
  for (const auto view : {&all_of, &scattered})
    for (const double value : {0.0, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()})
      for (const DType type : {DType::f64, DType::f32, DType::f16})
        expect_same_fill(queue, type, Scalar::of(value), view);
  expect_same_fill(queue, DType::i64, Scalar::of(std::numeric_limits<std::int64_t>::min()), &all_of);
  expect_same_fill(queue, DType::i64, Scalar::of(std::int64_t{-1}), &scattered);
}

TEST_F(FillTest, FillsARowMajorTensorByOneCall) {
  const Stream queue = stream();
  const Tensor there = allocate_tensor(queue, DType::f64, {100, 200}).value();
  ASSERT_TRUE(fill_tensor(queue, there.view(), Scalar::of(0.0)).has_value());
  ASSERT_TRUE(fill_tensor(queue, there.slice(1, {.stop = 7}).value().view(), Scalar::of(0.0)).has_value());
  EXPECT_EQ(fake().count("cuMemsetD2D32Async"), 2);
}

TEST_F(FillTest, DoesNothingWithoutElements) {
  const Stream queue = stream();
  ASSERT_TRUE(fill_tensor(queue, {nullptr, DType::f32, {3, 0}, {0, 1}}, Scalar::of(1.0)).has_value());
  EXPECT_EQ(fake().count("cuMemsetD2D32Async"), 0);
}

TEST_F(FillTest, PassesOnErrors) {
  const Stream queue = stream();
  const Tensor there = allocate_tensor(queue, DType::f64, {10}).value();
  fake().fail("cuMemsetD2D32Async", 2, Status::not_found);
  EXPECT_EQ(error_of(fill_tensor(queue, there.view(), Scalar::of(1.0))),
            "R090: cuMemsetD2D32Async failed: CUDA_ERROR_NOT_FOUND (named symbol not found), on cuda:0 (Fake H200)");
}

}  // namespace
}  // namespace tilewright::cuda
