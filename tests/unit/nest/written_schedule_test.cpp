// Lines of scheduled nests: written by hand for loops whose schedule is plain to see, and read back by the passes.
#include "nest/written_schedule.h"

#include <gtest/gtest.h>

#include "lang/parse.h"
#include "nest/facts.h"
#include "nest/passes/schedule_for_gpu.h"
#include "nest/passes/schedule_for_host.h"
#include "nest/passes/schedule_table.h"
#include "nest_fixture.h"
#include "support/target.h"

namespace tilewright::nest {
namespace {

std::optional<std::int64_t> no_size(std::string_view) {
  return std::nullopt;
}

std::string host_lines(std::string_view text) {
  const auto nest = parse_nest(std::make_shared<const Source>("nest", std::string(text)));
  if (!nest) return render(nest.error());
  return to_text(write_schedule(*nest, ScheduledFor::host, no_size));
}

constexpr std::string_view product =
    "nest mm[i, j] : f32\n"
    "  tensor a : f32 rank 2\n"
    "  tensor b : f32 rank 2\n"
    "  iter i output extent a.0\n"
    "  iter j output extent b.1\n"
    "  iter k reduction extent a.1\n"
    "  read %r0 = a[i, k]\n"
    "  read %r1 = b[k, j]\n"
    "  reduce sum in f32 from 0 (mul f32 %r0 %r1)\n"
    "  then %acc\n";

TEST(WrittenSchedule, SaysTilesOrderBuffersAndRegisters) {
  EXPECT_EQ(host_lines(std::string(product) + "  loop j step 512 parallel\n"
                                              "  loop k step 256\n"
                                              "  loop i step 258\n"
                                              "  loop j.in step 16\n"
                                              "  loop i.in step 6\n"
                                              "  loop k.in step 1\n"
                                              "  loop i.in.in step 1 unroll 6 registers\n"
                                              "  loop j.in.in step 1 vectorize 16 registers\n"
                                              "  cache %r1 tile (j = 512, k = 256)\n"
                                              "  cache %r0 tile (i = 258, k = 256)\n"
                                              "  lanes j\n"),
            "tile(i, 258)\ntile(j, 512)\ntile(k, 256)\nreorder(j, k, i, j.in, i.in, k.in)\ncache(b, a)\n"
            "unroll(i.in, 6)\nvectorize(j.in, 16)\nparallel(j)\n");
}

TEST(WrittenSchedule, LeavesOutTilesAroundABufferAndKeepsTheirThreads) {
  // A buffer is as large as the outermost tile: that of 1024 around the staged 128 goes, and 128 runs across cores.
  EXPECT_EQ(host_lines(std::string(product) + "  loop j step 1024 parallel\n"
                                              "  loop j.in step 128\n"
                                              "  loop k step 64\n"
                                              "  loop i step 1\n"
                                              "  loop j.in.in step 8\n"
                                              "  loop k.in step 1\n"
                                              "  loop j.in.in.in step 1 vectorize 8 registers\n"
                                              "  cache %r1 tile (j = 128, k = 64)\n"
                                              "  lanes j\n"),
            "tile(j, 128)\ntile(k, 64)\nreorder(j, k, i, j.in, k.in)\ncache(b)\nvectorize(j.in, 8)\nparallel(j)\n");
}

TEST(WrittenSchedule, TakesTheValueOfAStepFromTheExtents) {
  const auto nest = parse_nest(std::make_shared<const Source>(
      "nest", std::string(product) +
                  "  loop i step ceil(a.0 / 2) parallel\n  loop i.in step 1\n  loop j step 1\n  loop k step 1\n"));
  ASSERT_TRUE(nest) << render(nest.error());
  const auto size = [](std::string_view symbol) -> std::optional<std::int64_t> {
    return symbol == "a.0" ? std::optional<std::int64_t>(1001) : std::nullopt;
  };
  EXPECT_EQ(to_text(write_schedule(*nest, ScheduledFor::host, size)), "tile(i, 501)\nparallel(i)\n");
}

TEST(WrittenSchedule, SaysAGpusTilesThreadsAndBuffers) {
  const auto nest = parse_nest(
      std::make_shared<const Source>("nest", std::string(product) + "  loop i step 64 parallel\n"
                                                                    "  loop j step 32 parallel\n"
                                                                    "  loop k step 16\n"
                                                                    "  loop k.in step 1\n"
                                                                    "  loop i.in step 4 threads 16\n"
                                                                    "  loop j.in step 4 threads 8\n"
                                                                    "  loop i.in.in step 1 unroll 4 registers\n"
                                                                    "  loop j.in.in step 1 vectorize 4 registers\n"
                                                                    "  cache %r0 tile (i = 64, k = 16)\n"
                                                                    "  lanes j\n"));
  ASSERT_TRUE(nest) << render(nest.error());
  EXPECT_EQ(to_text(write_schedule(*nest, ScheduledFor::gpu, no_size)),
            "tile(i, 64)\ntile(j, 32)\ntile(k, 16)\ncache(a)\nthreads = 128\n");
}

TEST(WrittenSchedule, NamesAMatrixUnitInsteadOfThreads) {
  const auto nest =
      parse_nest(std::make_shared<const Source>("nest", std::string(product) + "  loop i step 64 parallel\n"
                                                                               "  loop j step 32 parallel\n"
                                                                               "  loop k step 64\n"
                                                                               "  loop i.in step 1 threads 64\n"
                                                                               "  loop j.in step 1 registers\n"
                                                                               "  loop k.in step 1 registers\n"
                                                                               "  variant warpgroup\n"));
  ASSERT_TRUE(nest) << render(nest.error());
  EXPECT_EQ(to_text(write_schedule(*nest, ScheduledFor::gpu, no_size)),
            "tile(i, 64)\ntile(j, 32)\ntile(k, 64)\nvariant = warpgroup\n");
}

TEST(WrittenSchedule, GivesLoopsLikeTheSchedulersBack) {
  // The scheduler's loops as lines, and the lines' loops once more: the same blocks, buffers and registers.
  const std::vector<lang::OperandType> types = {{"a", DType::f32, {1000, 1000}}, {"b", DType::f32, {1000, 1000}}};
  const Nest statement = nest_of("mm[i, j] ++= a[i, k] * b[k, j]", types);
  Facts facts{{{{StrideClass::other, StrideClass::one}}, {{StrideClass::other, StrideClass::one}}},
              {{StrideClass::other, StrideClass::one}},
              {1024, 1024, 1024}};
  HostTarget target;
  target.vector_bytes = 32;
  target.threads = 2;
  Nest automatic = statement;
  automatic.schedule.automatic = true;
  schedule_for_host(automatic, facts, target);
  const auto size = [](std::string_view) -> std::optional<std::int64_t> { return 1000; };
  lang::Statement written = std::get<lang::Statement>(parse_file("mm[i, j] ++= a[i, k] * b[k, j]").items.at(0));
  written.schedule = write_schedule(automatic, ScheduledFor::host, size);
  Nest again = statement;
  Trace trace;
  const Result<void> applied = apply_schedule(again, written, trace);
  ASSERT_TRUE(applied) << render(applied.error());
  schedule_for_host(again, facts, target);
  EXPECT_EQ(again.schedule.caches.size(), automatic.schedule.caches.size());
  EXPECT_EQ(again.schedule.lanes, automatic.schedule.lanes);
  const auto registers = [](const Nest& nest) {
    std::vector<std::pair<std::int64_t, std::int64_t>> sizes;
    for (const Loop& loop : nest.loops)
      if (loop.in_registers) sizes.emplace_back(loop.vector_width, loop.unroll);
    return sizes;
  };
  EXPECT_EQ(registers(again), registers(automatic));
  EXPECT_EQ(again.loops.front().name, "j");
  EXPECT_TRUE(again.loops.front().parallel);
}

}  // namespace
}  // namespace tilewright::nest
