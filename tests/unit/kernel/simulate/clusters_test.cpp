// Clusters: boxes that the copy engine loads into several blocks, arrivals at the barriers of other blocks, and the
// barrier of a cluster's threads.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

#include "litmus.h"

namespace tilewright::kernel {
namespace {

/// Each of two blocks has the engine load every other row of 32 elements into a stage of both, and adds up
/// (2 + its number) · (rows 0, 2, …) + rows 1, 3, …. A stage is free when the consumers of both blocks have given it
/// back to both.
constexpr const char* shared_rows =
    "kernel shared_rows(%m: ptr tensormap, %y: ptr noalias align 4, %n: i64) gpu threads 64 cluster 2 {\n"
    "  %zero = constant i64 0\n"
    "  %one = constant i64 1\n"
    "  %two = constant i64 2\n"
    "  %four = constant i64 4\n"
    "  %eight = constant i64 8\n"
    "  %row_bytes = constant i64 128\n"
    "  %stage_bytes = constant i64 256\n"
    "  %bytes = constant i32 256\n"
    "  %zero32 = constant i32 0\n"
    "  %one32 = constant i32 1\n"
    "  %both = constant i32 3\n"
    "  %start = constant f32 0\n"
    "  %stages = shared ptr_shared bytes 512\n"
    "  %full = shared ptr_shared bytes 16\n"
    "  %empty = shared ptr_shared bytes 16\n"
    "  %thread = special thread i64\n"
    "  %lane = special lane i64\n"
    "  %warp = special warp i64\n"
    "  %rank = special cluster_block i64\n"
    "  %is_first = cmp eq i64 %thread, %zero\n"
    "  %full1 = offset ptr_shared %full, %eight\n"
    "  %empty1 = offset ptr_shared %empty, %eight\n"
    "  if %is_first {\n"
    "    mbarrier_init %full count 1\n"
    "    mbarrier_init %full1 count 1\n"
    "    mbarrier_init %empty count 64\n"
    "    mbarrier_init %empty1 count 64\n"
    "    fence_mbarrier\n"
    "  }\n"
    "  cluster_arrive\n"
    "  cluster_wait\n"
    "  %produces = cmp eq i64 %warp, %zero\n"
    "  if %produces {\n"
    "    if %is_first {\n"
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
    "        %s_at = mul i64 %stage, %stage_bytes\n"
    "        %own_at = mul i64 %rank, %row_bytes\n"
    "        %to_at = add i64 %s_at, %own_at\n"
    "        %to = offset ptr_shared %stages, %to_at\n"
    "        %pair = mul i64 %k, %two\n"
    "        %row = add i64 %pair, %rank\n"
    "        %row32 = trunc i32 %row\n"
    "        tensor_load %to, %m, %ready, %zero32, %row32, %both rank 2 multicast\n"
    "      }\n"
    "    }\n"
    "  } else {\n"
    "    %own = mul i64 %lane, %four\n"
    "    %factor64 = add i64 %rank, %two\n"
    "    %factor = sitofp f32 %factor64\n"
    "    %sum = for %q = %zero to %n step %one carry %acc = %start {\n"
    "      %stage2 = and i64 %q, %one\n"
    "      %round2 = lshr i64 %q, %one\n"
    "      %round32 = trunc i32 %round2\n"
    "      %parity2 = and i32 %round32, %one32\n"
    "      %b_at2 = mul i64 %stage2, %eight\n"
    "      %free2 = offset ptr_shared %empty, %b_at2\n"
    "      %ready2 = offset ptr_shared %full, %b_at2\n"
    "      mbarrier_wait %ready2, %parity2\n"
    "      %s_at2 = mul i64 %stage2, %stage_bytes\n"
    "      %at = add i64 %s_at2, %own\n"
    "      %p = offset ptr_shared %stages, %at\n"
    "      %r = offset ptr_shared %p, %row_bytes\n"
    "      %v = load f32 %p align 4\n"
    "      %w = load f32 %r align 4\n"
    "      fence_async\n"
    "      mbarrier_arrive %free2, %zero32\n"
    "      mbarrier_arrive %free2, %one32\n"
    "      %scaled = mul f32 %v, %factor\n"
    "      %plus = add f32 %acc, %scaled\n"
    "      %more = add f32 %plus, %w\n"
    "      yield %more\n"
    "    }\n"
    "    %out_at = mul i64 %rank, %row_bytes\n"
    "    %lane_at = add i64 %out_at, %own\n"
    "    %out = offset ptr %y, %lane_at\n"
    "    store f32 %sum, %out align 4\n"
    "  }\n"
    "  cluster_arrive\n"
    "  cluster_wait\n"
    "}\n";

Result<SimulationCounters> run_shared_rows(const Kernel& kernel, const SimulationOptions& options) {
  constexpr int pairs = 5;
  std::vector<float> x(pairs * 2 * 32);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * i % 101);
  std::vector<float> y(64, -1.0F);
  TensorMap map{pointer_to(x), 4, {32, 2 * pairs}, {128}, {32, 1}, false};
  const std::vector<Argument> arguments = {pointer_to(map), pointer_to(y), std::int64_t{pairs}};
  const std::vector<SimulatedRange> memory = {range_of(x, false), range_of(y, true, false)};
  auto result = simulate(kernel, 2, arguments, memory, options);
  for (std::size_t i = 0; result && i < y.size(); ++i) {
    float sum = 0;
    for (std::size_t pair = 0; pair < pairs; ++pair)
      sum += static_cast<float>(2 + i / 32) * x[64 * pair + i % 32] + x[64 * pair + 32 + i % 32];
    EXPECT_EQ(y[i], sum) << i;
  }
  return result;
}

TEST(SimulateClusters, BoxesForBothBlocks) {
  const Kernel kernel = read_kernel(shared_rows);
  for (const SimulationOptions& options : all_orders()) {
    const auto result = run_shared_rows(kernel, options);
    ASSERT_EQ(codes(result), "") << render(result.error());
  }
}

TEST(SimulateClusters, ReportsStagesThatABlockStillReads) {
  const Kernel kernel = read_kernel(shared_rows);
  expect_report(without(kernel, Opcode::mbarrier_wait, 0), {"K204", "K205", "K206"}, run_shared_rows);
  expect_report(without(kernel, Opcode::mbarrier_wait, 1), {"K104", "K204", "K206"}, run_shared_rows);
  expect_report(without(kernel, Opcode::fence_async, 0), {"K209"}, run_shared_rows);
  expect_report(without(kernel, Opcode::fence_mbarrier, 0), {"K209"}, run_shared_rows);
  // Arrivals that do not come, or are not waited for: those of the own block's consumers, of the other's.
  expect_report(without(kernel, Opcode::mbarrier_arrive, 0), {"K202", "K203"}, run_shared_rows);
  expect_report(without(kernel, Opcode::mbarrier_arrive, 1), {"K202", "K203"}, run_shared_rows);
  const std::string own_alone =
      replaced(replaced(shared_rows, "%empty count 64", "%empty count 32"), "%empty1 count 64", "%empty1 count 32");
  const std::string at_home = replaced(replaced(own_alone, "      mbarrier_arrive %free2, %one32\n", ""),
                                       "mbarrier_arrive %free2, %zero32", "mbarrier_arrive %free2");
  expect_report(read_kernel(at_home), {"K205", "K206"}, run_shared_rows);
}

TEST(SimulateClusters, ReportsBytesThatDoNotCome) {
  expect_report(read_kernel(replaced(shared_rows, "%both = constant i32 3", "%both = constant i32 1")),
                {"K202", "K203"}, run_shared_rows);
  expect_report(read_kernel(replaced(shared_rows, "%bytes = constant i32 256", "%bytes = constant i32 512")),
                {"K202", "K203"}, run_shared_rows);
}

TEST(SimulateClusters, ReportsBlocksThatAreNotThere) {
  expect_report(read_kernel(replaced(shared_rows, "%both = constant i32 3", "%both = constant i32 7")), {"K211"},
                run_shared_rows);
  expect_report(read_kernel(replaced(shared_rows, "%free2, %one32", "%free2, %both")), {"K211"}, run_shared_rows);
}

TEST(SimulateClusters, ReportsWhatTheBarrierOfTheClusterLacks) {
  const Kernel kernel = read_kernel(shared_rows);
  // Without the first, a block uses barriers of the other that may not be there.
  const Kernel no_first = without(without(kernel, Opcode::cluster_arrive, 0), Opcode::cluster_wait, 0);
  expect_report(no_first, {"K104", "K204", "K205", "K209"}, run_shared_rows);
  // Without the last, a block may end before the other has arrived at its barriers.
  const Kernel no_last = without(without(kernel, Opcode::cluster_arrive, 1), Opcode::cluster_wait, 1);
  EXPECT_TRUE(has_code(run_shared_rows(no_last, {}).error(), "K211"));
  expect_report(without(kernel, Opcode::cluster_arrive, 1), {"K203"}, run_shared_rows);
  expect_report(without(kernel, Opcode::cluster_wait, 0), {"K203"}, run_shared_rows);
}

/// Blocks of a cluster hand values on through global memory.
TEST(SimulateClusters, TheBarrierOrdersTheBlocks) {
  const Kernel kernel = read_kernel(
      "kernel handed(%x: ptr, %y: ptr noalias) gpu threads 64 cluster 2 {\n"
      "  %four = constant i64 4\n"
      "  %last = constant i64 127\n"
      "  %t = special thread i64\n"
      "  %threads = special threads i64\n"
      "  %block = special block i64\n"
      "  %first = mul i64 %block, %threads\n"
      "  %i = add i64 %first, %t\n"
      "  %at = mul i64 %i, %four\n"
      "  %p = offset ptr %x, %at\n"
      "  %value = trunc i32 %i\n"
      "  store i32 %value, %p align 4\n"
      "  cluster_arrive\n"
      "  cluster_wait\n"
      "  %j = sub i64 %last, %i\n"
      "  %from_at = mul i64 %j, %four\n"
      "  %q = offset ptr %x, %from_at\n"
      "  %v = load i32 %q align 4\n"
      "  %r = offset ptr %y, %at\n"
      "  store i32 %v, %r align 4\n"
      "}\n");
  const auto run = [](const Kernel& changed, const SimulationOptions& options) {
    std::vector<std::int32_t> x(128), y(128, -1);
    const std::vector<Argument> arguments = {pointer_to(x), pointer_to(y)};
    const std::vector<SimulatedRange> memory = {range_of(x, true, false), range_of(y, true, false)};
    auto result = simulate(changed, 2, arguments, memory, options);
    for (std::size_t i = 0; result && i < 128; ++i) EXPECT_EQ(y[i], 127 - static_cast<int>(i));
    return result;
  };
  for (const SimulationOptions& options : all_orders()) ASSERT_EQ(codes(run(kernel, options)), "");
  expect_report(without(without(kernel, Opcode::cluster_arrive, 0), Opcode::cluster_wait, 0), {"K104", "K205"}, run);
}

}  // namespace
}  // namespace tilewright::kernel
