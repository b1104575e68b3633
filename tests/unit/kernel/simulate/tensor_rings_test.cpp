// Rings of stages that the copy engine fills with boxes of tensors, read by a warp or by products of a warpgroup; and
// what is reported when one of their steps is taken away.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

#include "litmus.h"
#include "support/scalar.h"

namespace tilewright::kernel {
namespace {

/// The ring of stages, each filled with a row of a tensor.
std::string tensor_ring() {
  std::string text = replaced(ring, "%x: ptr readonly align 16", "%x: ptr tensormap");
  text = replaced(text, "  %start = constant f32 0\n", "  %start = constant f32 0\n  %column = constant i32 0\n");
  return replaced(text,
                  "        %in_at = mul i64 %k, %tile_bytes\n"
                  "        %from = offset ptr %x, %in_at\n"
                  "        bulk_load %to, %from, %bytes, %ready\n",
                  "        %row = trunc i32 %k\n"
                  "        tensor_load %to, %x, %ready, %column, %row rank 2\n");
}

/// The last of the tiles is outside of the tensor.
Result<SimulationCounters> run_tensor_ring(const Kernel& kernel, const SimulationOptions& options) {
  constexpr std::int64_t tiles = 7;
  std::vector<float> x((tiles - 1) * 32);
  std::iota(x.begin(), x.end(), 0.0F);
  std::vector<float> y(32);
  TensorMap map{pointer_to(x), 4, {32, tiles - 1}, {128}, {32, 1}, false};
  const std::vector<Argument> arguments = {pointer_to(map), pointer_to(y), tiles};
  const std::vector<SimulatedRange> memory = {range_of(x, false), range_of(y, true, false)};
  auto result = simulate(kernel, 1, arguments, memory, options);
  for (std::size_t t = 0; result && t < 32; ++t) EXPECT_EQ(y[t], static_cast<float>(6 * t + 32 * (1 + 2 + 3 + 4 + 5)));
  return result;
}

TEST(SimulateTensorRings, RingOfStages) {
  const Kernel kernel = read_kernel(tensor_ring());
  for (const SimulationOptions& options : all_orders()) ASSERT_EQ(codes(run_tensor_ring(kernel, options)), "");
  expect_report(without(kernel, Opcode::mbarrier_wait, 0), {"K204", "K206"}, run_tensor_ring);
  expect_report(without(kernel, Opcode::mbarrier_wait, 1), {"K204", "K206", "K104"}, run_tensor_ring);
  expect_report(without(kernel, Opcode::mbarrier_arrive, 0), {"K202"}, run_tensor_ring);
  expect_report(without(kernel, Opcode::mbarrier_expect, 0), {"K202"}, run_tensor_ring);
  expect_report(without(kernel, Opcode::tensor_load, 0), {"K202"}, run_tensor_ring);
  expect_report(without(kernel, Opcode::fence_mbarrier, 0), {"K209"}, run_tensor_ring);
  expect_report(without(kernel, Opcode::fence_async, 0), {"K209"}, run_tensor_ring);
}

/// 64 × 16 n times 16 n × 8: a warp has the engine load boxes of both factors into one of two stages, and a warpgroup
/// multiplies them and gives the stage back, by one thread a warp. Rows of the boxes are 64 elements, of which the
/// product reads 16. Between its reads and the next load's writes stands its wait: a fence would order ordinary reads.
constexpr const char* staged_product =
    "kernel staged_product(%a: ptr tensormap, %b: ptr tensormap, %d: ptr align 16, %n: i64) gpu threads 160 {\n"
    "  %zero = constant i64 0\n"
    "  %one = constant i64 1\n"
    "  %eight = constant i64 8\n"
    "  %n16 = constant i64 16\n"
    "  %one32 = constant i32 1\n"
    "  %start = constant f32x4 0\n"
    "  %yes = constant i1 1\n"
    "  %top = constant i32 0\n"
    "  %bytes = constant i32 9216\n"
    "  %a_bytes = constant i64 8192\n"
    "  %b_bytes = constant i64 1024\n"
    "  %last = constant i64 4\n"
    "  %sa = shared ptr_shared bytes 16384 align 1024\n"
    "  %sb = shared ptr_shared bytes 2048 align 1024\n"
    "  %full = shared ptr_shared bytes 16\n"
    "  %empty = shared ptr_shared bytes 16\n"
    "  %t = special thread i64\n"
    "  %warp = special warp i64\n"
    "  %full1 = offset ptr_shared %full, %eight\n"
    "  %empty1 = offset ptr_shared %empty, %eight\n"
    "  %first = cmp eq i64 %t, %zero\n"
    "  if %first {\n"
    "    mbarrier_init %full count 1\n"
    "    mbarrier_init %full1 count 1\n"
    "    mbarrier_init %empty count 4\n"
    "    mbarrier_init %empty1 count 4\n"
    "    fence_mbarrier\n"
    "  }\n"
    "  barrier\n"
    "  %produces = cmp eq i64 %warp, %last\n"
    "  if %produces {\n"
    "    %leads = elect i1\n"
    "    if %leads {\n"
    "      for %k = %zero to %n step %one {\n"
    "        %stage = and i64 %k, %one\n"
    "        %round = lshr i64 %k, %one\n"
    "        %turn = add i64 %round, %one\n"
    "        %turn32 = trunc i32 %turn\n"
    "        %parity = and i32 %turn32, %one32\n"
    "        %b_at = mul i64 %stage, %eight\n"
    "        %free = offset ptr_shared %empty, %b_at\n"
    "        %ready = offset ptr_shared %full, %b_at\n"
    "        mbarrier_wait %free, %parity\n"
    "        mbarrier_expect %ready, %bytes\n"
    "        %column = mul i64 %k, %n16\n"
    "        %column32 = trunc i32 %column\n"
    "        %a_stage = mul i64 %stage, %a_bytes\n"
    "        %a_to = offset ptr_shared %sa, %a_stage\n"
    "        tensor_load %a_to, %a, %ready, %column32, %top rank 2\n"
    "        %b_stage = mul i64 %stage, %b_bytes\n"
    "        %b_to = offset ptr_shared %sb, %b_stage\n"
    "        tensor_load %b_to, %b, %ready, %column32, %top rank 2\n"
    "      }\n"
    "    }\n"
    "  } else {\n"
    "    %sum = for %q = %zero to %n step %one carry %acc = %start {\n"
    "      %stage2 = and i64 %q, %one\n"
    "      %round2 = lshr i64 %q, %one\n"
    "      %round32 = trunc i32 %round2\n"
    "      %parity2 = and i32 %round32, %one32\n"
    "      %b_at2 = mul i64 %stage2, %eight\n"
    "      %free2 = offset ptr_shared %empty, %b_at2\n"
    "      %ready2 = offset ptr_shared %full, %b_at2\n"
    "      %a_stage2 = mul i64 %stage2, %a_bytes\n"
    "      %a_in = offset ptr_shared %sa, %a_stage2\n"
    "      %b_stage2 = mul i64 %stage2, %b_bytes\n"
    "      %b_in = offset ptr_shared %sb, %b_stage2\n"
    "      mbarrier_wait %ready2, %parity2\n"
    "      %f = wgmma_fence f32x4 %acc\n"
    "      %g = wgmma f32x4 %a_in, %b_in, %yes, %f n 8 of f16 a 0 1024 b 0 1024\n"
    "      wgmma_commit\n"
    "      %h = wgmma_wait f32x4 %g pending 0\n"
    "      %gives = elect i1\n"
    "      if %gives {\n"
    "        mbarrier_arrive %free2\n"
    "      }\n"
    "      yield %h\n"
    "    }\n"
    "    %at = mul i64 %t, %n16\n"
    "    %p = offset ptr %d, %at\n"
    "    store f32x4 %sum, %p align 16\n"
    "  }\n"
    "}\n";

Result<SimulationCounters> run_staged_product(const Kernel& kernel, const SimulationOptions& options) {
  constexpr int tiles = 3, terms = 16 * tiles;
  std::vector<std::uint16_t> a(64 * terms), b(8 * terms);
  const auto a_at = [](int i, int k) { return (i * 7 + k * 3) % 11 - 5; };
  const auto b_at = [](int j, int k) { return (j * 5 + k * 2) % 9 - 4; };
  for (int k = 0; k < terms; ++k) {
    for (int i = 0; i < 64; ++i) a[static_cast<std::size_t>(terms * i + k)] = double_to_half(a_at(i, k));
    for (int j = 0; j < 8; ++j) b[static_cast<std::size_t>(terms * j + k)] = double_to_half(b_at(j, k));
  }
  std::vector<float> d(512);
  TensorMap a_map{pointer_to(a), 2, {terms, 64}, {2 * terms}, {64, 64}, true};
  TensorMap b_map{pointer_to(b), 2, {terms, 8}, {2 * terms}, {64, 8}, true};
  const std::vector<Argument> arguments = {pointer_to(a_map), pointer_to(b_map), pointer_to(d), std::int64_t{tiles}};
  const std::vector<SimulatedRange> memory = {range_of(a, false), range_of(b, false), range_of(d, true, false)};
  auto result = simulate(kernel, 1, arguments, memory, options);
  for (int i = 0; result && i < 64; ++i)
    for (int j = 0; j < 8; ++j) {
      int sum = 0;
      for (int k = 0; k < terms; ++k) sum += a_at(i, k) * b_at(j, k);
      const int thread = i / 16 * 32 + i % 8 * 4 + j / 2;
      const int element = i % 16 / 8 * 2 + j % 2;
      EXPECT_EQ(d[static_cast<std::size_t>(4 * thread + element)], static_cast<float>(sum)) << i << ", " << j;
    }
  return result;
}

TEST(SimulateTensorRings, ProductsReadStagesThatTheEngineFillsAgain) {
  const Kernel kernel = read_kernel(staged_product);
  for (const SimulationOptions& options : all_orders()) ASSERT_EQ(codes(run_staged_product(kernel, options)), "");
  SimulationOptions unchecked;
  unchecked.full_checks = false;
  EXPECT_EQ(codes(run_staged_product(kernel, unchecked)), "");
  // The waits in the order of the text: the producer's for a free stage, the consumers' for a full one.
  expect_report(without(kernel, Opcode::mbarrier_wait, 0), {"K204", "K206", "K207"}, run_staged_product);
  expect_report(without(kernel, Opcode::mbarrier_wait, 1), {"K104", "K204", "K206"}, run_staged_product);
}

TEST(SimulateTensorRings, StagesAreGivenBackBehindTheProductsWait) {
  expect_report(read_kernel(replaced(staged_product, "%g pending 0", "%g pending 1")), {"K207"}, run_staged_product);
  // Ordinary reads of a stage need a fence, and each thread's own arrival.
  const std::string read = replaced(staged_product, "      %gives",
                                    "      %mine = mul i64 %t, %eight\n      %own = offset ptr_shared %a_in, %mine\n"
                                    "      %v = load f32 %own align 4\n      %gives");
  expect_report(read_kernel(read), {"K204", "K209"}, run_staged_product);
  const std::string fenced = replaced(read, "      %gives", "      fence_async\n      %gives");
  expect_report(read_kernel(fenced), {"K204"}, run_staged_product);
  std::string all = replaced(fenced, "%empty count 4", "%empty count 128");
  all = replaced(replaced(all, "%empty1 count 4", "%empty1 count 128"), "if %gives", "if %yes");
  EXPECT_EQ(codes(run_staged_product(read_kernel(all), {})), "");
}

}  // namespace
}  // namespace tilewright::kernel
