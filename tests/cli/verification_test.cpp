// What --verify accepts and what it does not: zeros, one wrong value, sums beyond the bound; the bound's parts.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/error_bound.h"
#include "cli/sample.h"
#include "cli/verification.h"
#include "report/chain_length.h"
#include "runtime/engine.h"
#include "runtime/fill.h"
#include "runtime/fused_program.h"

namespace tilewright::cli {
namespace {

/// A kernel with the operands of one call, and what the engine makes of them.
struct Computed {
  Kernel kernel;
  std::vector<Operand> operands;
  Tensor result;
  std::int64_t chain = 1;

  Verification verify(const Tensor& received) const {
    std::vector<nest::NamedView> views;
    for (const Operand& operand : operands) views.push_back({operand.name, operand.tensor.view()});
    Progress progress;
    const nest::Nest nest = nest::bind_nest(*kernel.statement(), types_of(views)).value().nest;
    return verify_result(nest, views, received.view(), chain, progress).value();
  }
};

Computed compute(const std::string& text, std::vector<Operand> operands) {
  const Engine engine = Engine::open("cpu", {.disk_cache = false}).value();
  Kernel kernel = Kernel::parse(text).value();
  Tensor result = engine.eval(kernel, operands).value();
  std::vector<nest::NamedView> views;
  for (const Operand& operand : operands) views.push_back({operand.name, operand.tensor.view()});
  const std::int64_t chain = report::chain_length(engine.compile(kernel, views).value());
  return {std::move(kernel), std::move(operands), std::move(result), chain};
}

Tensor normal(Shape shape, std::uint64_t seed) {
  return random_normal(DType::f32, std::move(shape), seed).value();
}

TEST(Verify, zeros_are_wrong) {
  const Computed product =
      compute("y[i, j] ++= a[i, k] * b[k, j]", {{"a", normal({40, 3000}, 1)}, {"b", normal({3000, 30}, 2)}});
  EXPECT_TRUE(product.verify(product.result).is_right());
  EXPECT_FALSE(product.verify(*zeros(DType::f32, {40, 30})).is_right());

  const Computed sum = compute("s[] ++= a[i]", {{"a", normal({1 << 20}, 3)}});
  EXPECT_TRUE(sum.verify(sum.result).is_right());
  EXPECT_FALSE(sum.verify(*zeros(DType::f32, {})).is_right());
}

TEST(Verify, a_wrong_value_is_reported_with_its_index) {
  const Computed copy = compute("y[j, i] = a[i, j]", {{"a", normal({5, 7}, 1)}});
  const Tensor broken = copy.result.clone().value();
  broken.at<float>({3, 2}) = std::nextafter(broken.at<float>({3, 2}), 10.0F);
  const Verification verification = copy.verify(broken);
  EXPECT_FALSE(verification.is_right());
  EXPECT_EQ(verification.wrong, 1);
  EXPECT_EQ(verification.worst.index, (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(verification.worst.tolerance, 0);
  EXPECT_TRUE(to_text(verification).starts_with("WRONG: 35 of 35 values checked")) << to_text(verification);
}

TEST(Verify, only_the_first_six_wrong_values_are_kept_and_the_worst) {
  const Computed copy = compute("y[i] = a[i]", {{"a", *full(DType::f32, {20}, Scalar::of(1.0))}});
  const Tensor broken = *full(DType::f32, {20}, Scalar::of(2.0));
  broken.at<float>({13}) = 9.0F;
  const Verification verification = copy.verify(broken);
  EXPECT_EQ(verification.wrong, 20);
  ASSERT_EQ(verification.first_wrong.size(), 6U);
  EXPECT_EQ(verification.first_wrong[5].index, (std::vector<std::int64_t>{5}));
  EXPECT_EQ(verification.worst.index, (std::vector<std::int64_t>{13}));
  EXPECT_EQ(verification.largest_absolute, 8.0);
  EXPECT_EQ(verification.largest_relative, 8.0);
}

TEST(Verify, a_sum_may_be_off_by_its_bound_and_no_more) {
  // Eight ones: Σ|terms| is 8, so the bound is 1.01 · h · 2⁻²⁴ · 8.
  const Computed sum = compute("s[i] ++= a[i, j]", {{"a", *full(DType::f32, {1, 8}, Scalar::of(1.0))}});
  ASSERT_GE(sum.chain, 3);  // a balanced tree of eight
  ASSERT_LE(sum.chain, 8);
  const double bound = 1.01 * static_cast<double>(sum.chain) * 0x1p-24 * 8;
  const auto off = [&](double by) {
    const Tensor received = Tensor::allocate(DType::f32, {1}).value();
    received.at<float>({0}) = static_cast<float>(8.0 + by);
    return sum.verify(received);
  };
  EXPECT_NEAR(off(0).largest_tolerance, bound, 1e-3 * bound);
  EXPECT_TRUE(off(0.9 * bound - 0x1p-20).is_right());
  EXPECT_FALSE(off(1.1 * bound + 0x1p-20).is_right());
}

TEST(Verify, integers_agree_bit_for_bit) {
  const Computed sum = compute("s[i] ++= a[i, j]", {{"a", *random_data(DType::i32, {3, 100}, 1)}});
  EXPECT_TRUE(sum.verify(sum.result).is_right());
  const Tensor broken = sum.result.clone().value();
  broken.at<std::int32_t>({1}) += 1;
  const Verification verification = sum.verify(broken);
  EXPECT_EQ(verification.wrong, 1);
  EXPECT_EQ(verification.largest_absolute, 1.0);
}

TEST(Verify, nan_meets_only_nan) {
  const Tensor a = *full(DType::f32, {2}, Scalar::of(1.0));
  a.at<float>({1}) = NAN;
  const Computed copy = compute("y[i] = a[i] * 3.0", {{"a", a}});
  EXPECT_TRUE(copy.verify(copy.result).is_right());
  const Tensor broken = copy.result.clone().value();
  broken.at<float>({1}) = 3.0F;
  EXPECT_FALSE(copy.verify(broken).is_right());
}

TEST(Verify, infinity_is_right_where_it_is_expected_whatever_the_bound) {
  const Tensor a = *full(DType::f32, {2}, Scalar::of(1.0));
  a.at<float>({1}) = INFINITY;
  const Computed product = compute("y[i] = (a[i] + 1.0) * a[i]", {{"a", a}});  // the bound has 0 times infinity
  EXPECT_TRUE(product.verify(product.result).is_right());
  const Tensor broken = product.result.clone().value();
  for (const float wrong : {-INFINITY, NAN, 3.0F}) {
    broken.at<float>({1}) = wrong;
    EXPECT_FALSE(product.verify(broken).is_right()) << wrong;
  }
}

TEST(Verify, a_wider_result_is_rounded_as_its_operation_was) {
  for (const std::string text :
       {"y:f64[i] = a[i] * b[i]", "y:f64[i] = sqrt(abs(a[i]))", "y[i] = cast(f64, a[i] / b[i])"}) {
    std::vector<Operand> operands = {{"a", normal({100}, 1)}};
    if (text.contains("b[")) operands.push_back({"b", normal({100}, 2)});
    const Computed wide = compute(text, operands);
    EXPECT_TRUE(wide.verify(wide.result).is_right()) << text;
    const Tensor broken = wide.result.clone().value();
    broken.at<double>({41}) *= 1 + 0x1p-21;  // f32 rounds to within 0x1p-24
    EXPECT_FALSE(wide.verify(broken).is_right()) << text;
  }
}

/// A program's statements as one nest, with what it computes from the operands by the reference.
struct Joined {
  std::vector<nest::Nest> statements;
  nest::Nest nest;
  std::vector<Operand> operands;

  Verification verify() const {
    const std::vector<nest::NamedView> views = views_of(operands);
    const nest::ReferenceResult computed = nest::evaluate(nest, views).value();
    const Tensor received = Tensor::allocate(nest.output, computed.shape).value();
    std::size_t n = 0;
    for_each_index(computed.shape, [&](const auto& index) { received.view().set(index, computed.rounded[n++]); });
    Progress progress;
    return verify_result(nest, views, received.view(), 100, progress, Effort::thorough, statements).value();
  }
};

Joined join(const std::string& text, std::vector<Operand> operands) {
  const Kernel kernel = Kernel::parse(text).value();
  const FusedProgram fused = fuse_program(kernel, types_of(views_of(operands))).value();
  Joined joined{{}, fused.program.nests.back().nest, std::move(operands)};
  EXPECT_EQ(fused.program.nests.size(), 1U) << text;
  for (const nest::BoundNest& each :
       nest::bind_program(*kernel.program(), types_of(views_of(joined.operands))).value().nests)
    joined.statements.push_back(each.nest);
  return joined;
}

TEST(Verify, statements_that_are_joined_rightly_are_right) {
  const std::vector<Operand> a = {{"a", normal({37, 41}, 1)}};
  for (const std::string text : {"program p(a) -> (y):\n  t[i, j] = exp(a[i, j]) * 1.1\n  y[j] ++= t[i, j]\n",
                                 "program p(a) -> (y):\n  t:f16[i] ++= a[i, j]\n  y[i] = cast(f32, t[i]) + 0.1\n",
                                 "program p(a) -> (y):\n  t[i, j] = a[i, j] / 3.0\n  u[i] ++= t[i, j]\n"
                                 "  v[i] = sqrt(abs(u[i]))\n  y[i] = v[i] * v[i] + cast(f32, i)\n",
                                 "program p(a) -> (y):\n  t[i, j] = a[i, j] * a[i, j]\n  y[j, i] = t[i, j] - 1.0\n"}) {
    const Joined joined = join(text, a);
    const Verification verification = joined.verify();
    EXPECT_TRUE(verification.is_right()) << text << to_text(verification);
    EXPECT_GT(verification.checked, 30);
    // Bit for bit but for the rounding of the result: the nest's own value is the statements'.
    EXPECT_LE(verification.largest_relative, 0x1p-24) << text;
  }
}

TEST(Verify, statements_that_are_joined_wrongly_are_wrong) {
  const std::vector<Operand> a = {{"a", normal({24, 24}, 1)}};
  // Axes that are mixed up, although the kernel computes exactly what the nest says.
  Joined swapped = join("program p(a) -> (y):\n  t[i, j] = exp(a[i, j])\n  y[i, j] = t[j, i] + 1.0\n", a);
  EXPECT_TRUE(swapped.verify().is_right());
  std::swap(swapped.nest.reads[nest::ReadId{0}].index[0], swapped.nest.reads[nest::ReadId{0}].index[1]);
  EXPECT_FALSE(swapped.verify().is_right());

  // A rounding that is lost: less than the sum's own bound allows.
  const std::string rounded = "program p(a) -> (y):\n  t:f16[i] ++= a[i, j]\n  y[i] = cast(f32, t[i]) * 3.0\n";
  Joined lost = join(rounded, a);
  EXPECT_TRUE(lost.verify().is_right());
  lost.nest = join("program p(a) -> (y):\n  t[i] ++= a[i, j]\n  y[i] = t[i] * 3.0\n", a).nest;
  EXPECT_FALSE(lost.verify().is_right());
}

TEST(ChainLength, of_a_long_sum_is_short_and_of_a_product_of_matrices_is_its_depth) {
  EXPECT_LE(compute("s[] ++= a[i]", {{"a", normal({1 << 20}, 1)}}).chain, 4096);
  EXPECT_GE(compute("s[] ++= a[i]", {{"a", normal({1 << 20}, 1)}}).chain, 20);  // no tree is shallower
  const std::int64_t product =
      compute("y[i, j] ++= a[i, k] * b[k, j]", {{"a", normal({64, 100}, 1)}, {"b", normal({100, 64}, 2)}}).chain;
  EXPECT_GE(product, 7);  // log2 of 100
  EXPECT_LE(product, 101);
}

TEST(ChainLength, of_a_tile_that_is_larger_than_any_extent) {
  const Computed sum = compute("s[i] ++= a[i, j] do:\n  schedule:\n    tile(j, 9223372036854775807)\n",
                               {{"a", random_data(DType::f32, {2, 29}, 1).value()}});
  EXPECT_GE(sum.chain, 5);  // a tree over 29 terms at the very least
}

TEST(Sample, is_everything_where_that_is_little_and_holds_corners_where_it_is_much) {
  EXPECT_EQ(sample_indices({2, 3}, 6).size(), 6U);
  EXPECT_EQ(sample_indices({0, 3}, 6).size(), 0U);
  EXPECT_EQ(sample_indices({}, 6).size(), 1U);
  const auto sample = sample_indices({1000, 1000}, 2000);
  EXPECT_LE(sample.size(), 2000U);
  EXPECT_GT(sample.size(), 1000U);  // the half that is anywhere, and the distinct ones along the edges
  bool last = false;
  for (const std::vector<std::int64_t>& index : sample) last = last || index == std::vector<std::int64_t>{999, 999};
  EXPECT_TRUE(last);
}

TEST(ErrorBound, roundoffs_are_those_of_the_formats) {
  EXPECT_EQ(unit_roundoff(DType::f32), 0x1p-24);
  EXPECT_EQ(unit_roundoff(DType::f16), 0x1p-11);
  EXPECT_EQ(least_positive(DType::f8e4m3), 0x1p-9);
  EXPECT_EQ(largest_finite(DType::bf16), 0x1.FEp127);
}

}  // namespace
}  // namespace tilewright::cli
