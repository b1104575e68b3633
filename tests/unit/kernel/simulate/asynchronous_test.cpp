// Barriers in shared memory and the copy engine: a ring of stages between a producing and a consuming warp, and stores
// of ranges; and what is reported when one of their steps is taken away.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "litmus.h"

namespace tilewright::kernel {
namespace {

/// 32 sums over n tiles of 32 elements. Warp 0 has the engine load each tile into one of two stages, warp 1 reads it
/// and gives the stage back. In warp 1 a thread reads what no thread has written.
constexpr const char* ring =
    "kernel ring(%x: ptr readonly align 16, %y: ptr noalias align 4, %n: i64) gpu threads 64 {\n"
    "  %zero = constant i64 0\n"
    "  %one = constant i64 1\n"
    "  %four = constant i64 4\n"
    "  %eight = constant i64 8\n"
    "  %tile_bytes = constant i64 128\n"
    "  %bytes = constant i32 128\n"
    "  %one32 = constant i32 1\n"
    "  %start = constant f32 0\n"
    "  %tiles = shared ptr_shared bytes 256\n"
    "  %full = shared ptr_shared bytes 16\n"
    "  %empty = shared ptr_shared bytes 16\n"
    "  %thread = special thread i64\n"
    "  %lane = special lane i64\n"
    "  %warp = special warp i64\n"
    "  %is_first = cmp eq i64 %thread, %zero\n"
    "  %full1 = offset ptr_shared %full, %eight\n"
    "  %empty1 = offset ptr_shared %empty, %eight\n"
    "  if %is_first {\n"
    "    mbarrier_init %full count 1\n"
    "    mbarrier_init %full1 count 1\n"
    "    mbarrier_init %empty count 32\n"
    "    mbarrier_init %empty1 count 32\n"
    "    fence_mbarrier\n"
    "  }\n"
    "  barrier\n"
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
    "        %s_at = mul i64 %stage, %tile_bytes\n"
    "        %to = offset ptr_shared %tiles, %s_at\n"
    "        %in_at = mul i64 %k, %tile_bytes\n"
    "        %from = offset ptr %x, %in_at\n"
    "        bulk_load %to, %from, %bytes, %ready\n"
    "      }\n"
    "    }\n"
    "  } else {\n"
    "    %own = mul i64 %lane, %four\n"
    "    %sum = for %q = %zero to %n step %one carry %acc = %start {\n"
    "      %stage2 = and i64 %q, %one\n"
    "      %round2 = lshr i64 %q, %one\n"
    "      %round32 = trunc i32 %round2\n"
    "      %parity2 = and i32 %round32, %one32\n"
    "      %b_at2 = mul i64 %stage2, %eight\n"
    "      %free2 = offset ptr_shared %empty, %b_at2\n"
    "      %ready2 = offset ptr_shared %full, %b_at2\n"
    "      mbarrier_wait %ready2, %parity2\n"
    "      %s_at2 = mul i64 %stage2, %tile_bytes\n"
    "      %at = add i64 %s_at2, %own\n"
    "      %p = offset ptr_shared %tiles, %at\n"
    "      %v = load f32 %p align 4\n"
    "      fence_async\n"
    "      mbarrier_arrive %free2\n"
    "      %more = add f32 %acc, %v\n"
    "      yield %more\n"
    "    }\n"
    "    %out = offset ptr %y, %own\n"
    "    store f32 %sum, %out align 4\n"
    "  }\n"
    "}\n";

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
  // Reads of a stage may come behind the engine's writes of the next tile, though the barrier orders the threads.
  expect_report(without(kernel, Opcode::fence_async, 0), {"K209"}, run_ring);
  expect_report(read_kernel(replaced(ring, "%empty count 32", "%empty count 31")), {"K210", "K204"}, run_ring);
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
