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
      for (const DType type : {DType::f16, DType::i8})
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
  EXPECT_TRUE(agrees({"o[i, j, p] ++= x[p, k, i] * y[j, l, k]",
                      {{"x", DType::f16, {3, 17, 40}}, {"y", DType::f16, {19, 4, 17}}}}));
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
  EXPECT_TRUE(agrees(
      {"o[i, j] ++= a[i, k] * b[k, j] then o[i, j] * 2.0", {{"a", DType::f16, {32, 4100}}, {"b", DType::f16, {4100, 16}}}}));
}

}  // namespace
}  // namespace tilewright::differential
