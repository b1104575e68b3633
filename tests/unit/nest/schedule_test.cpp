// The schedule runner: one table, written order, the trace, and what a statement without a block gets.
#include <algorithm>
#include <set>

#include "lang/schedule_lines.h"
#include "nest/passes/schedule_table.h"
#include "nest/trace.h"
#include "nest_fixture.h"

namespace tilewright::nest {
namespace {

const std::vector<lang::OperandType> operands = {{"a", DType::f16, {64, 64}}, {"b", DType::f16, {64, 64}}};
constexpr std::string_view product = "mm[i, j] ++= a[i, k] * b[k, j] do:\n  schedule:\n";

struct Scheduled {
  lang::File file;
  Nest nest;
  Trace trace;
  Result<void> done;
};

Scheduled schedule(std::string_view lines) {
  Scheduled result{.file = parse_file(std::string(product) + std::string(lines)), .nest = {}, .trace = {}, .done = {}};
  const auto& statement = std::get<lang::Statement>(result.file.items.at(0));
  result.nest = build_nest(*lang::bind(statement, operands));
  result.done = apply_schedule(result.nest, statement, result.trace);
  return result;
}

TEST(Schedule, EveryLineOfTheLanguageHasItsPass) {
  std::set<std::string_view> passes;
  for (const SchedulePass& pass : schedule_passes()) {
    EXPECT_TRUE(passes.insert(pass.name).second) << pass.name;
    EXPECT_FALSE(pass.description.empty());
  }
  std::set<std::string_view> lines;
  for (const lang::ScheduleLineInfo& line : lang::schedule_lines()) lines.insert(line.name);
  EXPECT_EQ(passes, lines);
}

TEST(Schedule, TheTraceHoldsOneEntryALineInOrder) {
  const Scheduled done = schedule("    tile(i, 16)\n    tile(k, 8)\n    cache(a)\n    threads = 32\n");
  ASSERT_TRUE(done.done) << render(done.done.error());
  std::vector<std::string> lines;
  for (const TraceEntry& entry : done.trace.entries) lines.push_back(entry.line);
  EXPECT_EQ(lines, (std::vector<std::string>{"tile(i, 16)", "tile(k, 8)", "cache(a)", "threads = 32"}));
  EXPECT_EQ(done.trace.entries[0].kind, PassKind::transform);
  EXPECT_EQ(done.trace.entries[2].kind, PassKind::analysis);
  EXPECT_EQ(done.trace.entries[2].provenance,
            (std::vector<Provenance>{{"buffer of a[i, k] is f16 16x8", "the tiles of i by 16, k by 8"}}));
  EXPECT_EQ(done.trace.entries.back().text, to_text(done.nest));
  EXPECT_EQ(done.trace.entries.back().summary,
            "loops i step 16 (output), i.in (output), j (output), k step 8 (reduction), k.in (reduction); "
            "reads a[i, k], b[k, j]; cache a[i, k] 16x8; threads 32");
  EXPECT_FALSE(done.nest.schedule.automatic);
}

TEST(Schedule, AnErrorIsAtItsOwnLineAndEndsTheSchedule) {
  const Scheduled done = schedule("    tile(i, 16)\n    cache(a)\n    tile(k, 8)\n");
  ASSERT_FALSE(done.done);
  const Diagnostic& error = done.done.error().at(0);
  const Source::Position at = error.source->position(error.span.begin);
  EXPECT_EQ(at.line, 4U);
  EXPECT_EQ(at.column, 11U);
  EXPECT_EQ(error.code, "N024");
  EXPECT_EQ(error.message, "a[i, k] cannot be cached: 'k' is not tiled");
  EXPECT_EQ(error.remedy, "write tile(k, n) before this line");
  EXPECT_EQ(done.trace.entries.size(), 1U);
}

TEST(Schedule, WithoutABlockTheSchedulerDecides) {
  const lang::File file = parse_file("o[i] = a[i]");
  const auto& statement = std::get<lang::Statement>(file.items.at(0));
  Nest nest = build_nest(*lang::bind(statement, {{"a", DType::f32, {4}}}));
  Trace trace;
  ASSERT_TRUE(apply_schedule(nest, statement, trace));
  EXPECT_TRUE(nest.schedule.automatic);
  EXPECT_TRUE(trace.entries.empty());
}

TEST(Schedule, ALineBuiltInCodeIsCheckedAsATextIs) {
  lang::File file = parse_file("o[i] = a[i]");
  lang::Statement statement = std::get<lang::Statement>(file.items.at(0));
  Nest nest = build_nest(*lang::bind(statement, {{"a", DType::f32, {4}}}));
  lang::ScheduleLine line;
  line.name.name = "tile";
  line.arguments = {{std::string("i"), {}}, {std::int64_t{0}, {}}};
  statement.schedule = {line};
  Trace trace;
  const auto done = apply_schedule(nest, statement, trace);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error()[0].code, "L052");
}

TEST(Schedule, StagedShapesFollowTheAccessMap) {
  const lang::File file =
      parse_file("y[i] ++= x[2*i - r + 4] * w[r] do:\n  schedule:\n    tile(i, 8)\n    tile(r, 3)\n    cache(x, w)\n");
  const auto& statement = std::get<lang::Statement>(file.items.at(0));
  Nest nest = build_nest(*lang::bind(statement, {{"x", DType::f32, {100}}, {"w", DType::f32, {5}}}));
  Trace trace;
  ASSERT_TRUE(apply_schedule(nest, statement, trace));
  ASSERT_EQ(nest.schedule.caches.size(), 2U);
  // 2 · 7 + 2 + 1 elements lie between the first and the last that a tile of 8 by 3 touches.
  EXPECT_EQ(staged_shape(nest, nest.schedule.caches[0]), (std::vector<std::int64_t>{17}));
  EXPECT_EQ(staged_shape(nest, nest.schedule.caches[1]), (std::vector<std::int64_t>{3}));
}

TEST(Schedule, NoLineChangesWhatIsComputed) {
  Operands tensors;
  tensors.emplace("a", TestTensor(DType::f32, {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}));
  tensors.emplace("b", TestTensor(DType::f32, {3, 3}, {1, 0, 2, 0, 3, 0, 4, 0, 5}));
  const lang::File file =
      parse_file(std::string(product) +
                 "    tile(i, 2)\n    tile(k, 2)\n    tile(j)\n    cache(a, b)\n"
                 "    reorder(i, j, k, i.in, j.in, k.in)\n    split(k, 2)\n    vectorize(k.in, 2)\n");
  const auto& statement = std::get<lang::Statement>(file.items.at(0));
  Nest nest = build_nest(*lang::bind(statement, types_of(tensors)));
  Trace trace;
  ASSERT_TRUE(apply_schedule(nest, statement, trace));
  EXPECT_EQ(rounded(*evaluate(nest, views_of(tensors))), (std::vector<double>{13, 6, 17, 28, 15, 38, 43, 24, 59}));
}

}  // namespace
}  // namespace tilewright::nest
