// Products of warpgroups in the simulator: 64 × 16 times 16 × 8, staged in the swizzle that the unit reads.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "litmus.h"
#include "support/scalar.h"

namespace tilewright::kernel {
namespace {

/// Thread t stores its four sums at d[4 t].
constexpr const char* warpgroup_product =
    "kernel product(%a: ptr readonly align 16, %b: ptr readonly align 16, %d: ptr align 16) gpu threads 128 {\n"
    "  %zero = constant f32x4 2\n"
    "  %yes = constant i1 1\n"
    "  %n4 = constant i64 4\n"
    "  %n7 = constant i64 7\n"
    "  %n8 = constant i64 8\n"
    "  %n16 = constant i64 16\n"
    "  %n32 = constant i64 32\n"
    "  %n64 = constant i64 64\n"
    "  %n128 = constant i64 128\n"
    "  %sa = shared ptr_shared bytes 8192 align 1024\n"
    "  %sb = shared ptr_shared bytes 1024 align 1024\n"
    "  %t = special thread i64\n"
    "  %from = mul i64 %t, %n32\n"
    "  %to = mul i64 %t, %n128\n"
    "  %turn = and i64 %t, %n7\n"
    "  %first = shl i64 %turn, %n4\n"
    "  %second = xor i64 %first, %n16\n"
    "  %has_a = cmp slt i64 %t, %n64\n"
    "  if %has_a {\n"
    "    %a0 = offset ptr %a, %from\n"
    "    %a1 = offset ptr %a0, %n16\n"
    "    %va = load f16x8 %a0 align 16\n"
    "    %wa = load f16x8 %a1 align 16\n"
    "    %ra = offset ptr_shared %sa, %to\n"
    "    %pa = offset ptr_shared %ra, %first\n"
    "    %qa = offset ptr_shared %ra, %second\n"
    "    store f16x8 %va, %pa align 16\n"
    "    store f16x8 %wa, %qa align 16\n"
    "  }\n"
    "  %has_b = cmp slt i64 %t, %n8\n"
    "  if %has_b {\n"
    "    %b0 = offset ptr %b, %from\n"
    "    %b1 = offset ptr %b0, %n16\n"
    "    %vb = load f16x8 %b0 align 16\n"
    "    %wb = load f16x8 %b1 align 16\n"
    "    %rb = offset ptr_shared %sb, %to\n"
    "    %pb = offset ptr_shared %rb, %first\n"
    "    %qb = offset ptr_shared %rb, %second\n"
    "    store f16x8 %vb, %pb align 16\n"
    "    store f16x8 %wb, %qb align 16\n"
    "  }\n"
    "  fence_async\n"
    "  barrier\n"
    "  %f = wgmma_fence f32x4 %zero\n"
    "  %g = wgmma f32x4 %sa, %sb, %yes, %f n 8 of f16 a 0 1024 b 0 1024\n"
    "  wgmma_commit\n"
    "  %h = wgmma_wait f32x4 %g pending 0\n"
    "  %at = mul i64 %t, %n16\n"
    "  %p = offset ptr %d, %at\n"
    "  store f32x4 %h, %p align 16\n"
    "}\n";

struct Data {
  std::vector<std::uint16_t> a = std::vector<std::uint16_t>(64 * 16);
  std::vector<std::uint16_t> b = std::vector<std::uint16_t>(8 * 16);
  std::vector<float> d = std::vector<float>(128 * 4);
  Data() {
    for (int i = 0; i < 64; ++i)
      for (int k = 0; k < 16; ++k) a[static_cast<std::size_t>(i * 16 + k)] = double_to_half(i - 3 * k);
    for (int j = 0; j < 8; ++j)
      for (int k = 0; k < 16; ++k) b[static_cast<std::size_t>(j * 16 + k)] = double_to_half(k * k - 5 * j);
  }
  static int sum(int i, int j) {
    int total = 2;
    for (int k = 0; k < 16; ++k) total += (i - 3 * k) * (k * k - 5 * j);
    return total;
  }
};

Result<SimulationCounters> run(const Kernel& kernel, const SimulationOptions& options, Data& data) {
  const std::vector<Argument> arguments = {pointer_to(data.a), pointer_to(data.b), pointer_to(data.d)};
  const std::vector<SimulatedRange> memory = {range_of(data.a, false), range_of(data.b, false),
                                              range_of(data.d, true, false)};
  return simulate(kernel, 1, arguments, memory, options);
}

void expect_hazard(std::string_view text, std::initializer_list<std::string_view> codes) {
  expect_report(read_kernel(std::string(text)), codes, [](const Kernel& kernel, const SimulationOptions& options) {
    Data data;
    return run(kernel, options, data);
  });
}

TEST(SimulateWarpgroups, MultipliesWhatLiesInTheSwizzle) {
  const Kernel kernel = read_kernel(warpgroup_product);
  for (const SimulationOptions& options : all_orders()) {
    Data data;
    const auto result = run(kernel, options, data);
    ASSERT_TRUE(result) << render(result.error());
    for (int i = 0; i < 64; ++i)
      for (int j = 0; j < 8; ++j) {
        // Warp i / 16; lane 4 (i % 8) + j / 2; the second pair of sums is of the rows from 8 on.
        const int thread = i / 16 * 32 + i % 8 * 4 + j / 2;
        const int element = i % 16 / 8 * 2 + j % 2;
        EXPECT_EQ(data.d[static_cast<std::size_t>(4 * thread + element)], static_cast<float>(Data::sum(i, j)))
            << i << ", " << j;
      }
  }
}

TEST(SimulateWarpgroups, SumsHaveNoValueBeforeTheWait) {
  const Kernel early = read_kernel(replaced(warpgroup_product, "store f32x4 %h, %p", "store f32x4 %g, %p"));
  Data data;
  const auto result = run(early, {}, data);
  ASSERT_TRUE(result) << render(result.error());
  for (float sum : data.d) EXPECT_TRUE(std::isnan(sum));
}

TEST(SimulateWarpgroups, ReportsWhatIsLeftOut) {
  expect_hazard(replaced(warpgroup_product, "  fence_async\n", ""), {"K209"});
  expect_hazard(replaced(warpgroup_product, "  barrier\n", ""), {"K104", "K204", "K209"});
  const std::string plain = replaced(warpgroup_product, "  %f = wgmma_fence f32x4 %zero\n", "");
  expect_hazard(replaced(plain, "%yes, %f n 8", "%yes, %zero n 8"), {"K209"});
}

TEST(SimulateWarpgroups, ReportsProductsThatNothingWaitsFor) {
  std::string text = replaced(warpgroup_product, "  %h = wgmma_wait f32x4 %g pending 0\n", "");
  expect_hazard(replaced(text, "store f32x4 %h, %p", "store f32x4 %g, %p"), {"K207"});
  expect_hazard(replaced(warpgroup_product, "%g pending 0", "%g pending 1"), {"K207"});
}

TEST(SimulateWarpgroups, FactorsAreLockedUntilTheWait) {
  expect_hazard(replaced(warpgroup_product, "  wgmma_commit\n",
                         "  wgmma_commit\n  %mine = mul i64 %t, %n64\n  %over = offset ptr_shared %sa, %mine\n"
                         "  %value = constant f16x8 1\n  store f16x8 %value, %over align 16\n"),
                {"K204", "K207"});
}

}  // namespace
}  // namespace tilewright::kernel
