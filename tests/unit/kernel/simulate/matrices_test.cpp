// Matrix ops of the simulator, in the arrangement that devices are given: factors staged in shared memory, loaded as
// fragments, multiplied and stored.
#include <gtest/gtest.h>

#include <cstdint>

#include "litmus.h"
#include "support/scalar.h"

namespace tilewright::kernel {
namespace {

/// d (16 × 8 f32) = a (16 × 16 f16) · b (16 × 8 f16) + 1; %b has as many bytes as %a, of which the second half is
/// unused.
constexpr const char* product =
    "kernel product(%a: ptr readonly align 16, %b: ptr readonly align 16, %d: ptr align 16) gpu threads 32 {\n"
    "  %ones = constant f32x4 1\n"
    "  %n8 = constant i64 8\n"
    "  %n15 = constant i64 15\n"
    "  %n16 = constant i64 16\n"
    "  %n32 = constant i64 32\n"
    "  %n256 = constant i64 256\n"
    "  %n4 = constant i64 4\n"
    "  %sa = shared ptr_shared bytes 512\n"
    "  %sb = shared ptr_shared bytes 512\n"
    "  %lane = special lane i64\n"
    "  %piece = mul i64 %lane, %n16\n"
    "  %from_a = offset ptr %a, %piece\n"
    "  %to_a = offset ptr_shared %sa, %piece\n"
    "  copy_async %to_a, %from_a bytes 16\n"
    "  %from_b = offset ptr %b, %piece\n"
    "  %to_b = offset ptr_shared %sb, %piece\n"
    "  copy_async %to_b, %from_b bytes 16\n"
    "  commit_copies\n"
    "  wait_copies pending 0\n"
    "  barrier\n"
    "  %row = and i64 %lane, %n15\n"
    "  %half = lshr i64 %lane, %n4\n"
    "  %a_row = mul i64 %row, %n32\n"
    "  %a_half = mul i64 %half, %n16\n"
    "  %a_at = add i64 %a_row, %a_half\n"
    "  %pa = offset ptr_shared %sa, %a_at\n"
    "  %fa = load_matrix f16x8 %pa\n"
    "  %b_at = mul i64 %row, %n16\n"
    "  %pb = offset ptr_shared %sb, %b_at\n"
    "  %fb = load_matrix f16x4 %pb transposed\n"
    "  %fd = mma f32x4 %fa, %fb, %ones\n"
    "  %upper = shuffle f32x2 %fd, %fd lanes [0, 1]\n"
    "  %lower = shuffle f32x2 %fd, %fd lanes [2, 3]\n"
    "  %d_at = mul i64 %lane, %n8\n"
    "  %d0 = offset ptr %d, %d_at\n"
    "  store f32x2 %upper, %d0 align 8\n"
    "  %d1 = offset ptr %d0, %n256\n"
    "  store f32x2 %lower, %d1 align 8\n"
    "}\n";

Result<SimulationCounters> run_product(const Kernel& kernel, const SimulationOptions& options) {
  std::vector<std::uint16_t> a(256);
  std::vector<std::uint16_t> b(256);
  for (int i = 0; i < 16; ++i)
    for (int k = 0; k < 16; ++k) a[static_cast<std::size_t>(i * 16 + k)] = double_to_half(3 * i - k);
  for (int k = 0; k < 16; ++k)
    for (int j = 0; j < 8; ++j) b[static_cast<std::size_t>(k * 8 + j)] = double_to_half(k * k - 5 * j);
  std::vector<float> d(128);
  const std::vector<Argument> arguments = {pointer_to(a), pointer_to(b), pointer_to(d)};
  const std::vector<SimulatedRange> memory = {range_of(a, false), range_of(b, false), range_of(d, true, false)};
  auto result = simulate(kernel, 1, arguments, memory, options);
  if (result)
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 8; ++j) {
        int sum = 1;
        for (int k = 0; k < 16; ++k) sum += (3 * i - k) * (k * k - 5 * j);
        EXPECT_EQ(d[static_cast<std::size_t>(i * 8 + j)], static_cast<float>(sum)) << i << ", " << j;
      }
  return result;
}

TEST(SimulateMatrices, ProductOfStagedFactors) {
  const Kernel kernel = read_kernel(product);
  for (const SimulationOptions& options : all_orders()) {
    const auto result = run_product(kernel, options);
    ASSERT_EQ(codes(result), "");
    // Two copies and two loads of 16 bytes a row; a's rows are 32 bytes apart, so that two of eight share banks.
    EXPECT_EQ(result->shared_requests, 4);
    EXPECT_EQ(result->bank_conflicts, 4);
  }
  expect_report(without(kernel, Opcode::barrier, 0), {"K204"}, run_product);
  expect_report(without(kernel, Opcode::wait_copies, 0), {"K206"}, run_product);
  expect_report(without(kernel, Opcode::commit_copies, 0), {"K206"}, run_product);
}

/// Each thread stores its fragment of a matrix whose row r has the numbers 8 r to 8 r + 7, and loads it transposed.
TEST(SimulateMatrices, StoresWhatItLoads) {
  const Kernel kernel = read_kernel(
      "kernel turn(%d: ptr align 4) gpu threads 32 {\n"
      "  %one = constant i16 1\n"
      "  %n4 = constant i64 4\n"
      "  %n7 = constant i64 7\n"
      "  %n16 = constant i64 16\n"
      "  %s = shared ptr_shared bytes 128\n"
      "  %lane = special lane i64\n"
      "  %row = and i64 %lane, %n7\n"
      "  %at = mul i64 %row, %n16\n"
      "  %p = offset ptr_shared %s, %at\n"
      "  %twice = add i64 %lane, %lane\n"
      "  %first = trunc i16 %twice\n"
      "  %second = add i16 %first, %one\n"
      "  %v = splat i16x2 %first\n"
      "  %w = insert i16x2 %v, %second lane 1\n"
      "  store_matrix i16x2 %w, %p\n"
      "  barrier\n"
      "  %r = load_matrix i16x2 %p transposed\n"
      "  %to_at = mul i64 %lane, %n4\n"
      "  %to = offset ptr %d, %to_at\n"
      "  store i16x2 %r, %to align 4\n"
      "}\n");
  ASSERT_EQ(codes(verify(kernel)), "");
  std::vector<std::int16_t> d(64);
  const std::vector<Argument> arguments = {pointer_to(d)};
  const std::vector<SimulatedRange> memory = {range_of(d, true, false)};
  ASSERT_EQ(codes(simulate(kernel, 1, arguments, memory)), "");
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 8; ++column)
      EXPECT_EQ(d[static_cast<std::size_t>(row * 8 + column)], column * 8 + row) << row << ", " << column;
}

/// 8 × 8 times 8 × 8 by a simdgroup of an Apple GPU: each thread's two elements as MLX numbers them.
TEST(SimulateMatrices, MultipliesBySimdgroups) {
  const Kernel kernel = read_kernel(
      "kernel product(%a: ptr readonly align 8, %b: ptr readonly align 8, %c: ptr readonly align 8, %d: ptr align 8) "
      "gpu threads 32 {\n"
      "  %n8 = constant i64 8\n"
      "  %lane = special lane i64\n"
      "  %at = mul i64 %lane, %n8\n"
      "  %pa = offset ptr %a, %at\n"
      "  %pb = offset ptr %b, %at\n"
      "  %pc = offset ptr %c, %at\n"
      "  %pd = offset ptr %d, %at\n"
      "  %x = load f32x2 %pa align 8\n"
      "  %y = load f32x2 %pb align 8\n"
      "  %z = load f32x2 %pc align 8\n"
      "  %r = mma f32x2 %x, %y, %z\n"
      "  store f32x2 %r, %pd align 8\n"
      "}\n");
  ASSERT_EQ(codes(verify(kernel)), "");
  const auto place = [](std::size_t element) {  // in a row-major matrix
    const std::size_t lane = element / 2;
    const std::size_t quarter = lane / 4;
    return ((quarter & 4) + lane / 2 % 4) * 8 + (quarter & 2) * 2 + lane % 2 * 2 + element % 2;
  };
  std::vector<float> a(64), b(64), c(64), d(64);
  for (std::size_t e = 0; e < 64; ++e) {
    a[e] = static_cast<float>(place(e) % 7) - 3;
    b[e] = static_cast<float>(place(e) * 5 % 11) - 5;
    c[e] = static_cast<float>(place(e));
  }
  const std::vector<Argument> arguments = {pointer_to(a), pointer_to(b), pointer_to(c), pointer_to(d)};
  const std::vector<SimulatedRange> memory = {range_of(a), range_of(b), range_of(c), range_of(d, true, false)};
  ASSERT_EQ(codes(simulate(kernel, 1, arguments, memory)), "");
  std::vector<bool> seen(64);
  for (std::size_t e = 0; e < 64; ++e) {
    const std::size_t row = place(e) / 8;
    const std::size_t column = place(e) % 8;
    double sum = static_cast<double>(place(e));
    for (std::size_t k = 0; k < 8; ++k)
      sum += (static_cast<double>((row * 8 + k) % 7) - 3) * (static_cast<double>((k * 8 + column) * 5 % 11) - 5);
    EXPECT_EQ(d[e], sum) << row << ", " << column;
    seen[place(e)] = true;
  }
  EXPECT_EQ(std::ranges::count(seen, true), 64);
}

}  // namespace
}  // namespace tilewright::kernel
