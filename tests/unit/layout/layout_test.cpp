// Worked examples of evaluation and coalescing, computed by hand; layout.h's tutorial among them.
#include "layout/layout.h"

#include <gtest/gtest.h>

namespace tilewright::layout {
namespace {

const IntExpr n = IntExpr::symbol("n");
const IntExpr m = IntExpr::symbol("m");
const IntExpr s = IntExpr::symbol("s");

TEST(Tuple, RankDepthAndProduct) {
  const Tuple nested = tuple(4, tuple(2, tuple(3)));
  EXPECT_EQ(rank(nested), 2u);
  EXPECT_EQ(depth(nested), 3u);
  EXPECT_TRUE(product(nested).is_constant(24));
  EXPECT_EQ(rank(Tuple(7)), 1u);
  EXPECT_EQ(depth(Tuple(7)), 0u);
  EXPECT_EQ(rank(tuple()), 0u);
  EXPECT_TRUE(product(tuple()).is_constant(1));
  EXPECT_FALSE(Tuple(4) == tuple(4));
  EXPECT_TRUE(are_congruent(nested, tuple(1, tuple(1, tuple(1)))));
  EXPECT_FALSE(are_congruent(nested, tuple(1, tuple(1, 1))));
  EXPECT_FALSE(are_congruent(tuple(1, 2), tuple(1, 2, 3)));
}

TEST(Layout, TheTutorialsExample) {
  const Layout layout(tuple(4, tuple(2, 3)), tuple(1, tuple(4, 8)));
  EXPECT_TRUE(index(layout, tuple(3, tuple(1, 2))).is_constant(23));
  EXPECT_TRUE(index(layout, tuple(3, 5)).is_constant(23));
  EXPECT_TRUE(index(layout, 23).is_constant(23));
  EXPECT_EQ(coordinate(layout.shape(), 23), tuple(3, tuple(1, 2)));
  EXPECT_TRUE(number(layout.shape(), tuple(3, 5)).is_constant(23));
  EXPECT_EQ(coalesce(layout), Layout(24, 1));
}

TEST(Layout, RowMajorMatrix) {
  const Layout layout(tuple(2, 3), tuple(3, 1));
  const int expected[] = {0, 3, 1, 4, 2, 5};
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(index(layout, i).is_constant(expected[i])) << i;
  EXPECT_EQ(compact_right(tuple(2, 3)), layout);
  EXPECT_EQ(compact_left(tuple(2, 3)), Layout(tuple(2, 3), tuple(1, 2)));
  EXPECT_EQ(compact_right(tuple(2, tuple(3, 5))), Layout(tuple(2, tuple(3, 5)), tuple(15, tuple(5, 1))));
}

TEST(Layout, SizeAndCosize) {
  const Layout padded(tuple(4, 8), tuple(1, 5));
  EXPECT_TRUE(size(padded).is_constant(32));
  EXPECT_TRUE(cosize(padded).is_constant(39));
  EXPECT_TRUE(size(Layout()).is_constant(1));
  EXPECT_TRUE(cosize(Layout()).is_constant(1));
  EXPECT_TRUE(index(Layout(), tuple()).is_constant(0));
  EXPECT_TRUE(size(Layout(tuple(3, 0), tuple(1, 3))).is_constant(0));
}

TEST(Layout, ModesAndLeaves) {
  const Layout layout(tuple(4, tuple(2, 3)), tuple(1, tuple(4, 8)));
  EXPECT_EQ(mode(layout, 1), Layout(tuple(2, 3), tuple(4, 8)));
  EXPECT_EQ(join({mode(layout, 0), mode(layout, 1)}), layout);
  EXPECT_EQ(leaves(layout), (std::vector<Leaf>{{4, 1}, {2, 4}, {3, 8}}));
  EXPECT_THROW(mode(layout, 2), InternalError);
}

TEST(Layout, WhatDoesNotNestIsADefect) {
  EXPECT_THROW(Layout(tuple(2, 3), tuple(1)), InternalError);
  EXPECT_THROW(index(Layout(tuple(2, 3), tuple(1, 2)), tuple(1, 2, 3)), InternalError);
  EXPECT_THROW(index(Layout(6, 1), tuple(1)), InternalError);
}

TEST(Layout, DynamicIndex) {
  const Layout matrix(tuple(n, m), tuple(s, 1));
  EXPECT_EQ(index(matrix, tuple(IntExpr::symbol("i"), 3)), IntExpr::symbol("i") * s + 3);
  const auto known = [](std::string_view name) -> std::optional<IntExpr> {
    if (name == "n") return 4;
    if (name == "s") return 10;
    return std::nullopt;
  };
  EXPECT_EQ(substitute(matrix, known), Layout(tuple(4, m), tuple(10, 1)));
}

TEST(Coalesce, Examples) {
  EXPECT_EQ(coalesce(Layout(tuple(2, tuple(1, 6)), tuple(1, tuple(6, 2)))), Layout(12, 1));
  EXPECT_EQ(coalesce(Layout(tuple(4, 8), tuple(8, 1))), Layout(tuple(4, 8), tuple(8, 1)));
  EXPECT_EQ(coalesce(Layout(tuple(2, 2, 3), tuple(0, 0, 5))), Layout(tuple(4, 3), tuple(0, 5)));
  EXPECT_EQ(coalesce(Layout(tuple(2, 3), tuple(-1, -2))), Layout(6, -1));
  EXPECT_EQ(coalesce(Layout(tuple(1, 1), tuple(7, 9))), Layout(1, 0));
  EXPECT_EQ(coalesce(Layout()), Layout(1, 0));
  EXPECT_EQ(coalesce_modes(Layout(tuple(tuple(2, 2), 3), tuple(tuple(1, 2), 4))), Layout(tuple(4, 3), tuple(1, 4)));
}

TEST(Coalesce, DynamicLeavesMergeWhereTheirProductsAgree) {
  EXPECT_EQ(coalesce(Layout(tuple(n, m), tuple(1, n))), Layout(n * m, 1));
  EXPECT_EQ(coalesce(Layout(tuple(n, m), tuple(4, 4 * n))), Layout(n * m, 4));
  EXPECT_EQ(coalesce(Layout(tuple(n, m), tuple(s, s * n))), Layout(n * m, s));
  EXPECT_EQ(coalesce(Layout(tuple(n, m), tuple(1, s))), Layout(tuple(n, m), tuple(1, s)));
}

}  // namespace
}  // namespace tilewright::layout
