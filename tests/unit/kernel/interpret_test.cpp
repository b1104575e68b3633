// The interpreter: values worked out by hand, and the error of each illegal access.
#include "kernel/interpret.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "kernel/builder.h"
#include "kernel_text.h"

namespace tilewright::kernel {
namespace {

template <class T, std::size_t n>
std::byte* bytes(std::array<T, n>& memory) {
  return reinterpret_cast<std::byte*>(memory.data());
}

template <class T, std::size_t n>
MemoryRange range(std::array<T, n>& memory, bool writable = true) {
  return {bytes(memory), static_cast<std::int64_t>(sizeof memory), writable};
}

/// Runs a kernel of the single parameter %out (and perhaps %n) that stores into `out`.
template <class T, std::size_t n>
Result<void> run_into(std::array<T, n>& out, std::string_view text, std::vector<Argument> more = {}) {
  more.insert(more.begin(), bytes(out));
  const std::array memory = {range(out)};
  return interpret(read_kernel(text), more, memory);
}

TEST(Interpret, SumsByALoopThatCarries) {
  std::array<std::int64_t, 2> out{};
  ASSERT_EQ(codes(run_into(out,
                           "kernel k(%out: ptr, %n: i64) {\n"
                           "  %0 = constant i64 0\n"
                           "  %1 = constant i64 1\n"
                           "  %8 = constant i64 8\n"
                           "  %a, %b = for %i = %0 to %n step %1 carry %x = %0, %y = %1 {\n"  // Fibonacci
                           "    %s = add i64 %x, %y\n"
                           "    yield %y, %s\n"
                           "  }\n"
                           "  store i64 %a, %out align 8\n"
                           "  %p = offset ptr %out, %8\n"
                           "  store i64 %b, %p align 8\n"
                           "}\n",
                           {std::int64_t{10}})),
            "");
  EXPECT_EQ(out[0], 55);
  EXPECT_EQ(out[1], 89);
}

TEST(Interpret, LoopsZeroTimesAndByUnevenSteps) {
  const char* text =
      "kernel k(%out: ptr, %n: i64) {\n"
      "  %0 = constant i64 0\n"
      "  %3 = constant i64 3\n"
      "  %a = for %i = %0 to %n step %3 carry %x = %3 {\n"
      "    %s = add i64 %x, %i\n"
      "    yield %s\n"
      "  }\n"
      "  store i64 %a, %out align 8\n"
      "}\n";
  std::array<std::int64_t, 1> out{};
  const auto result = [&](std::int64_t n) {
    EXPECT_EQ(codes(run_into(out, text, {n})), "");
    return out[0];
  };
  EXPECT_EQ(result(0), 3);
  EXPECT_EQ(result(-5), 3);
  EXPECT_EQ(result(1), 3);
  EXPECT_EQ(result(7), 3 + 0 + 3 + 6);
}

TEST(Interpret, EndsALoopWhoseVariableWouldOverflow) {
  std::array<std::int64_t, 1> out{};
  ASSERT_EQ(codes(run_into(out,
                           "kernel k(%out: ptr) {\n"
                           "  %b = constant i64 9223372036854775800\n"
                           "  %e = constant i64 9223372036854775807\n"
                           "  %s = constant i64 5\n"
                           "  %1 = constant i64 1\n"
                           "  %n = for %i = %b to %e step %s carry %x = %1 {\n"
                           "    %y = add i64 %x, %x\n"
                           "    yield %y\n"
                           "  }\n"
                           "  store i64 %n, %out align 8\n"
                           "}\n")),
            "");
  EXPECT_EQ(out[0], 4);
}

TEST(Interpret, TakesOneBranch) {
  const char* text =
      "kernel k(%out: ptr, %n: i64) {\n"
      "  %5 = constant i64 5\n"
      "  %c = cmp slt i64 %n, %5\n"
      "  %x, %y = if %c { yield %n, %5 } else { yield %5, %n }\n"
      "  %d = sub i64 %x, %y\n"
      "  store i64 %d, %out align 8\n"
      "}\n";
  std::array<std::int64_t, 1> out{};
  ASSERT_EQ(codes(run_into(out, text, {std::int64_t{2}})), "");
  EXPECT_EQ(out[0], -3);
  ASSERT_EQ(codes(run_into(out, text, {std::int64_t{9}})), "");
  EXPECT_EQ(out[0], -4);
}

TEST(Interpret, MovesLanes) {
  std::array<std::int32_t, 8> out{};
  ASSERT_EQ(codes(run_into(out,
                           "kernel k(%out: ptr) {\n"
                           "  %v = iota i32x4\n"
                           "  %9 = constant i32 9\n"
                           "  %s = splat i32x4 %9\n"
                           "  %i = insert i32x4 %v, %9 lane 1\n"
                           "  %e = extract i32 %v lane 3\n"
                           "  %j = insert i32x4 %s, %e lane 2\n"
                           "  %h = shuffle i32x8 %i, %j lanes [0, 1, 2, 3, 7, 6, 5, 4]\n"
                           "  store i32x8 %h, %out align 4\n"
                           "}\n")),
            "");
  EXPECT_EQ(out, (std::array<std::int32_t, 8>{0, 9, 2, 3, 9, 3, 9, 9}));
}

TEST(Interpret, MasksMemoryLaneByLane) {
  std::array<std::int32_t, 4> out{10, 11, 12, 13};
  // %m is true for lanes 1 and 2; the other lanes reach outside of the range and are not touched.
  ASSERT_EQ(codes(run_into(out,
                           "kernel k(%out: ptr) {\n"
                           "  %back = constant i64 -4\n"
                           "  %one = constant i64x4 1\n"
                           "  %two = constant i64x4 2\n"
                           "  %add = constant i32x4 100\n"
                           "  %i = iota i64x4\n"
                           "  %1 = cmp sge i64x4 %i, %one\n"
                           "  %2 = cmp sle i64x4 %i, %two\n"
                           "  %m = and i1x4 %1, %2\n"
                           "  %p = offset ptr %out, %back\n"
                           "  %v = load i32x4 %p, %m align 4\n"
                           "  %w = add i32x4 %v, %add\n"
                           "  store i32x4 %w, %p, %m align 4\n"
                           "  %o = mul i64x4 %i, %two\n"
                           "  %q = mul i64x4 %o, %two\n"
                           "  %r = shuffle i64x4 %q, %q lanes [3, 2, 1, 0]\n"
                           "  %x = gather i32x4 %out, %r, %m align 4\n"
                           "  scatter i32x4 %x, %out, %q align 4\n"
                           "}\n")),
            "");
  EXPECT_EQ(out, (std::array<std::int32_t, 4>{0, 12, 111, 0}));
}

TEST(Interpret, WrapsAndComparesIntegers) {
  std::array<std::int8_t, 8> out{};
  ASSERT_EQ(codes(run_into(out,
                           "kernel k(%out: ptr, %n: i8) {\n"
                           "  %m = constant i8 -128\n"
                           "  %1 = constant i8 -1\n"
                           "  %3 = constant i8 3\n"
                           "  %z = constant i8x8 0\n"
                           "  %a = add i8 %n, %m\n"   // -128 + -128 = 0
                           "  %b = sdiv i8 %n, %1\n"  // -128 / -1 = -128
                           "  %c = udiv i8 %n, %3\n"  // 128 / 3 = 42
                           "  %d = srem i8 %n, %3\n"  // -128 % 3 = -2
                           "  %e = umin i8 %n, %3\n"  // 3
                           "  %f = ashr i8 %n, %3\n"  // -16
                           "  %g = lshr i8 %n, %3\n"  // 16
                           "  %h = abs i8 %n\n"       // -128
                           "  %v0 = insert i8x8 %z, %a lane 0\n"
                           "  %v1 = insert i8x8 %v0, %b lane 1\n"
                           "  %v2 = insert i8x8 %v1, %c lane 2\n"
                           "  %v3 = insert i8x8 %v2, %d lane 3\n"
                           "  %v4 = insert i8x8 %v3, %e lane 4\n"
                           "  %v5 = insert i8x8 %v4, %f lane 5\n"
                           "  %v6 = insert i8x8 %v5, %g lane 6\n"
                           "  %v7 = insert i8x8 %v6, %h lane 7\n"
                           "  store i8x8 %v7, %out align 1\n"
                           "}\n",
                           {std::int64_t{-128}})),
            "");
  EXPECT_EQ(out, (std::array<std::int8_t, 8>{0, -128, 42, -2, 3, -16, 16, -128}));
}

TEST(Interpret, ComputesF32InF32AndFusesFma) {
  std::array<float, 3> out{};
  ASSERT_EQ(codes(run_into(out,
                           "kernel k(%out: ptr) {\n"
                           "  %4 = constant i64 4\n"
                           "  %8 = constant i64 8\n"
                           "  %x = constant f32 1.0000001\n"
                           "  %m = constant f32 -1.0000002\n"
                           "  %s = mul f32 %x, %x\n"
                           "  %t = add f32 %s, %m\n"
                           "  %u = fma f32 %x, %x, %m\n"
                           "  %big = constant f32 16777216\n"
                           "  %one = constant f32 1\n"
                           "  %v = add f32 %big, %one\n"
                           "  %p = offset ptr %out, %4\n"
                           "  %q = offset ptr %out, %8\n"
                           "  store f32 %t, %out align 4\n"
                           "  store f32 %u, %p align 4\n"
                           "  store f32 %v, %q align 4\n"
                           "}\n")),
            "");
  EXPECT_EQ(out[0], 0.0f);                   // (1 + 2^-23)² rounds to 1 + 2^-22
  EXPECT_EQ(out[1], std::ldexp(1.0f, -46));  // the 2^-46 that rounding loses
  EXPECT_EQ(out[2], 16777216.0f);
}

TEST(Interpret, RoundsSmallFloatsAfterEachOp) {
  std::array<std::uint16_t, 3> out{};
  ASSERT_EQ(codes(run_into(out,
                           "kernel k(%out: ptr) {\n"
                           "  %2 = constant i64 2\n"
                           "  %4 = constant i64 4\n"
                           "  %a = constant f16 2048\n"
                           "  %1 = constant f16 1\n"
                           "  %b = add f16 %a, %1\n"  // 2049 rounds to 2048
                           "  %c = add f16 %b, %1\n"  // and again
                           "  store f16 %c, %out align 2\n"
                           "  %x = constant f16 1.0009766\n"  // 1 + 2^-10
                           "  %h = constant f16 -1\n"
                           "  %f = fma f16 %x, %x, %h\n"  // 2^-9 + 2^-20, a tie of f16's 2^-19 unit, to even
                           "  %p = offset ptr %out, %2\n"
                           "  store f16 %f, %p align 2\n"
                           "  %y = constant bf16 256\n"
                           "  %i = constant bf16 1\n"
                           "  %z = add bf16 %y, %i\n"
                           "  %q = offset ptr %out, %4\n"
                           "  store bf16 %z, %q align 2\n"
                           "}\n")),
            "");
  EXPECT_EQ(out[0], 0x6800);  // 2048
  EXPECT_EQ(out[1], 0x1800);  // 2^-9
  EXPECT_EQ(out[2], 0x4380);  // 256
}

TEST(Interpret, MinAndMaxKeepNan) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  std::array<float, 8> memory{nan, 1.0f, -3.0f, 4.0f, 2.0f, nan, 5.0f, -6.0f};
  ASSERT_EQ(codes(run_into(memory,
                           "kernel k(%out: ptr) {\n"
                           "  %16 = constant i64 16\n"
                           "  %q = offset ptr %out, %16\n"
                           "  %a = load f32x4 %out align 4\n"
                           "  %b = load f32x4 %q align 4\n"
                           "  %l = fmin f32x4 %a, %b\n"
                           "  %h = fmax f32x4 %a, %b\n"
                           "  store f32x4 %l, %out align 4\n"
                           "  store f32x4 %h, %q align 4\n"
                           "}\n")),
            "");
  for (std::size_t i : {0u, 1u, 4u, 5u}) EXPECT_TRUE(std::isnan(memory[i])) << i;
  EXPECT_EQ(memory[2], -3.0f);
  EXPECT_EQ(memory[3], -6.0f);
  EXPECT_EQ(memory[6], 5.0f);
  EXPECT_EQ(memory[7], 4.0f);
}

TEST(Interpret, MinAndMaxOrderZeros) {
  std::array<float, 8> memory{0.0f, -0.0f, 0.0f, -0.0f, -0.0f, 0.0f, 0.0f, -0.0f};
  ASSERT_EQ(codes(run_into(memory,
                           "kernel k(%out: ptr) {\n"
                           "  %16 = constant i64 16\n"
                           "  %q = offset ptr %out, %16\n"
                           "  %a = load f32x4 %out align 4\n"
                           "  %b = load f32x4 %q align 4\n"
                           "  %l = fmin f32x4 %a, %b\n"
                           "  %h = fmax f32x4 %a, %b\n"
                           "  store f32x4 %l, %out align 4\n"
                           "  store f32x4 %h, %q align 4\n"
                           "}\n")),
            "");
  std::vector<bool> negative;
  for (const float value : memory) negative.push_back(std::signbit(value));
  EXPECT_EQ(negative, (std::vector<bool>{true, true, false, true, false, false, false, true}));
}

TEST(Interpret, ComparesNan) {
  const char* predicates[] = {"oeq", "une", "olt", "ole", "ogt", "oge", "uno"};
  const std::array<std::int64_t, 7> of_nan = {0, 1, 0, 0, 0, 0, 1};
  const std::array<std::int64_t, 7> of_one_and_two = {0, 1, 1, 1, 0, 0, 0};
  for (std::size_t i = 0; i < 7; ++i) {
    std::array<std::int64_t, 2> out{};
    ASSERT_EQ(codes(run_into(out, fmt::format("kernel k(%out: ptr) {{\n"
                                              "  %a = constant f64 nan\n"
                                              "  %b = constant f64 1\n"
                                              "  %c = constant f64 2\n"
                                              "  %8 = constant i64 8\n"
                                              "  %x = cmp {0} f64 %a, %b\n"
                                              "  %y = cmp {0} f64 %b, %c\n"
                                              "  %u = zext i64 %x\n"
                                              "  %v = zext i64 %y\n"
                                              "  store i64 %u, %out align 8\n"
                                              "  %p = offset ptr %out, %8\n"
                                              "  store i64 %v, %p align 8\n"
                                              "}}\n",
                                              predicates[i]))),
              "");
    EXPECT_EQ(out[0], of_nan[i]) << predicates[i];
    EXPECT_EQ(out[1], of_one_and_two[i]) << predicates[i];
  }
}

TEST(Interpret, ReportsEachIllegalAccess) {
  struct Illegal {
    const char* code;
    const char* body;
  };
  const Illegal cases[] = {
      {"K101", "%o = constant i64 13 %q = offset ptr %out, %o %x = load i32 %q align 1"},
      {"K101", "%o = constant i64 -1 %q = offset ptr %out, %o store i8 %b, %q align 1"},
      {"K101", "%o = constant i64 16 %q = offset ptr %out, %o %x = load i8 %q align 1"},
      {"", "%o = constant i64 15 %q = offset ptr %out, %o %x = load i8 %q align 1"},
      {"K101", "%m = constant i1x4 1 %o = constant i64 4 %q = offset ptr %out, %o %x = load i32x4 %q, %m align 4"},
      {"K101", "%o = constant i64x2 16 %x = gather i32x2 %out, %o align 4"},
      {"K102", "%o = constant i64 2 %q = offset ptr %out, %o %x = load i32 %q align 4"},
      {"K102", "%o = constant i64x2 2 %x = gather i32x2 %out, %o align 4"},
      {"K103", "store i8 %b, %in align 1"},
      {"K104", "%l = local ptr bytes 8 %x = load i64 %l align 8"},
      {"K104", "%l = local ptr bytes 8 store i32 %w, %l align 4 %x = load i64 %l align 8"},
      {"", "%l = local ptr bytes 8 store i32 %w, %l align 4 %x = load i32 %l align 4"},
      {"K101", "%l = local ptr bytes 8 %o = constant i64 8 %q = offset ptr %l, %o store i8 %b, %q align 1"},
      {"K105", "for %i = %0 to %n step %0 { }"},
      {"", "%o = constant i64 -4096 %q = offset ptr %out, %o prefetch %q"},
  };
  for (const Illegal& illegal : cases) {
    alignas(64) std::array<std::int32_t, 4> out{};
    alignas(64) std::array<std::int32_t, 4> in{};
    const Kernel kernel =
        read_kernel(fmt::format("kernel k(%out: ptr, %in: ptr, %n: i64) {{ %0 = constant i64 0 %b = "
                                "constant i8 1 %w = constant i32 1 {} }}",
                                illegal.body));
    const std::array<Argument, 3> arguments = {bytes(out), bytes(in), std::int64_t{5}};
    const std::array memory = {range(out), range(in, false)};
    EXPECT_EQ(codes(interpret(kernel, arguments, memory)), illegal.code) << illegal.body;
  }
}

TEST(Interpret, ShowsWhereAnAccessWentWrong) {
  alignas(64) std::array<std::int32_t, 4> out{};
  const Result<void> result =
      run_into(out, "kernel k(%out: ptr) { %o = constant i64 16 %q = offset ptr %out, %o %x = load i32 %q align 4 }");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(
      result.error()[0].message,
      "kernel k: accesses 4 bytes outside of all memory: the nearest range has 16 bytes, and the access starts at "
      "its byte 16, in: %x = load i32 %q align 4");
}

TEST(Interpret, ChecksItsArguments) {
  alignas(64) std::array<std::int32_t, 4> out{};
  const std::array memory = {range(out)};
  const Kernel kernel = read_kernel("kernel k(%p: ptr align 16) { }");
  const auto result = [&](std::vector<Argument> arguments) { return codes(interpret(kernel, arguments, memory)); };
  EXPECT_EQ(result({bytes(out)}), "");
  EXPECT_EQ(result({}), "K106");
  EXPECT_EQ(result({std::int64_t{0}}), "K106");
  EXPECT_EQ(result({bytes(out) + 4}), "K102");
}

TEST(Interpret, RefusesAKernelThatDoesNotVerify) {
  const Kernel kernel = read_kernel("kernel k(%n: i64) { %x = sqrt i64 %n }");
  const std::array<Argument, 1> arguments = {std::int64_t{0}};
  EXPECT_EQ(codes(interpret(kernel, arguments, {})), "K013");
}

}  // namespace
}  // namespace tilewright::kernel
