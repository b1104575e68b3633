// Operands of every rank and shape of view through the engine: what an index reads, with answers written by hand or
// from the position that the view says.
#include <cmath>
#include <limits>

#include "engine_call.h"

namespace tilewright::differential {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

TEST(EngineViews, ranks_0_to_8_reversed) {
  const std::vector<std::string> all{"i", "j", "k", "l", "m", "n", "p", "q"};
  for (std::size_t rank = 0; rank <= 8; ++rank) {
    const std::vector<std::string> names(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(rank));
    const std::vector<std::string> reversed(names.rbegin(), names.rend());
    Extents shape;
    for (std::size_t axis = 0; axis < rank; ++axis) shape.push_back(axis % 3 == 1 ? 3 : 2);
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    const Tensor a = tensor_of(DType::f32, shape, counting(count));
    // Element (…, y, x) of the result is the operand's (x, y, …).
    Numbers expected;
    for_each_index(Extents(shape.rbegin(), shape.rend()), [&](const Extents& index) {
      std::int64_t position = 0;
      for (std::size_t axis = 0; axis < rank; ++axis) position = position * shape[axis] + index[rank - 1 - axis];
      expected.push_back(static_cast<double>(2 * position));
    });
    const std::string read = "a[" + joined(names) + "]";
    EXPECT_EQ(evaluated("o[" + joined(reversed) + "] = " + read + " * 2", {{"a", a}}), expected) << rank;
    EXPECT_EQ(evaluated("s[] ++= " + read, {{"a", a}}), Numbers{static_cast<double>(count * (count - 1) / 2)}) << rank;
    EXPECT_EQ(evaluated("s[] max= " + read, {{"a", a}}), Numbers{static_cast<double>(count - 1)}) << rank;
  }
}

TEST(EngineViews, scalars_come_in_as_rank_0) {
  const Tensor alpha = tensor_of(DType::f32, {}, {3});
  EXPECT_EQ(evaluated("o[i] = alpha[] * x[i] + beta[]", {{"alpha", alpha},
                                                         {"beta", tensor_of(DType::f32, {}, {-1})},
                                                         {"x", tensor_of(DType::f32, {19}, counting(19))}})
                .back(),
            53);
  EXPECT_EQ(evaluated("o[] = alpha[]", {{"alpha", alpha}}), Numbers{3});
}

TEST(EngineViews, diagonals) {
  // Element (i, j) holds 10 i + j.
  Numbers contents;
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 9; ++j) contents.push_back(10 * i + j);
  const Numbers diagonal{0, 11, 22, 33, 44, 55, 66, 77, 88};
  for (const Extents& strides : {Extents{9, 1}, Extents{1, 9}, Extents{-9, 1}, Extents{9, -1}, Extents{-1, -9},
                                 Extents{31, 3}, Extents{2, 19}}) {
    const GuardedTensor a(DType::i32, {9, 9}, strides, contents, 1);
    EXPECT_EQ(evaluated("o[i] = a[i, i]", {{"a", a.tensor()}}), diagonal);
    EXPECT_EQ(evaluated("trace[] ++= a[i, i]", {{"a", a.tensor()}}), Numbers{396});
    EXPECT_EQ(evaluated("o[] max= a[i, i]", {{"a", a.tensor()}}), Numbers{88});
    EXPECT_EQ(evaluated("o[i] = a[i, 8 - i]", {{"a", a.tensor()}}), (Numbers{8, 17, 26, 35, 44, 53, 62, 71, 80}));
    // The row, its column's sum and the diagonal at once: (10 i + j) + (10 i + i).
    EXPECT_EQ(evaluated("o[i, j] = a[i, j] + a[i, i]", {{"a", a.tensor()}})[9 * 4 + 2], 42 + 44);
    // Products with the diagonal: Σ_k a[i, k] · a[k, k].
    double sum = 0;
    for (int k = 0; k < 9; ++k) sum += (30 + k) * 11 * k;
    EXPECT_EQ(evaluated("o[i] ++= a[i, k] * a[k, k]", {{"a", a.tensor()}})[3], sum);
  }
}

TEST(EngineViews, diagonals_of_more_axes) {
  const Tensor a = tensor_of(DType::f32, {3, 5, 5, 2}, counting(150));  // position 50 i + 10 k + 2 l + j
  // Σ_k (50 i + 12 k + j) = 250 i + 120 + 5 j
  EXPECT_EQ(evaluated("o[i, j] ++= a[i, k, k, j]", {{"a", a}}), (Numbers{120, 125, 370, 375, 620, 625}));
  const Tensor cube = tensor_of(DType::f32, {4, 4, 4}, counting(64));
  EXPECT_EQ(evaluated("o[i] = a[i, i, i]", {{"a", cube}}), (Numbers{0, 21, 42, 63}));
}

TEST(EngineViews, windows) {
  for (const std::int64_t step : {1, 2, -1, -3, 0}) {
    const GuardedTensor a(DType::f32, {12}, {step}, step == 0 ? Numbers(12, 5) : counting(12));
    const auto at = [&](std::int64_t n) { return step == 0 ? 5 : static_cast<double>(n); };
    Numbers sums;
    Numbers apart;
    for (std::int64_t i = 0; i < 10; ++i) sums.push_back(at(i) + at(i + 1) + at(i + 2));
    for (std::int64_t i = 0; i < 5; ++i) apart.push_back(std::max({at(2 * i), at(2 * i + 1), at(2 * i + 2)}));
    EXPECT_EQ(evaluated("o[i] ++= a[i + k] | (i, k in 0 ..< 3)", {{"a", a.tensor()}}), sums) << step;
    EXPECT_EQ(evaluated("o[i] max= a[2*i + k] | (i, k in 0 ..< 3)", {{"a", a.tensor()}}), apart) << step;
    EXPECT_EQ(evaluated("o[i] = a[-i + 7] | (i in 0 ..< 8)", {{"a", a.tensor()}}),
              step == 0 ? Numbers(8, 5) : (Numbers{7, 6, 5, 4, 3, 2, 1, 0}))
        << step;
  }
}

TEST(EngineViews, a_window_in_two_axes_weighs_its_elements) {
  const Tensor a = tensor_of(DType::f32, {5, 7}, counting(35));  // 7 i + j
  const Tensor w = tensor_of(DType::f32, {2, 3}, {1, 10, 100, 1000, 10000, 100000});
  const Numbers result = evaluated("o[i, j] ++= a[i + r, j + s] * w[r, s]", {{"a", a}, {"w", w}});
  ASSERT_EQ(result.size(), 4U * 5U);
  // At (1, 2): 9, 10, 11 above 16, 17, 18.
  EXPECT_EQ(result[5 * 1 + 2], 9 + 100 + 1100 + 16000 + 170000 + 1800000);
  EXPECT_EQ(result[0], 0 + 10 + 200 + 7000 + 80000 + 900000);
}

TEST(EngineViews, padding) {
  const Tensor a = tensor_of(DType::f32, {5}, {1, 2, 3, 4, 5});
  EXPECT_EQ(evaluated("o[i] = a[i - 2] else 7 | (i in 0 ..< 9)", {{"a", a}}), (Numbers{7, 7, 1, 2, 3, 4, 5, 7, 7}));
  EXPECT_EQ(evaluated("o[i] = a[i - 1] else -0.5 + a[i] else 100 | (i in 0 ..< 6)", {{"a", a}}),
            (Numbers{0.5, 3, 5, 7, 9, 105}));
  EXPECT_EQ(evaluated("o[i] max= a[i + k - 1] else -inf | (i in 0 ..< 5, k in 0 ..< 3)", {{"a", a}}),
            (Numbers{2, 3, 4, 5, 5}));
  EXPECT_EQ(evaluated("o[i] min= a[i + k - 1] else inf | (i in 0 ..< 7, k in 0 ..< 3)", {{"a", a}}),
            (Numbers{1, 1, 2, 3, 4, 5, infinity}));
  const Numbers nans = evaluated("o[i] = a[3*i] else nan | (i in 0 ..< 3)", {{"a", a}});
  EXPECT_EQ(nans[1], 4);
  EXPECT_TRUE(std::isnan(nans[2]));
  EXPECT_EQ(evaluated("o[i] = b[i - 1] else -3 | (i in 0 ..< 4)", {{"b", tensor_of(DType::i8, {2}, {-128, 127})}}),
            (Numbers{-3, -128, 127, -3}));
  EXPECT_EQ(evaluated("o[i] = b[i] else 3 | (i in 0 ..< 3)", {{"b", tensor_of(DType::u8, {0}, {})}}), Numbers(3, 3));
}

TEST(EngineViews, padding_in_every_axis_of_a_strided_view) {
  // 3 × 4 with a frame of −1, read from views of any strides.
  Numbers expected;
  for (std::int64_t i = -1; i <= 3; ++i)
    for (std::int64_t j = -1; j <= 4; ++j)
      expected.push_back(i < 0 || i > 2 || j < 0 || j > 3 ? -1 : static_cast<double>(4 * i + j));
  for (const Extents& strides : {Extents{4, 1}, Extents{1, 3}, Extents{-4, 1}, Extents{5, -1}, Extents{-40, -9}}) {
    const GuardedTensor a(DType::f32, {3, 4}, strides, counting(12), 3);
    EXPECT_EQ(evaluated("o[i, j] = a[i - 1, j - 1] else -1 | (i in 0 ..< 5, j in 0 ..< 6)", {{"a", a.tensor()}}),
              expected);
  }
}

/// Σ_k a[i, k] · b[k, j] of the contents below, for any strides of both: 4 × 6 by 6 × 5.
TEST(EngineViews, products_of_views_of_any_strides) {
  Numbers a;
  Numbers b;
  Numbers expected;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 6; ++k) a.push_back(i == 0 ? 1 : (i + k) % 3 - 1);
  for (int k = 0; k < 6; ++k)
    for (int j = 0; j < 5; ++j) b.push_back(j - 2 * k);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 5; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 6; ++k) sum += a[6 * i + k] * b[5 * k + j];
      expected.push_back(sum);
    }
  EXPECT_EQ(expected[1], 6 - 30);  // Σ_k (1 − 2 k)
  const std::vector<Extents> left{{6, 1}, {1, 4}, {-6, 1}, {7, -1}, {13, 2}, {1, -4}, {-3, -17}};
  const std::vector<Extents> right{{5, 1}, {1, 6}, {5, -1}, {-6, 1}, {11, 2}, {-1, 7}, {-2, -13}};
  for (const Extents& a_strides : left)
    for (const Extents& b_strides : right)
      for (const DType type : {DType::f32, DType::f64, DType::i32}) {
        const GuardedTensor x(type, {4, 6}, a_strides, a, 1);
        const GuardedTensor y(type, {6, 5}, b_strides, b, 3);
        EXPECT_EQ(evaluated("o[i, j] ++= a[i, k] * b[k, j]", {{"a", x.tensor()}, {"b", y.tensor()}}), expected);
      }
}

TEST(EngineViews, stride_0_repeats_one_element) {
  const GuardedTensor column(DType::f32, {6, 4}, {1, 0},
                             {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5});
  const GuardedTensor row(DType::f32, {6, 4}, {0, 1},
                          {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4});
  const GuardedTensor one(DType::f32, {6, 4}, {0, 0}, Numbers(24, 2));
  const std::vector<Operand> operands{{"c", column.tensor()}, {"r", row.tensor()}, {"u", one.tensor()}};
  const Numbers sums = evaluated("o[i, j] = c[i, j] + 10 * r[i, j] + 100 * u[i, j]", operands);
  EXPECT_EQ(sums[4 * 5 + 2], 5 + 30 + 200);
  EXPECT_EQ(evaluated("o[] ++= c[i, j] * r[i, j] * u[i, j]", operands), Numbers{2 * 15 * 10});
  EXPECT_EQ(evaluated("o[j] ++= c[i, j]", {operands[0]}), Numbers(4, 15));
  EXPECT_EQ(evaluated("o[i, l] ++= c[i, j] * r[l, j]", {operands[0], operands[1]})[6 * 5 + 3], 50);
}

TEST(EngineViews, bases_of_any_alignment) {
  for (const DType type : {DType::u8, DType::f16, DType::f32, DType::f64})
    for (std::int64_t misalign = 0; misalign < 18; ++misalign) {
      const GuardedTensor a(type, {100}, {}, counting(100), misalign);
      const GuardedTensor b(type, {100}, {}, Numbers(100, 1), 17 - misalign);
      const GuardedTensor o(type, {100}, {}, (misalign * 7) % 18);
      EXPECT_EQ(written("o" + std::string(type == DType::u8 ? ":u8" : "") + "[i] = a[i] + b[i]",
                        {{"a", a.tensor()}, {"b", b.tensor()}}, o.tensor()),
                "");
      EXPECT_EQ(values_of(o.tensor()), counting(100, 1)) << name(type) << " " << misalign;
      EXPECT_EQ(o.memory().damage(), "");
    }
}

}  // namespace
}  // namespace tilewright::differential
