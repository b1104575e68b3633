// Functions, casts and types as Metal source: what is written in another way there, since there is no f64.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "metal_case.h"

namespace tilewright::metal_shim {
namespace {

using differential::Case;
using differential::OperandSpec;
using differential::Values;

std::vector<double> spread(double low, double high, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i)
    values.push_back(static_cast<double>(static_cast<float>(low + (high - low) * (i + 0.37) / count)));
  return values;
}

std::unique_ptr<MetalCase> make_case(const std::string& statement, std::vector<OperandSpec> operands) {
  return std::make_unique<MetalCase>(Case{statement, std::move(operands)});
}

TEST(MetalFunctions, AreWithinTheirBounds) {
  struct Function {
    std::string text;
    double low, high;
  };
#ifdef TILEWRIGHT_INSTRUMENTED
  constexpr int count = 200;
#else
  constexpr int count = 1500;
#endif
  std::vector<std::unique_ptr<MetalCase>> cases;
  for (const Function& each :
       {Function{"gelu(x[i])", -13.0, 13.0}, Function{"gelu(x[i])", -2.5, 2.5}, Function{"exp(x[i])", -87.0, 88.0},
        Function{"log(x[i])", 0.001, 4.0}, Function{"tanh(x[i])", -9.0, 9.0}, Function{"sin(x[i])", -70.0, 70.0},
        Function{"cos(x[i])", -1e9, 1e9}, Function{"erf(x[i])", -4.0, 4.0}, Function{"sigmoid(x[i])", -80.0, 80.0},
        Function{"silu(x[i])", -80.0, 80.0}, Function{"sqrt(x[i])", 0.0, 9.0}, Function{"rsqrt(x[i])", 0.1, 9.0},
        Function{"pow(x[i], 2.5)", 0.0, 1e6}, Function{"pow(1.0009765625, x[i])", -80000, 80000},
        Function{"pow(x[i], 3.0)", -50.0, 50.0}})
    cases.push_back(make_case("o[i] = " + each.text,
                              {{"x", DType::f32, {count}, {}, Values::normal, 0, spread(each.low, each.high, count)}}));
  for (const char* function : {"exp", "log", "tanh", "sin", "cos", "erf", "gelu", "silu", "sigmoid", "relu", "abs"})
    cases.push_back(
        make_case(fmt::format("o[i] = {}(x[i])", function), {{"x", DType::f32, {700}, {}, Values::extreme}}));
  EXPECT_EQ(disagreements(cases), "");
}

TEST(MetalFunctions, CastsBetweenAllTypes) {
  constexpr std::array types{DType::f32, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2, DType::i8,
                             DType::u8,  DType::i32, DType::u32,  DType::i64,    DType::boolean};
  std::vector<std::unique_ptr<MetalCase>> cases;
  for (const DType from : types)
    for (const DType to : types)
      cases.push_back(
          make_case(fmt::format("o[i] = cast({}, x[i])", name(to)), {{"x", from, {150}, {}, Values::extreme}}));
  EXPECT_EQ(disagreements(cases), "");
}

TEST(MetalFunctions, IntegersWrapAndDivide) {
  std::vector<std::unique_ptr<MetalCase>> cases;
  for (const DType type : {DType::i32, DType::u32, DType::i64})
    for (const char* text : {"x[i] + y[i]", "x[i] - y[i]", "x[i] * y[i]", "x[i] / y[i]", "-x[i]", "abs(x[i])",
                             "min(x[i], y[i])", "max(x[i], y[i])", "select(x[i] + y[i] > 5, x[i], y[i])"}) {
      OperandSpec x{"x", type, {130}, {}, Values::extreme};
      OperandSpec y{"y",
                    type,
                    {130},
                    {},
                    std::string_view(text).find('/') != std::string_view::npos ? Values::positive : Values::extreme};
      const bool both = std::string_view(text).find('y') != std::string_view::npos;
      cases.push_back(make_case(fmt::format("o[i] = {}", text), both ? std::vector{x, y} : std::vector{x}));
    }
  // An iterator as a value comes to the end of its type.
  cases.push_back(make_case("o[i] = select(i * 1000000000000000 * 1000000 > 0, x[i], 0)",
                            {{"x", DType::i64, {70}, {}, Values::whole}}));
  EXPECT_EQ(disagreements(cases), "");
}

}  // namespace
}  // namespace tilewright::metal_shim
