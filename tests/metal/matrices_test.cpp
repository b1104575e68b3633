// Contractions by simdgroup matrices as Metal source: every order of memory, ragged edges, what may surround them.
#include <gtest/gtest.h>

#include "metal_case.h"

namespace tilewright::metal_shim {
namespace {

using differential::Case;
using differential::OperandSpec;

class Cases {
 public:
  void add(std::string statement, std::vector<OperandSpec> operands, const std::string& variant = "simdgroup") {
    Case each{std::move(statement), std::move(operands)};
    each.seed = cases_.size() + 1;
    each.gpu_variant = variant;
    cases_.push_back(std::make_unique<MetalCase>(each));
  }
  /// All are right, and all multiply matrices.
  void check() {
    check_sources();
    EXPECT_EQ(disagreements(cases_), "");
  }
  void check_sources() const {
    for (const auto& each : cases_) {
      EXPECT_EQ(each->rejection(), "");
      EXPECT_NE(each->source().find("simdgroup_multiply_accumulate(sum, left, right, sum);"), std::string::npos)
          << each->source();
    }
  }

 private:
  std::vector<std::unique_ptr<MetalCase>> cases_;
};

TEST(MetalMatrices, EveryOrderOfMemory) {
  Cases cases;
  for (const DType type : {DType::f32, DType::f16, DType::bf16}) {
    cases.add("c[i, j] ++= a[i, k] * b[k, j]", {{"a", type, {40, 72}}, {"b", type, {72, 24}}});
    cases.add("c[i, j] ++= a[k, i] * b[j, k]", {{"a", type, {33, 40}}, {"b", type, {21, 33}}});
    cases.add("c[i, j] ++= a[i, k] * b[j, k]", {{"a", type, {7, 5}}, {"b", type, {65, 5}}});
    cases.add("c[i, j] ++= a[k, i] * b[k, j]", {{"a", type, {16, 32}}, {"b", type, {16, 64}}});
  }
  cases.check();
}

TEST(MetalMatrices, GroupsEpiloguesAndParts) {
  Cases cases;
  cases.add("o[b, i, m, p] ++= x[b, i, k, l, p] * y[b, m, k, l]",
            {{"x", DType::f32, {2, 9, 4, 5, 8}}, {"y", DType::f32, {2, 20, 4, 5}}});
  cases.add("o[m, u, s, d] ++= x[m, c, k, d] * y[u, c, s, k]",
            {{"x", DType::f16, {2, 18, 2, 2}}, {"y", DType::f16, {2, 18, 35, 2}}});
  cases.add("o[i, j] ++= a[i, k] * b[k, j] then max(o[i, j] + bias[j], 0.0) * full[i, j]",
            {{"a", DType::f16, {40, 72}},
             {"b", DType::f16, {72, 24}},
             {"bias", DType::f32, {24}},
             {"full", DType::f32, {40, 24}}});
  cases.add("c[i, j] ++= a[i, k] * b[k, j] do:\n  schedule:\n    split(k, 3)\n",
            {{"a", DType::f32, {18, 420}}, {"b", DType::f32, {420, 16}}});
  cases.check();
}

// Nobody asks for them.
TEST(MetalMatrices, AreTheAutomaticChoice) {
  Cases cases;
  cases.add("c[i, j] ++= a[i, k] * b[k, j]", {{"a", DType::f32, {129, 130}}, {"b", DType::f32, {130, 131}}}, "");
  cases.check_sources();
}

}  // namespace
}  // namespace tilewright::metal_shim
