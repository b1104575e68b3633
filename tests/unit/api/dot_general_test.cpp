// dot_general from C++ and from text: values against plain loops, and the errors of its axes. Random lists of axes are
// in tests/unit/nest/dot_general_test.cpp.
#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "raised.h"
#include "tilewright/engine.h"

namespace tilewright {
namespace {

const Engine& processor() {
  static const Engine cpu = Engine::open("cpu", {.disk_cache = false});
  return cpu;
}

/// Whole numbers, so that every sum of a few products is exact in any order.
Tensor numbered(const Shape& shape, int seed) {
  std::vector<double> values(1);
  for (const std::int64_t extent : shape) values.resize(values.size() * static_cast<std::size_t>(extent));
  int next = seed;
  for (double& value : values) {
    next = (next * 37 + 11) % 101;
    value = next % 9 - 4;
  }
  return Tensor::copy_of(std::span(values), shape);
}

struct Expected {
  Shape shape;
  std::vector<double> values;
};

void expect_values(const Tensor& result, const Expected& expected) {
  EXPECT_EQ(result.shape(), expected.shape);
  const auto elements = result.elements<double>();
  EXPECT_EQ(std::vector<double>(elements.begin(), elements.end()), expected.values);
}

TEST(DotGeneral, is_a_batched_product) {
  // c[n, i, j] = sum of a[k, n, i] b[j, k, n] over k, in loops of its own.
  const Tensor a = numbered({4, 2, 3}, 1);
  const Tensor b = numbered({5, 4, 2}, 2);
  Expected expected{{2, 3, 5}, {}};
  for (std::int64_t n = 0; n < 2; ++n)
    for (std::int64_t i = 0; i < 3; ++i)
      for (std::int64_t j = 0; j < 5; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k < 4; ++k) sum += a.at<double>(k, n, i) * b.at<double>(j, k, n);
        expected.values.push_back(sum);
      }
  const DotAxes axes{.lhs_contracting = {0}, .rhs_contracting = {1}, .lhs_batch = {1}, .rhs_batch = {2}};
  expect_values(processor().dot_general(a, b, axes), expected);
  const Kernel kernel = Kernel::dot_general(3, 3, axes);
  EXPECT_EQ(kernel.text(), "result[n0, i0, j0] ++= a[k0, n0, i0] * b[j0, k0, n0]\n");
  EXPECT_EQ(kernel.name(), "result");
  EXPECT_EQ(kernel.operand_names(), (std::vector<std::string>{"a", "b"}));
  expect_values(processor().eval(kernel, {{"b", b}, {"a", a}}), expected);
}

TEST(DotGeneral, smallest_cases) {
  const Tensor x = Tensor::copy_of({1.0, 2.0, 3.0}, {3});
  const Tensor y = Tensor::copy_of({10.0, 20.0, 40.0}, {3});
  const Tensor two = Tensor::full(DType::f64, {}, 2.0);
  expect_values(processor().dot_general(x, y, {}), {{3, 3}, {10, 20, 40, 20, 40, 80, 30, 60, 120}});
  expect_values(processor().dot_general(x, y, {.lhs_contracting = {0}, .rhs_contracting = {0}}), {{}, {170}});
  expect_values(processor().dot_general(x, y, {.lhs_batch = {0}, .rhs_batch = {0}}), {{3}, {10, 40, 120}});
  expect_values(processor().dot_general(two, y, {}), {{3}, {20, 40, 80}});
  expect_values(processor().dot_general(two, two, {}), {{}, {4}});
  const Tensor empty = Tensor::zeros(DType::f64, {3, 0});
  expect_values(processor().dot_general(empty, empty, {.lhs_contracting = {1}, .rhs_contracting = {1}}),
                {{3, 3}, std::vector<double>(9, 0.0)});
  // One tensor with itself, over both axes in the other order: the sum of m[i, j] m[j, i].
  const Tensor m = Tensor::copy_of({1.0, 2.0, 3.0, 4.0}, {2, 2});
  expect_values(processor().dot_general(m, m, {.lhs_contracting = {0, 1}, .rhs_contracting = {1, 0}}), {{}, {29}});
}

TEST(DotGeneral, takes_axes_in_any_order) {
  // c[p, q, i, l, j] = sum of a[q, i, k, p, l] b[k, p, j, q] over k.
  const Tensor a = numbered({2, 3, 4, 5, 2}, 7);
  const Tensor b = numbered({4, 5, 3, 2}, 8);
  Expected expected{{5, 2, 3, 2, 3}, {}};
  for (std::int64_t p = 0; p < 5; ++p)
    for (std::int64_t q = 0; q < 2; ++q)
      for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t l = 0; l < 2; ++l)
          for (std::int64_t j = 0; j < 3; ++j) {
            double sum = 0;
            for (std::int64_t k = 0; k < 4; ++k) sum += a.at<double>(q, i, k, p, l) * b.at<double>(k, p, j, q);
            expected.values.push_back(sum);
          }
  const DotAxes axes{.lhs_contracting = {2}, .rhs_contracting = {0}, .lhs_batch = {3, 0}, .rhs_batch = {1, 3}};
  expect_values(processor().dot_general(a, b, axes), expected);
  const Kernel program = Kernel::parse(
      "program p(x, y) -> (d):\n"
      "  c[p, q, i, l, j] = dot_general(x[:, :, :, :, :], y[:, :, :, :], batch = [3, 0] x [1, 3], contracting = [2] x "
      "[0])\n"
      "  d[p, q, i, l, j] = -c[p, q, i, l, j]\n");
  for (double& value : expected.values) value = -value;
  expect_values(processor().eval(program, {a, b}), expected);
}

TEST(DotGeneral, result_type_and_precision) {
  const DotAxes matrices{.lhs_contracting = {1}, .rhs_contracting = {0}};
  EXPECT_EQ(Kernel::dot_general(2, 2, matrices, {.precision = Precision::tf32, .result_type = DType::f16}).text(),
            "result:f16[i0, j0] ++= a[i0, k0] * b[k0, j0] do:\n  precision: tf32\n");
  const Tensor a = Tensor::full(DType::i8, {2, 3}, 100);
  const Tensor b = Tensor::full(DType::i8, {3, 2}, 100);
  EXPECT_EQ(processor().dot_general(a, b, matrices).at<std::int32_t>(1, 1), 30000);
  const Tensor wide = processor().dot_general(a, b, matrices, {.result_type = DType::f64});
  EXPECT_EQ(wide.at<double>(1, 0), 30000.0);
  const Tensor f = Tensor::zeros(DType::f32, {2, 2});
  EXPECT_EQ(code_of([&] { processor().dot_general(f, f, matrices, {.precision = Precision::tf32}); }), "R071");
}

struct Wrong {
  std::size_t lhs_rank, rhs_rank;
  DotAxes axes;
  std::string code, message;
};

TEST(DotGeneral, errors_of_the_axes) {
  const Wrong rows[] = {
      {2, 2, {.lhs_contracting = {1}, .rhs_contracting = {2}}, "L081", "'b' has no axis 2: its rank is 2"},
      {0, 1, {.lhs_batch = {0}, .rhs_batch = {0}}, "L081", "'a' has no axis 0: its rank is 0"},
      {2,
       1,
       {.lhs_contracting = {std::size_t(-1)}, .rhs_contracting = {0}},
       "L081",
       "'a' has no axis 18446744073709551615: its rank is 2"},
      {3,
       3,
       {.lhs_contracting = {1, 1}, .rhs_contracting = {0, 1}},
       "L082",
       "axis 1 of 'a' stands twice among its contracting axes"},
      {3, 3, {.lhs_batch = {0, 1}, .rhs_batch = {2, 2}}, "L082", "axis 2 of 'b' stands twice among its batch axes"},
      {3,
       3,
       {.lhs_contracting = {0}, .rhs_contracting = {2}, .lhs_batch = {1}, .rhs_batch = {2}},
       "L083",
       "axis 2 of 'b' is both a contracting and a batch axis"},
      {3,
       3,
       {.lhs_contracting = {0, 1}, .rhs_contracting = {2}},
       "L084",
       "2 contracting axes of the left operand 'a', and 1 of the right one, 'b'"},
      {3, 3, {.rhs_batch = {2}}, "L084", "0 batch axes of the left operand 'a', and 1 of the right one, 'b'"},
      {5, 4, {}, "L022", "the target 'result' has rank 9"},
      {9, 1, {}, "L022", "the left operand of dot_general has rank 9"},
      {1, std::size_t(-1), {}, "L022", "the right operand of dot_general has rank 18446744073709551615"},
  };
  for (const Wrong& row : rows) {
    const auto made = Kernel::try_dot_general(row.lhs_rank, row.rhs_rank, row.axes);
    ASSERT_FALSE(made) << row.message;
    EXPECT_EQ(made.error().size(), 1U) << row.message;
    EXPECT_EQ(made.error().front().code, row.code);
    EXPECT_EQ(made.error().front().message, row.message);
    EXPECT_FALSE(made.error().front().remedy.empty());
  }
}

TEST(DotGeneral, errors_have_their_place) {
  const auto made = Kernel::try_dot_general(2, 2, {.lhs_contracting = {1}, .rhs_contracting = {3}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().front().text,
            "dot_general:1:69: error[L081]: 'b' has no axis 3: its rank is 2\n"
            "    result[i0, j0] = dot_general(a[:, :], b[:, :], contracting = [1] x [3], batch = [] x [])\n"
            "                                                                        ^\n"
            "    = help: its axes are 0 to 1\n");
  const auto called = processor().try_dot_general(Tensor::zeros(DType::f32, {2, 3}), Tensor::zeros(DType::f32, {4, 5}),
                                                  {.lhs_contracting = {1}, .rhs_contracting = {0}});
  ASSERT_FALSE(called);
  EXPECT_EQ(called.error().front().code, "B010");
  EXPECT_EQ(called.error().front().message,
            "extents of contracting axes differ: axis 1 of 'a' is 3, axis 0 of 'b' is 4");
  EXPECT_EQ(called.error().front().source, "dot_general");
  EXPECT_EQ(
      code_of([] { processor().dot_general(Tensor::zeros(DType::f32, {2}), Tensor::zeros(DType::f64, {2}), {}); }),
      "B020");
}

}  // namespace
}  // namespace tilewright
