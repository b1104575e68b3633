// The reference evaluator: every operator of language.md on every class of values. Expected numbers by hand.
#include <cmath>
#include <limits>

#include "nest_fixture.h"

namespace tilewright::nest {
namespace {

using enum DType;
using Values = std::vector<double>;
constexpr double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

/// `o[i] = <expr>` over a (and b).
Values apply(std::string_view expr, DType type, const Values& a, const Values& b = {}) {
  Operands operands;
  const auto count = static_cast<std::int64_t>(a.size());
  operands.emplace("a", TestTensor(type, {count}, a));
  if (!b.empty()) operands.emplace("b", TestTensor(type, {count}, b));
  return values_of("o[i] = " + std::string(expr), operands);
}

/// The single i64 value of `o[] = <expr>` over rank-0 integers.
std::int64_t integer(std::string_view expr, DType type, std::int64_t a, std::int64_t b) {
  Operands operands;
  for (const auto& [name, value] : {std::pair{"a", a}, std::pair{"b", b}}) {
    TestTensor tensor(type, {}, {0});
    store_scalar(type, Scalar::of(value), tensor.bytes.data());
    operands.emplace(name, std::move(tensor));
  }
  return evaluate_text("o[] = " + std::string(expr), operands).rounded[0].as_int();
}

constexpr std::int64_t int64_min = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();

TEST(EvaluateOps, IntegersWrap) {
  EXPECT_EQ(integer("a[] + b[]", i32, 2147483647, 1), -2147483648LL);
  EXPECT_EQ(integer("a[] * b[]", u32, 4294967295, 4294967295), 1);
  EXPECT_EQ(integer("a[] - b[]", u32, 0, 1), 4294967295);
  EXPECT_EQ(integer("a[] + b[]", i64, int64_max, 1), int64_min);
  EXPECT_EQ(integer("a[] * b[]", i64, int64_min, -1), int64_min);
  EXPECT_EQ(integer("a[] - b[]", i64, int64_min, 1), int64_max);
  EXPECT_EQ(integer("-a[] + b[]", i64, int64_min, 0), int64_min);
  EXPECT_EQ(integer("abs(a[]) + b[]", i32, -2147483648LL, 0), -2147483648LL);
  EXPECT_EQ(integer("-a[] + b[]", u32, 1, 0), 4294967295);
  // i8 is evaluated in i32: nothing wraps at 8 bits.
  EXPECT_EQ(integer("a[] * b[]", i8, -128, -128), 16384);
}

TEST(EvaluateOps, DivisionTruncatesAndNeverTraps) {
  EXPECT_EQ(integer("a[] / b[]", i32, -7, 2), -3);
  EXPECT_EQ(integer("a[] / b[]", i32, 7, -2), -3);
  EXPECT_EQ(integer("a[] / b[]", i32, -2147483648LL, -1), -2147483648LL);
  EXPECT_EQ(integer("a[] / b[]", i64, int64_min, -1), int64_min);
  EXPECT_EQ(integer("a[] / b[]", u32, 4294967295, 2), 2147483647);
  EXPECT_EQ(integer("a[] / b[]", i64, 5, 0), 0);
  EXPECT_EQ(apply("a[i] / b[i]", f32, {1, -1, 0}, {0, 0, 2}), (Values{inf, -inf, 0}));
}

TEST(EvaluateOps, ReductionsOfIntegersWrapToo) {
  Operands operands;
  operands.emplace("a", TestTensor(i32, {3}, {2147483647, 2147483647, 3}));
  EXPECT_EQ(values_of("o[] ++= a[i]", operands), (Values{1}));      // 2³² + 1
  EXPECT_EQ(values_of("o[] *= a[i]", operands), (Values{3}));       // (2³¹ − 1)² · 3 = 3 modulo 2³²
  EXPECT_EQ(values_of("o:i64[] ++= a[i]", operands), (Values{1}));  // accumulated in i32, then converted
  EXPECT_EQ(values_of("o[] ++= cast(i64, a[i])", operands), (Values{4294967297.0}));
}

TEST(EvaluateOps, FloatsKeepNotANumber) {
  const Values relu = apply("relu(a[i])", f32, {-2, 3, -inf, nan});
  EXPECT_EQ((Values{relu[0], relu[1], relu[2]}), (Values{0, 3, 0}));
  EXPECT_TRUE(std::isnan(relu[3]));
  const Values most = apply("max(a[i], b[i])", f32, {1, nan, 5, -0.0}, {2, 3, nan, 0.0});
  EXPECT_EQ(most[0], 2);
  EXPECT_TRUE(std::isnan(most[1]));
  EXPECT_TRUE(std::isnan(most[2]));
  EXPECT_FALSE(std::signbit(most[3]));
  const Values least = apply("min(a[i], b[i])", f32, {1, nan, 0.0}, {2, 3, -0.0});
  EXPECT_EQ(least[0], 1);
  EXPECT_TRUE(std::isnan(least[1]));
  EXPECT_TRUE(std::signbit(least[2]));
}

TEST(EvaluateOps, ComparisonsWithNotANumberAreFalseButForNotEqual) {
  for (const auto& [op, expected] :
       {std::pair{"<", Values{1, 0, 0, 0}}, std::pair{"<=", Values{1, 1, 0, 0}}, std::pair{">", Values{0, 0, 1, 0}},
        std::pair{">=", Values{0, 1, 1, 0}}, std::pair{"==", Values{0, 1, 0, 0}}, std::pair{"!=", Values{1, 0, 1, 1}}})
    EXPECT_EQ(apply("a[i] " + std::string(op) + " b[i]", f32, {1, 2, 3, nan}, {2, 2, 2, nan}), expected) << op;
}

TEST(EvaluateOps, LogicAndSelect) {
  EXPECT_EQ(apply("a[i] and b[i]", boolean, {0, 0, 1, 1}, {0, 1, 0, 1}), (Values{0, 0, 0, 1}));
  EXPECT_EQ(apply("a[i] or b[i]", boolean, {0, 0, 1, 1}, {0, 1, 0, 1}), (Values{0, 1, 1, 1}));
  EXPECT_EQ(apply("not a[i]", boolean, {0, 1}), (Values{1, 0}));
  EXPECT_EQ(apply("select(a[i] > b[i], a[i], 9)", i8, {1, 5}, {2, 2}), (Values{9, 5}));
  // The branch that is not taken does not matter.
  EXPECT_EQ(apply("select(a[i] == 0, 0, 1 / a[i])", f32, {0, 4}), (Values{0, 0.25}));
}

TEST(EvaluateOps, CastsTruncateSaturateAndWrap) {
  EXPECT_EQ(apply("cast(i8, a[i])", f32, {1.9, -1.9, 300, -300, nan, inf}), (Values{1, -1, 127, -128, 0, 127}));
  EXPECT_EQ(apply("cast(u8, a[i])", f32, {-1, 255.9, 256}), (Values{0, 255, 255}));
  EXPECT_EQ(apply("cast(i8, a[i])", i32, {300, -129}), (Values{44, 127}));
  EXPECT_EQ(apply("cast(u32, a[i])", i32, {-1}), (Values{4294967295.0}));
  EXPECT_EQ(apply("cast(f8e4m3, a[i])", f32, {1000, -1000, inf, 17}), (Values{448, -448, 448, 16}));
  EXPECT_EQ(apply("cast(bool, a[i])", f32, {0, -0.0, 0.5, nan}), (Values{0, 0, 1, 1}));
  EXPECT_EQ(apply("cast(f16, a[i])", f32, {2049, 2051, 70000}), (Values{2048, 2052, inf}));
  EXPECT_EQ(apply("cast(f32, a[i])", i32, {16777217, -16777219}), (Values{16777216, -16777220}));
}

TEST(EvaluateOps, AnnotationsConvertAsCastDoes) {
  Operands operands;
  operands.emplace("a", TestTensor(f32, {2}, {1.75, 1.75}));
  EXPECT_EQ(values_of("o:i32[] ++= a[i]", operands), (Values{3}));  // 3.5 truncated once, not 1 + 1
  EXPECT_EQ(values_of("o:bool[] ++= a[i]", operands), (Values{1}));
}

TEST(EvaluateOps, FunctionsInDoublePrecision) {
  const auto close = [](std::string_view expr, double x, double expected) {
    Operands operands;
    operands.emplace("a", TestTensor(f64, {}, {x}));
    const double actual = evaluate_text("o[] = " + std::string(expr), operands).exact[0].as_double();
    EXPECT_NEAR(actual, expected, 1e-14 * std::max(1.0, std::fabs(expected))) << expr << " of " << x;
  };
  close("exp(a[])", 1, 2.718281828459045);
  close("log(a[])", 10, 2.302585092994046);
  close("sqrt(a[])", 2, 1.4142135623730951);
  close("rsqrt(a[])", 4, 0.5);
  close("tanh(a[])", 0.5, 0.46211715726000975);
  close("sin(a[])", 1, 0.8414709848078965);
  close("cos(a[])", 1, 0.5403023058681398);
  close("erf(a[])", 0.5, 0.5204998778130465);
  close("pow(a[], 3)", 2, 8);
  close("sigmoid(a[])", 1, 0.7310585786300049);
  close("silu(a[])", 1, 0.7310585786300049);
  close("gelu(a[])", 1, 0.8413447460685429);  // Φ(1)
  close("gelu(a[])", -1, -0.15865525393145707);
  close("abs(a[])", -3, 3);
}

TEST(EvaluateOps, GeluKeepsItsDigitsFarBelowZero) {
  // −10 · Φ(−10), with Φ(−10) = 7.619853024160527e−24; a difference of 1 and erf would give 0.
  Operands operands;
  operands.emplace("a", TestTensor(f64, {}, {-10}));
  const double actual = evaluate_text("o[] = gelu(a[])", operands).exact[0].as_double();
  EXPECT_NEAR(actual / -7.619853024160527e-23, 1, 1e-10);
}

TEST(EvaluateOps, LiteralsHaveTheirOperandsType) {
  // 0.1 is an f32 beside an f32, an f64 beside an f64.
  Operands single;
  single.emplace("a", TestTensor(f32, {}, {0}));
  EXPECT_EQ(evaluate_text("o[] = a[] + 0.1", single).exact[0].as_double(), static_cast<double>(0.1F));
  Operands wide;
  wide.emplace("a", TestTensor(f64, {}, {0}));
  EXPECT_EQ(evaluate_text("o[] = a[] + 0.1", wide).exact[0].as_double(), 0.1);
}

}  // namespace
}  // namespace tilewright::nest
