// The tile evaluator's ops other than contractions: loads, masks, reductions, maps, stores and what it reports.
#include <cmath>
#include <limits>

#include "programs.h"

namespace tilewright::tile {
namespace {

constexpr const char* row_sums = R"(tile s
  tensor a : f32 rank 2 strides (other, one) align 4
  tensor s : f32 rank 1 strides (one) align 4 output
  iter i extent a.0
  iter k extent a.1
  grid i by 4
  %zero = fill 0 : f32 [i 4, k 8]
  %lanes = for k by 8 carry %c = %zero {
    %x = load a[i, k] : f32 [i 4, k 8]
    %m = mask %x outside (k) with 0 : f32 [i 4, k 8]
    %n = map add %c, %m : f32 [i 4, k 8]
    yield %n
  }
  %sum = reduce sum %lanes : f32 [i 4]
  store s[i], %sum
)";

TEST(Evaluate, RowSumsAlongLanesOfTheReduction) {
  Dense<float> a({6, 21}), s({6}, -1.0f);
  fill_pattern(a, 5);
  const Result<void> done = evaluate(program_of(row_sums), {{"a", a.view(DType::f32)}, {"s", s.view(DType::f32)}});
  ASSERT_TRUE(done) << render(done.error());
  for (std::int64_t i = 0; i < 6; ++i) {
    float sum = 0;
    for (std::int64_t k = 0; k < 21; ++k) sum += a.at(i, k);
    EXPECT_EQ(s.at(i), sum);
  }
}

TEST(Evaluate, LanesWithoutAMaskAreUnspecified) {
  std::string text = row_sums;
  const std::string masked = "map add %c, %m";
  text.replace(text.find(masked), masked.size(), "map add %c, %x");
  Dense<float> a({1, 7}), s({1});
  const Result<void> done = evaluate(program_of(text), {{"a", a.view(DType::f32)}, {"s", s.view(DType::f32)}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error()[0].code, "T101");
  EXPECT_EQ(done.error()[0].message, "tile s: `store s[i], %sum`: the element at i = 0, k = 0 is unspecified");
}

TEST(Evaluate, TransposeThroughStridesAndNames) {
  const Program program = program_of(R"(tile t
  tensor a : i32 rank 2 strides (other, one) align 4
  tensor t : i32 rank 2 strides (other, one) align 4 output
  iter j extent a.1
  iter i extent a.0
  grid j by 4, i by 4
  %x = load a[i, j] : i32 [i 4, j 4]
  store t[j, i], %x
)");
  Dense<std::int32_t> a({7, 10}), t({10, 7}, -1);
  for (std::size_t e = 0; e < a.data.size(); ++e) a.data[e] = static_cast<std::int32_t>(e);
  // The operand lies in every other row of a larger array, upside down.
  TensorView view = a.view(DType::i32);
  view.shape = {3, 10};
  view.data += 6 * 10 * sizeof(std::int32_t);
  view.strides = {-20, 1};
  TensorView out = t.view(DType::i32);
  out.shape = {10, 3};
  const Result<void> done = evaluate(program, {{"a", view}, {"t", out}});
  ASSERT_TRUE(done) << render(done.error());
  for (std::int64_t j = 0; j < 10; ++j)
    for (std::int64_t i = 0; i < 7; ++i) EXPECT_EQ(t.at(j, i), i < 3 ? (6 - 2 * i) * 10 + j : -1);
}

TEST(Evaluate, WindowsWithOtherwise) {
  const Program program = program_of(R"(tile o
  tensor x : i64 rank 1 strides (one) align 8
  tensor o : i64 rank 1 strides (one) align 8 output
  iter i extent o.0
  iter r extent 3
  grid i by 4
  %x = load x[2*i + r - 1] otherwise -7 : i64 [i 4, r 3]
  %o = reduce max %x : i64 [i 4]
  store o[i], %o
)");
  Dense<std::int64_t> x({5}), o({6});
  x.data = {-9, -8, -20, -30, -6};
  const Result<void> done = evaluate(program, {{"x", x.view(DType::i64)}, {"o", o.view(DType::i64)}});
  ASSERT_TRUE(done) << render(done.error());
  EXPECT_EQ(o.data, (std::vector<std::int64_t>{-7, -8, -6, -7, -7, -7}));
}

TEST(Evaluate, AnIndexOutsideWithoutOtherwiseIsAnError) {
  const Program program = program_of(R"(tile o
  tensor x : i64 rank 1 strides (one) align 8
  tensor o : i64 rank 1 strides (one) align 8 output
  iter i extent o.0
  grid i by 4
  %x = load x[i + 2] : i64 [i 4]
  store o[i], %x
)");
  Dense<std::int64_t> x({5}), o({4});
  const Result<void> done = evaluate(program, {{"x", x.view(DType::i64)}, {"o", o.view(DType::i64)}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error()[0].code, "T103");
  EXPECT_EQ(done.error()[0].message,
            "tile o: `%x = load x[i + 2] : i64 [i 4]`: [5] is outside of x, whose shape is [5]");
}

TEST(Evaluate, IntegersWrapAndSelectTakesOneSide) {
  const Program program = program_of(R"(tile o
  tensor x : i32 rank 1 strides (one) align 4
  tensor o : i32 rank 2 strides (other, one) align 4 output
  iter i extent x.0
  iter c extent 5
  grid i by 8
  %x = load x[i] : i32 [i 8]
  %two = fill 2 : i32
  %sum = map add %x, %x : i32 [i 8]
  %neg = map neg %x : i32 [i 8]
  %abs = map abs %x : i32 [i 8]
  %minus = fill -1 : i32
  %quotient = map div %x, %minus : i32 [i 8]
  %half = map div %x, %two : i32 [i 8]
  %c = iota c : i64 [c 5]
  %one = fill 1 : i64
  %is0 = map lt %c, %one : bool [c 5]
  %two64 = fill 2 : i64
  %is1 = map lt %c, %two64 : bool [c 5]
  %three = fill 3 : i64
  %is2 = map lt %c, %three : bool [c 5]
  %four = fill 4 : i64
  %is3 = map lt %c, %four : bool [c 5]
  %s3 = map select %is3, %quotient, %half : i32 [i 8, c 5]
  %s2 = map select %is2, %abs, %s3 : i32 [i 8, c 5]
  %s1 = map select %is1, %neg, %s2 : i32 [i 8, c 5]
  %s0 = map select %is0, %sum, %s1 : i32 [i 8, c 5]
  store o[i, c], %s0
)");
  constexpr std::int32_t low = std::numeric_limits<std::int32_t>::min();
  constexpr std::int32_t high = std::numeric_limits<std::int32_t>::max();
  Dense<std::int32_t> x({3}), o({3, 5});
  x.data = {low, high, -7};
  const Result<void> done = evaluate(program, {{"x", x.view(DType::i32)}, {"o", o.view(DType::i32)}});
  ASSERT_TRUE(done) << render(done.error());
  const std::vector<std::int32_t> expected = {0,     low,      low, low, low / 2, -2, -high, high,
                                              -high, high / 2, -14, 7,   7,       7,  -3};
  EXPECT_EQ(o.data, expected);
}

TEST(Evaluate, FloatsRoundToTheirTypeAfterEachOp) {
  const Program program = program_of(R"(tile o
  tensor x : f16 rank 1 strides (one) align 2
  tensor o : f16 rank 1 strides (one) align 2 output
  iter i extent x.0
  grid i by 4
  %x = load x[i] : f16 [i 4]
  %one = fill 2048 : f16
  %y = map add %x, %one : f16 [i 4]
  %z = map sub %y, %one : f16 [i 4]
  store o[i], %z
)");
  // 2048 + x in f16 has steps of 2: 1 ties to even and is lost, 1.5 rounds up to 2, 3 ties to 4.
  Dense<std::uint16_t> x({3}), o({3});
  x.data = {float_to_half(1.0f), float_to_half(1.5f), float_to_half(3.0f)};
  const Result<void> done = evaluate(program, {{"x", x.view(DType::f16)}, {"o", o.view(DType::f16)}});
  ASSERT_TRUE(done) << render(done.error());
  EXPECT_EQ(half_to_float(o.data[0]), 0.0f);
  EXPECT_EQ(half_to_float(o.data[1]), 2.0f);
  EXPECT_EQ(half_to_float(o.data[2]), 4.0f);
}

TEST(Evaluate, MaximaPropagateNan) {
  const Program program = program_of(R"(tile o
  tensor x : f32 rank 1 strides (one) align 4
  tensor o : f32 rank 0 align 4 output
  iter i extent x.0
  %x = load x[i] : f32 [i 8]
  %m = mask %x outside (i) with -inf : f32 [i 8]
  %o = reduce max %m : f32
  store o[], %o
)");
  Dense<float> x({5}), o({});
  x.data = {-3.0f, -1.0f, -2.0f, -8.0f, -4.0f};
  ASSERT_TRUE(evaluate(program, {{"x", x.view(DType::f32)}, {"o", o.view(DType::f32)}}));
  EXPECT_EQ(o.data[0], -1.0f);
  x.data[3] = std::numeric_limits<float>::quiet_NaN();
  ASSERT_TRUE(evaluate(program, {{"x", x.view(DType::f32)}, {"o", o.view(DType::f32)}}));
  EXPECT_TRUE(std::isnan(o.data[0]));
}

TEST(Evaluate, BlocksOfAStoreNumberTheParts) {
  const Program program = program_of(R"(tile part
  tensor x : i64 rank 1 strides (one) align 8
  tensor part : i64 rank 1 strides (one) align 8 output
  iter k extent x.0
  grid k by step
  %zero = fill 0 : i64
  %sum = for k by 1 carry %c = %zero {
    %x = load x[k] : i64
    %n = map add %c, %x : i64
    yield %n
  }
  store part[k / step], %sum
)");
  Dense<std::int64_t> x({11}), part({3});
  for (std::int64_t k = 0; k < 11; ++k) x.at(k) = k * k;
  const Result<void> done = evaluate(
      program, {{"x", x.view(DType::i64)}, {"part", part.view(DType::i64)}},
      [](std::string_view symbol) { return symbol == "step" ? std::optional<std::int64_t>(4) : std::nullopt; });
  ASSERT_TRUE(done) << render(done.error());
  EXPECT_EQ(part.data, (std::vector<std::int64_t>{0 + 1 + 4 + 9, 16 + 25 + 36 + 49, 64 + 81 + 100}));
}

TEST(Evaluate, FirstAndLastBlocks) {
  const Program program = program_of(R"(tile o
  tensor o : i64 rank 1 strides (one) align 8 output
  iter i extent o.0
  for i by 3 {
    for i by 1 {
      %f = if first (i) {
        %a = fill 1 : i64
        yield %a
      } else {
        %b = fill 0 : i64
        yield %b
      }
      %l = if last (i) {
        %c = fill 10 : i64
        yield %c
      } else {
        %d = iota i : i64
        yield %d
      }
      %s = map add %f, %l : i64
      store o[i], %s
    }
  }
)");
  Dense<std::int64_t> o({5});
  ASSERT_TRUE(evaluate(program, {{"o", o.view(DType::i64)}}));
  EXPECT_EQ(o.data, (std::vector<std::int64_t>{1, 1, 2, 3, 10}));
}

struct Report {
  const char* name;
  const char* body;
  const char* code;
  const char* message;
};

class EvaluateReports : public testing::TestWithParam<Report> {};

TEST_P(EvaluateReports, Errors) {
  const Report& report = GetParam();
  const Program program = program_of(std::string(R"(tile t placed
  tensor x : f32 rank 1 strides (one) align 4
  tensor o : f32 rank 1 strides (one) align 4 output
  iter i extent x.0
  iter k extent 2
  buffer p : f32 task [i 8 inner 4 strides (4, 1)] elements 8
)") + report.body);
  Dense<float> x({6}), o({6});
  const Result<void> done = evaluate(program, {{"x", x.view(DType::f32)}, {"o", o.view(DType::f32)}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error()[0].code, report.code);
  EXPECT_EQ(done.error()[0].message, report.message);
}

INSTANTIATE_TEST_SUITE_P(
    All, EvaluateReports,
    testing::Values(Report{"TwoPoints", "grid k by 1\n%z = fill 0 : f32 [i 8]\nstore o[i], %z", "T104",
                           "tile t: `store o[i], %z`: o[0] was written by another grid point or thread"},
                    Report{"ReadBeforeWrite", "%z = load o[i] : f32 [i 8]\nstore o[i], %z", "T101",
                           "tile t: `store o[i], %z`: the element at i = 0, k = 0 is unspecified"},
                    Report{"UnwrittenBuffer", "allocate p\n%z = load_buffer p : f32 [i 8]\nstore o[i], %z", "T101",
                           "tile t: `store o[i], %z`: the element at i = 0, k = 0 is unspecified"},
                    Report{"BeyondTheBuffer", "allocate p\n%z = fill 0 : f32 [i 12]\nstore_buffer p, %z", "T105",
                           "tile t: `store_buffer p, %z`: [8] from where buffer p starts is outside of it"},
                    Report{"ShortAxis", "%z = fill 0 : f32 [i 4]\nstore o[i], %z", "T106",
                           "tile t: `store o[i], %z`: axis i has size 4, but its scope here is [0, 6)"},
                    Report{"NoAxis", "%z = fill 0 : f32\nstore o[i], %z", "T106",
                           "tile t: `store o[i], %z`: i is no axis of the value, but its scope here is [0, 6)"},
                    Report{"NoStep", "for i by q.1 {\n}", "T108",
                           "tile t: the step over i, 'q.1', has no value for these tensors"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Evaluate, ViewsMustKeepWhatTheProgramWasTold) {
  const Program program = program_of(row_sums);
  Dense<float> a({2, 4}), s({2});
  TensorView turned = a.view(DType::f32);
  turned.strides = {1, 2};
  Result<void> done = evaluate(program, {{"a", turned}, {"s", s.view(DType::f32)}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error()[0].code, "T102");
  done = evaluate(program, {{"a", a.view(DType::f32)}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error()[0].code, "T107");
  EXPECT_EQ(done.error()[0].message, "tile s: no view of s");
  done = evaluate(program, {{"a", a.view(DType::i32)}, {"s", s.view(DType::f32)}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error()[0].message, "tile s: a is i32 of rank 2, not f32 of rank 2");
}

}  // namespace
}  // namespace tilewright::tile
