// Precision tf32x3 on a GPU's levels: values within 2^-21 of each term of what exact sums give, by units of either
// kind, whatever the operands' order in memory, with splits, batches and epilogues.
#include <gtest/gtest.h>

#include "codegen/llvm/nvptx.h"
#include "differential.h"
#include "ptxas.h"

namespace tilewright::differential {
namespace {

Case split_case(std::string text, std::vector<OperandSpec> operands, const std::string& schedule = "") {
  Case each;
  each.statement = std::move(text);
  if (!schedule.empty()) each.statement += " do:\n  schedule:\n" + schedule;
  each.operands = std::move(operands);
  each.gpu_levels = each.simulated = true;
  each.host_levels = false;
  each.gpu_variant = "warpgroup";
  each.gpu_precision = Precision::tf32x3;
  return each;
}

/// In three kernels, two copies and the products, or four, where the scheduler splits the sum.
void expect_split(const Case& each, std::size_t fewest = 3) {
  const Outcome outcome = run_everywhere(each);
  EXPECT_EQ(outcome.rejection, "") << to_text(each);
  EXPECT_EQ(outcome.difference, "") << to_text(each);
  EXPECT_GE(outcome.gpu_kernels.size(), fewest) << to_text(each);
  if (!codegen::find_ptxas()) return;
  for (const kernel::LoweredKernel& lowered : outcome.gpu_kernels) {
    const auto ptx = codegen::emit_ptx(lowered.kernel, *gpu_target_named(each.gpu_arch));
    ASSERT_TRUE(ptx.has_value()) << render(ptx.error());
    codegen::expect_clean(each.gpu_arch, *ptx);
  }
}

const std::string product_of_matrices = "c[i, j] ++= a[i, k] * b[k, j]";

TEST(SplitProducts, EveryOrderOfMemory) {
  expect_split(split_case(product_of_matrices, {{"a", DType::f32, {70, 130}}, {"b", DType::f32, {130, 24}}}));
  expect_split(
      split_case("c[i, j] ++= a[k, i] * b[j, k]", {{"a", DType::f32, {130, 70}}, {"b", DType::f32, {24, 130}}}));
  expect_split(split_case(product_of_matrices,
                          {{"a", DType::f32, {70, 129}, {-131, 1}}, {"b", DType::f32, {129, 17}, {1, 131}}}));
}

// Operands without neighbours in memory, and with one row for all.
TEST(SplitProducts, EveryStride) {
  expect_split(
      split_case(product_of_matrices, {{"a", DType::f32, {66, 70}, {150, 2}}, {"b", DType::f32, {70, 17}, {0, 1}}}));
  expect_split(split_case(product_of_matrices, {{"a", DType::f32, {1, 70}}, {"b", DType::f32, {70, 9}, {40, 3}}}));
}

// Of a copy's last two elements, one is written: rows of 9 in a copy of its own.
TEST(SplitProducts, FewTermsAndOddRows) {
  expect_split(split_case(product_of_matrices, {{"a", DType::f32, {17, 20}}, {"b", DType::f32, {20, 9}}}));
  expect_split(split_case(product_of_matrices, {{"a", DType::f32, {5, 12}}, {"b", DType::f32, {12, 15}}}));
}

// `piece` and `part` are names like others.
TEST(SplitProducts, NamesOfTensors) {
  expect_split(split_case("part[i, j] ++= piece[i, k] * b[k, j] then part[i, j] + lhs[j]",
                          {{"piece", DType::f32, {20, 40}}, {"b", DType::f32, {40, 8}}, {"lhs", DType::f32, {8}}},
                          "    split(k, 2)\n"),
               4);
}

TEST(SplitProducts, PartsAreAddedUp) {
  expect_split(
      split_case(product_of_matrices, {{"a", DType::f32, {66, 300}}, {"b", DType::f32, {300, 9}}}, "    split(k, 2)\n"),
      4);
}

TEST(SplitProducts, BatchesAndEpilogues) {
  expect_split(split_case("c[z, i, j] ++= a[z, i, k] * b[z, k, j] then max(c[z, i, j] * s[j], 0.0) + q[z, i, j]",
                          {{"a", DType::f32, {2, 65, 130}},
                           {"b", DType::f32, {2, 130, 16}},
                           {"s", DType::f32, {16}},
                           {"q", DType::f32, {2, 65, 16}}}));
  expect_split(split_case("c[i, j] ++= a[i, k] * a[j, k]", {{"a", DType::f32, {65, 140}}}));
}

TEST(SplitProducts, ByWarps) {
  Case each = split_case(product_of_matrices, {{"a", DType::f32, {40, 130}}, {"b", DType::f32, {130, 24}}});
  each.gpu_variant = "warp";
  each.gpu_arch = "sm_80";
  expect_split(each);
}

}  // namespace
}  // namespace tilewright::differential
