// Views of tensors: each element of the view is the element of the base that the definition names.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "runtime/tensor.h"

namespace tilewright {
namespace {

template <class T>
std::string code_of(const Result<T>& result) {
  return result ? "no error" : result.error().front().code;
}

/// 0, 1, 2, … in row-major order.
Tensor numbered(const Shape& shape) {
  Tensor tensor = Tensor::allocate(DType::i32, shape).value();
  for (std::int64_t i = 0; i < tensor.element_count(); ++i)
    reinterpret_cast<std::int32_t*>(tensor.data())[i] = static_cast<std::int32_t>(i);
  return tensor;
}

/// The elements in row-major order.
std::vector<std::int64_t> elements(const Tensor& tensor) {
  std::vector<std::int64_t> values;
  const TensorView view = tensor.view();
  for_each_index(view.shape,
                 [&](const std::vector<std::int64_t>& index) { values.push_back(view.get(index).as_int()); });
  return values;
}

using Values = std::vector<std::int64_t>;

TEST(TensorViews, SliceFollowsPython) {
  struct Case {
    Slice slice;
    Values expected;  // of list(range(10))[slice]
  };
  const Tensor ten = numbered({10});
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const std::vector<Case> cases = {
      {{}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
      {{.start = 2, .stop = 5}, {2, 3, 4}},
      {{.step = 3}, {0, 3, 6, 9}},
      {{.start = 1, .stop = 9, .step = 4}, {1, 5}},
      {{.step = -1}, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}},
      {{.start = -3}, {7, 8, 9}},
      {{.stop = -7}, {0, 1, 2}},
      {{.start = 7, .stop = 2, .step = -2}, {7, 5, 3}},
      {{.start = 100, .stop = -100, .step = -4}, {9, 5, 1}},
      {{.start = 2, .step = -1}, {2, 1, 0}},
      {{.start = 5, .stop = 5}, {}},
      {{.start = 6, .stop = 3}, {}},
      {{.start = 3, .stop = 6, .step = -1}, {}},
      {{.start = -100, .stop = 2}, {0, 1}},
      {{.step = most}, {0}},
      {{.step = least}, {9}},
      {{.start = least, .stop = most, .step = 9}, {0, 9}},
  };
  for (const Case& c : cases) EXPECT_EQ(elements(ten.slice(0, c.slice).value()), c.expected);
  EXPECT_EQ(code_of(ten.slice(0, {.step = 0})), "R010");
  EXPECT_EQ(code_of(ten.slice(1, {})), "R009");
}

TEST(TensorViews, SlicesOfSlicesCompose) {
  const Tensor grid = numbered({4, 6});
  const Tensor view = grid.slice(1, {.start = 5, .step = -2})->slice(0, {.start = 1, .step = 2}).value();
  EXPECT_EQ(elements(view), (Values{11, 9, 7, 23, 21, 19}));
  EXPECT_EQ(elements(view.slice(1, {.step = -1}).value()), (Values{7, 9, 11, 19, 21, 23}));
}

TEST(TensorViews, TransposePermutesShapeAndStrides) {
  const Tensor cube = numbered({2, 3, 4});
  const Tensor view = cube.transpose({2, 0, 1}).value();
  EXPECT_EQ(view.shape(), (Shape{4, 2, 3}));
  EXPECT_EQ(view.get({3, 1, 2}), cube.get({1, 2, 3}));
  EXPECT_EQ(view.get({1, 0, 2}), Scalar::of(std::int64_t{9}));
  EXPECT_EQ(code_of(cube.transpose({0, 1})), "R011");
  EXPECT_EQ(code_of(cube.transpose({0, 1, 1})), "R011");
  EXPECT_EQ(code_of(cube.transpose({0, 1, 3})), "R011");
}

TEST(TensorViews, BroadcastRepeatsWithStrideZero) {
  const Tensor column = numbered({3, 1});
  const Tensor view = column.broadcast_to({2, 3, 2}).value();
  EXPECT_EQ(elements(view), (Values{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(view.strides(), (Shape{0, 1, 0}));
  EXPECT_TRUE(view.is_read_only());
  EXPECT_FALSE(column.broadcast_to({1, 3, 1})->is_read_only());
  EXPECT_EQ(column.broadcast_to({0, 3, 5})->element_count(), 0);
  EXPECT_EQ(code_of(column.broadcast_to({3})), "R012");
  EXPECT_EQ(code_of(column.broadcast_to({4, 2})), "R012");
  EXPECT_EQ(code_of(column.broadcast_to({3, -1})), "R002");
}

TEST(TensorViews, ReshapeOfContiguousTensorsIsAlwaysAView) {
  const Tensor grid = numbered({4, 6});
  for (const Shape& shape : {Shape{24}, Shape{2, 2, 3, 2}, Shape{6, 4}, Shape{1, 24, 1}, Shape{3, 8}}) {
    const Tensor view = grid.reshape(shape).value();
    EXPECT_EQ(view.data(), grid.data());
    EXPECT_EQ(elements(view), elements(grid)) << shape_text(shape);
  }
  EXPECT_EQ(code_of(grid.reshape({5, 5})), "R013");
  EXPECT_EQ(code_of(grid.reshape({-4, -6})), "R002");
  EXPECT_EQ(numbered({}).reshape({1, 1})->shape(), (Shape{1, 1}));
  EXPECT_EQ(numbered({0, 3}).reshape({7, 0})->shape(), (Shape{7, 0}));
}

TEST(TensorViews, ReshapeOfStridedTensorsIsAViewWhereSpacingAllows) {
  const Tensor grid = numbered({8, 6});
  const Tensor every_other = grid.slice(0, {.step = 2}).value();  // [4, 6], strides [12, 1]
  const Tensor split = every_other.reshape({2, 2, 3, 2}).value();
  EXPECT_EQ(split.strides(), (Shape{24, 12, 2, 1}));
  EXPECT_EQ(elements(split), elements(every_other));
  EXPECT_EQ(code_of(every_other.reshape({24})), "R014");
  EXPECT_EQ(code_of(grid.transpose({1, 0})->reshape({48})), "R014");
  EXPECT_EQ(code_of(grid.transpose({1, 0})->reshape({3, 16})), "R014");
  const Tensor reversed = grid.reshape({48})->slice(0, {.step = -1}).value();
  EXPECT_EQ(elements(reversed.reshape({6, 8}).value()), elements(reversed));
  EXPECT_EQ(reversed.reshape({6, 8})->strides(), (Shape{-8, -1}));
  const Tensor repeated = numbered({1}).broadcast_to({6}).value();
  EXPECT_EQ(repeated.reshape({2, 3})->strides(), (Shape{0, 0}));
}

TEST(TensorViews, SqueezeUnsqueezeAndSelect) {
  const Tensor cube = numbered({2, 1, 3});
  EXPECT_EQ(cube.squeeze(1)->shape(), (Shape{2, 3}));
  EXPECT_EQ(elements(cube.squeeze(1).value()), elements(cube));
  EXPECT_EQ(code_of(cube.squeeze(0)), "R015");
  EXPECT_EQ(code_of(cube.squeeze(3)), "R009");
  EXPECT_EQ(cube.unsqueeze(0)->shape(), (Shape{1, 2, 1, 3}));
  EXPECT_EQ(cube.unsqueeze(3)->shape(), (Shape{2, 1, 3, 1}));
  EXPECT_EQ(elements(cube.unsqueeze(2).value()), elements(cube));
  EXPECT_EQ(code_of(cube.unsqueeze(4)), "R009");
  EXPECT_EQ(code_of(numbered(Shape(8, 1)).unsqueeze(0)), "R001");
  EXPECT_EQ(elements(cube.select(2, -1).value()), (Values{2, 5}));
  EXPECT_EQ(elements(cube.select(0, 1).value()), (Values{3, 4, 5}));
  EXPECT_EQ(code_of(cube.select(0, 2)), "R016");
  EXPECT_EQ(code_of(cube.select(0, -3)), "R016");
  EXPECT_EQ(code_of(numbered({0}).select(0, 0)), "R016");
}

}  // namespace
}  // namespace tilewright
