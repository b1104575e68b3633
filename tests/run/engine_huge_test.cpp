// Views whose elements lie further apart than 32 bits count, and extents past 2³¹: over memory that is reserved and
// never used, but for the pages of the few elements that exist.
#include <sys/mman.h>

#include "engine_call.h"

namespace tilewright::differential {
namespace {

constexpr std::int64_t two_31 = std::int64_t{1} << 31;

/// Address space for the elements of a view, and their contents in row-major order where any are given.
class SparseTensor {
 public:
  SparseTensor(DType dtype, const Extents& shape, const Extents& strides, const Numbers& contents = {}) {
    const Reach range = reach(shape, strides);
    const auto size = static_cast<std::int64_t>(size_of(dtype));
    bytes_ = static_cast<std::size_t>((range.high - range.low + 1) * size);
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory_ == MAP_FAILED) return;
    madvise(memory_, bytes_, MADV_NOHUGEPAGE);
    tensor_ = tensor_over({static_cast<std::byte*>(memory_) - range.low * size, dtype, shape, strides});
    std::size_t n = 0;
    if (!contents.empty())
      for_each_index(shape, [&](const Extents& index) {
        tensor_.view().set(index, cast_scalar(Scalar::of(contents.at(n++)), DType::f64, dtype));
      });
  }
  SparseTensor(const SparseTensor&) = delete;
  SparseTensor& operator=(const SparseTensor&) = delete;
  ~SparseTensor() {
    if (memory_ != MAP_FAILED) munmap(memory_, bytes_);
  }

  bool exists() const { return memory_ != MAP_FAILED; }
  const Tensor& tensor() const { return tensor_; }

 private:
  void* memory_ = MAP_FAILED;
  std::size_t bytes_ = 0;
  Tensor tensor_;
};

/// Strides for 3 × 5 elements: past 2³¹ elements in one axis, in bytes alone, in both, downwards, and with the axis of
/// unit stride first.
const std::vector<Extents> far_apart{{two_31 + 1, 1},     {(two_31 / 4) + 3, 1},       {-two_31 - 7, 2},
                                     {1, two_31 / 2 + 5}, {two_31 + 1, 1 << 20},       {-(two_31 / 2) - 1, -3},
                                     {1, -two_31 - 3},    {5 * two_31 + 2, two_31 + 1}};

TEST(EngineHuge, reads_of_elements_far_apart) {
  for (const Extents& strides : far_apart)
    for (const DType type : {DType::f32, DType::f64, DType::u8}) {
      const SparseTensor a(type, {3, 5}, strides, counting(15));
      if (!a.exists()) GTEST_SKIP() << "no address space";
      const std::vector<Operand> operands{{"a", a.tensor()}};
      EXPECT_EQ(evaluated("o[i, j] = a[i, j]", operands), counting(15));
      EXPECT_EQ(evaluated("o[j, i] = a[i, j]", operands), (Numbers{0, 5, 10, 1, 6, 11, 2, 7, 12, 3, 8, 13, 4, 9, 14}));
      EXPECT_EQ(evaluated("o[] ++= a[i, j]", operands), Numbers{105});
      EXPECT_EQ(evaluated("o[i] ++= a[i, j]", operands), (Numbers{10, 35, 60}));
      EXPECT_EQ(evaluated("o[j] max= a[i, j]", operands), (Numbers{10, 11, 12, 13, 14}));
      EXPECT_EQ(evaluated("o[i] = a[i, i + 1]", operands), (Numbers{1, 7, 13}));
      EXPECT_EQ(evaluated("o[i, j] ++= a[i, j + k] | (i, j, k in 0 ..< 4)", operands),
                (Numbers{6, 10, 26, 30, 46, 50}));
      EXPECT_EQ(evaluated("o[i, j] = a[i - 1, j + 3] else 99 | (i in 0 ..< 5, j in 0 ..< 3)", operands),
                (Numbers{99, 99, 99, 3, 4, 99, 8, 9, 99, 13, 14, 99, 99, 99, 99}));
      EXPECT_EQ(evaluated("o[] = a[2, 4]", operands), Numbers{14});
      // Rows times rows: [[30, 80, 130], [80, 255, 430], [130, 430, 730]].
      EXPECT_EQ(evaluated("o[i, l] ++= a[i, j] * a[l, j]", operands),
                (Numbers{30, 80, 130, 80, 255, 430, 130, 430, 730}));
    }
}

TEST(EngineHuge, writes_of_elements_far_apart) {
  const Tensor a = tensor_of(DType::f32, {3, 5}, counting(15));
  const Tensor w =
      tensor_of(DType::f32, {5, 5}, {0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0});
  const Numbers mirrored{4, 3, 2, 1, 0, 9, 8, 7, 6, 5, 14, 13, 12, 11, 10};
  for (const Extents& strides : far_apart) {
    const SparseTensor o(DType::f32, {3, 5}, strides);
    if (!o.exists()) GTEST_SKIP() << "no address space";
    EXPECT_EQ(written("o[i, j] = a[i, j] + 1", {{"a", a}}, o.tensor()), "");
    EXPECT_EQ(values_of(o.tensor()), counting(15, 1));
    EXPECT_EQ(written("o[i, j] ++= a[i, k] * w[k, j]", {{"a", a}, {"w", w}}, o.tensor()), "");
    EXPECT_EQ(values_of(o.tensor()), mirrored);
    EXPECT_EQ(written("o[i, j] ++= t[j, k, i]", {{"t", tensor_of(DType::f32, {5, 2, 3}, counting(30))}}, o.tensor()),
              "");
    Numbers sums;  // (6 j + i) + (6 j + 3 + i)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 5; ++j) sums.push_back(12 * j + 2 * i + 3);
    EXPECT_EQ(values_of(o.tensor()), sums);
  }
}

TEST(EngineHuge, products_whose_rows_are_far_apart) {
  // Enough rows and columns for packed panels.
  constexpr std::int64_t m = 40;
  constexpr std::int64_t n = 50;
  constexpr std::int64_t k = 30;
  Numbers x;
  Numbers y;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t l = 0; l < k; ++l) x.push_back(static_cast<double>((i + 2 * l) % 5 - 2));
  for (std::int64_t l = 0; l < k; ++l)
    for (std::int64_t j = 0; j < n; ++j) y.push_back(static_cast<double>((3 * l + j) % 7 - 3));
  Numbers expected;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t l = 0; l < k; ++l) sum += x[k * i + l] * y[n * l + j];
      expected.push_back(sum);
    }
  const std::int64_t far = two_31 / 16 + 1;  // 40 rows of f32 reach past 2³¹ elements
  for (const std::string schedule :
       {"", " do:\n  schedule:\n    tile(i, 16)\n    tile(j, 16)\n    tile(k, 8)\n    cache(x)\n    cache(y)\n"})
    for (const Extents& strides : {Extents{far, 1}, Extents{1, far}, Extents{-far, 1}}) {
      const SparseTensor a(DType::f32, {m, k}, strides, x);
      const SparseTensor b(DType::f32, {k, n}, strides, y);
      const SparseTensor o(DType::f32, {m, n}, strides);
      if (!a.exists() || !b.exists() || !o.exists()) GTEST_SKIP() << "no address space";
      EXPECT_EQ(written("o[i, j] ++= x[i, k] * y[k, j]" + schedule, {{"x", a.tensor()}, {"y", b.tensor()}}, o.tensor()),
                "");
      EXPECT_EQ(values_of(o.tensor()), expected);
    }
}

TEST(EngineHuge, a_workspace_past_any_memory) {
  // 2²² parts of 2²³ sums of 4 bytes: as large as the address space.
  constexpr std::int64_t rows = std::int64_t{1} << 23;
  const Tensor x = tensor_of(DType::f32, {1}, {1}).broadcast_to({rows, std::int64_t{1} << 22}).value();
  const Tensor o = Tensor::allocate(DType::f32, {rows}).value();
  const std::string error = written("o[i] ++= x[i, k] do:\n  schedule:\n    split(k, 4194304)\n", {{"x", x}}, o);
  EXPECT_EQ(error.substr(0, 4), "R081");
}

TEST(EngineHuge, extents_past_31_bits) {
  // All zero but for three elements: one before, one at and one past 2³¹.
  const SparseTensor a(DType::u8, {two_31 + 100}, {1});
  if (!a.exists()) GTEST_SKIP() << "no address space";
  a.tensor().at<std::uint8_t>({3}) = 1;
  a.tensor().at<std::uint8_t>({two_31}) = 20;
  a.tensor().at<std::uint8_t>({two_31 + 97}) = 200;
  const std::vector<Operand> operands{{"a", a.tensor()}};
  EXPECT_EQ(evaluated("o[] ++= a[i]", operands), Numbers{221});
  EXPECT_EQ(evaluated("o[] max= a[i]", operands), Numbers{200});
  EXPECT_EQ(evaluated("o[i] = a[i + 2147483645] | (i in 0 ..< 5)", operands), (Numbers{0, 0, 0, 20, 0}));
  EXPECT_EQ(evaluated("o[] = a[2147483745]", operands), Numbers{200});
  EXPECT_EQ(evaluated("o[i] = a[-i + 2147483746] | (i in 0 ..< 3)", operands), (Numbers{0, 200, 0}));
  // An index that leaves the tensor beyond 2³² of it.
  EXPECT_EQ(evaluated("o[i] = a[2147483648*i] else 7 | (i in 0 ..< 4)", operands), (Numbers{0, 20, 7, 7}));
  // The iterator's own value past 31 bits.
  EXPECT_EQ(evaluated("o[] max= select(a[i] > 100, i, 0) ", operands), Numbers{two_31 + 97});
}

TEST(EngineHuge, element_counts_past_31_bits_of_smaller_extents) {
  constexpr std::int64_t side = 46341;  // 46341² is 2³¹ + 4633
  const SparseTensor a(DType::u8, {side, side}, {side, 1});
  if (!a.exists()) GTEST_SKIP() << "no address space";
  a.tensor().at<std::uint8_t>({0, 1}) = 3;
  a.tensor().at<std::uint8_t>({side - 2, side - 1}) = 40;
  a.tensor().at<std::uint8_t>({side - 1, side - 1}) = 200;
  const std::vector<Operand> operands{{"a", a.tensor()}};
  EXPECT_EQ(evaluated("o[] ++= a[i, j]", operands), Numbers{243});
  const Numbers rows = evaluated("o[i] max= a[i, j]", operands);
  EXPECT_EQ(rows[0], 3);
  EXPECT_EQ(rows[1], 0);
  EXPECT_EQ(rows[side - 2], 40);
  EXPECT_EQ(rows[side - 1], 200);
  EXPECT_EQ(evaluated("o[j] ++= a[i, j]", operands)[side - 1], 240);
}

}  // namespace
}  // namespace tilewright::differential
