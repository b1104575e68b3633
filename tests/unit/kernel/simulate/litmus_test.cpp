// Kernels that are right give the right values in every order and no report; without one of their barriers, waits,
// guards or fences, the report that tells.
#include "litmus.h"

#include <gtest/gtest.h>

#include <numeric>

namespace tilewright::kernel {
namespace {

Result<SimulationCounters> run_elementwise(const Kernel& kernel, const SimulationOptions& options) {
  std::vector<float> x(200);
  std::iota(x.begin(), x.end(), 1.0F);
  std::vector<float> y(200);
  const std::vector<Argument> arguments = {pointer_to(x), pointer_to(y), std::int64_t{200}};
  const std::vector<SimulatedRange> memory = {range_of(x, false), range_of(y, true, false)};
  auto result = simulate(kernel, 3, arguments, memory, options);
  if (result)
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], 2.0F * static_cast<float>(i + 1));
  return result;
}

TEST(Litmus, Elementwise) {
  const Kernel kernel = read_kernel(elementwise);
  for (const SimulationOptions& options : all_orders()) {
    const auto result = run_elementwise(kernel, options);
    ASSERT_EQ(codes(result), "");
    // Seven requests to read and seven to write, of 32 threads and one of 8.
    EXPECT_EQ(result->global_requests, 14);
    EXPECT_EQ(result->least_global_sectors, 2 * 25);
    EXPECT_GE(result->global_sectors, 2 * 25);
    EXPECT_EQ(result->shared_requests, 0);
  }
  expect_report(without(kernel, Opcode::if_then, 0), {"K101"}, run_elementwise);
}

Result<SimulationCounters> run_block_sums(const Kernel& kernel, const SimulationOptions& options) {
  std::vector<float> x(256);
  std::iota(x.begin(), x.end(), 0.0F);
  std::vector<float> sums(2);
  const std::vector<Argument> arguments = {pointer_to(x), pointer_to(sums)};
  const std::vector<SimulatedRange> memory = {range_of(x, false), range_of(sums, true, false)};
  auto result = simulate(kernel, 2, arguments, memory, options);
  if (result) {
    EXPECT_EQ(sums[0], 128.0F * 127.0F / 2);
    EXPECT_EQ(sums[1], 128.0F * 127.0F / 2 + 128.0F * 128.0F);
  }
  return result;
}

TEST(Litmus, BlockSums) {
  const Kernel kernel = read_kernel(block_sums);
  for (const SimulationOptions& options : all_orders()) ASSERT_EQ(codes(run_block_sums(kernel, options)), "");
  expect_report(without(kernel, Opcode::barrier, 0), {"K204", "K104"}, run_block_sums);
  expect_report(without(kernel, Opcode::if_then, 0), {"K204"}, run_block_sums);
  expect_report(without(kernel, Opcode::if_then, 1), {"K204"}, run_block_sums);
}

Result<SimulationCounters> run_transpose(const Kernel& kernel, const SimulationOptions& options) {
  std::vector<float> x(32 * 32);
  std::iota(x.begin(), x.end(), 0.0F);
  std::vector<float> y(32 * 32);
  const std::vector<Argument> arguments = {pointer_to(x), pointer_to(y)};
  const std::vector<SimulatedRange> memory = {range_of(x, false), range_of(y, true, false)};
  auto result = simulate(kernel, 1, arguments, memory, options);
  if (result)
    for (std::size_t i = 0; i < 32; ++i)
      for (std::size_t j = 0; j < 32; ++j) EXPECT_EQ(y[j * 32 + i], static_cast<float>(i * 32 + j));
  return result;
}

TEST(Litmus, TransposeThroughSharedMemory) {
  const Kernel padded = read_kernel(transpose);
  const Kernel unpadded = read_kernel(replaced(transpose, "%pitch = constant i64 132", "%pitch = constant i64 128"));
  for (const SimulationOptions& options : all_orders()) {
    const auto fine = run_transpose(padded, options);
    ASSERT_EQ(codes(fine), "");
    EXPECT_EQ(fine->bank_conflicts, 0);
    EXPECT_EQ(fine->shared_requests, 64);
    const auto slow = run_transpose(unpadded, options);
    ASSERT_EQ(codes(slow), "");
    EXPECT_EQ(slow->bank_conflicts, 32 * 31);  // each column of a tile lies in one bank
  }
  expect_report(without(padded, Opcode::barrier, 0), {"K204", "K104"}, run_transpose);
}

Result<SimulationCounters> run_double_buffer(const Kernel& kernel, const SimulationOptions& options) {
  constexpr std::size_t tiles = 5;
  std::vector<float> x(tiles * 64);
  std::iota(x.begin(), x.end(), 0.0F);
  std::vector<float> y(64);
  const std::vector<Argument> arguments = {pointer_to(x), pointer_to(y), std::int64_t{tiles}};
  const std::vector<SimulatedRange> memory = {range_of(x, false), range_of(y, true, false)};
  auto result = simulate(kernel, 1, arguments, memory, options);
  if (result)
    for (std::size_t t = 0; t < 64; ++t)
      EXPECT_EQ(y[t], static_cast<float>(tiles * ((t + 1) % 64) + 64 * (0 + 1 + 2 + 3 + 4)));
  return result;
}

TEST(Litmus, DoubleBuffer) {
  const Kernel kernel = read_kernel(double_buffer);
  for (const SimulationOptions& options : all_orders()) ASSERT_EQ(codes(run_double_buffer(kernel, options)), "");
  expect_report(without(kernel, Opcode::wait_copies, 0), {"K206"}, run_double_buffer);
  expect_report(without(kernel, Opcode::commit_copies, 0), {"K206"}, run_double_buffer);
  expect_report(without(kernel, Opcode::commit_copies, 1), {"K206"}, run_double_buffer);
  expect_report(without(kernel, Opcode::barrier, 0), {"K204"}, run_double_buffer);
  expect_report(without(kernel, Opcode::barrier, 1), {"K204"}, run_double_buffer);
  expect_report(without(kernel, Opcode::copy_async, 0), {"K104"}, run_double_buffer);
}

Result<SimulationCounters> run_last_arriver(const Kernel& kernel, const SimulationOptions& options) {
  constexpr int blocks = 7;
  std::vector<std::int32_t> parts(blocks * 64);
  std::vector<std::int32_t> count(1);
  std::vector<std::int32_t> y(64);
  const std::vector<Argument> arguments = {pointer_to(parts), pointer_to(count), pointer_to(y)};
  const std::vector<SimulatedRange> memory = {range_of(parts, true, false), range_of(count), range_of(y, true, false)};
  auto result = simulate(kernel, blocks, arguments, memory, options);
  if (result)
    for (int t = 0; t < 64; ++t)
      EXPECT_EQ(y[static_cast<std::size_t>(t)], blocks * t * 4 + 256 * (blocks * (blocks - 1) / 2));
  return result;
}

TEST(Litmus, LastArriver) {
  const Kernel kernel = read_kernel(last_arriver);
  for (const SimulationOptions& options : all_orders()) ASSERT_EQ(codes(run_last_arriver(kernel, options)), "");
  // Without the first barrier, what the first thread releases has its own part alone.
  expect_report(without(kernel, Opcode::barrier, 0), {"K205"}, run_last_arriver);
  expect_report(without(kernel, Opcode::if_then, 0), {"K204"}, run_last_arriver);
  for (const char* weaker :
       {"relaxed device", "release device", "acquire device", "acq_rel block", "acq_rel cluster"}) {
    SCOPED_TRACE(weaker);
    expect_report(read_kernel(replaced(last_arriver, "acq_rel device", weaker)), {"K205"}, run_last_arriver);
  }
  expect_report(without(kernel, Opcode::barrier, 1), {"K204", "K104"}, run_last_arriver);
}

TEST(Litmus, LastArriverByFences) {
  const std::string text = replaced(last_arriver, "    %arrived = atomic add i32 %count, %one32 acq_rel device\n",
                                    "    fence device\n"
                                    "    %arrived = atomic add i32 %count, %one32 relaxed device\n"
                                    "    fence device\n");
  const Kernel kernel = read_kernel(text);
  for (const SimulationOptions& options : all_orders()) ASSERT_EQ(codes(run_last_arriver(kernel, options)), "");
  expect_report(without(kernel, Opcode::fence, 0), {"K205"}, run_last_arriver);
  expect_report(without(kernel, Opcode::fence, 1), {"K205"}, run_last_arriver);
  expect_report(read_kernel(replaced(text, "fence device", "fence block")), {"K205"}, run_last_arriver);
}

}  // namespace
}  // namespace tilewright::kernel
