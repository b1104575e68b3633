// The accuracy of exp, log, tanh, sin, cos, erf and pow in generated code: the largest error in units in the last place
// over dense samples of all of f32 (against f64) and over samples of f64 (against long double), and C's special cases.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "map_lanes.h"

namespace tilewright::codegen {
namespace {

using kernel::Builder;
using kernel::Element;
using kernel::Opcode;
using kernel::ValueId;
using Loaded = std::vector<ValueId>;

constexpr double bound = 4;  // ops.h states it

// |got − exact| in units in the last place of the nearest T to `exact`; of the least subnormal below the normals.
template <class T>
double error_ulp(T got, long double exact) {
  using Limits = std::numeric_limits<T>;
  constexpr double wrong = 1e30;
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) && std::isnan(got) ? 0 : wrong;
  const T nearest = static_cast<T>(exact);
  if (nearest == got) return 0;
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
const Function unary_functions[] = {
    {Opcode::exp, std::exp, std::exp}, {Opcode::log, std::log, std::log}, {Opcode::tanh, std::tanh, std::tanh},
    {Opcode::sin, std::sin, std::sin}, {Opcode::cos, std::cos, std::cos}, {Opcode::erf, std::erf, std::erf},
};

template <class T>
std::vector<T> run_unary(const HostTarget& target, Opcode code, int lanes, const std::vector<T>& values) {
  return map_lanes<T>(target, lanes, [&](Builder& k, const Loaded& in) { return k.unary(code, in[0]); }, values);
}

// Every 32749th float of all signs, exponents and NaNs, and every 499th between 1/16 and 16, where most work is done.
const std::vector<float>& dense_floats() {
  static const std::vector<float> values = [] {
    std::vector<float> made;
    for (std::uint64_t bits = 0; bits < (1ULL << 32); bits += 32749)
      made.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    for (auto bits = std::bit_cast<std::uint32_t>(0.0625F); bits < std::bit_cast<std::uint32_t>(16.0F); bits += 499) {
      made.push_back(std::bit_cast<float>(bits));
      made.push_back(-std::bit_cast<float>(bits));
    }
    for (float x = -104; x < -86; x += 0.005F) made.push_back(x);  // exp's subnormal results
    made.resize(made.size() / 480 * 480);
    return made;
  }();
  return values;
}

TEST(MathLibrary, F32WithinFourUlpOverAllFloats) {
  const std::vector<float>& values = dense_floats();
  for (const Function& function : unary_functions) {
    std::vector<double> exact;
    for (const float x : values) exact.push_back(function.in_double(static_cast<double>(x)));
    for (const HostTarget& target : runnable_targets())
      for (const int lanes : {1, target.vector_bytes / 4}) {
        const auto got = run_unary(target, function.code, lanes, values);
        for (std::size_t i = 0; i < values.size(); ++i)
          ASSERT_LE(error_ulp(got[i], exact[i]), bound)
              << info(function.code).name << '(' << values[i] << ") = " << got[i] << ", not " << exact[i] << ", lanes "
              << lanes << ", " << target.cpu;
      }
  }
}

TEST(MathLibrary, F32LogarithmWithinFourUlpWhereItIsWorst) {
  std::vector<float> values;
  for (auto bits = std::bit_cast<std::uint32_t>(0.8825F); values.size() < 480 * 300; ++bits)
    values.push_back(std::bit_cast<float>(bits));
  for (const HostTarget& target : runnable_targets()) {
    const auto got = run_unary(target, Opcode::log, target.vector_bytes / 4, values);
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_LE(error_ulp(got[i], std::log(static_cast<double>(values[i]))), bound) << values[i];
  }
}

TEST(MathLibrary, SubnormalResultsAreNotFlushed) {
  const std::vector<float> values(16, -95.0F);
  for (const HostTarget& target : runnable_targets())
    for (const int lanes : {1, 4, 8, 16})
      EXPECT_NEAR(run_unary(target, Opcode::exp, lanes, values)[3], 5.521e-42F, 3e-45F) << target.cpu;
}

TEST(MathLibrary, EveryLaneCountGetsItsOwnLanes) {
  std::vector<float> values;
  for (int i = 0; i < 960; ++i) values.push_back(static_cast<float>(i) * 0.01F - 4.7F);
  for (const HostTarget& target : runnable_targets())
    for (const int lanes : {2, 3, 5, 12, 64})
      for (const Function& function : unary_functions) {
        const auto got = run_unary(target, function.code, lanes, values);
        for (std::size_t i = 0; i < values.size(); ++i)
          ASSERT_LE(error_ulp(got[i], function.in_double(static_cast<double>(values[i]))), bound)
              << info(function.code).name << '(' << values[i] << "), lanes " << lanes;
      }
}

std::vector<double> sampled_doubles() {
  std::mt19937_64 random(41);
  std::vector<double> values;
  for (int i = 0; i < 24000; ++i) {
    const std::uint64_t bits = random();
    values.push_back(i % 3 == 0 ? std::bit_cast<double>(bits)
                                : (static_cast<double>(bits >> 11) * 0x1p-52 - 1) * (i % 3 == 1 ? 5 : 740));
  }
  return values;
}

TEST(MathLibrary, F64WithinFourUlp) {
  const std::vector<double> values = sampled_doubles();
  for (const Function& function : unary_functions)
    for (const HostTarget& target : runnable_targets())
      for (const int lanes : {1, 3, 8}) {
        const auto got = run_unary(target, function.code, lanes, values);
        for (std::size_t i = 0; i < values.size(); ++i)
          ASSERT_LE(error_ulp(got[i], function.in_long_double(static_cast<long double>(values[i]))), bound)
              << info(function.code).name << '(' << values[i] << ") = " << got[i] << ", lanes " << lanes;
      }
}

template <class T>
std::vector<T> run_pow(const HostTarget& target, int lanes, const std::vector<T>& x, const std::vector<T>& y) {
  return map_lanes<T>(
      target, lanes, [](Builder& k, const Loaded& in) { return k.binary(Opcode::pow, in[0], in[1]); }, x, y);
}

TEST(MathLibrary, PowersWithinFourUlp) {
  std::mt19937_64 random(42);
  std::vector<float> x;
  std::vector<float> y;
  for (int i = 0; i < 240000; ++i) {
    const std::uint64_t bits = random();
    const float unit = static_cast<float>(bits & 0xffff) / 65536;
    const float spread = static_cast<float>(bits >> 40) / 8388608 - 1;
    if (i % 3 == 0) {
      x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
      y.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits >> 32)));
    } else {
      x.push_back(i % 3 == 1 ? std::ldexp(1 + unit, static_cast<int>((bits >> 20) % 60) - 30) : 1 + (unit - 0.5F) / 32);
      y.push_back(spread * (i % 3 == 1 ? 40 : 6000));
    }
  }
  std::vector<double> exact;
  for (std::size_t i = 0; i < x.size(); ++i)
    exact.push_back(std::pow(static_cast<double>(x[i]), static_cast<double>(y[i])));
  for (const HostTarget& target : runnable_targets())
    for (const int lanes : {1, 3, 8}) {
      const auto got = run_pow(target, lanes, x, y);
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_LE(error_ulp(got[i], exact[i]), bound) << "pow(" << x[i] << ", " << y[i] << ") = " << got[i];
    }
}

// ISO C, annex F.10.
TEST(MathLibrary, SpecialCasesAreAsInC) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  struct Case {
    Opcode code;
    float x, expected;
  };
  const Case cases[] = {
      {Opcode::exp, inf, inf},  {Opcode::exp, -inf, 0},      {Opcode::exp, nan, nan},      {Opcode::exp, 0, 1},
      {Opcode::exp, 89, inf},   {Opcode::exp, -1000, 0},     {Opcode::log, 0, -inf},       {Opcode::log, 1, 0},
      {Opcode::log, -1, nan},   {Opcode::log, inf, inf},     {Opcode::log, nan, nan},      {Opcode::tanh, inf, 1},
      {Opcode::tanh, -inf, -1}, {Opcode::tanh, nan, nan},    {Opcode::tanh, -0.0F, -0.0F}, {Opcode::sin, inf, nan},
      {Opcode::sin, nan, nan},  {Opcode::sin, -0.0F, -0.0F}, {Opcode::cos, -inf, nan},     {Opcode::cos, 0, 1},
      {Opcode::erf, inf, 1},    {Opcode::erf, -inf, -1},     {Opcode::erf, nan, nan},      {Opcode::erf, -0.0F, -0.0F},
  };
  struct Power {
    float x, y, expected;
  };
  const Power powers[] = {
      {nan, 0, 1},       {1, nan, 1},       {nan, 1, nan},     {-1, inf, 1},        {-2, 0.5F, nan},
      {0, -1, inf},      {-0.0F, -3, -inf}, {-0.0F, 3, -0.0F}, {-inf, 3, -inf},     {-inf, -2, 0},
      {0.5F, -inf, inf}, {2, -inf, 0},      {-2, 3, -8},       {1e-40F, 1, 1e-40F},
  };
  const auto equal = [](float a, float b) {
    return std::isnan(b) ? std::isnan(a) : a == b && std::signbit(a) == std::signbit(b);
  };
  for (const HostTarget& target : runnable_targets())
    for (const int lanes : {1, 4, 8}) {
      for (const Function& function : unary_functions) {
        std::vector<Case> own;
        for (const Case& c : cases)
          if (c.code == function.code) own.push_back(c);
        std::vector<float> x(8, 0.5F);
        for (std::size_t i = 0; i < own.size(); ++i) x[i] = own[i].x;
        const auto got = run_unary(target, function.code, lanes, x);
        for (std::size_t i = 0; i < own.size(); ++i)
          EXPECT_TRUE(equal(got[i], own[i].expected))
              << info(function.code).name << '(' << x[i] << ") = " << got[i] << ", lanes " << lanes;
      }
      std::vector<float> x(16, 1);
      std::vector<float> y(16, 1);
      for (std::size_t i = 0; i < std::size(powers); ++i) {
        x[i] = powers[i].x;
        y[i] = powers[i].y;
      }
      const auto got = run_pow(target, lanes, x, y);
      for (std::size_t i = 0; i < std::size(powers); ++i)
        EXPECT_TRUE(equal(got[i], powers[i].expected))
            << "pow(" << x[i] << ", " << y[i] << ") = " << got[i] << ", lanes " << lanes;
    }
}

TEST(MathLibrary, HalvesGoThroughF32) {
  const std::vector<float> values(8, 1.0F);
  for (const HostTarget& target : runnable_targets()) {
    const auto got = map_lanes<float>(
        target, 8,
        [](Builder& k, const Loaded& in) {
          return k.convert(Opcode::fconvert, k.unary(Opcode::exp, k.convert(Opcode::fconvert, in[0], Element::f16)),
                           Element::f32);
        },
        values);
    EXPECT_EQ(got[5], 2.71875F);  // e rounded to 11 bits
  }
}

}  // namespace
}  // namespace tilewright::codegen
