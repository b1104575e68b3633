// language.md, Types: what a statement is evaluated, accumulated and stored in.
#include <functional>
#include <ostream>
#include <utility>

#include "bind_fixture.h"

namespace tilewright::lang {
namespace {

using enum DType;

struct Typing {
  std::string_view text;
  std::vector<OperandType> operands;
  DType value;
  DType accumulate;
  DType output;
};

void expect_types(const Typing& expected) {
  SCOPED_TRACE(expected.text);
  const auto bound = bind_text(expected.text, expected.operands);
  ASSERT_TRUE(bound->typed) << render(bound->typed.error());
  const TypedStatement& typed = *bound->typed;
  EXPECT_EQ(name(typed.types[bound->statement().value.index]), name(expected.value));
  EXPECT_EQ(name(typed.accumulate), name(expected.accumulate));
  EXPECT_EQ(name(typed.output), name(expected.output));
}

TEST(BindTypes, SumsFollowTheTable) {
  const struct {
    DType operand, accumulate, output;
  } rows[] = {{f64, f64, f64},    {f32, f32, f32},    {f16, f32, f16}, {bf16, f32, bf16},
              {f8e4m3, f32, f16}, {f8e5m2, f32, f16}, {i8, i32, i32},  {u8, i32, i32},
              {i32, i32, i32},    {u32, u32, u32},    {i64, i64, i64}};
  for (const auto& row : rows) {
    expect_types({"o[i] ++= a[i, k]", {operand("a", row.operand, {2, 3})}, row.operand, row.accumulate, row.output});
    expect_types({"o[i] *= a[i, k]", {operand("a", row.operand, {2, 3})}, row.operand, row.accumulate, row.output});
    expect_types({"o[i] = a[i] * a[i]", {operand("a", row.operand, {2})}, row.accumulate, row.accumulate, row.output});
  }
}

TEST(BindTypes, ReadsSelectMinAndMaxKeepTheirType) {
  for (const DType type : {f64, f32, f16, bf16, f8e4m3, f8e5m2, i8, u8, i32, u32, i64}) {
    expect_types({"o[i] = a[i]", {operand("a", type, {2})}, type, type, type});
    expect_types({"o[i] max= a[i, k]", {operand("a", type, {2, 3})}, type, type, type});
    expect_types({"o[i] = min(a[i], select(a[i] > 0, a[i], 1))", {operand("a", type, {2})}, type, type, type});
  }
  expect_types({"o[] max= a[i]", {operand("a", boolean, {2})}, boolean, boolean, boolean});
}

TEST(BindTypes, ArithmeticBelowAMaximumIsEvaluatedWide) {
  expect_types({"o[i] = max(a[i], a[i] + 1)", {operand("a", i8, {2})}, i32, i32, i32});
  expect_types({"o[] max= -a[i]", {operand("a", f16, {2})}, f32, f32, f16});
  expect_types({"o[i] = abs(a[i])", {operand("a", u8, {2})}, i32, i32, i32});
}

TEST(BindTypes, ASignedLiteralIsNoArithmetic) {
  expect_types({"o[i] = max(a[i], -128)", {operand("a", i8, {2})}, i8, i8, i8});
  expect_types({"o[i] = max(a[i], -(1))", {operand("a", i8, {2})}, i32, i32, i32});
}

TEST(BindTypes, OperandsOfOneTypeMixWithTheirOwnProducts) {
  expect_types({"o[i] = a[i] * a[i] + a[i]", {operand("a", i8, {2})}, i32, i32, i32});
  expect_types({"o[i] = a[i] * a[i] + a[i]", {operand("a", bf16, {2})}, f32, f32, bf16});
}

TEST(BindTypes, LiteralsAdaptAndIteratorsAreI64) {
  expect_types({"o[i] ++= 2.0 | (i in 0 ..< 2, k in 0 ..< 3)", {}, f32, f32, f32});
  expect_types({"o:f64[i] ++= 2 | (i in 0 ..< 2, k in 0 ..< 3)", {}, f64, f64, f64});
  expect_types({"o:f16[i] = 2 * 3 | (i in 0 ..< 2)", {}, f32, f32, f16});
  expect_types({"o[i] = i * 2 + 1 | (i in 0 ..< 2)", {}, i64, i64, i64});
  expect_types({"o[i] = extent(i) | (i in 0 ..< 2)", {}, i64, i64, i64});
  expect_types({"o[i] = select(i > 0, 1, 2) | (i in 0 ..< 2)", {}, f32, f32, f32});
  expect_types({"o[i] = a[i] + 1", {operand("a", u32, {2})}, u32, u32, u32});
  expect_types({"o:bool[i] = 2 | (i in 0 ..< 2)", {}, f32, f32, boolean});
}

TEST(BindTypes, CastsAndAnnotationsConvert) {
  expect_types({"o:i8[i] ++= a[i, k]", {operand("a", f32, {2, 2})}, f32, f32, i8});
  expect_types({"o[i] = cast(f16, a[i])", {operand("a", f32, {2})}, f16, f16, f16});
  expect_types({"o[i] = cast(f32, a[i]) * b[i]", {operand("a", i8, {2}), operand("b", f32, {2})}, f32, f32, f32});
  expect_types({"o[i] = cast(i32, 2.5) | (i in 0 ..< 2)", {}, i32, i32, i32});
}

TEST(BindTypes, ComparisonsAndLogicGiveBool) {
  expect_types({"o[i] = a[i] > 1 and not b[i]",
                {operand("a", f16, {2}), operand("b", boolean, {2})},
                boolean,
                boolean,
                boolean});
  expect_types({"o[i] = a[i] == 1", {operand("a", boolean, {2})}, boolean, boolean, boolean});
}

TEST(BindTypes, ThenTakesTheAccumulatorsAndTheOutputsType) {
  // f16: the accumulator is f32, the output f16. Both mix.
  expect_types({"o[i] ++= a[i, k] then o[i] * s[i] + b[i]",
                {operand("a", f16, {2, 2}), operand("s", f32, {2}), operand("b", f16, {2})},
                f16,
                f32,
                f16});
  // An integer accumulator meets a float output: the epilogue is evaluated in f32.
  const auto bound =
      bind_text("o:f32[i] ++= a[i, k] then o[i] * s[i]", {operand("a", i8, {2, 2}), operand("s", f32, {2})});
  ASSERT_TRUE(bound->typed) << render(bound->typed.error());
  EXPECT_EQ(name(bound->typed->types[bound->statement().epilogue->index]), "f32");
  // The default output is what it would be without `then`.
  expect_types({"o[i] max= a[i, k] then o[i] + 1", {operand("a", i8, {2, 2})}, i8, i8, i8});
}

TEST(BindTypes, TheIdentityOfTheOutputDecidesWhatMaxAccumulatesIn) {
  expect_types({"o:i8[] max= a[i]", {operand("a", i32, {2})}, i32, i32, i8});
  expect_types({"o:i64[] max= a[i]", {operand("a", i32, {2})}, i32, i64, i64});
  expect_types({"o:f32[] max= a[i]", {operand("a", i32, {2})}, i32, f32, f32});
  expect_types({"o:f16[] min= a[i]", {operand("a", f8e4m3, {2})}, f8e4m3, f16, f16});
  expect_types({"o:u32[] max= a[i]", {operand("a", i32, {2})}, i32, i32, u32});
  expect_types({"o:u32[] min= a[i]", {operand("a", i32, {2})}, i32, i64, u32});
}

TEST(BindTypes, TypeErrors) {
  const OperandType a = operand("a", f32, {2});
  const OperandType h = operand("h", f16, {2});
  const OperandType n = operand("n", i8, {2});
  const OperandType t = operand("t", boolean, {2});
  expect_error({"o[i] = a[i] * h[i]",
                {a, h},
                "B020",
                "a[i] * h[i]",
                "operands of '*' have different types: 'a[i]' is f32, 'h[i]' is f16"});
  expect_error(
      {"o[i] = a[i] * i", {a}, "B020", "a[i] * i", "operands of '*' have different types: 'a[i]' is f32, 'i' is i64"});
  expect_error({"o[i] ++= h[i] * h[i] then o[i] + n[i]",
                {h, n},
                "B020",
                "o[i] + n[i]",
                "operands of '+' have different types: 'o[i]' is f32, 'n[i]' is i8"});
  expect_error({"o[i] = exp(n[i])", {n}, "B021", "exp(n[i])", "'exp' takes floats and received i8"});
  expect_error({"o[i] = t[i] + t[i]", {t}, "B021", "t[i] + t[i]", "'+' takes numbers and received bool"});
  expect_error({"o[i] = t[i] < t[i]", {t}, "B021", "t[i] < t[i]", "'<' takes numbers and received bool"});
  expect_error({"o[i] = select(a[i], a[i], a[i])",
                {a},
                "B021",
                "select(a[i], a[i], a[i])",
                "'select' takes bool and received f32"});
  expect_error({"o[i] = t[i] and n[i]", {t, n}, "B021", "t[i] and n[i]", "'and' takes bool and received i8"});
  expect_error({"o[] ++= t[i]", {t}, "B025", "++=", "bool has no arithmetic, and '++=' needs it"});
  expect_error({"o[i] = n[i] + 1.5", {n}, "B022", "1.5", "'1.5' is no integer, and i8 is needed here"});
  expect_error({"o[i] = n[i] + 200", {n}, "B023", "200", "'200' does not fit i8"});
  expect_error({"o[i] = max(n[i], -129)", {n}, "B023", "-129", "'-129' does not fit i8"});
  expect_error({"o[i] = h[i] + 70000", {h}, "B023", "70000", "'70000' does not fit f16"});
  expect_error({"o[i] = n[i - 1] else inf | (i in 0 ..< 2)",
                {n},
                "B022",
                "n[i - 1] else inf",
                "'n[i - 1] else inf' is no integer, and i8 is needed here"});
  expect_error({"o[i] = n[i] / 0", {n}, "B024", "0", "integer division by zero in 'n[i] / 0'"});
  expect_error({"o[i] = n[i] / (2 - 2)", {n}, "B024", "2 - 2", "integer division by zero in 'n[i] / (2 - 2)'"});
}

TEST(BindTypes, TwoPointZeroIsExactAndFloatDivisionByZeroIsLegal) {
  expect_types({"o[i] = n[i] + 2.0", {operand("n", i32, {2})}, i32, i32, i32});
  expect_types({"o[i] = a[i] / 0", {operand("a", f32, {2})}, f32, f32, f32});
}

TEST(BindTypes, PrecisionTiersTakeF32Only) {
  expect_error({"o[i] ++= a[i, k] do:\n  precision: tf32",
                {operand("a", f16, {2, 2})},
                "B026",
                "tf32",
                "precision tf32 takes f32 operands, and the value is f16"});
  expect_types({"o[i] ++= a[i, k] do:\n  precision: tf32x3", {operand("a", f32, {2, 2})}, f32, f32, f32});
}

TEST(BindTypes, EveryErrorOfAStatementIsReported) {
  const auto bound = bind_text("o[i] = (a[i] + 1.5) * (a[i] + 300)", {operand("a", i8, {2})});
  ASSERT_FALSE(bound->typed);
  ASSERT_EQ(bound->typed.error().size(), 2U);
}

/// The code of the first error of a statement that no text can say, since the parser checks it.
std::string changed_code(std::string_view text, const std::function<void(Statement&)>& change) {
  const auto bound = bind_text(text, {operand("x", DType::f32, {2, 3})});
  Statement statement = bound->statement();
  change(statement);
  const auto typed = bind(statement, {operand("x", DType::f32, {2, 3})});
  return typed ? "none" : typed.error()[0].code;
}

TEST(BindTypes, statements_that_no_text_can_say) {
  EXPECT_EQ(changed_code("y[i, j] = x[i, j] then y[i, j] + x[i, j]",
                         [](Statement& s) { s.value = std::exchange(s.epilogue, std::nullopt).value(); }),
            "B027");
  EXPECT_EQ(changed_code("y[i] ++= x[i, j] then y[i]", [](Statement& s) { s.epilogue = s.value; }), "B028");
  EXPECT_EQ(changed_code("y[i] ++= x[i, j]", [](Statement& s) { s.reduction = std::nullopt; }), "B029");
}

}  // namespace
}  // namespace tilewright::lang
