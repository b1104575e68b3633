// The expansions against the C library in a wider type: the largest error over dense samples of all of f32 (against
// f64) and over samples of f64 (against long double), and C's special cases. Run on the interpreter.
#include "kernel/passes/expand_functions.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "kernel/builder.h"
#include "kernel/interpret.h"
#include "kernel/passes/pipeline.h"
#include "kernel/walk.h"
#include "kernel_text.h"

namespace tilewright::kernel {
namespace {

constexpr double bound = 4;  // ops.h states it
constexpr int lanes = 32;

template <class T>
constexpr Element element_of = sizeof(T) == 8 ? Element::f64 : Element::f32;

/// The function of one or two inputs as a kernel over arrays, expanded.
template <class T>
Kernel function_kernel(Opcode code, int width = lanes, bool has_f64 = true) {
  Builder b("f");
  const Type type{element_of<T>, static_cast<std::uint16_t>(width)};
  const ValueId x = b.parameter("x", {Element::ptr, 1}, true);
  const ValueId y = b.parameter("y", {Element::ptr, 1}, true);
  const ValueId out = b.parameter("out", {Element::ptr, 1});
  const ValueId n = b.parameter("n", {Element::i64, 1});
  const auto size = static_cast<std::int64_t>(sizeof(T));
  b.for_loop(b.index(0), n, b.index(width), {}, [&](ValueId i, const std::vector<ValueId>&) {
    const auto at = [&](ValueId base) { return b.offset(base, b.mul(i, b.index(size))); };
    const ValueId a = b.load(type, at(x), {sizeof(T)});
    const ValueId r = code == Opcode::pow ? b.binary(code, a, b.load(type, at(y), {sizeof(T)})) : b.unary(code, a);
    b.store(r, at(out), {sizeof(T)});
    return std::vector<ValueId>{};
  });
  Kernel kernel = b.finish();
  expand_functions(kernel, has_f64);
  EXPECT_EQ(codes(verify(kernel)), "");
  walk(kernel.body, [&](const Op& op) { EXPECT_NE(op.code, code) << "is left"; });
  for (const Value& value : kernel.values)
    EXPECT_TRUE(has_f64 || value.type.element != Element::f64) << to_text(kernel);
  return kernel;
}

template <class T>
std::vector<T> run(Opcode code, std::vector<T> x, std::vector<T> y = {}, int width = lanes, bool has_f64 = true) {
  const std::size_t count = x.size();
  x.resize((count + 63) / 64 * 64, T(1));
  y.resize(x.size(), T(1));
  std::vector<T> out(x.size());
  const Kernel kernel = function_kernel<T>(code, width, has_f64);
  const auto bytes = [](std::vector<T>& data) { return reinterpret_cast<std::byte*>(data.data()); };
  const auto size = static_cast<std::int64_t>(x.size() * sizeof(T));
  const std::vector<Argument> arguments{bytes(x), bytes(y), bytes(out), static_cast<std::int64_t>(x.size())};
  const std::vector<MemoryRange> memory{{bytes(x), size, false}, {bytes(y), size, false}, {bytes(out), size, true}};
  EXPECT_EQ(codes(interpret(kernel, arguments, memory)), "");
  out.resize(count);
  return out;
}

/// |got − exact| in units in the last place of the nearest T to `exact`; of the least subnormal below the normals.
template <class T>
double error_ulp(T got, long double exact) {
  using Limits = std::numeric_limits<T>;
  constexpr double wrong = 1e30;
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) && std::isnan(got) ? 0 : wrong;
  if (static_cast<T>(exact) == got) return 0;
  if (std::isinf(exact)) return wrong;
  // At the edge of overflow an infinity counts as the next power of two.
  const long double value = std::isinf(got)
                                ? std::copysign(std::ldexp(1.0L, Limits::max_exponent), static_cast<long double>(got))
                                : static_cast<long double>(got);
  int exponent = Limits::min_exponent;
  if (exact != 0) std::frexp(exact, &exponent);
  const long double unit = std::ldexp(1.0L, std::max(exponent - Limits::digits, Limits::min_exponent - Limits::digits));
  return static_cast<double>(std::fabs(value - exact) / unit);
}

struct Function {
  Opcode code;
  double (*in_double)(double);
  long double (*in_long_double)(long double);
};

void PrintTo(const Function& function, std::ostream* out) {
  *out << info(function.code).name;
}

const Function functions[] = {
    {Opcode::exp, std::exp, std::exp},    {Opcode::log, std::log, std::log}, {Opcode::tanh, std::tanh, std::tanh},
    {Opcode::sin, std::sin, std::sin},    {Opcode::cos, std::cos, std::cos}, {Opcode::erf, std::erf, std::erf},
    {Opcode::erfc, std::erfc, std::erfc},
};

/// Every 16381st float of all signs, exponents and NaNs, and every 251st between 1/16 and 16.
std::vector<float> dense_floats() {
  std::vector<float> values;
  for (std::uint64_t bits = 0; bits < (1ULL << 32); bits += 16381)
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  for (auto bits = std::bit_cast<std::uint32_t>(0.0625F); bits < std::bit_cast<std::uint32_t>(16.0F); bits += 251)
    for (const float sign : {1.0F, -1.0F}) values.push_back(sign * std::bit_cast<float>(bits));
  for (float x = -104; x < -86; x += 0.001F) values.push_back(x);  // exp's subnormal results
  return values;
}

class ExpandFunctions : public testing::TestWithParam<Function> {};

TEST_P(ExpandFunctions, F32WithinFourUlpOverAllFloats) {
  const std::vector<float> x = dense_floats();
  const std::vector<float> got = run(GetParam().code, x);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = error_ulp(got[i], GetParam().in_double(static_cast<double>(x[i])));
    worst = std::max(worst, error);
    ASSERT_LE(error, bound) << x[i] << " gives " << got[i];
  }
  RecordProperty("f32_ulp", std::to_string(worst));
}

TEST_P(ExpandFunctions, F64WithinFourUlp) {
  std::mt19937_64 random(41);
  std::vector<double> x;
  for (int i = 0; i < 120000; ++i) {
    const std::uint64_t bits = random();
    const double unit = static_cast<double>(bits >> 11) * 0x1p-52 - 1;
    const double spans[] = {1, 5, 30, 745, 1e9};
    x.push_back(i % 6 == 5 ? std::bit_cast<double>(bits) : unit * spans[i % 6]);
  }
  const std::vector<double> got = run(GetParam().code, x);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = error_ulp(got[i], GetParam().in_long_double(static_cast<long double>(x[i])));
    worst = std::max(worst, error);
    ASSERT_LE(error, bound) << fmt::format("{:a} ({}) gives {}", x[i], x[i], got[i]);
  }
  RecordProperty("f64_ulp", std::to_string(worst));
}

INSTANTIATE_TEST_SUITE_P(Kernel, ExpandFunctions, testing::ValuesIn(functions),
                         [](const auto& test) { return std::string(kernel::info(test.param.code).name); });

// The hardest arguments: the floats and doubles next to multiples of π/2, found by continued fractions (J.-M. Muller,
// "Elementary Functions", table of worst cases), and those near the limit between the two ways of reduction.
TEST(ExpandFunctionsReduction, NextToMultiplesOfHalfPi) {
  std::vector<float> x{
      16367173.0F * 0x1p72F, 0x1.47d0fep+34F, 0x1.f3fa8cp+106F, 1.5707964F, 3.1415927F, 65535.996F, 65536.0F};
  for (float at = 65000; at < 66000; at += 0.7071F) x.push_back(at);
  const std::vector<float> sine = run(Opcode::sin, x);
  const std::vector<float> cosine = run(Opcode::cos, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_LE(error_ulp(sine[i], std::sin(static_cast<long double>(x[i]))), bound) << x[i];
    EXPECT_LE(error_ulp(cosine[i], std::cos(static_cast<long double>(x[i]))), bound) << x[i];
  }
  // 6381956970095103 · 2^797: within 2^-61 of a multiple of π/2, and beyond what x87's long double reduces.
  const double worst = 6381956970095103.0 * 0x1p797;
  EXPECT_LE(error_ulp(run(Opcode::cos, std::vector{worst})[0], -4.68716592425462761112e-19L), bound);
  EXPECT_EQ(run(Opcode::sin, std::vector{worst})[0], 1.0);
}

template <class T>
void expect_powers(const std::vector<T>& x, const std::vector<T>& y, bool has_f64 = true) {
  const std::vector<T> got = run(Opcode::pow, x, y, lanes, has_f64);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = error_ulp(got[i], std::pow(static_cast<long double>(x[i]), static_cast<long double>(y[i])));
    worst = std::max(worst, error);
    ASSERT_LE(error, bound) << fmt::format("pow({}, {}) = {}", x[i], y[i], got[i]);
  }
  testing::Test::RecordProperty("ulp", std::to_string(worst));
}

void expect_powers_of_f32(bool has_f64) {
  std::mt19937_64 random(42);
  std::vector<float> x;
  std::vector<float> y;
  for (int i = 0; i < 90000; ++i) {
    const std::uint64_t bits = random();
    const float unit = static_cast<float>(bits & 0xffff) / 65536;
    const float spread = static_cast<float>(bits >> 40) / 8388608 - 1;
    const bool any = i % 3 == 0;
    const float base = std::ldexp(1 + unit, static_cast<int>((bits >> 20) % 60) - 30);
    x.push_back(any          ? std::bit_cast<float>(static_cast<std::uint32_t>(bits))
                : i % 3 == 1 ? base
                             : 1 + (unit - 0.5F) / 32);
    y.push_back(any ? std::bit_cast<float>(static_cast<std::uint32_t>(bits >> 32)) : spread * (i % 3 == 1 ? 40 : 6000));
  }
  expect_powers(x, y, has_f64);
}

TEST(ExpandFunctionsPower, F32WithinFourUlp) {
  expect_powers_of_f32(true);
}
TEST(ExpandFunctionsPower, F32WithinFourUlpWithoutF64) {
  expect_powers_of_f32(false);
}

TEST(ExpandFunctionsPower, F64WithinFourUlp) {
  std::mt19937_64 random(43);
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 90000; ++i) {
    const std::uint64_t bits = random();
    const std::uint64_t more = random();
    const double unit = static_cast<double>(bits >> 12) * 0x1p-52;
    const double spread = static_cast<double>(more >> 11) * 0x1p-52 - 1;
    const bool any = i % 3 == 0;
    const double base = std::ldexp(1 + unit, static_cast<int>(bits % 400) - 200);
    x.push_back(any ? std::bit_cast<double>(bits) : i % 3 == 1 ? base : 1 + (unit - 0.5) / 32);
    y.push_back(any ? std::bit_cast<double>(more) : spread * (i % 3 == 1 ? 5 : 45000));
  }
  expect_powers(x, y);
}

// ISO C, annex F.10.
template <class T>
void expect_special_cases(bool has_f64 = true) {
  const T inf = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T tiny = std::numeric_limits<T>::denorm_min();
  const auto equal = [](T a, T b) {
    return std::isnan(b) ? std::isnan(a) : a == b && std::signbit(a) == std::signbit(b);
  };
  struct Case {
    Opcode code;
    T x, expected;
  };
  const Case cases[] = {
      {Opcode::exp, inf, inf},   {Opcode::exp, -inf, 0},           {Opcode::exp, nan, nan},
      {Opcode::exp, T(-0.0), 1}, {Opcode::exp, 800, inf},          {Opcode::exp, -1000, 0},
      {Opcode::log, 0, -inf},    {Opcode::log, T(-0.0), -inf},     {Opcode::log, 1, 0},
      {Opcode::log, -1, nan},    {Opcode::log, inf, inf},          {Opcode::log, -inf, nan},
      {Opcode::log, nan, nan},   {Opcode::tanh, inf, 1},           {Opcode::tanh, -inf, -1},
      {Opcode::tanh, nan, nan},  {Opcode::tanh, T(-0.0), T(-0.0)}, {Opcode::tanh, tiny, tiny},
      {Opcode::sin, inf, nan},   {Opcode::sin, nan, nan},          {Opcode::sin, T(-0.0), T(-0.0)},
      {Opcode::sin, 0, 0},       {Opcode::sin, -tiny, -tiny},      {Opcode::cos, -inf, nan},
      {Opcode::cos, 0, 1},       {Opcode::cos, nan, nan},          {Opcode::erf, inf, 1},
      {Opcode::erf, -inf, -1},   {Opcode::erf, nan, nan},          {Opcode::erf, T(-0.0), T(-0.0)},
      {Opcode::erfc, inf, 0},    {Opcode::erfc, -inf, 2},          {Opcode::erfc, nan, nan},
      {Opcode::erfc, 0, 1},
  };
  for (const Case& c : cases) {
    const T got = run(c.code, std::vector<T>{c.x}, {}, lanes, has_f64)[0];
    EXPECT_TRUE(equal(got, c.expected)) << info(c.code).name << '(' << c.x << ") = " << got;
  }
  struct Power {
    T x, y, expected;
  };
  const Power powers[] = {
      {nan, 0, 1},         {1, nan, 1},        {nan, 1, nan},         {2, nan, nan},
      {-1, inf, 1},        {-1, -inf, 1},      {-2, T(0.5), nan},     {0, -1, inf},
      {T(-0.0), -3, -inf}, {T(-0.0), -2, inf}, {T(-0.0), 3, T(-0.0)}, {T(-0.0), T(0.5), 0},
      {-inf, 3, -inf},     {-inf, -2, 0},      {-inf, -3, T(-0.0)},   {-inf, T(0.5), inf},
      {T(0.5), -inf, inf}, {2, -inf, 0},       {T(0.5), inf, 0},      {-2, 3, -8},
      {-2, 2, 4},          {inf, -1, 0},       {tiny, 1, tiny},       {-3, 1e15F, inf},
      {0, inf, 0},         {0, -inf, inf},     {inf, 0, 1},           {-2, inf, inf},
  };
  for (const Power& p : powers) {
    const T got = run(Opcode::pow, std::vector<T>{p.x}, std::vector<T>{p.y}, lanes, has_f64)[0];
    EXPECT_TRUE(equal(got, p.expected)) << "pow(" << p.x << ", " << p.y << ") = " << got;
  }
}

TEST(ExpandFunctionsSpecial, F32AsInC) {
  expect_special_cases<float>();
}
TEST(ExpandFunctionsSpecial, F32AsInCWithoutF64) {
  expect_special_cases<float>(false);
}
TEST(ExpandFunctionsSpecial, F64AsInC) {
  expect_special_cases<double>();
}

TEST(ExpandFunctionsWidths, EveryLaneIsItsOwn) {
  std::vector<float> x;
  for (int i = 0; i < 64; ++i) x.push_back(static_cast<float>(i * i * i) * 3.7F - 20);  // near and far reductions mixed
  const std::vector<float> expected = run(Opcode::sin, x);
  for (const int width : {1, 2, 4, 8}) EXPECT_EQ(run(Opcode::sin, x, {}, width), expected) << width;
}

TEST(ExpandFunctionsPipeline, RunsForTargetsWithoutALibrary) {
  const auto has_exp = [](const KernelFacts& facts) {
    Kernel kernel =
        read_kernel("kernel k(%p: ptr) { %x = load f16 %p align 2 %y = exp f16 %x store f16 %y, %p align 2 }");
    run_kernel_passes(kernel, facts);
    bool found = false;
    walk(kernel.body, [&](const Op& op) { found |= op.code == Opcode::exp; });
    return found;
  };
  EXPECT_TRUE(has_exp({}));
  EXPECT_FALSE(has_exp({.conversions = {}, .expands_functions = true}));
}

}  // namespace
}  // namespace tilewright::kernel
