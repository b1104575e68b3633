// Every operator and function on ordinary and on special values, scalar and vector, f32 and f64 and what evaluates in
// them; every cast; minima and maxima of NaN.
#include <cmath>
#include <limits>

#include "agrees.h"

namespace tilewright::differential {
namespace {

constexpr std::array floats{DType::f32, DType::f64, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2};
constexpr std::array functions{"exp", "log",     "sqrt", "rsqrt", "tanh", "sin",  "cos",
                               "erf", "sigmoid", "gelu", "silu",  "abs",  "relu", "-"};

std::vector<double> special_values() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {0.0,   -0.0, 1.0,   -1.0,   0.5,   -0.5,  2.0,  -2.0,  infinity, -infinity, std::nan(""), 1e-3, -1e-3,
          10.0,  -10., 1e-40, -1e-40, 3e38,  -3e38, 88.0, -87.0, 100.0,    -100.0,    1e-45,        6e-8, 448,
          57344, -5.5, -9.0,  -13.25, 65504, 7e4,   1e6,  -1e6,  4.25e-10, -3.0,      -1e-45};
}

TEST(Functions, on_special_values) {
  const std::vector<double> values = special_values();
  const auto n = static_cast<std::int64_t>(values.size());
  for (const DType type : floats)
    for (const char* function : functions)
      for (const std::string processor : {"", "sse2"}) {
        Case each{std::string("o[i] = ") + function + "(a[i])", {{"a", type, {n}, {}, Values::normal, 0, values}}};
        each.processor = processor;
        EXPECT_TRUE(agrees(each));
      }
}

TEST(Functions, on_ordinary_values) {
  for (const DType type : {DType::f32, DType::f64, DType::f16})
    for (const char* function : functions)
      for (const Values values : {Values::normal, Values::positive})
        EXPECT_TRUE(agrees({std::string("o[i] = ") + function + "(a[i] * 4)", {{"a", type, {500}, {}, values}}}));
}

TEST(Functions, of_scalars) {
  for (const char* function : functions)
    EXPECT_TRUE(agrees({std::string("o[] = ") + function + "(a[])", {{"a", DType::f32, {}}}}));
}

TEST(Functions, of_two_operands) {
  for (const DType type : floats)
    for (const std::string expression : {"a[i] + b[i]", "a[i] - b[i]", "a[i] * b[i]", "a[i] / b[i]", "min(a[i], b[i])",
                                         "max(a[i], b[i])", "pow(abs(a[i]), b[i])", "select(a[i] < b[i], a[i], b[i])"})
      for (const Values values : {Values::normal, Values::extreme})
        EXPECT_TRUE(agrees({"o[i] = " + expression, {{"a", type, {300}, {}, values}, {"b", type, {300}, {}, values}}}));
}

TEST(Functions, of_integers) {
  for (const DType type : {DType::i8, DType::u8, DType::i32, DType::u32, DType::i64})
    for (const std::string expression : {"a[i] + b[i]", "a[i] - b[i]", "a[i] * b[i]", "a[i] / b[i]", "min(a[i], b[i])",
                                         "max(a[i], b[i])", "abs(a[i]) + b[i]", "relu(a[i]) + b[i]", "-(a[i]) - b[i]",
                                         "select(a[i] <= b[i], a[i], b[i])", "a[i] / 3 + b[i]"})
      for (const Values values : {Values::normal, Values::extreme})
        EXPECT_TRUE(agrees({"o[i] = " + expression, {{"a", type, {131}, {}, values}, {"b", type, {131}, {}, values}}}));
}

// The operands in every order and lane, their zeros of both signs: which one is given is compared, too (bounds.h).
TEST(Functions, minima_and_maxima_order_zeros) {
  std::vector<double> a;
  std::vector<double> b;
  for (int n = 0; n < 75; ++n) {
    a.push_back(n % 2 == 0 ? 0.0 : -0.0);
    b.push_back(n % 3 == 0 ? -0.0 : n % 3 == 1 ? 0.0 : n % 5 == 0 ? std::nan("") : n % 7 - 3.0);
  }
  for (const DType type : floats)
    for (const std::string processor : {"", "sse2", "avx512"})
      for (const std::string expression : {"min(a[i], b[i])", "max(a[i], b[i])", "max(a[i], 0)", "min(a[i], 0)",
                                           "max(a[i], -b[i])", "relu(a[i])", "relu(b[i])", "abs(a[i])", "-(a[i])"}) {
        Case each{"o[i] = " + expression,
                  {{"a", type, {75}, {}, Values::normal, 0, a}, {"b", type, {75}, {}, Values::normal, 0, b}}};
        if (expression.find("b[") == std::string::npos) each.operands.pop_back();
        if (expression.find("a[") == std::string::npos) each.operands.erase(each.operands.begin());
        each.processor = processor;
        EXPECT_TRUE(agrees(each));
      }
  // By hand: the maximum of ±0 is +0, the minimum −0, in whichever order.
  for (const bool swapped : {false, true})
    for (const bool is_max : {false, true}) {
      const Outcome outcome = run_everywhere(
          {is_max ? "o[i] = max(a[i], b[i])" : "o[i] = min(a[i], b[i])",
           {{"a", DType::f32, {19}, {}, Values::normal, 0, std::vector<double>(19, swapped ? 0.0 : -0.0)},
            {"b", DType::f32, {19}, {}, Values::normal, 0, std::vector<double>(19, swapped ? -0.0 : 0.0)}}});
      ASSERT_EQ(outcome.difference + outcome.rejection, "");
      for (const Scalar& value : outcome.values) EXPECT_EQ(std::signbit(value.as_double()), !is_max);
    }
}

TEST(Functions, comparisons_of_every_type) {
  for (int t = 0; t < 12; ++t)
    for (const std::string compare : {"<", "<=", ">", ">=", "==", "!="}) {
      const auto type = static_cast<DType>(t);
      if (is_boolean(type) && compare != "==" && compare != "!=") continue;
      EXPECT_TRUE(agrees({"o[i] = a[i] " + compare + " b[i]",
                          {{"a", type, {77}, {}, Values::extreme}, {"b", type, {77}, {}, Values::extreme}}}));
    }
}

TEST(Functions, casts_between_all_types) {
  for (int from = 0; from < 12; ++from)
    for (int to = 0; to < 12; ++to)
      for (const Values values : {Values::extreme, Values::normal}) {
        const std::string name(tilewright::name(static_cast<DType>(to)));
        EXPECT_TRUE(agrees({"o[i] = cast(" + name + ", a[i])", {{"a", static_cast<DType>(from), {90}, {}, values}}}));
      }
}

TEST(Functions, logic) {
  EXPECT_TRUE(agrees(
      {"o[i] = (a[i] and b[i]) or not (a[i] == b[i])", {{"a", DType::boolean, {67}}, {"b", DType::boolean, {67}}}}));
}

}  // namespace
}  // namespace tilewright::differential
