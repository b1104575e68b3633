// Folding, identities and checked evaluation of integer expressions.
#include "support/int_expr.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tilewright {
namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

const IntExpr x = IntExpr::symbol("x");
const IntExpr y = IntExpr::symbol("y");

std::optional<std::int64_t> at(const IntExpr& expr, std::int64_t x_value, std::int64_t y_value) {
  return evaluate(expr, [&](std::string_view name) -> std::optional<std::int64_t> {
    if (name == "x") return x_value;
    if (name == "y") return y_value;
    return std::nullopt;
  });
}

TEST(IntExpr, FoldsConstants) {
  EXPECT_TRUE((IntExpr(6) * 7).is_constant(42));
  EXPECT_TRUE(ceil_div(130, 64).is_constant(3));
  EXPECT_TRUE(min(3, 5).is_constant(3));
  EXPECT_TRUE(max(3, 5).is_constant(5));
  EXPECT_TRUE((IntExpr(3) - 5).is_constant(-2));
  EXPECT_TRUE(IntExpr().is_constant(0));
}

TEST(IntExpr, Identities) {
  EXPECT_EQ(x + 0, x);
  EXPECT_EQ(0 + x, x);
  EXPECT_EQ(x - 0, x);
  EXPECT_TRUE((x - x).is_constant(0));
  EXPECT_EQ(x * 1, x);
  EXPECT_EQ(1 * x, x);
  EXPECT_TRUE((x * 0).is_constant(0));
  EXPECT_TRUE((0 * x).is_constant(0));
  EXPECT_EQ(floor_div(x, 1), x);
  EXPECT_EQ(ceil_div(x, 1), x);
  EXPECT_TRUE(mod(x, 1).is_constant(0));
  EXPECT_EQ(min(x, x), x);
  EXPECT_EQ(max(x + y, x + y), x + y);
}

TEST(IntExpr, EqualityIsStructural) {
  EXPECT_EQ(x * 4 + y, IntExpr::symbol("x") * 4 + IntExpr::symbol("y"));
  EXPECT_FALSE(x + y == y + x);
  EXPECT_FALSE(floor_div(x, y) == ceil_div(x, y));
  EXPECT_FALSE(x == IntExpr(0));
}

// Against floor and ceil in f64, exact for such small numbers.
TEST(IntExpr, DivisionOfNegativeNumbers) {
  for (int a = -13; a <= 13; ++a) {
    for (int b = -4; b <= 4; ++b) {
      if (b == 0) continue;
      const auto floor = static_cast<std::int64_t>(std::floor(double(a) / b));
      const auto ceil = static_cast<std::int64_t>(std::ceil(double(a) / b));
      EXPECT_EQ(at(floor_div(x, y), a, b), floor) << a << " / " << b;
      EXPECT_EQ(at(ceil_div(x, y), a, b), ceil) << a << " / " << b;
      EXPECT_EQ(at(mod(x, y), a, b), a - floor * b) << a << " % " << b;
    }
  }
  EXPECT_TRUE(mod(-7, 4).is_constant(1));
  EXPECT_TRUE(floor_div(-7, 4).is_constant(-2));
  EXPECT_TRUE(ceil_div(-7, 4).is_constant(-1));
}

TEST(IntExpr, OverflowStaysUnfoldedAndEvaluatesToNothing) {
  const IntExpr cases[] = {IntExpr(highest) + 1, IntExpr(lowest) - 1, IntExpr(highest) * 2, floor_div(lowest, -1),
                           ceil_div(lowest, -1), floor_div(5, 0),     ceil_div(5, 0),       mod(5, 0)};
  for (const IntExpr& expr : cases) {
    EXPECT_FALSE(expr.is_constant()) << to_text(expr);
    EXPECT_EQ(at(expr, 0, 0), std::nullopt) << to_text(expr);
  }
  EXPECT_TRUE(mod(lowest, -1).is_constant(0));
  EXPECT_TRUE((IntExpr(highest) + lowest).is_constant(-1));
  EXPECT_EQ(at(x + y, highest, 1), std::nullopt);
  EXPECT_EQ(at(x + y, highest, 0), highest);
  EXPECT_EQ(at(x * y, lowest, -1), std::nullopt);
  EXPECT_EQ(at(floor_div(x, y), 1, 0), std::nullopt);
}

TEST(IntExpr, ModularValuesWrapInSumsDifferencesAndProductsAlone) {
  const auto modular = [](const IntExpr& expr, std::int64_t x_value, std::int64_t y_value) {
    return evaluate_modular(expr, [&](std::string_view name) -> std::optional<std::int64_t> {
      if (name == "x") return x_value;
      if (name == "y") return y_value;
      return std::nullopt;
    });
  };
  EXPECT_EQ(modular(x + y, highest, 1), lowest);
  EXPECT_EQ(modular(x - y, lowest, 1), highest);
  EXPECT_EQ(modular(x * 4 + y, std::int64_t{1} << 62, 5), 5);
  EXPECT_EQ(modular(x * y, lowest, -1), lowest);
  EXPECT_EQ(modular(ceil_div(x * 4, y), std::int64_t{1} << 62, 5), std::nullopt);
  EXPECT_EQ(modular(min(x + 1, y), 3, 9), 4);
  EXPECT_EQ(modular(x + IntExpr::symbol("z"), 1, 2), std::nullopt);
}

TEST(IntExpr, UnknownSymbolsEvaluateToNothing) {
  EXPECT_EQ(at(x + IntExpr::symbol("z"), 1, 2), std::nullopt);
  EXPECT_EQ(at(x * 10 + y, 4, 2), 42);
}

TEST(IntExpr, SubstituteFoldsAgain) {
  const IntExpr expr = ceil_div(x, 64) * 64 + y;
  const auto x_is_100 = [](std::string_view name) -> std::optional<IntExpr> {
    if (name == "x") return IntExpr(100);
    return std::nullopt;
  };
  EXPECT_EQ(substitute(expr, x_is_100), IntExpr(128) + y);
  const auto swap = [](std::string_view name) -> std::optional<IntExpr> { return name == "x" ? y : x; };
  EXPECT_EQ(substitute(x - y, swap), y - x);
}

TEST(IntExpr, MultiplesByTheirForm) {
  EXPECT_TRUE(is_multiple_of(max(ceil_div(x, 100), 1) * 64, 32));
  EXPECT_TRUE(is_multiple_of(x * 6 + min(y * 3, 12), 3));
  EXPECT_FALSE(is_multiple_of(x * 6 + y, 3));
  EXPECT_FALSE(is_multiple_of(ceil_div(x * 64, 64), 64));
  EXPECT_TRUE(is_multiple_of(floor_div(x, 2), 1));
  EXPECT_TRUE(is_multiple_of(0, 7));
}

TEST(IntExpr, SymbolsInFirstSeenOrder) {
  EXPECT_EQ(symbols(y * 2 + min(x, y)), (std::vector<std::string>{"y", "x"}));
  EXPECT_TRUE(symbols(IntExpr(3)).empty());
}

}  // namespace
}  // namespace tilewright
