// The text form of integer expressions: exact prints, round trips and errors.
#include <gtest/gtest.h>

#include <limits>

#include "support/int_expr.h"
#include "support/text.h"

namespace tilewright {
namespace {

const IntExpr a = IntExpr::symbol("a.0");
const IntExpr b = IntExpr::symbol("b.1");

Result<IntExpr> parsed(std::string text) {
  TextCursor cursor(std::make_shared<const Source>("e", std::move(text)));
  auto expr = parse_int_expr(cursor);
  if (expr && !cursor.at_end()) return cursor.error_here("X001", "text is left over");
  return expr;
}

void expect_text(const IntExpr& expr, const std::string& text) {
  EXPECT_EQ(to_text(expr), text);
  const auto back = parsed(text);
  ASSERT_TRUE(back.has_value()) << render(back.error());
  EXPECT_EQ(*back, expr) << text;
}

TEST(IntExprText, PrintsWithTheFewestParenthesesAndParsesBack) {
  expect_text(ceil_div(a, 64) * 64 + min(b, 8), "ceil(a.0 / 64) * 64 + min(b.1, 8)");
  expect_text((a + b) * 2, "(a.0 + b.1) * 2");
  expect_text(a - (b - 1), "a.0 - (b.1 - 1)");
  expect_text(a - b - 1, "a.0 - b.1 - 1");
  expect_text(floor_div(a * 2, 3), "a.0 * 2 / 3");
  expect_text(a * floor_div(b, 3), "a.0 * (b.1 / 3)");
  expect_text(mod(a, b + 1), "a.0 % (b.1 + 1)");
  expect_text(ceil_div(floor_div(a, 2), b), "ceil(a.0 / 2 / b.1)");
  expect_text(ceil_div(a + 1, b * 2), "ceil((a.0 + 1) / (b.1 * 2))");
  expect_text(floor_div(ceil_div(a, 2), 3), "ceil(a.0 / 2) / 3");
  expect_text(max(a - 1, min(b, 4)), "max(a.0 - 1, min(b.1, 4))");
  expect_text(a + -3, "a.0 + -3");
  expect_text(-3 * a, "-3 * a.0");
  expect_text(IntExpr(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  expect_text(IntExpr(std::numeric_limits<std::int64_t>::max()) + 1, "9223372036854775807 + 1");
  expect_text(IntExpr::symbol("min") + IntExpr::symbol("ceil"), "min + ceil");
}

TEST(IntExprText, CeilRoundsItsLastDivisionUp) {
  EXPECT_EQ(*parsed("ceil(7 / 2)"), IntExpr(4));
  EXPECT_EQ(*parsed("ceil(7 / 2 / 2)"), IntExpr(2));  // 7 / 2 rounds down to 3
  EXPECT_EQ(*parsed("7 / 2"), IntExpr(3));
  EXPECT_EQ(*parsed("-7 / 2"), IntExpr(-4));
}

void expect_error(std::string text, const std::string& code, const std::string& message, Span span) {
  const auto result = parsed(text);
  ASSERT_FALSE(result.has_value()) << text;
  EXPECT_EQ(result.error()[0].code, code) << text;
  EXPECT_EQ(result.error()[0].message, message) << text;
  EXPECT_EQ(result.error()[0].span, span) << text;
}

TEST(IntExprText, Errors) {
  expect_error("", "X001", "expected an integer expression, found the end of the text", {0, 0});
  expect_error("a +", "X001", "expected an integer expression, found the end of the text", {3, 3});
  expect_error("(a", "X001", "expected ')', found the end of the text", {2, 2});
  expect_error("min(a)", "X001", "expected ',', found ')'", {5, 6});
  expect_error("floor(a / 2)", "X001", "'floor' is not a function of integer expressions", {5, 6});
  expect_error("ceil(a)", "X001", "ceil takes a division", {6, 7});
  expect_error("ceil(a / 2 * 3)", "X001", "ceil takes a division", {14, 15});
  expect_error("9223372036854775808", "X002", "'9223372036854775808' does not fit a signed 64-bit integer", {0, 19});
  expect_error("a -> b", "X001", "text is left over", {2, 4});
}

TEST(IntExprText, DeepTextIsAnErrorAndNotACrash) {
  expect_error(std::string(100000, '('), "X003", "an expression nested more than 400 deep", {400, 401});
  std::string chain = "a";
  for (int i = 0; i < 100000; ++i) chain += "+a";
  EXPECT_EQ(parsed(chain).error()[0].code, "X003");
}

}  // namespace
}  // namespace tilewright
