// The simulator: values of exchanges and of threads that part, and each report from the least kernel that deserves it.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <bit>

#include "litmus.h"

namespace tilewright::kernel {
namespace {

/// A body in a kernel of `threads` threads with %out (ptr), %in (ptr readonly) and constants, after which %thread is an
/// i64 and %own is the byte of a thread's i32.
Kernel kernel_of(int threads, std::string_view body) {
  return read_kernel(
      fmt::format("kernel k(%out: ptr, %in: ptr readonly) gpu threads {} {{\n"
                  "  %zero = constant i64 0\n"
                  "  %one = constant i64 1\n"
                  "  %four = constant i64 4\n"
                  "  %zero32 = constant i32 0\n"
                  "  %one32 = constant i32 1\n"
                  "  %thread = special thread i64\n"
                  "  %thread32 = special thread i32\n"
                  "  %lane32 = special lane i32\n"
                  "  %own = mul i64 %thread, %four\n"
                  "  %to = offset ptr %out, %own\n"
                  "{}}}\n",
                  threads, body));
}

struct Ran {
  Result<SimulationCounters> result;
  std::vector<std::int32_t> out;
};

Ran run(const Kernel& kernel, const SimulationOptions& options = {}, std::int64_t blocks = 1, bool written = true) {
  Ran ran{{}, std::vector<std::int32_t>(256)};
  std::vector<std::int32_t> in(64);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::int32_t>(100 + i);
  const std::vector<Argument> arguments = {pointer_to(ran.out), pointer_to(in)};
  const std::vector<SimulatedRange> memory = {range_of(ran.out, true, written), range_of(in, false)};
  ran.result = simulate(kernel, blocks, arguments, memory, options);
  return ran;
}

Result<SimulationCounters> run_once(const Kernel& kernel, const SimulationOptions& options) {
  return run(kernel, options).result;
}

/// The codes of the body's reports, the same in every order.
std::string reports(int threads, std::string_view body, std::int64_t blocks = 1, bool written = true) {
  const Kernel kernel = kernel_of(threads, body);
  const std::string first = codes(run(kernel, all_orders()[0], blocks, written).result);
  for (const SimulationOptions& options : all_orders())
    EXPECT_EQ(codes(run(kernel, options, blocks, written).result), first) << body;
  return first;
}

void expect_values(int threads, std::string_view body, std::int32_t (*value)(std::int32_t thread)) {
  const Kernel kernel = kernel_of(threads, body);
  for (const SimulationOptions& options : all_orders()) {
    const Ran ran = run(kernel, options);
    ASSERT_EQ(codes(ran.result), "");
    for (std::int32_t t = 0; t < threads; ++t) ASSERT_EQ(ran.out[static_cast<std::size_t>(t)], value(t)) << t;
  }
}

TEST(Simulate, ShufflesOfEachMode) {
  const auto text = [](std::string_view mode) {
    return fmt::format(
        "  %three = constant i32 3\n  %r = warp_shuffle {} i32 %thread32, %three\n  store i32 %r, %to align 4\n", mode);
  };
  expect_values(64, text("idx"), [](std::int32_t t) { return t / 32 * 32 + 3; });
  expect_values(64, text("xor"), [](std::int32_t t) { return t ^ 3; });
  expect_values(64, text("down"), [](std::int32_t t) { return t % 32 + 3 < 32 ? t + 3 : t; });
  expect_values(64, text("up"), [](std::int32_t t) { return t % 32 >= 3 ? t - 3 : t; });
}

TEST(Simulate, Votes) {
  const auto text = [](std::string_view vote) {
    return fmt::format(
        "  %limit = constant i32 5\n  %c = cmp slt i32 %thread32, %limit\n  %v = warp_vote {} i1 %c\n"
        "  %r = zext i32 %v\n  store i32 %r, %to align 4\n",
        vote);
  };
  expect_values(64, text("any"), [](std::int32_t t) { return t < 32 ? 1 : 0; });
  expect_values(64, text("all"), [](std::int32_t) { return 0; });
  expect_values(64,
                "  %limit = constant i32 5\n  %c = cmp slt i32 %thread32, %limit\n  %r = warp_vote ballot i32 %c\n"
                "  store i32 %r, %to align 4\n",
                [](std::int32_t t) { return t < 32 ? 31 : 0; });
}

TEST(Simulate, ThreadsThatPartKeepTheirOwnValues) {
  // Thread t sums 0 to t - 1, of which the odd ones twice; then all meet in a shuffle.
  expect_values(64,
                "  %sum = for %i = %zero to %thread step %one carry %acc = %zero32 {\n"
                "    %i32 = trunc i32 %i\n"
                "    %bit = and i32 %i32, %one32\n"
                "    %odd = cmp ne i32 %bit, %zero32\n"
                "    %more = if %odd {\n"
                "      %twice = add i32 %i32, %i32\n"
                "      yield %twice\n"
                "    } else {\n"
                "      yield %i32\n"
                "    }\n"
                "    %next = add i32 %acc, %more\n"
                "    yield %next\n"
                "  }\n"
                "  %r = warp_shuffle xor i32 %sum, %one32\n"
                "  store i32 %r, %to align 4\n",
                [](std::int32_t t) {
                  std::int32_t sum = 0;
                  for (std::int32_t i = 0; i < (t ^ 1); ++i) sum += i % 2 == 0 ? i : 2 * i;
                  return sum;
                });
}

TEST(Simulate, CarriedValuesMoveAtOnce) {
  expect_values(33,
                "  %a, %b = for %i = %zero to %thread step %one carry %x = %zero32, %y = %one32 {\n"  // Fibonacci
                "    %s = add i32 %x, %y\n"
                "    yield %y, %s\n"
                "  }\n"
                "  store i32 %a, %to align 4\n",
                [](std::int32_t t) {
                  std::int32_t x = 0;
                  std::int32_t y = 1;
                  for (std::int32_t i = 0; i < t; ++i) x = std::exchange(y, x + y);
                  return x;
                });
}

TEST(Simulate, VectorsAndLocalsOfEachThread) {
  expect_values(40,
                "  %l = local ptr bytes 64\n"
                "  %n = constant i64 16\n"
                "  %v = splat i32x4 %thread32\n"
                "  %w = iota i32x4\n"
                "  %u = add i32x4 %v, %w\n"
                "  %p = offset ptr %l, %n\n"
                "  store i32x4 %u, %p align 16\n"
                "  %q = load i32x4 %p align 16\n"
                "  %s = shuffle i32x4 %q, %w lanes [3, 2, 1, 4]\n"
                "  %c = cmp eq i64 %thread, %one\n"
                "  %d = select i32x4 %c, %w, %s\n"
                "  %r = extract i32 %d lane 0\n"
                "  store i32 %r, %to align 4\n",
                [](std::int32_t t) { return t == 1 ? 0 : t + 3; });
}

TEST(Simulate, AtomicsGiveTheOldValue) {
  const Kernel kernel = kernel_of(64,
                                  "  %old = atomic add i32 %out, %one32 relaxed device\n"
                                  "  %old64 = sext i64 %old\n"
                                  "  %past = add i64 %old64, %one\n"
                                  "  %at = mul i64 %past, %four\n"
                                  "  %p = offset ptr %out, %at\n"
                                  "  store i32 %thread32, %p align 4\n");
  for (const SimulationOptions& options : all_orders()) {
    const Ran ran = run(kernel, options);
    ASSERT_EQ(codes(ran.result), "");
    EXPECT_EQ(ran.out[0], 64);
    std::int64_t seen = 0;
    for (std::size_t i = 1; i <= 64; ++i) seen |= std::int64_t{1} << ran.out[i];
    EXPECT_EQ(seen, -1);  // each thread once
  }
}

TEST(Simulate, NamedBarriersOrderTheirParticipants) {
  const char* text =
      "  %s = shared ptr_shared bytes 256\n"
      "  %warp = special warp i32\n"
      "  %first = cmp eq i32 %warp, %zero32\n"
      "  %p = offset ptr_shared %s, %own\n"
      "  if %first {\n"
      "    store i32 %thread32, %p align 4\n"
      "    barrier_arrive id 1 threads 64\n"
      "  } else {\n"
      "    %back = constant i64 -128\n"
      "    %q = offset ptr_shared %p, %back\n"
      "    barrier id 1 threads 64\n"
      "    %v = load i32 %q align 4\n"
      "    store i32 %v, %to align 4\n"
      "  }\n";
  expect_values(64, text, [](std::int32_t t) { return t < 32 ? 0 : t - 32; });
  EXPECT_EQ(reports(64, replaced(text, "    barrier_arrive id 1 threads 64\n", "")), "K202");
  EXPECT_EQ(reports(64, replaced(text, "barrier_arrive id 1", "barrier_arrive id 2")), "K202");
  expect_report(without(kernel_of(64, text), Opcode::barrier, 0), {"K204", "K104"}, run_once);
}

TEST(Simulate, ReportsBarriersOfOtherCounts) {
  const char* text =
      "  %warp = special warp i32\n"
      "  %first = cmp eq i32 %warp, %zero32\n"
      "  if %first {\n"
      "    barrier id 1 threads 96\n"
      "  } else {\n"
      "    barrier id 1 threads 96\n"
      "  }\n";
  EXPECT_EQ(reports(96, text), "");
  expect_report(kernel_of(96, replaced(text, "threads 96", "threads 64")), {"K203"}, run_once);
}

TEST(Simulate, ReportsAccessesBeyondABuffer) {
  // Into the next buffer, which is no part of it.
  const char* text =
      "  %s = shared ptr_shared bytes 128\n"
      "  %t = shared ptr_shared bytes 128\n"
      "  %p = offset ptr_shared %s, %own\n"
      "  store i32 %thread32, %p align 4\n";
  EXPECT_EQ(reports(32, text), "");
  EXPECT_EQ(reports(33, text), "K101");
  EXPECT_EQ(reports(32,
                    "  %s = shared ptr_shared bytes 128\n"
                    "  %t = shared ptr_shared bytes 128\n"
                    "  %back = constant i64 -4\n"
                    "  %p = offset ptr_shared %t, %back\n"
                    "  store i32 %thread32, %p align 4\n"),
            "K101");
  const Ran ran = run(kernel_of(33, text));
  ASSERT_FALSE(ran.result.has_value());
  EXPECT_EQ(ran.result.error()[0].message,
            "kernel k: accesses 4 bytes outside of shared memory, in thread 32 of block 0: %s has 128 bytes, and the "
            "access starts at its byte 128, in: store i32 %thread32, %p align 4");
}

TEST(Simulate, ReportsMisalignedAndReadOnlyAccesses) {
  EXPECT_EQ(reports(2, "  %v = load i32x2 %to align 8\n"), "K102");
  EXPECT_EQ(reports(1, "  %v = load i32x2 %to align 8\n"), "");
  // A readonly range that the parameter does not declare.
  std::vector<std::int32_t> out(64);
  const Kernel kernel = kernel_of(32, "  store i32 %thread32, %to align 4\n");
  const std::vector<Argument> arguments = {pointer_to(out), pointer_to(out)};
  const std::vector<SimulatedRange> memory = {range_of(out, false)};
  EXPECT_EQ(codes(simulate(kernel, 1, arguments, memory)), "K103");
}

TEST(Simulate, ReportsReadsOfWhatNothingHasWritten) {
  EXPECT_EQ(reports(32, "  %s = shared ptr_shared bytes 16\n  %v = load i32 %s align 4\n"), "K104");
  EXPECT_EQ(reports(32, "  %s = local ptr bytes 16\n  %v = load i32 %s align 4\n"), "K104");
  EXPECT_EQ(reports(32, "  %v = load i32 %to align 4\n", 1, false), "K104");
  EXPECT_EQ(reports(32, "  %v = load i32 %to align 4\n", 1, true), "");
}

TEST(Simulate, ReportsRacesWithinAWarp) {
  const char* text =
      "  %s = shared ptr_shared bytes 128\n"
      "  %p = offset ptr_shared %s, %own\n"
      "  store i32 %thread32, %p align 4\n"
      "  %n = xor i64 %own, %four\n"
      "  %q = offset ptr_shared %s, %n\n"
      "  barrier\n"
      "  %v = load i32 %q align 4\n"
      "  store i32 %v, %to align 4\n";
  expect_values(32, text, [](std::int32_t t) { return t ^ 1; });
  expect_report(without(kernel_of(32, text), Opcode::barrier, 0), {"K204", "K104"}, run_once);
  // All threads write one word.
  EXPECT_EQ(reports(32, "  store i32 %thread32, %out align 4\n"), "K204");
  EXPECT_EQ(reports(1, "  store i32 %thread32, %out align 4\n"), "");
}

TEST(Simulate, ReportsAWriteAfterReadsOfOtherThreads) {
  const char* text =
      "  %s = shared ptr_shared bytes 16\n"
      "  %first = cmp eq i64 %thread, %zero\n"
      "  if %first {\n"
      "    store i32 %one32, %s align 4\n"
      "  }\n"
      "  barrier\n"
      "  %v = load i32 %s align 4\n"
      "  barrier\n"
      "  if %first {\n"
      "    store i32 %zero32, %s align 4\n"
      "  }\n"
      "  store i32 %v, %to align 4\n";
  expect_values(96, text, [](std::int32_t) { return 1; });
  const Kernel kernel = kernel_of(96, text);
  expect_report(without(kernel, Opcode::barrier, 0), {"K204", "K104"}, run_once);
  expect_report(without(kernel, Opcode::barrier, 1), {"K204"}, run_once);
}

TEST(Simulate, ReportsRacesBetweenBlocks) {
  EXPECT_EQ(reports(32, "  store i32 %thread32, %to align 4\n", 2), "K205");
  EXPECT_EQ(reports(32, "  store i32 %thread32, %to align 4\n", 1), "");
  EXPECT_EQ(reports(32, "  %old = atomic add i32 %to, %one32 relaxed device\n", 2), "");
  // One block reads what another one writes.
  EXPECT_EQ(reports(1,
                    "  %block = special block i64\n"
                    "  %first = cmp eq i64 %block, %zero\n"
                    "  if %first {\n"
                    "    store i32 %thread32, %to align 4\n"
                    "  } else {\n"
                    "    %v = load i32 %to align 4\n"
                    "  }\n",
                    2),
            "K205");
}

TEST(Simulate, ReportsUsesOfAnAsynchronousCopyBeforeItsWait) {
  const char* text =
      "  %s = shared ptr_shared bytes 128\n"
      "  %p = offset ptr_shared %s, %own\n"
      "  %from = offset ptr %in, %own\n"
      "  copy_async %p, %from bytes 4\n"
      "  commit_copies\n"
      "  wait_copies pending 0\n"
      "  %v = load i32 %p align 4\n"
      "  store i32 %v, %to align 4\n";
  expect_values(32, text, [](std::int32_t t) { return t + 100; });
  EXPECT_EQ(reports(32, replaced(text, "  wait_copies pending 0\n", "")), "K206");
  EXPECT_EQ(reports(32, replaced(text, "  commit_copies\n", "")), "K206");
  EXPECT_EQ(reports(32, replaced(text, "pending 0", "pending 1")), "K206");
  EXPECT_EQ(reports(32, replaced(text, "  wait_copies", "  store i32 %thread32, %p align 4\n  wait_copies")), "K206");
}

TEST(Simulate, CopiesSomeBytesAndZeros) {
  expect_values(8,
                "  %s = shared ptr_shared bytes 256\n"
                "  %eight = constant i64 8\n"
                "  %eight32 = constant i32 8\n"
                "  %n16 = mul i64 %own, %four\n"
                "  %p = offset ptr_shared %s, %n16\n"
                "  copy_async %p, %in, %eight32 bytes 16\n"
                "  commit_copies\n"
                "  wait_copies pending 0\n"
                "  %v = load i32x4 %p align 16\n"
                "  %a = extract i32 %v lane 1\n"
                "  %b = extract i32 %v lane 2\n"
                "  %r = add i32 %a, %b\n"
                "  store i32 %r, %to align 4\n",
                [](std::int32_t) { return 101; });
}

TEST(Simulate, ReportsWritesToTheSourceOfACopy) {
  const char* text =
      "  %s = shared ptr_shared bytes 128\n"
      "  %p = offset ptr_shared %s, %own\n"
      "  copy_async %p, %to bytes 4\n"
      "  commit_copies\n"
      "  wait_copies pending 0\n"
      "  store i32 %thread32, %to align 4\n";
  EXPECT_EQ(reports(32, text), "");
  EXPECT_EQ(reports(32, replaced(text, "  wait_copies pending 0\n", "")), "K207");
}

TEST(Simulate, RefusesWhatItCannotRun) {
  EXPECT_EQ(codes(simulate(read_kernel("kernel k() {\n}\n"), 1, {}, {})), "K201");
  EXPECT_EQ(codes(simulate(read_kernel("kernel k() gpu threads 32 cluster 2 {\n}\n"), 3, {}, {})), "K201");
  EXPECT_EQ(codes(simulate(read_kernel("kernel k() gpu threads 32 {\n}\n"), -1, {}, {})), "K201");
  EXPECT_EQ(codes(simulate(read_kernel("kernel k() gpu threads 32 {\n}\n"), 0, {}, {})), "");
  EXPECT_EQ(codes(simulate(kernel_of(32, ""), 1, {}, {})), "K106");
}

TEST(Simulate, CountsSectors) {
  const auto counted = [](std::string_view body) { return *run(kernel_of(32, body)).result; };
  // 128 adjacent bytes are four sectors, wherever they begin in one; every other word takes all of eight.
  const SimulationCounters strided = counted(
      "  %at = add i64 %own, %own\n"
      "  %p = offset ptr %out, %at\n"
      "  %v = load i32 %p align 4\n");
  EXPECT_EQ(strided.global_requests, 1);
  EXPECT_EQ(strided.least_global_sectors, 4);
  EXPECT_GE(strided.global_sectors, 8);
  EXPECT_LE(strided.global_sectors, 9);
  const SimulationCounters one = counted("  %v = load i32 %out align 4\n");
  EXPECT_EQ(one.global_sectors, 1);
  EXPECT_EQ(one.least_global_sectors, 1);
}

TEST(Simulate, CountsBankConflictsOfWideAccesses) {
  const auto conflicts = [](std::string_view scale) {
    const Kernel kernel = kernel_of(32, fmt::format("  %s = shared ptr_shared bytes 8192\n"
                                                    "  %scale = constant i64 {}\n"
                                                    "  %at = mul i64 %thread, %scale\n"
                                                    "  %p = offset ptr_shared %s, %at\n"
                                                    "  %v = iota i32x4\n"
                                                    "  store i32x4 %v, %p align 16\n",
                                                    scale));
    return run(kernel).result->bank_conflicts;
  };
  EXPECT_EQ(conflicts("16"), 0);    // eight threads fill the banks
  EXPECT_EQ(conflicts("32"), 4);    // four times two wavefronts
  EXPECT_EQ(conflicts("128"), 28);  // four times eight
  EXPECT_EQ(conflicts("144"), 0);
}

// ---- Launches of which some blocks are checked fully

/// Each block's thread 0 writes its place; `others` is done by blocks from 1 on.
Kernel block_kernel(std::string_view place, std::string_view others) {
  return kernel_of(64, fmt::format("  %block = special block i64\n"
                                   "  %block32 = special block i32\n"
                                   "  %blocks = special blocks i64\n"
                                   "  %three = constant i64 3\n"
                                   "  %first = cmp eq i64 %thread, %zero\n"
                                   "  {}"
                                   "  %at = mul i64 %place, %four\n"
                                   "  %mine = offset ptr %out, %at\n"
                                   "  if %first {{\n    store i32 %block32, %mine align 4\n  }}\n"
                                   "  %later = cmp sgt i64 %block, %zero\n"
                                   "  if %later {{\n    if %first {{\n{}    }}\n  }}\n",
                                   place, others));
}

struct Sampled {
  std::string codes;
  std::vector<std::int32_t> out;
  std::vector<std::uint8_t> states;
};

/// Eight blocks, the first and the last checked fully, the others in parts of two.
Sampled run_sampled(const Kernel& kernel) {
  Sampled sampled{{}, std::vector<std::int32_t>(64, -1), std::vector<std::uint8_t>(256, SimulatedRange::unwritten)};
  std::vector<std::int32_t> in(64);
  const std::vector<Argument> arguments = {pointer_to(sampled.out), pointer_to(in)};
  std::vector<SimulatedRange> memory = {range_of(sampled.out), range_of(in, false)};
  memory[0].states = sampled.states.data();
  SimulationOptions options;
  options.checked = {0, 7};
  options.parts = [](std::int64_t count, const std::function<void(std::int64_t, std::int64_t)>& body) {
    for (std::int64_t begin = 0; begin < count; begin += 2) body(begin, begin + 2);
  };
  sampled.codes = codes(simulate(kernel, 8, arguments, memory, options));
  return sampled;
}

TEST(SimulateSampled, runs_every_block_and_knows_what_has_a_value) {
  const Sampled sampled = run_sampled(block_kernel("%place = add i64 %block, %zero\n", ""));
  EXPECT_EQ(sampled.codes, "");
  for (std::int32_t i = 0; i < 8; ++i) EXPECT_EQ(sampled.out[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(sampled.out[8], -1);
  EXPECT_EQ(sampled.states[31], SimulatedRange::given);
  EXPECT_EQ(sampled.states[32], SimulatedRange::unwritten);
}

TEST(SimulateSampled, finds_what_two_unchecked_blocks_write) {
  // Blocks 3 and 6 write one place.
  EXPECT_EQ(run_sampled(block_kernel("%place = urem i64 %block, %three\n", "")).codes, "K205");
}

TEST(SimulateSampled, finds_reads_of_nothing_and_of_other_blocks) {
  const std::string_view own = "%place = add i64 %block, %zero\n";
  EXPECT_EQ(run_sampled(block_kernel(own,
                                     "      %p = offset ptr %mine, %own\n"
                                     "      %q = offset ptr %p, %four\n"
                                     "      %far = constant i64 128\n"
                                     "      %r = offset ptr %q, %far\n"
                                     "      %x = load i32 %r align 4\n"
                                     "      store i32 %x, %mine align 4\n"))
                .codes,
            "K104");
  EXPECT_EQ(run_sampled(block_kernel(own,
                                     "      %x = load i32 %out align 4\n"
                                     "      store i32 %x, %mine align 4\n"))
                .codes,
            "K205");
}

TEST(Simulate, a_masked_access_is_aligned_as_a_whole) {
  const std::string_view body =
      "  %two = constant i64 {}\n"
      "  %lanes = iota i64x4\n"
      "  %limit = splat i64x4 %one\n"
      "  %mask = cmp sle i64x4 %lanes, %limit\n"
      "  %from = offset ptr %in, %two\n"
      "  %x = load i32x4 %from, %mask align 16\n"
      "  %y = extract i32 %x lane 1\n"
      "  store i32 %y, %to align 4\n";
  EXPECT_EQ(reports(1, fmt::format(fmt::runtime(body), 16)), "");
  EXPECT_EQ(reports(1, fmt::format(fmt::runtime(body), 4)), "K102");
}

}  // namespace
}  // namespace tilewright::kernel
