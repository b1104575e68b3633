// Inputs that broke other systems, at the level of the reference evaluator.
#include <cmath>
#include <limits>

#include "nest_fixture.h"

namespace tilewright::nest {
namespace {

using enum DType;
using Values = std::vector<double>;
using Shape = std::vector<std::int64_t>;

Operands pair(TestTensor a, TestTensor b) {
  Operands operands;
  operands.emplace("a", std::move(a));
  operands.emplace("b", std::move(b));
  return operands;
}

TEST(EdgeCases, EmptyOutput) {
  const ReferenceResult result =
      evaluate_text("o[i] ++= a[i, j] * b[j]", pair(TestTensor(f32, {0, 3}, {}), TestTensor(f32, {3}, {1, 2, 3})));
  EXPECT_EQ(result.shape, (Shape{0}));
  EXPECT_TRUE(result.rounded.empty());
}

TEST(EdgeCases, EmptyReduction) {
  const ReferenceResult result =
      evaluate_text("o[i, j] ++= a[i, k] * b[k, j]", pair(TestTensor(f32, {3, 0}, {}), TestTensor(f32, {0, 4}, {})));
  EXPECT_EQ(result.shape, (Shape{3, 4}));
  EXPECT_EQ(rounded(result), Values(12, 0.0));
}

TEST(EdgeCases, DotOfLengthZero) {
  EXPECT_EQ(values_of("o[] ++= a[i] * b[i]", pair(TestTensor(f32, {0}, {}), TestTensor(f32, {0}, {}))), (Values{0}));
}

TEST(EdgeCases, OneDoesNotStretchToZero) {
  const lang::File file = parse_file("o[i] = a[i] * b[i]");
  const auto typed = lang::bind(std::get<lang::Statement>(file.items.at(0)), {{"a", f32, {1}}, {"b", f32, {0}}});
  ASSERT_FALSE(typed);
  EXPECT_EQ(typed.error()[0].code, "B010");
  EXPECT_EQ(typed.error()[0].message, "extents of 'i' differ: axis 0 of 'a' is 1, axis 0 of 'b' is 0");
}

TEST(EdgeCases, OutputIndexTwice) {
  const std::string text = "o[j, i, j] = a[i, j]\n";
  const auto file = lang::parse(std::make_shared<const Source>("test.tw", text));
  ASSERT_FALSE(file);
  const Span span = file.error()[0].span;
  EXPECT_EQ(text.substr(span.begin, span.end - span.begin), "j");
  EXPECT_EQ(span.begin, 8U);
}

TEST(EdgeCases, BytesAccumulateInThirtyTwoBits) {
  EXPECT_EQ(values_of("o[i, j] ++= a[i, k] * b[k, j]",
                      pair(TestTensor(i8, {2, 2}, {-44, -20, -126, 6}), TestTensor(i8, {2, 2}, {24, -75, 127, -101}))),
            (Values{-3596, 5320, -2262, 8844}));
}

TEST(EdgeCases, ThousandOnes) {
  EXPECT_EQ(values_of("o[j] ++= a[i, j] * b[i, j]",
                      pair(TestTensor(u8, {1000, 1}, Values(1000, 1)), TestTensor(u8, {1000, 1}, Values(1000, 1)))),
            (Values{1000}));
}

TEST(EdgeCases, ExactKeepsEveryBit) {
  Values eye(46 * 46, 0.0);
  Values counting(46 * 46);
  for (std::size_t index = 0; index < counting.size(); ++index) {
    counting[index] = static_cast<double>(index);
    if (index % 47 == 0) eye[index] = 1;
  }
  const Values result = values_of("o[i, j] ++= a[i, k] * b[k, j]",
                                  pair(TestTensor(f32, {46, 46}, eye), TestTensor(f32, {46, 46}, counting)));
  EXPECT_EQ(result[2049], 2049);
  EXPECT_EQ(result, counting);
}

TEST(EdgeCases, NotANumberIsTheMaximum) {
  Operands operands;
  operands.emplace("a", TestTensor(f32, {3}, {std::numeric_limits<double>::quiet_NaN(), 6, 8}));
  EXPECT_TRUE(std::isnan(values_of("o[] max= a[i]", operands)[0]));
}

TEST(EdgeCases, StridesOfASizeOneAxisDoNotMatter) {
  TestTensor base(f32, {3}, {1, 2, 3});
  const Nest nest = nest_of("o[i, j] = a[i, j] * 2", {{"a", f32, {1, 3}}});
  for (const std::int64_t stride : {std::int64_t{0}, std::int64_t{7}, std::int64_t{-5}, std::int64_t{1} << 61}) {
    const TensorView view{.data = base.bytes.data(), .dtype = f32, .shape = {1, 3}, .strides = {stride, 1}};
    const auto result = evaluate(nest, {{"a", view}});
    ASSERT_TRUE(result);
    EXPECT_EQ(rounded(*result), (Values{2, 4, 6}));
  }
}

TEST(EdgeCases, LargeConstantsInAffineIndices) {
  // 5794² is past 2²⁵ and 5794 · 370728 past 2³¹; the axis has stride 0, so that its element exists once.
  TestTensor base(f32, {1}, {5});
  const Nest nest = nest_of("o[i] = a[370728*i + 2147483648] + cast(f32, 2147483648 * i) | (i in 0 ..< 3)",
                            {{"a", f32, {3000000000}}});
  const TensorView view{.data = base.bytes.data(), .dtype = f32, .shape = {3000000000}, .strides = {0}};
  const auto result = evaluate(nest, {{"a", view}});
  ASSERT_TRUE(result) << render(result.error());
  EXPECT_EQ(result->exact[2].as_double(), 4294967296.0 + 5);
}

}  // namespace
}  // namespace tilewright::nest
