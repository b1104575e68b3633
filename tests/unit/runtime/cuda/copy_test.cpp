// Tensors to a device and back: chunks, strides, and errors at every call.
#include "runtime/cuda/copy.h"

#include <cstring>

#include "cuda_test.h"
#include "runtime/cuda/row_major_copy.h"
#include "runtime/cuda/staging.h"
#include "runtime/fill.h"

namespace tilewright::cuda {
namespace {

using CopyTest = CudaTest;

/// The elements in row-major order, one by one through the strides.
std::vector<std::int64_t> elements(const Tensor& tensor) {
  std::vector<std::int64_t> values;
  const TensorView view = tensor.view();
  for_each_index(view.shape,
                 [&](const std::vector<std::int64_t>& index) { values.push_back(view.get(index).as_int()); });
  return values;
}

/// A view of [3, 4, 5] counted up, in several orders.
std::vector<Tensor> strided_views() {
  const Tensor base = arange(DType::i32, {3, 4, 5}).value();
  return {
      base,
      base.transpose({2, 0, 1}).value(),
      base.slice(1, {.step = -1}).value(),
      base.slice(2, {.start = 1, .stop = 5, .step = 2}).value(),
      base.slice(0, {.step = -2}).value().transpose({1, 2, 0}).value(),
      base.select(1, 2).value().broadcast_to({2, 3, 5}).value(),
      base.unsqueeze(1).value(),
      base.slice(1, {.start = 1, .stop = 2}).value(),
      arange(DType::i32, {}, 42).value(),
  };
}

TEST(RowMajorCopy, GathersAndScattersAnyPartOfAnyView) {
  for (const Tensor& tensor : strided_views()) {
    const std::vector<std::int64_t> expected = elements(tensor);
    const std::int64_t count = tensor.element_count();
    for (std::int64_t first = 0; first <= count; first += 3)
      for (std::int64_t length = 0; first + length <= count; length += 2) {
        std::vector<std::int32_t> dense(static_cast<std::size_t>(length), -1);
        gather_elements(tensor.view(), first, length, reinterpret_cast<std::byte*>(dense.data()));
        for (std::size_t n = 0; n < dense.size(); ++n)
          ASSERT_EQ(dense[n], expected[static_cast<std::size_t>(first) + n]) << shape_text(tensor.strides());
      }
  }
}

TEST(RowMajorCopy, ScattersOnlyTheElementsOfItsPart) {
  const Tensor base = full(DType::i32, {4, 6}, Scalar::of(std::int64_t{-1})).value();
  const Tensor view = base.transpose({1, 0}).value().slice(1, {.step = -1}).value();  // 6 x 4
  const std::array<std::int32_t, 5> dense{10, 11, 12, 13, 14};
  scatter_elements(reinterpret_cast<const std::byte*>(dense.data()), view.view(), 6, 5);
  const std::vector<std::int64_t> after = elements(view);
  for (std::size_t n = 0; n < after.size(); ++n)
    EXPECT_EQ(after[n], n >= 6 && n < 11 ? static_cast<std::int64_t>(n) + 4 : -1);
}

TEST(RowMajorCopy, HandlesEveryElementSize) {
  for (const DType type : {DType::u8, DType::f16, DType::f32, DType::f64}) {
    const Tensor base = random_data(type, {5, 7}, 3).value();
    const Tensor view = base.transpose({1, 0}).value();
    const Tensor dense = Tensor::allocate(type, {7, 5}).value();
    gather_elements(view.view(), 0, 35, dense.data());
    const TensorView from = view.view();
    const TensorView to = dense.view();
    for_each_index(to.shape, [&](const std::vector<std::int64_t>& index) {
      ASSERT_EQ(std::memcmp(to.data + to.offset_bytes(index), from.data + from.offset_bytes(index), size_of(type)), 0);
    });
  }
}

TEST_F(CopyTest, CarriesEveryViewThereAndBack) {
  const Stream queue = stream();
  for (const Tensor& tensor : strided_views()) {
    const Tensor there = to_device(queue, tensor).value();
    EXPECT_EQ(to_text(there.device()), "cuda:0");
    EXPECT_EQ(there.shape(), tensor.shape());
    EXPECT_TRUE(there.is_contiguous());
    const Tensor back = to_host(queue, there).value();
    EXPECT_EQ(elements(back), elements(tensor));
  }
}

/// Several chunks and a bit, so that both pinned chunks are used twice; the device is as late as it may be.
TEST_F(CopyTest, CarriesMoreThanItsChunks) {
  const Stream queue = stream();
  const std::int64_t per_chunk = staging_chunk_bytes / 4;
  for (const std::int64_t count : {per_chunk - 1, per_chunk, per_chunk + 1, 4 * per_chunk + 3}) {
    const Tensor tensor = arange(DType::i32, {count}, 1000).value();
    const Tensor back = to_host(queue, to_device(queue, tensor).value()).value();
    ASSERT_EQ(std::memcmp(back.data(), tensor.data(), static_cast<std::size_t>(count) * 4), 0) << count;
  }
  // A transposed one: rows of a chunk come from everywhere.
  const Tensor wide = arange(DType::i32, {1500, 1501}).value().transpose({1, 0}).value();
  const Tensor back = to_host(queue, to_device(queue, wide).value()).value();
  for (std::int64_t i = 0; i < 1501; i += 7)
    for (std::int64_t j = 0; j < 1500; ++j) ASSERT_EQ(back.at<std::int32_t>({i, j}), j * 1501 + i);
}

TEST_F(CopyTest, LetsTheHostMemoryChangeAtOnce) {
  const Stream queue = stream();
  const Tensor tensor = arange(DType::i32, {1000}).value();
  const Tensor there = to_device(queue, tensor).value();
  tensor.at<std::int32_t>({500}) = -1;
  EXPECT_EQ(to_host(queue, there)->at<std::int32_t>({500}), 500);
}

TEST_F(CopyTest, WritesThroughTheStridesOfAHostTensor) {
  const Stream queue = stream();
  const Tensor there = to_device(queue, arange(DType::i32, {6, 4}).value()).value();
  const Tensor base = full(DType::i32, {4, 7}, Scalar::of(std::int64_t{-1})).value();
  const Tensor target = base.transpose({1, 0}).value().slice(0, {.start = 5, .step = -1}).value();  // 6 x 4
  ASSERT_TRUE(copy_to_host(queue, target.view(), device_address(there)).has_value());
  EXPECT_EQ(elements(target), elements(arange(DType::i32, {6, 4}).value()));
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(base.at<std::int32_t>({i, 6}), -1);
}

TEST_F(CopyTest, ReadsStridedTensorsOfTheDevice) {
  const Stream queue = stream();
  const Tensor host = arange(DType::i32, {3, 4, 5}).value();
  const Tensor there = to_device(queue, host).value();
  const auto same_views = [&](auto view) {
    EXPECT_EQ(elements(to_host(queue, view(there)).value()), elements(view(host)));
  };
  same_views([](const Tensor& t) { return t.transpose({2, 1, 0}).value(); });
  same_views([](const Tensor& t) { return t.slice(1, {.step = -1}).value(); });
  same_views([](const Tensor& t) { return t.slice(2, {.start = 3, .stop = 0, .step = -2}).value(); });
  same_views([](const Tensor& t) { return t.select(2, 4).value(); });
}

TEST_F(CopyTest, TakesTensorsWithoutElements) {
  const Stream queue = stream();
  const Tensor none = to_device(queue, Tensor::allocate(DType::f32, {3, 0}).value()).value();
  EXPECT_EQ(none.shape(), (Shape{3, 0}));
  EXPECT_EQ(to_host(queue, none)->shape(), (Shape{3, 0}));
  EXPECT_EQ(fake().count("cuMemAllocAsync"), 0);
}

TEST_F(CopyTest, KeepsTheMemoryWhileATensorLives) {
  const Stream queue = stream();
  std::optional<Tensor> there = to_device(queue, arange(DType::i32, {100}).value()).value();
  const Tensor part = there->slice(0, {.start = 10, .stop = 20}).value();
  there.reset();
  EXPECT_EQ(fake().used_bytes(0), 400);
  EXPECT_EQ(to_host(queue, part)->at<std::int32_t>({3}), 13);
}

TEST_F(CopyTest, RefusesTensorsOfOtherPlaces) {
  fake().reset({FakeDevice{}, FakeDevice{}});
  const DriverPtr loaded = driver();
  const Stream zero = Stream::create(Context::open(loaded, 0).value()).value();
  const Stream one = Stream::create(Context::open(loaded, 1).value()).value();
  const Tensor host = arange(DType::i32, {4}).value();
  const Tensor there = to_device(zero, host).value();
  EXPECT_EQ(error_of(to_device(zero, there)), "R017: the host cannot read a tensor on cuda:0");
  EXPECT_EQ(error_of(to_host(one, there)), "R017: cuda:1 cannot read a tensor on cuda:0");
  EXPECT_EQ(error_of(to_host(zero, host)), "R017: cuda:0 cannot read a tensor on cpu");
}

TEST_F(CopyTest, RefusesShapesTooLarge) {
  const Stream queue = stream();
  EXPECT_EQ(error_of(allocate_tensor(queue, DType::f32, {std::int64_t{1} << 40, std::int64_t{1} << 40})).substr(0, 5),
            "R003:");
  EXPECT_EQ(error_of(allocate_tensor(queue, DType::f32, {std::int64_t{1} << 40})).substr(0, 35),
            "R091: no memory for 4398046511104 b");
}

/// Whichever call fails, and however often it has worked before: an error with its name, no handle left, and the next
/// copy works.
TEST_F(CopyTest, SurvivesAFailureOfEveryCall) {
  const std::int64_t count = 3 * staging_chunk_bytes / 4 + 1;
  const Tensor tensor = arange(DType::i32, {count}).value();
  const std::array<const char*, 7> calls{"cuMemAllocAsync",   "cuMemHostAlloc",    "cuEventCreate",     "cuEventRecord",
                                         "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuEventSynchronize"};
  for (const char* call : calls) {
    int failures = 0;
    for (int nth = 1; nth < 20; ++nth) {
      fake().reset({FakeDevice{}});
      const Stream queue = stream();
      fake().fail(call, nth, Status::not_found);
      const auto copy = [&]() -> Result<Tensor> {
        const Result<Tensor> there = to_device(queue, tensor);
        return there ? to_host(queue, *there) : there;
      };
      const auto failed = copy();
      if (failed) break;  // there is no such call any more
      ++failures;
      EXPECT_NE(error_of(failed).find("CUDA_ERROR_NOT_FOUND"), std::string::npos) << error_of(failed);
      EXPECT_NE(error_of(failed).find(call), std::string::npos) << error_of(failed);
      const Tensor back = copy().value();
      EXPECT_EQ(back.at<std::int32_t>({count - 1}), count - 1);
    }
    EXPECT_GE(failures, 1) << call;
    EXPECT_EQ(fake().live(), "") << call;
  }
}

TEST_F(CopyTest, KeepsAFewPinnedChunks) {
  const Stream queue = stream();
  const Tensor tensor = arange(DType::i32, {10}).value();
  for (int n = 0; n < 5; ++n) (void)to_host(queue, to_device(queue, tensor).value()).value();
  EXPECT_EQ(fake().count("cuMemHostAlloc"), 2);
}

}  // namespace
}  // namespace tilewright::cuda
