// The twelve recipes as Metal source: small shapes, ragged ones, larger ones, and schedules of users; and those of
// examples/recipes.tw at all sizes of theirs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "filetest.h"
#include "lang/parse.h"
#include "metal_case.h"
#include "runtime/kernel.h"

namespace tilewright::metal_shim {
namespace {

using differential::Case;
using differential::Values;
using Shapes = std::vector<std::vector<std::int64_t>>;

struct Recipe {
  std::string name;
  std::string statement;
  std::vector<std::string> operands;
  std::vector<Shapes> sizes;
};

std::vector<Recipe> recipes() {
  return {
      {"xpose",
       "xpose[j, i] = a[i, j] | (i, j) do:\n  schedule:\n    tile(i, 32)\n    tile(j, 32)\n",
       {"a"},
       {{{2, 3}}, {{67, 45}}, {{1, 70}}, {{64, 32}}, {{515, 260}}}},
      {"xpose_untiled", "xpose[j, i] = a[i, j]", {"a"}, {{{2, 3}}, {{67, 45}}, {{33, 1}}, {{300, 517}}}},
      {"total", "total[] ++= a[i, j]", {"a"}, {{{2, 3}}, {{67, 45}}, {{0, 3}}, {{300, 517}}}},
      {"colsum", "colsum[j] ++= a[i, j]", {"a"}, {{{2, 3}}, {{67, 45}}, {{5, 131}}, {{1031, 130}}}},
      {"rowsum", "rowsum[i] ++= a[i, j]", {"a"}, {{{2, 3}}, {{67, 45}}, {{5, 131}}, {{9, 9001}}}},
      {"matvec",
       "matvec[i] ++= a[i, k] * x[k]",
       {"a", "x"},
       {{{64, 64}, {64}}, {{37, 101}, {101}}, {{33, 4097}, {4097}}}},
      {"mm",
       "mm[i, j] ++= m1[i, k] * m2[k, j] | (i, j, k) do:\n  schedule:\n    tile(i, 16)\n    tile(j, 16)\n"
       "    tile(k, 16)\n    cache(m1)\n    cache(m2)\n    threads = 32\n",
       {"m1", "m2"},
       {{{64, 64}, {64, 64}}, {{33, 17}, {17, 47}}, {{1, 1}, {1, 1}}, {{5, 0}, {0, 7}}}},
      {"mm_automatic",
       "mm[i, j] ++= m1[i, k] * m2[k, j]",
       {"m1", "m2"},
       {{{16, 16}, {16, 16}},
        {{33, 17}, {17, 47}},
        {{1, 9}, {9, 1}},
        {{5, 0}, {0, 7}},
        {{0, 4}, {4, 7}},
        {{129, 130}, {130, 131}}}},
      {"dot", "dot[] ++= x[i] * y[i]", {"x", "y"}, {{{64}, {64}}, {{4099}, {4099}}, {{0}, {0}}, {{70001}, {70001}}}},
      {"hadamard",
       "hadamard[i, j] = a[i, j] * b[i, j]",
       {"a", "b"},
       {{{2, 3}, {2, 3}}, {{67, 45}, {67, 45}}, {{300, 517}, {300, 517}}}},
      {"outer", "outer[i, j] = x[i] * y[j]", {"x", "y"}, {{{3}, {4}}, {{67}, {45}}, {{301}, {516}}}},
      {"bmm",
       "bmm[i, j, l] ++= a[i, j, k] * b[i, k, l]",
       {"a", "b"},
       {{{3, 2, 5}, {3, 5, 3}}, {{3, 17, 11}, {3, 11, 19}}, {{5, 65, 33}, {5, 33, 66}}}},
      {"contract",
       "contract[i, k, m, o] ++= a[i, j, k, l, o] * b[m, j, l, o]",
       {"a", "b"},
       {{{2, 3, 4, 5, 8}, {7, 3, 5, 8}}, {{3, 2, 5, 3, 7}, {9, 2, 3, 7}}, {{6, 5, 9, 4, 16}, {17, 5, 4, 16}}}},
      {"bilinear",
       "bilinear[i, j] ++= x[i, k] * w[j, k, l] * y[i, l]",
       {"x", "w", "y"},
       {{{2, 3}, {5, 3, 7}, {2, 7}}, {{11, 7}, {13, 7, 9}, {11, 9}}, {{40, 12}, {33, 12, 15}, {40, 15}}}},
  };
}

#ifdef TILEWRIGHT_INSTRUMENTED
constexpr std::size_t most_sizes = 2;  // the machine is ten times as slow with sanitizers
#else
constexpr std::size_t most_sizes = 8;
#endif

void expect_agreement(const std::vector<Recipe>& all, std::size_t first, std::size_t last) {
  constexpr std::size_t exact_sizes = 2;  // whose sums are compared to the bit, too
  std::vector<std::unique_ptr<MetalCase>> cases;
  for (std::size_t r = first; r < std::min(last, all.size()); ++r)
    for (std::size_t size = 0; size < std::min(all[r].sizes.size(), most_sizes); ++size)
      for (const Values values : {Values::normal, Values::whole}) {
        if (values == Values::whole && size >= exact_sizes) continue;
        Case each{all[r].statement, {}};
        each.seed = 10 * r + size;
        for (std::size_t i = 0; i < all[r].operands.size(); ++i)
          each.operands.push_back({all[r].operands[i], DType::f32, all[r].sizes[size][i], {}, values});
        cases.push_back(std::make_unique<MetalCase>(each));
      }
  EXPECT_FALSE(cases.empty());
  EXPECT_EQ(disagreements(cases), "");
}

TEST(MetalRecipes, OfOneTensorAgree) {
  expect_agreement(recipes(), 0, 5);
}
TEST(MetalRecipes, OfProductsAgree) {
  expect_agreement(recipes(), 5, 11);
}
TEST(MetalRecipes, OfBatchesAndSeveralFactorsAgree) {
  expect_agreement(recipes(), 11, 14);
}

/// Plans of several launches (operands that are copied first, parts that are added up) have no result of some
/// threadgroups alone: at their ragged sizes, which are the smaller ones, they run whole.
bool runs_whole(const std::string& name, std::size_t size) {
  constexpr std::array several{"total", "dot", "contract", "bilinear"};
  return size == 2 && std::ranges::find(several, name) != several.end();
}

// Whole numbers: what is compared is compared to the bit.
TEST(MetalRecipes, OfTheExamplesAgreeAtLargeSizes) {
  const std::string path = "examples/recipes.tw";
  const auto kernels = parse_kernels(std::make_shared<const Source>(path, filetest::read(filetest::absolute(path))));
  ASSERT_TRUE(kernels) << render(kernels.error());
  ASSERT_EQ(kernels->size(), 13U);  // the transpose twice
  std::string uncompared;           // plans of several launches, of which some accesses alone are checked
#ifdef TILEWRIGHT_INSTRUMENTED
  GTEST_SKIP() << "the machine is ten times as slow with sanitizers";
#endif
  for (const Kernel& kernel : *kernels) {
    ASSERT_EQ(kernel.statement()->examples.size(), 3U);
    for (std::size_t size = 1; size < kernel.statement()->examples.size(); ++size) {
      Case each{lang::to_text(*kernel.statement()), {}};
      each.seed = size;
      for (const lang::ExampleOperand& operand : kernel.statement()->examples[size])
        each.operands.push_back({operand.name.name, operand.dtype, operand.shape, {}, Values::whole});
      const bool whole = runs_whole(kernel.name(), size);
      std::vector<std::unique_ptr<MetalCase>> one;
      one.push_back(std::make_unique<MetalCase>(each, whole ? Coverage::some_results : Coverage::some_groups));
      EXPECT_EQ(disagreements(one), "") << kernel.name();
      if (one.front()->compared() == 0) uncompared += fmt::format("{} {}, ", kernel.name(), size);
    }
  }
  EXPECT_EQ(uncompared, "total 1, colsum 1, colsum 2, dot 1, contract 1, bilinear 1, ");
}

}  // namespace
}  // namespace tilewright::metal_shim
