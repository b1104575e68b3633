// Worked examples of the algebra, computed by hand, and each of its errors.
#include "layout/algebra.h"

#include <gtest/gtest.h>

#include "layout/text.h"

namespace tilewright::layout {
namespace {

const IntExpr n = IntExpr::symbol("n");

void expect_layout(const Result<Layout>& result, const std::string& expected) {
  ASSERT_TRUE(result.has_value()) << render(result.error());
  EXPECT_EQ(to_text(*result), expected);
}

void expect_error(const Result<Layout>& result, const std::string& code, const std::string& message) {
  ASSERT_FALSE(result.has_value()) << to_text(*result);
  EXPECT_EQ(result.error()[0].code, code);
  EXPECT_EQ(result.error()[0].message, message);
}

TEST(Compose, Examples) {
  expect_layout(compose(Layout(tuple(6, 2), tuple(8, 2)), Layout(tuple(4, 3), tuple(3, 1))),
                "((2,2),3):((24,2),8)");  // 0 3 6 9 of 6:8, 2:2 are 0 24 2 26
  expect_layout(compose(Layout(tuple(6, 4), tuple(1, 10)), Layout(6, 2)), "(3,2):(2,10)");
  expect_layout(compose(Layout(20, 2), Layout(tuple(5, 4), tuple(4, 1))), "(5,4):(8,2)");
  expect_layout(compose(Layout(tuple(10, 2), tuple(16, 4)), Layout(tuple(5, 4), tuple(1, 5))), "(5,(2,2)):(16,(80,4))");
  expect_layout(compose(Layout(tuple(6, 4), tuple(1, 10)), Layout(2, 4)), "2:4");  // 0 and 4, without dividing 6
  expect_layout(compose(Layout(tuple(4, 2), tuple(1, -8)), Layout(tuple(2, 1), tuple(4, 9))), "(2,1):(-8,0)");
}

TEST(Compose, OneDynamicLeafTakesAnything) {
  expect_layout(compose(Layout(n, 3), Layout(tuple(n, 4), tuple(2, IntExpr::symbol("s")))), "(n,4):(6,3 * s)");
  expect_layout(compose(Layout(tuple(4, n), tuple(1, IntExpr::symbol("s"))), Layout(tuple(2, 8), tuple(2, 4))),
                "(2,8):(2,s)");
}

TEST(Compose, Errors) {
  const Layout outer(tuple(4, 2), tuple(1, 10));
  expect_error(compose(outer, Layout(3, 3)), "X102", "3:3 of 3:3 does not divide extent 4 of (4,2):(1,10)");
  expect_error(compose(outer, Layout(6, 1)), "X102", "6:1 of 6:1 does not divide extent 4 of (4,2):(1,10)");
  expect_error(compose(outer, Layout(tuple(2, 2), tuple(3, 3))), "X105",
               "modes of (2,2):(3,3) add up past extent 4 of (4,2):(1,10)");
  expect_error(compose(outer, Layout(3, 4)), "X104", "3:4 reaches index 8, past the 8 elements of (4,2):(1,10)");
  expect_error(compose(Layout(8, 1), Layout(5, 2)), "X104", "5:2 reaches index 8, past the 8 elements of 8:1");
  expect_error(compose(Layout(8, 1), Layout(2, -1)), "X107", "2:-1 has stride -1");
  const std::int64_t large = std::int64_t{1} << 62;
  expect_error(compose(Layout(8, 1), Layout(large, 4)), "X109",
               "the inner layout 4611686018427387904:4 spans more than 64 bits hold");
  expect_error(compose(outer, Layout(n, 1)), "X101", "the inner layout n:1 has n, which is not a static integer");
  expect_error(compose(Layout(tuple(n, 2), tuple(3, 1)), Layout(2, 1)), "X101",
               "(n,2):(3,1) has extent n, which is not a static integer");
}

TEST(Complement, Examples) {
  expect_layout(complement(Layout(4, 1), 24), "6:4");
  expect_layout(complement(Layout(6, 4), 24), "4:1");
  expect_layout(complement(Layout(4, 2), 24), "(2,3):(1,8)");
  expect_layout(complement(Layout(tuple(2, 2), tuple(1, 6)), 24), "(3,2):(2,12)");
  expect_layout(complement(Layout(tuple(2, 4), tuple(1, 6)), 24), "3:2");
  expect_layout(complement(Layout(tuple(4, 6), tuple(6, 1)), 24), "1:0");
  expect_layout(complement(Layout(4, 1), 10), "3:4");                     // rounded up to whole periods
  expect_layout(complement(Layout(tuple(4, 8), tuple(1, 0)), 8), "2:4");  // stride 0 is left aside
  expect_layout(complement(Layout(64, 1), n), "ceil(n / 64):64");
}

TEST(Complement, Errors) {
  expect_error(complement(Layout(tuple(4, 2), tuple(1, 2)), 24), "X106",
               "in the layout (4,2):(1,2), stride 2 lies within the 4 indices of the modes below it");
  expect_error(complement(Layout(tuple(4, 2), tuple(1, 6)), 24), "X102",
               "in the layout (4,2):(1,6), stride 6 is not a multiple of 4, the span of the modes below it");
  expect_error(complement(Layout(n, 1), 24), "X101", "the layout n:1 has n, which is not a static integer");
  expect_error(complement(Layout(4, -1), 24), "X107", "the layout 4:-1 has stride -1");
  expect_error(complement(Layout(0, 1), 24), "X107", "the layout 0:1 has extent 0");
  const std::int64_t large = std::int64_t{1} << 40;
  expect_error(complement(Layout(tuple(large, large), tuple(0, 0)), 24), "X109",
               "the layout (1099511627776,1099511627776):(0,0) spans more than 64 bits hold");
}

TEST(Divide, Examples) {
  expect_layout(logical_divide(Layout(24, 1), Layout(4, 2)), "(4,(2,3)):(2,(1,8))");
  // Four columns with strides 2, 1 and 8: the elements 0 2 4 6 of the layout form a tile.
  expect_layout(logical_divide(Layout(tuple(4, 2, 3), tuple(2, 1, 8)), Layout(4, 2)), "((2,2),(2,3)):((4,1),(2,8))");
  expect_layout(logical_divide(Layout(n, 1), Layout(64, 1)), "(64,ceil(n / 64)):(1,64)");
  const Layout matrix(tuple(8, 12), tuple(12, 1));
  expect_layout(logical_divide(matrix, {Layout(4, 1), Layout(6, 1)}), "((4,2),(6,2)):((12,48),(1,6))");
  expect_layout(zipped_divide(matrix, {Layout(4, 1), Layout(6, 1)}), "((4,6),(2,2)):((12,1),(48,6))");
  expect_layout(zipped_divide(matrix, {Layout(4, 1)}), "((4),(2,12)):((12),(48,1))");
}

TEST(Divide, Errors) {
  expect_error(logical_divide(Layout(10, 1), Layout(4, 1)), "X102",
               "tiles 4:1 do not divide the 10 elements of 10:1: they cover 12");
  expect_error(zipped_divide(Layout(8, 1), {Layout(4, 1), Layout(2, 1)}), "X103", "2 tiles for the 1 modes of 8:1");
}

TEST(Product, Examples) {
  expect_layout(logical_product(Layout(4, 1), Layout(3, 1)), "(4,3):(1,4)");
  expect_layout(logical_product(Layout(tuple(2, 2), tuple(4, 1)), Layout(6, 1)), "((2,2),(2,3)):((4,1),(2,8))");
  expect_layout(logical_product(Layout(tuple(2, 5), tuple(5, 1)), Layout(tuple(3, 4), tuple(1, 3))),
                "((2,5),(3,4)):((5,1),(10,30))");
}

TEST(Inverse, Examples) {
  expect_layout(right_inverse(Layout(tuple(4, 8), tuple(8, 1))), "(8,4):(4,1)");
  expect_layout(left_inverse(Layout(tuple(4, 8), tuple(8, 1))), "(8,4):(4,1)");
  expect_layout(right_inverse(Layout(tuple(4, 8), tuple(1, 5))), "4:1");  // index 4 is padding
  expect_layout(left_inverse(Layout(4, 2)), "(2,4):(0,1)");
  expect_layout(right_inverse(Layout(4, 2)), "1:0");
  expect_error(left_inverse(Layout(tuple(4, 2), tuple(1, 0))), "X106", "(4,2):(1,0) takes an index 2 times");
}

}  // namespace
}  // namespace tilewright::layout
