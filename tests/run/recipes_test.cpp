// The twelve recipes of examples/recipes.tw at every level: the small shapes, ragged ones, and schedules of users.
#include <gtest/gtest.h>

#include "agrees.h"

namespace tilewright::differential {
namespace {

struct Operands {
  std::vector<std::vector<std::int64_t>> shapes;
};

struct Recipe {
  std::string name;
  std::string statement;
  std::vector<std::string> operands;
  std::vector<Operands> sizes;
};

std::vector<Recipe> recipes() {
  return {
      {"xpose",
       "xpose[j, i] = a[i, j] | (i, j) do:\n  schedule:\n    tile(i, 32)\n    tile(j, 32)\n",
       {"a"},
       {{{{2, 3}}}, {{{67, 45}}}, {{{1, 70}}}, {{{64, 32}}}}},
      {"xpose_untiled", "xpose[j, i] = a[i, j]", {"a"}, {{{{2, 3}}}, {{{67, 45}}}, {{{33, 1}}}}},
      {"total", "total[] ++= a[i, j]", {"a"}, {{{{2, 3}}}, {{{67, 45}}}, {{{0, 3}}}}},
      {"colsum", "colsum[j] ++= a[i, j]", {"a"}, {{{{2, 3}}}, {{{67, 45}}}, {{{5, 131}}}}},
      {"rowsum", "rowsum[i] ++= a[i, j]", {"a"}, {{{{2, 3}}}, {{{67, 45}}}, {{{5, 131}}}}},
      {"matvec", "matvec[i] ++= a[i, k] * x[k]", {"a", "x"}, {{{{64, 64}, {64}}}, {{{37, 101}, {101}}}}},
      {"mm",
       "mm[i, j] ++= m1[i, k] * m2[k, j] | (i, j, k) do:\n  schedule:\n    tile(i, 16)\n    tile(j, 16)\n"
       "    tile(k, 16)\n    cache(m1)\n    cache(m2)\n    threads = 32\n",
       {"m1", "m2"},
       {{{{64, 64}, {64, 64}}}, {{{33, 17}, {17, 47}}}, {{{1, 1}, {1, 1}}}, {{{5, 0}, {0, 7}}}}},
      {"mm_automatic",
       "mm[i, j] ++= m1[i, k] * m2[k, j]",
       {"m1", "m2"},
       {{{{16, 16}, {16, 16}}}, {{{33, 17}, {17, 47}}}, {{{1, 9}, {9, 1}}}, {{{5, 0}, {0, 7}}}, {{{0, 4}, {4, 7}}}}},
      {"dot", "dot[] ++= x[i] * y[i]", {"x", "y"}, {{{{64}, {64}}}, {{{4099}, {4099}}}, {{{0}, {0}}}}},
      {"hadamard", "hadamard[i, j] = a[i, j] * b[i, j]", {"a", "b"}, {{{{2, 3}, {2, 3}}}, {{{67, 45}, {67, 45}}}}},
      {"outer", "outer[i, j] = x[i] * y[j]", {"x", "y"}, {{{{3}, {4}}}, {{{67}, {45}}}}},
      {"bmm",
       "bmm[i, j, l] ++= a[i, j, k] * b[i, k, l]",
       {"a", "b"},
       {{{{3, 2, 5}, {3, 5, 3}}}, {{{3, 17, 11}, {3, 11, 19}}}}},
      {"contract",
       "contract[i, k, m, o] ++= a[i, j, k, l, o] * b[m, j, l, o]",
       {"a", "b"},
       {{{{2, 3, 4, 5, 8}, {7, 3, 5, 8}}}, {{{3, 2, 5, 3, 7}, {9, 2, 3, 7}}}}},
      {"bilinear",
       "bilinear[i, j] ++= x[i, k] * w[j, k, l] * y[i, l]",
       {"x", "w", "y"},
       {{{{2, 3}, {5, 3, 7}, {2, 7}}}, {{{11, 7}, {13, 7, 9}, {11, 9}}}}},
  };
}

TEST(Recipes, agree_at_every_level) {
  for (const Recipe& recipe : recipes())
    for (const Operands& size : recipe.sizes)
      for (const Values values : {Values::normal, Values::whole}) {
        Case each{recipe.statement, {}};
        for (std::size_t i = 0; i < recipe.operands.size(); ++i)
          each.operands.push_back({recipe.operands[i], DType::f32, size.shapes[i], {}, values});
        EXPECT_TRUE(agrees(each)) << recipe.name;
      }
}

}  // namespace
}  // namespace tilewright::differential
