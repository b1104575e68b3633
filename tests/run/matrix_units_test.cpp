// Products that GPUs compute by matrix units, of every order of memory and with what may surround them.
#include <gtest/gtest.h>

#include "agrees.h"

namespace tilewright::differential {
namespace {

TEST(MatrixUnits, both_orders_of_both_factors) {
  for (const std::string a : {"a[i, k]", "a[k, i]"})
    for (const std::string b : {"b[k, j]", "b[j, k]"}) {
      const std::vector<std::int64_t> rows =
          a == "a[i, k]" ? std::vector<std::int64_t>{70, 72} : std::vector<std::int64_t>{72, 70};
      const std::vector<std::int64_t> columns =
          b == "b[k, j]" ? std::vector<std::int64_t>{72, 24} : std::vector<std::int64_t>{24, 72};
      // Of i8 the unit reads rows of terms alone: those of points are turned by the copy.
      const DType type = a == "a[i, k]" ? DType::f16 : b == "b[k, j]" ? DType::i8 : DType::bf16;
      EXPECT_TRUE(agrees({"o[i, j] ++= " + a + " * " + b, {{"a", type, rows}, {"b", type, columns}}}));
    }
}

TEST(MatrixUnits, odd_extents_and_strides) {
  EXPECT_TRUE(
      agrees({"o[i, j] ++= a[i, k] * b[k, j]", {{"a", DType::bf16, {65, 131}}, {"b", DType::bf16, {131, 17}}}}));
  EXPECT_TRUE(agrees({"o[i, j] ++= a[i, k] * b[k, j]",
                      {{"a", DType::f16, {130, 40}, {1, 131}}, {"b", DType::f16, {40, 40}, {-40, 1}}}}));
  EXPECT_TRUE(agrees({"o[i, j] ++= a[i, k] * b[k, j]",
                      {{"a", DType::f16, {64, 66}, {132, 2}}, {"b", DType::f16, {66, 16}, {32, 2}}}}));
}

TEST(MatrixUnits, groups_of_iterators) {
  EXPECT_TRUE(agrees({"o[b, i, m, p] ++= x[b, i, k, l, p] * y[b, m, k, l]",
                      {{"x", DType::f16, {2, 9, 4, 5, 8}}, {"y", DType::f16, {2, 20, 4, 5}}}}));
  EXPECT_TRUE(agrees(
      {"o[i, j, p] ++= x[p, k, i] * y[j, l, k]", {{"x", DType::f16, {3, 17, 40}}, {"y", DType::f16, {19, 4, 17}}}}));
  // Of the columns' two bits of threads, both are m's, which no thread has two points of.
  EXPECT_TRUE(agrees({"o[m, u, s, d] ++= x[m, c, k, d] * y[u, c, s, k]",
                      {{"x", DType::bf16, {2, 38, 2, 2}}, {"y", DType::bf16, {2, 38, 67, 2}}}}));
}

// What the copy engine fills: boxes past both edges, windows, batches, loops around.
TEST(MatrixUnits, copies_by_the_engine) {
  EXPECT_TRUE(agrees(
      {"o[z, i, j] ++= a[z, i, k] * b[z, j, k]", {{"a", DType::f16, {2, 66, 72}}, {"b", DType::f16, {2, 16, 72}}}}));
  EXPECT_TRUE(agrees(
      {"o[i, j] ++= a[i, p, k] * b[p, k, j]", {{"a", DType::bf16, {66, 2, 72}}, {"b", DType::bf16, {2, 72, 16}}}}));
  EXPECT_TRUE(agrees({"o[i, j] ++= a[i + 2 * p, k] * b[p, k, j] | (i in 0 ..< 33, p, k, j)",
                      {{"a", DType::f16, {37, 64}}, {"b", DType::f16, {3, 64, 16}}}}));
}

// Without terms, and with an iterator that no operand has, they are for other ways.
TEST(MatrixUnits, what_units_do_not_take) {
  EXPECT_TRUE(agrees({"o[i, j] ++= a[i] * b[j]", {{"a", DType::f16, {8}}, {"b", DType::f16, {9}}}}));
  EXPECT_TRUE(agrees({"o[i, l, j] ++= a[i, k] * b[k, j] | (i, l in 0 ..< 2, j, k)",
                      {{"a", DType::f16, {20, 16}}, {"b", DType::f16, {16, 8}}}}));
}

// Threads exchange what they store 16 bytes wide; more of them than make up 16 bytes do not.
TEST(MatrixUnits, neighbours_that_store_together) {
  for (const std::string threads : {"32", "64"})
    for (const auto& [columns, lanes] : {std::pair("512", "2"), std::pair("2048", "2"), std::pair("4096", "4")})
      EXPECT_TRUE(agrees({std::string("o[i, j] = a[i, j] do:\n  schedule:\n    tile(j, ") + columns +
                              ")\n    vectorize(j, " + lanes + ")\n    threads = " + threads + "\n",
                          {{"a", *lanes == '2' ? DType::f16 : DType::i8, {3, 72}}}}));
}

TEST(MatrixUnits, windows) {
  EXPECT_TRUE(
      agrees({"o[p, i] ++= x[i + k] * w[p, k] | (i, p, k)", {{"x", DType::f16, {150}}, {"w", DType::f16, {24, 40}}}}));
}

TEST(MatrixUnits, epilogues_and_annotated_outputs) {
  const std::vector<OperandSpec> operands{{"a", DType::f16, {80, 64}},
                                          {"b", DType::f16, {64, 48}},
                                          {"bias", DType::f32, {48}},
                                          {"full", DType::f32, {80, 48}}};
  EXPECT_TRUE(agrees({"o[i, j] ++= a[i, k] * b[k, j] then max(o[i, j] + bias[j], 0.0) * full[i, j]", operands}));
  EXPECT_TRUE(agrees({"o:f32[i, j] ++= a[i, k] * b[k, j]", {operands[0], operands[1]}}));
  EXPECT_TRUE(agrees({"o:f8e4m3[j, i] ++= a[i, k] * b[k, j]", {operands[0], operands[1]}}));
}

TEST(MatrixUnits, many_terms_are_split) {
  EXPECT_TRUE(agrees({"o[i, j] ++= a[i, k] * b[k, j] then o[i, j] * 2.0",
                      {{"a", DType::f16, {32, 1100}}, {"b", DType::f16, {1100, 16}}}}));
}

}  // namespace
}  // namespace tilewright::differential
