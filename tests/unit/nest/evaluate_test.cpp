// The reference evaluator: the shape of a statement's meaning. Expected numbers are computed by hand.
#include <cmath>
#include <limits>

#include "nest_fixture.h"

namespace tilewright::nest {
namespace {

using enum DType;
using Values = std::vector<double>;
using Shape = std::vector<std::int64_t>;
constexpr double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

Operands one(DType type, Shape shape, const Values& values) {
  Operands operands;
  operands.emplace("a", TestTensor(type, std::move(shape), values));
  return operands;
}
Operands two(TestTensor a, TestTensor b) {
  Operands operands;
  operands.emplace("a", std::move(a));
  operands.emplace("b", std::move(b));
  return operands;
}

TEST(Evaluate, TheRecipesAtSmallShapes) {
  const TestTensor m(f32, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(values_of("o[j, i] = a[i, j]", one(f32, {2, 3}, {1, 2, 3, 4, 5, 6})), (Values{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(values_of("o[] ++= a[i, j]", one(f32, {2, 3}, {1, 2, 3, 4, 5, 6})), (Values{21}));
  EXPECT_EQ(values_of("o[j] ++= a[i, j]", one(f32, {2, 3}, {1, 2, 3, 4, 5, 6})), (Values{5, 7, 9}));
  EXPECT_EQ(values_of("o[i] ++= a[i, j]", one(f32, {2, 3}, {1, 2, 3, 4, 5, 6})), (Values{6, 15}));
  EXPECT_EQ(values_of("o[i, j] ++= a[i, k] * b[k, j]", two(m, TestTensor(f32, {3, 2}, {1, 0, 2, 1, 0, 3}))),
            (Values{5, 11, 14, 23}));
  EXPECT_EQ(values_of("o[i, j] = a[i] * b[j]", two(TestTensor(f32, {2}, {2, 3}), TestTensor(f32, {3}, {1, 10, 100}))),
            (Values{2, 20, 200, 3, 30, 300}));
  // Two batches of (1 x 2) · (2 x 1).
  EXPECT_EQ(values_of("o[n, i, j] ++= a[n, i, k] * b[n, k, j]",
                      two(TestTensor(f32, {2, 1, 2}, {1, 2, 3, 4}), TestTensor(f32, {2, 2, 1}, {5, 6, 7, 8}))),
            (Values{17, 53}));
}

TEST(Evaluate, LongReductionsCrossBlocks) {
  // 2000 terms an output, 3 outputs: 0 + 1 + … + 1999 = 1999000, scaled by 1, 2, 3.
  EXPECT_EQ(values_of("o[i] ++= (i + 1) * k | (i in 0 ..< 3, k in 0 ..< 2000)", {}),
            (Values{1999000, 3998000, 5997000}));
  // 1000 outputs of one term each.
  const ReferenceResult many = evaluate_text("o[i] = i * i | (i in 0 ..< 1000)", {});
  ASSERT_EQ(many.rounded.size(), 1000U);
  EXPECT_EQ(many.rounded[999].as_int(), 998001);
}

TEST(Evaluate, WindowsDiagonalsAndConstants) {
  EXPECT_EQ(values_of("o[i] ++= a[2*i + r] * b[r]",
                      two(TestTensor(f32, {6}, {1, 2, 3, 4, 5, 6}), TestTensor(f32, {2}, {10, 1}))),
            (Values{12, 34, 56}));
  EXPECT_EQ(values_of("o[i] = a[i, i]", one(f32, {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})), (Values{1, 5, 9}));
  EXPECT_EQ(values_of("o[] ++= a[i, 1] | (i)", one(f32, {2, 3}, {1, 2, 3, 4, 5, 6})), (Values{7}));
  EXPECT_EQ(values_of("o[i] = a[-i + 2]", one(f32, {3}, {7, 8, 9})), (Values{9, 8, 7}));
}

TEST(Evaluate, ElseReplacesWhatIsOutside) {
  EXPECT_EQ(values_of("o[i] = a[i - 1] else -1 | (i in 0 ..< 5)", one(f32, {3}, {7, 8, 9})), (Values{-1, 7, 8, 9, -1}));
  // Outside in any slot is outside: (0, 3) and (2, 0) have an address, but no element.
  EXPECT_EQ(values_of("o[i, j] = a[i, j] else 0 | (i in 0 ..< 3, j in 0 ..< 4)", one(i32, {2, 3}, {1, 2, 3, 4, 5, 6})),
            (Values{1, 2, 3, 0, 4, 5, 6, 0, 0, 0, 0, 0}));
  EXPECT_EQ(values_of("o[] max= a[i - 1] else -inf | (i in 0 ..< 3)", one(f32, {1}, {-5})), (Values{-5}));
}

TEST(Evaluate, EveryReductionFoldsFromItsIdentity) {
  const Operands none = one(f32, {2, 0}, {});
  EXPECT_EQ(values_of("o[i] ++= a[i, k]", none), (Values{0, 0}));
  EXPECT_EQ(values_of("o[i] *= a[i, k]", none), (Values{1, 1}));
  EXPECT_EQ(values_of("o[i] max= a[i, k]", none), (Values{-inf, -inf}));
  EXPECT_EQ(values_of("o[i] min= a[i, k]", none), (Values{inf, inf}));
  EXPECT_EQ(values_of("o[] max= a[i]", one(i8, {0}, {})), (Values{-128}));
  EXPECT_EQ(values_of("o[] min= a[i]", one(u32, {0}, {})), (Values{4294967295.0}));
  EXPECT_EQ(values_of("o[] max= a[i]", one(f8e4m3, {0}, {})), (Values{-448}));
  EXPECT_EQ(values_of("o[] max= a[i]", one(boolean, {0}, {})), (Values{0}));
  EXPECT_EQ(values_of("o[] min= a[i]", one(boolean, {0}, {})), (Values{1}));
  // The identity is the output type's, even over one element.
  EXPECT_EQ(values_of("o:i8[] max= a[i]", one(i32, {1}, {-1000})), (Values{-128}));
  EXPECT_EQ(values_of("o:i8[] max= a[i]", one(i32, {0}, {})), (Values{-128}));
  EXPECT_EQ(values_of("o:f32[] max= a[i]", one(i32, {0}, {})), (Values{-inf}));
  EXPECT_EQ(values_of("o:i64[] min= a[i]", one(i32, {0}, {})), (Values{9223372036854775807.0}));
}

TEST(Evaluate, ThenSeesTheFinishedReductionAndRoundsOnce) {
  EXPECT_EQ(values_of("o[i] ++= a[i, k] then relu(o[i] - b[i])",
                      two(TestTensor(f32, {2, 2}, {1, 2, 3, 4}), TestTensor(f32, {2}, {5, 1}))),
            (Values{0, 6}));
  // 2048 + 1 is no f16: rounding the sum first would give 0.
  EXPECT_EQ(values_of("o[] ++= a[i] then o[] - 2048", one(f16, {2}, {2048, 1})), (Values{1}));
  EXPECT_EQ(values_of("o[i] ++= a[i, k] then o[i] / cast(f32, extent(k))", one(f32, {1, 4}, {1, 2, 3, 4})),
            (Values{2.5}));
  EXPECT_EQ(values_of("o[i] ++= a[i, k] then 7.0", one(f32, {2, 2}, {1, 2, 3, 4})), (Values{7, 7}));
}

TEST(Evaluate, ExactIsBeforeTheFinalRounding) {
  const ReferenceResult result = evaluate_text("o[] ++= a[i]", one(f16, {2}, {2048, 1}));
  EXPECT_EQ(result.exact[0].as_double(), 2049);
  EXPECT_EQ(result.rounded[0].as_double(), 2048);  // a tie, to even
  const ReferenceResult cast = evaluate_text("o[] = cast(f32, cast(f16, a[])) + 1", one(f32, {}, {2049}));
  EXPECT_EQ(cast.exact[0].as_double(), 2049) << "a cast inside the statement rounds: 2048 + 1";
}

TEST(Evaluate, MagnitudeIsTheSumOfTheTermsMagnitudes) {
  EXPECT_EQ(evaluate_text("o[] ++= a[i]", one(f32, {3}, {5, -4, -1})).magnitude, (Values{10}));
  EXPECT_EQ(evaluate_text("o[i] = a[i]", one(f32, {2}, {5, -4})).magnitude, (Values{5, 4}));
  // `then` scales the bound with the value: |d(8x)/dx| · 10.
  const ReferenceResult scaled = evaluate_text("o[] ++= a[i] then o[] * 8", one(f32, {3}, {5, -4, -1}));
  EXPECT_NEAR(scaled.magnitude[0], 80, 1e-6);
}

TEST(Evaluate, SumsAreCompensated) {
  // In plain f64 the ones vanish beside 1e17.
  EXPECT_EQ(values_of("o[] ++= a[i]", one(f64, {5}, {1e17, 1, 1, 1, -1e17})), (Values{3}));
  EXPECT_EQ(values_of("o[] ++= a[i]", one(f64, {2}, {inf, 1})), (Values{inf}));
}

TEST(Evaluate, AnyStridesAndBases) {
  TestTensor base(f32, {6}, {1, 2, 3, 4, 5, 6});
  const Nest nest = nest_of("o[i, j] = a[i, j]", {{"a", f32, {2, 3}}});
  const auto read = [&](std::ptrdiff_t first, std::vector<std::int64_t> strides) {
    TensorView view{
        .data = base.bytes.data() + first * 4, .dtype = f32, .shape = {2, 3}, .strides = std::move(strides)};
    return rounded(*evaluate(nest, {{"a", view}}));
  };
  EXPECT_EQ(read(0, {1, 2}), (Values{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(read(5, {-3, -1}), (Values{6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(read(0, {0, 1}), (Values{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(read(2, {0, 0}), (Values{3, 3, 3, 3, 3, 3}));
}

TEST(Evaluate, PointsAloneAgreeWithTheirIndices) {
  const Operands operands =
      two(TestTensor(f32, {2, 3}, {1, 2, 3, 4, 5, 6}), TestTensor(f32, {3, 2}, {1, 0, 2, 1, 0, 3}));
  const Nest nest = nest_of("o[i, j] ++= a[i, k] * b[k, j] then o[i, j] + cast(f32, 10 * i + j)", types_of(operands));
  const auto result = evaluate_points(nest, views_of(operands), {{1, 1}, {0, 1}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->shape, (Shape{2, 2}));
  EXPECT_EQ(rounded(*result), (Values{23 + 11, 11 + 1}));
  const auto outside = evaluate_points(nest, views_of(operands), {{1, 2}});
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error()[0].code, "N006");
}

TEST(Evaluate, ViewsThatDoNotFit) {
  const Nest nest = nest_of("o[i] = a[i] + b[i]", {{"a", f32, {2}}, {"b", f32, {2}}});
  const TestTensor short_one(f32, {2}, {1, 2});
  const TestTensor long_one(f32, {3}, {1, 2, 3});
  const TestTensor half(f16, {2}, {1, 2});
  const auto code = [&](const std::vector<NamedView>& views) {
    const auto result = evaluate(nest, views);
    return result ? std::string("none") : result.error()[0].code;
  };
  EXPECT_EQ(code({{"a", short_one.view}}), "N001");
  EXPECT_EQ(code({{"a", short_one.view}, {"b", half.view}}), "N002");
  EXPECT_EQ(code({{"a", short_one.view}, {"b", long_one.view}}), "N004");
  const Nest window = nest_of("o[i] ++= a[i + r] | (i, r in 0 ..< 2)", {{"a", f32, {2}}});
  const TestTensor none(f32, {0}, {});
  const auto negative = evaluate(window, {{"a", none.view}});
  ASSERT_FALSE(negative);
  EXPECT_EQ(negative.error()[0].code, "N003");
  const Nest shifted = nest_of("o[i] = a[i] + b[i + 1]", {{"a", f32, {2}}, {"b", f32, {3}}});
  const auto outside = evaluate(shifted, {{"a", long_one.view}, {"b", long_one.view}});
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error()[0].code, "N005");
}

TEST(Evaluate, NotANumberPassesThroughMaxAndMin) {
  for (const Values& order : {Values{nan, 6, 8}, Values{6, nan, 8}, Values{6, 8, nan}}) {
    EXPECT_TRUE(std::isnan(values_of("o[] max= a[i]", one(f32, {3}, order))[0]));
    EXPECT_TRUE(std::isnan(values_of("o[] min= a[i]", one(f32, {3}, order))[0]));
  }
}

}  // namespace
}  // namespace tilewright::nest
