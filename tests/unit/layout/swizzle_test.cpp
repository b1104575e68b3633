// Swizzles with known places, and the text form's exact prints and errors.
#include "layout/swizzle.h"

#include <gtest/gtest.h>

#include "layout/text.h"
#include "support/text.h"

namespace tilewright::layout {
namespace {

// The 128-byte swizzle of shared memory: chunk c of 16 bytes in row r of 128 bytes lies where chunk c xor r would.
TEST(Swizzle, SpreadsAColumnOverTheBanks) {
  const Swizzle swizzle = *Swizzle::make(3, 4, 3);
  for (std::int64_t row = 0; row < 8; ++row)
    for (std::int64_t chunk = 0; chunk < 8; ++chunk)
      EXPECT_EQ(swizzle.apply(row * 128 + chunk * 16 + 5), row * 128 + (chunk ^ row) * 16 + 5);
  EXPECT_EQ(swizzle.apply(8 * 128 + 16), 8 * 128 + 16);  // the pattern repeats every eight rows
}

TEST(Swizzle, NegativeShiftGoesTheOtherWay) {
  const Swizzle swizzle = *Swizzle::make(2, 0, -3);
  EXPECT_EQ(swizzle.apply(0b00011), 0b11011);
  EXPECT_EQ(swizzle.apply(0b11000), 0b11000);
}

TEST(Swizzle, OfALayout) {
  const SwizzledLayout tile{*Swizzle::make(3, 3, 3), Layout(tuple(8, 64), tuple(64, 1))};
  EXPECT_EQ(*index(tile, tuple(0, 9)), 9);
  EXPECT_EQ(*index(tile, tuple(3, 8)), 3 * 64 + 16);  // chunk 1 xor row 3 = chunk 2
  const SwizzledLayout dynamic{*Swizzle::make(3, 3, 3), Layout(8, IntExpr::symbol("s"))};
  EXPECT_EQ(index(dynamic, 1).error()[0].code, "X101");
  EXPECT_EQ(*index(dynamic, 0), 0);
  EXPECT_EQ(index(SwizzledLayout{{}, Layout(8, -1)}, 1).error()[0].code, "X107");
}

TEST(Swizzle, OnlyPermutations) {
  for (const auto& [bits, base, shift] : {std::tuple{3, 4, 2}, {3, 4, -2}, {-1, 0, 3}, {1, -1, 3}, {3, 58, 3}}) {
    const auto swizzle = Swizzle::make(bits, base, shift);
    ASSERT_FALSE(swizzle.has_value());
    EXPECT_EQ(swizzle.error()[0].code, "X108");
  }
  EXPECT_TRUE(Swizzle::make(3, 57, 3).has_value());
}

Result<SwizzledLayout> parsed(const std::string& text) {
  TextCursor cursor(std::make_shared<const Source>("layout", text));
  return parse_swizzled_layout(cursor);
}

TEST(LayoutText, Prints) {
  const IntExpr a = IntExpr::symbol("a.0");
  EXPECT_EQ(to_text(Layout(tuple(4, tuple(2, 3)), tuple(1, tuple(4, 8)))), "(4,(2,3)):(1,(4,8))");
  EXPECT_EQ(to_text(Layout(4, -1)), "4:-1");
  EXPECT_EQ(to_text(Layout(tuple(4), tuple(1))), "(4):(1)");
  EXPECT_EQ(to_text(Layout()), "():()");
  EXPECT_EQ(to_text(Layout(tuple((a + 1) * 2, min(a, 8)), tuple(1, a * 2))),
            "({(a.0 + 1) * 2},min(a.0, 8)):(1,a.0 * 2)");
  EXPECT_EQ(to_text(SwizzledLayout{*Swizzle::make(3, 4, 3), Layout(8, 1)}), "swizzle(3,4,3) o 8:1");
}

TEST(LayoutText, Parses) {
  EXPECT_EQ(parsed(" ( 4 , (2,3) ) : (1,(4,8))")->layout, Layout(tuple(4, tuple(2, 3)), tuple(1, tuple(4, 8))));
  EXPECT_EQ(parsed("((4)):((1))")->layout, Layout(tuple(tuple(4)), tuple(tuple(1))));
  const IntExpr a = IntExpr::symbol("a.0");
  EXPECT_EQ(parsed("({(a.0 + 1) * 2},3):(-1,ceil(a.0 / 2) * 4)")->layout,
            Layout(tuple((a + 1) * 2, 3), tuple(-1, ceil_div(a, 2) * 4)));
  EXPECT_EQ(parsed("swizzle(2,0,-3) o 8:1")->swizzle, *Swizzle::make(2, 0, -3));
}

void expect_error(const std::string& text, const std::string& rendered) {
  const auto result = parsed(text);
  ASSERT_FALSE(result.has_value()) << text;
  EXPECT_EQ(render(result.error()), rendered);
}

TEST(LayoutText, Errors) {
  expect_error("(4,2):(1)",
               "layout:1:1: error[X103]: shape (4,2) and stride (1) do not nest alike\n"
               "    (4,2):(1)\n"
               "    ^^^^^\n"
               "    = help: give each extent one stride, in the same parentheses\n");
  expect_error("(4,-2):(1,4)",
               "layout:1:1: error[X107]: shape (4,-2) has a negative extent\n"
               "    (4,-2):(1,4)\n"
               "    ^^^^^^\n"
               "    = help: extents are 0 or more; strides may be negative\n");
  expect_error(
      "swizzle(3,4,2) o 8:1",
      "layout:1:9: error[X108]: swizzle(3,4,2) is not a permutation of indices\n"
      "    swizzle(3,4,2) o 8:1\n"
      "            ^^^^^\n"
      "    = help: bits and base are not negative, the shift is at least as large as bits, and all bits lie below "
      "63\n");
  EXPECT_EQ(parsed("(4,2)").error()[0].message, "expected ':', found the end of the text");
  EXPECT_EQ(parsed("(4 2):(1,2)").error()[0].message, "expected ',', found '2'");
  EXPECT_EQ(parsed("(4,):(1)").error()[0].message, "expected an integer expression, found ')'");
  EXPECT_EQ(parsed(std::string(1000, '(')).error()[0].code, "X003");
}

}  // namespace
}  // namespace tilewright::layout
