// Barriers in shared memory and the copy engine: a ring of stages between a producing and a consuming warp, and stores
// of ranges; and what is reported when one of their steps is taken away.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "litmus.h"

namespace tilewright::kernel {
namespace {

Result<SimulationCounters> run_ring(const Kernel& kernel, const SimulationOptions& options) {
  constexpr std::size_t tiles = 7;
  std::vector<float> x(tiles * 32);
  std::iota(x.begin(), x.end(), 0.0F);
  std::vector<float> y(32);
  const std::vector<Argument> arguments = {pointer_to(x), pointer_to(y), std::int64_t{tiles}};
  const std::vector<SimulatedRange> memory = {range_of(x, false), range_of(y, true, false)};
  auto result = simulate(kernel, 1, arguments, memory, options);
  if (result)
    for (std::size_t t = 0; t < 32; ++t) EXPECT_EQ(y[t], static_cast<float>(tiles * t + 32 * (1 + 2 + 3 + 4 + 5 + 6)));
  return result;
}

TEST(SimulateEngine, RingOfStages) {
  const Kernel kernel = read_kernel(ring);
  for (const SimulationOptions& options : all_orders()) ASSERT_EQ(codes(run_ring(kernel, options)), "");
  // The waits in the order of the text: the producer's for a free stage, the consumer's for a full one. Loads that come
  // too soon meet readers, or a stage that is on its way.
  expect_report(without(kernel, Opcode::mbarrier_wait, 0), {"K204", "K206"}, run_ring);
  expect_report(without(kernel, Opcode::mbarrier_wait, 1), {"K204", "K206", "K104"}, run_ring);
  expect_report(without(kernel, Opcode::mbarrier_arrive, 0), {"K202"}, run_ring);
  expect_report(without(kernel, Opcode::mbarrier_expect, 0), {"K202"}, run_ring);
  expect_report(without(kernel, Opcode::bulk_load, 0), {"K202"}, run_ring);
  expect_report(without(kernel, Opcode::fence_mbarrier, 0), {"K209"}, run_ring);
  expect_report(without(kernel, Opcode::barrier, 0), {"K204", "K104"}, run_ring);
  expect_report(without(kernel, Opcode::mbarrier_init, 0), {"K104"}, run_ring);
  // The block ends while the last load may be on its way.
  const std::string fewer = replaced(ring, "    %sum = for %q = %zero to %n",
                                     "    %less = sub i64 %n, %one\n"
                                     "    %sum = for %q = %zero to %less");
  expect_report(read_kernel(fewer), {"K207"}, run_ring);
  // Reads of a stage may come behind the engine's writes of the next tile, though the barrier orders the threads.
  expect_report(without(kernel, Opcode::fence_async, 0), {"K209"}, run_ring);
  expect_report(read_kernel(replaced(ring, "%empty count 32", "%empty count 31")), {"K210", "K204"}, run_ring);
}

TEST(SimulateEngine, ThreadsOfAWarpReadTheSameOfAStage) {
  // Two threads read each second element.
  std::string pairs = replaced(ring, "  %start = constant f32 0\n",
                               "  %start = constant f32 0\n  %even = constant i64 -8\n"
                               "  %odd = constant i64 4\n");
  pairs = replaced(pairs, "      %at = add i64 %s_at2, %own\n",
                   "      %pair = and i64 %own, %even\n      %at = add i64 %s_at2, %pair\n");
  const auto run = [](const Kernel& kernel, const SimulationOptions& options) {
    std::vector<float> x(7 * 32);
    std::iota(x.begin(), x.end(), 0.0F);
    std::vector<float> y(32);
    const std::vector<Argument> arguments = {pointer_to(x), pointer_to(y), std::int64_t{7}};
    const std::vector<SimulatedRange> memory = {range_of(x, false), range_of(y, true, false)};
    auto result = simulate(kernel, 1, arguments, memory, options);
    for (std::size_t t = 0; result && t < 32; ++t)
      EXPECT_EQ(y[t], static_cast<float>(7 * (t - t % 2) + 32 * (1 + 2 + 3 + 4 + 5 + 6)));
    return result;
  };
  for (const SimulationOptions& options : all_orders()) ASSERT_EQ(codes(run(read_kernel(pairs), options)), "");
  // Each of them arrives, behind a fence of its own.
  const std::string guard = "      %second = and i64 %own, %odd\n      %is_even = cmp eq i64 %second, %zero\n";
  const std::string fence =
      replaced(pairs, "      fence_async\n", guard + "      if %is_even {\n        fence_async\n      }\n");
  expect_report(read_kernel(fence), {"K209"}, run);
  std::string arrival = replaced(pairs, "      mbarrier_arrive %free2\n",
                                 guard + "      if %is_even {\n        mbarrier_arrive %free2\n      }\n");
  arrival = replaced(replaced(arrival, "%empty count 32", "%empty count 16"), "%empty1 count 32", "%empty1 count 16");
  expect_report(read_kernel(arrival), {"K204"}, run);
}

/// The smallest reuse of a stage: a thread of each warp reads, or writes, 16 bytes that the engine then overwrites.
/// What is between is `order`.
std::string reused(std::string_view access, std::string_view order) {
  return fmt::format(
      "kernel reused(%x: ptr readonly align 16, %y: ptr noalias align 4) gpu threads 64 {{\n"
      "  %zero = constant i64 0\n"
      "  %parity = constant i32 0\n"
      "  %bytes = constant i32 16\n"
      "  %tile = shared ptr_shared bytes 16\n"
      "  %full = shared ptr_shared bytes 8\n"
      "  %thread = special thread i64\n"
      "  %lane = special lane i64\n"
      "  %first = cmp eq i64 %thread, %zero\n"
      "  %leads = cmp eq i64 %lane, %zero\n"
      "  %one = constant i32 1\n"
      "  if %first {{\n"
      "    mbarrier_init %full count 1\n"
      "    fence_mbarrier\n"
      "    store i32 %one, %tile align 4\n"
      "    fence_async\n"
      "  }}\n"
      "  barrier\n"
      "  if %leads {{\n"
      "    {}\n"
      "  }}\n"
      "{}"
      "  if %first {{\n"
      "    mbarrier_expect %full, %bytes\n"
      "    bulk_load %tile, %x, %bytes, %full\n"
      "    mbarrier_wait %full, %parity\n"
      "    %v = load i32 %tile align 4\n"
      "    store i32 %v, %y align 4\n"
      "  }}\n"
      "}}\n",
      access, order);
}

Result<SimulationCounters> run_reused(const Kernel& kernel, const SimulationOptions& options) {
  std::vector<std::int32_t> x = {7, 8, 9, 10};
  std::vector<std::int32_t> y(1);
  const std::vector<Argument> arguments = {pointer_to(x), pointer_to(y)};
  const std::vector<SimulatedRange> memory = {range_of(x, false), range_of(y, true, false)};
  auto result = simulate(kernel, 1, arguments, memory, options);
  if (result) EXPECT_EQ(y[0], 7);
  return result;
}

TEST(SimulateEngine, EachUserOfAReusedStageFences) {
  constexpr std::string_view read = "%w = load i32 %tile align 4";
  const auto expect_fenced = [&](std::string_view access, std::string_view order) {
    for (const SimulationOptions& options : all_orders())
      EXPECT_EQ(codes(run_reused(read_kernel(reused(access, order)), options)), "") << order;
  };
  const auto expect_unfenced = [&](std::string_view access, std::string_view order) {
    expect_report(read_kernel(reused(access, order)), {"K209"}, run_reused);
  };
  expect_fenced(read, "  fence_async\n  barrier\n");
  expect_unfenced(read, "  barrier\n");
  // The fence comes too early, or in the engine's thread alone: other threads' accesses are not its own.
  expect_unfenced(std::string("fence_async\n    ") + std::string(read), "  barrier\n");
  expect_unfenced(read, "  if %first {\n    fence_async\n  }\n  barrier\n");
  // A store behind the reads hides them, but needs a fence as they do.
  expect_unfenced(read, "  fence_async\n  barrier\n  if %first {\n    store i32 %one, %tile align 4\n  }\n");
  expect_fenced(read,
                "  fence_async\n  barrier\n  if %first {\n    store i32 %one, %tile align 4\n    fence_async\n  }\n");
}

/// 32 threads fill a row of shared memory, which one of them has the engine store.
constexpr const char* stored =
    "kernel stored(%y: ptr align 16) gpu threads 64 {\n"
    "  %zero = constant i64 0\n"
    "  %four = constant i64 4\n"
    "  %bytes = constant i32 256\n"
    "  %s = shared ptr_shared bytes 256\n"
    "  %thread = special thread i64\n"
    "  %value = special thread i32\n"
    "  %own = mul i64 %thread, %four\n"
    "  %p = offset ptr_shared %s, %own\n"
    "  store i32 %value, %p align 4\n"
    "  fence_async\n"
    "  barrier\n"
    "  %is_first = cmp eq i64 %thread, %zero\n"
    "  if %is_first {\n"
    "    bulk_store %y, %s, %bytes\n"
    "    commit_bulk\n"
    "    wait_bulk_reads pending 0\n"
    "  }\n"
    "  barrier\n"
    "  store i32 %value, %p align 4\n"
    "}\n";

Result<SimulationCounters> run_stored(const Kernel& kernel, const SimulationOptions& options) {
  std::vector<std::int32_t> y(64, -1);
  const std::vector<Argument> arguments = {pointer_to(y)};
  const std::vector<SimulatedRange> memory = {range_of(y, true, false)};
  auto result = simulate(kernel, 1, arguments, memory, options);
  if (result)
    for (std::size_t t = 0; t < y.size(); ++t) EXPECT_EQ(y[t], static_cast<std::int32_t>(t));
  return result;
}

TEST(SimulateEngine, StoreOfARange) {
  const Kernel kernel = read_kernel(stored);
  for (const SimulationOptions& options : all_orders()) ASSERT_EQ(codes(run_stored(kernel, options)), "");
  expect_report(without(kernel, Opcode::fence_async, 0), {"K209"}, run_stored);
  expect_report(without(kernel, Opcode::barrier, 0), {"K204", "K104"}, run_stored);
  expect_report(without(kernel, Opcode::barrier, 1), {"K204", "K207"}, run_stored);
  expect_report(without(kernel, Opcode::wait_bulk_reads, 0), {"K207"}, run_stored);
  expect_report(without(kernel, Opcode::commit_bulk, 0), {"K207"}, run_stored);
}

}  // namespace
}  // namespace tilewright::kernel
