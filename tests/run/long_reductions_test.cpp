// Reductions long enough to be split or to need trees: within the stated bound, whose chains have at most 2¹² links.
#include "agrees.h"

namespace tilewright::differential {
namespace {

Case long_case(std::string statement, std::vector<OperandSpec> operands) {
  Case each{std::move(statement), std::move(operands)};
  each.slow_levels = false;
  return each;
}

TEST(LongReductions, whole_sums_split) {
  for (const std::int64_t n : {(1 << 19) + 0, (1 << 19) + 13, (1 << 18) - 1})
    for (const DType type : {DType::f32, DType::f64, DType::i32, DType::f16, DType::u8}) {
      EXPECT_TRUE(agrees(long_case("s[] ++= a[i]", {{"a", type, {n}, {}, Values::positive}})));
      EXPECT_TRUE(agrees(long_case("s[] max= a[i]", {{"a", type, {n}, {}, Values::normal}})));
    }
}

TEST(LongReductions, split_with_few_outputs) {
  EXPECT_TRUE(agrees(long_case("s[j] ++= a[i, j]", {{"a", DType::f32, {40000, 10}, {}, Values::positive}})));
  EXPECT_TRUE(agrees(long_case("s[j] ++= a[i, j] then s[j] / cast(f32, extent(i))",
                               {{"a", DType::f32, {20011, 33}, {}, Values::positive}})));
  EXPECT_TRUE(agrees(long_case("s[j] max= a[i, j]", {{"a", DType::f16, {20011, 33}, {}, Values::normal}})));
  EXPECT_TRUE(agrees(long_case("s[i] ++= a[i, j]", {{"a", DType::f32, {7, 70001}, {}, Values::positive}})));
  EXPECT_TRUE(agrees(long_case("s[i] ++= a[i, j] * b[j]",
                               {{"a", DType::f32, {3, 150001}, {}, Values::normal}, {"b", DType::f32, {150001}}})));
  EXPECT_TRUE(agrees(
      long_case("s[i] ++= a[j, i] + b[]", {{"a", DType::i8, {270000, 2}, {}, Values::extreme}, {"b", DType::i8, {}}})));
}

// What a split adds has names that the statement has not.
TEST(LongReductions, names_that_a_split_would_take) {
  EXPECT_TRUE(agrees(long_case("part[] ++= a[i]", {{"a", DType::f32, {1 << 19}, {}, Values::positive}})));
  EXPECT_TRUE(agrees(long_case("s[] ++= a[i] then s[] + part[]",
                               {{"a", DType::f32, {1 << 19}, {}, Values::positive}, {"part", DType::f32, {}}})));
}

TEST(LongReductions, chains_stay_short) {
  // One million equal terms: a single chain would be off by more than a thousand times the bound.
  EXPECT_TRUE(
      agrees(long_case("s[] ++= a[0 * i] | (i in 0 ..< 1000003)", {{"a", DType::f32, {1}, {}, Values::positive}})));
  EXPECT_TRUE(agrees(long_case("s[] ++= a[i, j]", {{"a", DType::f32, {1001, 999}, {1, 1001}, Values::positive}})));
  EXPECT_TRUE(agrees(long_case("s[] ++= a[i, j]", {{"a", DType::f32, {1001, 999}, {3000, 3}, Values::positive}})));
  EXPECT_TRUE(agrees(long_case("s[j] ++= a[i, j]", {{"a", DType::f32, {90001, 3}, {1, 90001}, Values::positive}})));
}

}  // namespace
}  // namespace tilewright::differential
