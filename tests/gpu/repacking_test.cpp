// Products whose misaligned operands are copied first: the values are those of the statement on the tile evaluator and
// on the simulator, whatever the operand's type, strides and indices, and so many kernels run as operands have to be
// copied.
#include <gtest/gtest.h>

#include "differential.h"

namespace tilewright::differential {
namespace {

OperandSpec spec(std::string name, std::vector<std::int64_t> shape, DType dtype = DType::f32,
                 std::vector<std::int64_t> strides = {}, std::int64_t misalign = 0) {
  OperandSpec result;
  result.name = std::move(name);
  result.shape = std::move(shape);
  result.dtype = dtype;
  result.strides = std::move(strides);
  result.misalign = misalign;
  return result;
}

void expect_copies(std::size_t copies, std::string text, std::vector<OperandSpec> operands, std::size_t others = 1) {
  Case each;
  each.statement = std::move(text);
  each.operands = std::move(operands);
  each.gpu_levels = each.simulated = each.repacked = true;
  each.host_levels = false;
  const Outcome outcome = run_everywhere(each);
  EXPECT_EQ(outcome.rejection, "") << to_text(each);
  EXPECT_EQ(outcome.difference, "") << to_text(each);
  EXPECT_EQ(outcome.gpu_kernels.size(), copies + others) << to_text(each);
}

const std::string matrix_product = "c[i, j] ++= a[i, k] * b[k, j]";

TEST(Repacking, OddRowsOfEitherFactor) {
  expect_copies(2, matrix_product, {spec("a", {33, 37}), spec("b", {37, 41})});
  expect_copies(1, matrix_product, {spec("a", {33, 36}), spec("b", {36, 41})});
  expect_copies(1, matrix_product, {spec("a", {35, 39}), spec("b", {39, 44})});
  expect_copies(0, matrix_product, {spec("a", {35, 40}), spec("b", {40, 44})});
}

TEST(Repacking, OneOfTwoAlongTheirTerms) {
  expect_copies(1, "c[i, j] ++= a[i, k] * b[j, k]", {spec("a", {35, 40}), spec("b", {36, 40})});
  expect_copies(1, "c[z, j, i] ++= a[z, i, k] * b[z, j, k]", {spec("a", {2, 40, 12}), spec("b", {2, 36, 12})});
  expect_copies(0, "c[i, j] ++= a[i, k] * a[j, k]", {spec("a", {36, 40})});
}

TEST(Repacking, EveryType) {
  for (const DType dtype : {DType::f16, DType::f64, DType::u32})
    expect_copies(2, matrix_product, {spec("a", {19, 37}, dtype), spec("b", {37, 21}, dtype)});
  const std::string bytes = "c[i, j] ++= cast(i32, a[i, k]) * cast(i32, b[k, j])";
  expect_copies(2, bytes, {spec("a", {19, 37}, DType::i8), spec("b", {37, 21}, DType::i8)});
  expect_copies(2, bytes, {spec("a", {19, 37}, DType::u8), spec("b", {37, 21}, DType::boolean)});
}

TEST(Repacking, StridesOfEverySign) {
  // Columns next to each other; rows from the last to the first; an odd base; rows with gaps.
  expect_copies(1, matrix_product, {spec("a", {33, 36}, DType::f32, {1, 33}), spec("b", {36, 40})});
  expect_copies(1, matrix_product, {spec("a", {33, 36}, DType::f32, {-37, 1}), spec("b", {36, 40})});
  expect_copies(1, matrix_product, {spec("a", {33, 36}, DType::f32, {}, 3), spec("b", {36, 40})});
  expect_copies(1, matrix_product, {spec("a", {33, 36}, DType::f16, {45, 1}, 1), spec("b", {36, 40}, DType::f16)});
  // No neighbours in memory, or one row for all: left alone.
  expect_copies(0, matrix_product, {spec("a", {33, 36}, DType::f32, {75, 2}), spec("b", {36, 40})});
  expect_copies(0, matrix_product, {spec("a", {33, 36}, DType::f32, {37, -1}), spec("b", {36, 40})});
  expect_copies(0, matrix_product, {spec("a", {33, 37}, DType::f32, {0, 1}, 1), spec("b", {37, 40})});
}

TEST(Repacking, AxesInAnyOrder) {
  const std::string text = "c[b, i, j] ++= x[b, i, k] * y[k, b, j]";
  expect_copies(2, text, {spec("x", {3, 9, 17}), spec("y", {17, 3, 13})});
  // The middle axis of x is innermost in memory, and y has one column a batch.
  expect_copies(2, text, {spec("x", {3, 9, 17}, DType::f32, {9 * 17, 1, 9}), spec("y", {17, 3, 13})});
  expect_copies(2, text, {spec("x", {1, 9, 17}), spec("y", {17, 1, 13})});
  expect_copies(2, "c[i, k, m, o] ++= a[i, j, k, l, o] * b[m, j, l, o]",
                {spec("a", {2, 3, 5, 4, 9}), spec("b", {6, 3, 4, 9})});
}

TEST(Repacking, OneOperandReadTwice) {
  expect_copies(1, "c[i, j] ++= a[i, k] * a[j, k]", {spec("a", {35, 37})});
  // The epilogue reads elsewhere in the copied operand, and outside of it.
  expect_copies(1, "c[i, j] ++= a[i, k] * b[k, j] then c[i, j] + a[i, 3] * a[2 * j - 5, 2 * i - 9] else 7.0",
                {spec("a", {35, 37}), spec("b", {37, 36})});
}

TEST(Repacking, OtherIndicesAreLeftAlone) {
  expect_copies(1, "c[i, j] ++= a[i + 1, k] * b[k, j] then c[i, j] + d[i]",
                {spec("a", {36, 37}), spec("b", {37, 33}), spec("d", {35})});
  expect_copies(0, "c[i, j] ++= a[i + k, k] else 2.0 * b[k, j] then c[i, j] + d[i]",
                {spec("a", {36, 37}), spec("b", {37, 36}), spec("d", {35})});
}

TEST(Repacking, ThreeFactorsAndCasts) {
  expect_copies(2, "c[i, j] ++= x[i, k] * s[k] * y[j, k]", {spec("x", {37, 29}), spec("s", {29}), spec("y", {35, 29})});
  expect_copies(2, "c[i, j] ++= relu(a[i, k]) * exp(b[k, j])", {spec("a", {21, 27}), spec("b", {27, 25})});
}

TEST(Repacking, SplitsAndSchedules) {
  // Parts of many terms: two copies, the parts, what combines them and reads a copy in its epilogue.
  expect_copies(2, matrix_product + " then c[i, j] * a[i, 1]", {spec("a", {5, 3001}), spec("b", {3001, 7})}, 2);
  const std::string schedule = " do:\n  schedule:\n    tile(i, 16)\n    tile(j, 16)\n    tile(k, 8)\n";
  expect_copies(2, matrix_product + schedule + "    cache(a, b)\n    threads = 32\n    stages = 3\n",
                {spec("a", {33, 37}), spec("b", {37, 41})});
  expect_copies(1, matrix_product + schedule + "    cache(b)\n    split(k, 2)\n",
                {spec("a", {33, 37}), spec("b", {37, 41})}, 2);
}

TEST(Repacking, NothingToCompute) {
  expect_copies(0, matrix_product, {spec("a", {33, 0}), spec("b", {0, 41})});
  expect_copies(0, matrix_product, {spec("a", {0, 37}), spec("b", {37, 41})});
  // One row or one column is no product of blocks.
  expect_copies(0, matrix_product, {spec("a", {1, 37}), spec("b", {37, 41})});
}

}  // namespace
}  // namespace tilewright::differential
