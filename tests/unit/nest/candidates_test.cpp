// What a tuner tries: the automatic schedule among them, each legal for the passes, none twice; and neighbours.
#include "nest/candidates.h"

#include <gtest/gtest.h>

#include <set>

#include "lang/parse.h"
#include "nest/passes/schedule_for_gpu.h"
#include "nest/passes/schedule_for_host.h"
#include "nest/passes/schedule_table.h"
#include "nest_fixture.h"
#include "support/target.h"

namespace tilewright::nest {
namespace {

struct Sample {
  std::string text;
  std::vector<lang::OperandType> operands;
};

const std::vector<Sample> samples = {
    {"mm[i, j] ++= a[i, k] * b[k, j]", {{"a", DType::f32, {1000, 1000}}, {"b", DType::f32, {1000, 1000}}}},
    {"t[i, j, k, l, m] ++= a[i, j, k, l, o] * b[m, j, l, o]",
     {{"a", DType::f32, {16, 8, 16, 4, 32}}, {"b", DType::f32, {64, 8, 4, 32}}}},
    {"c[n, i, j] ++= a[n, i, k] * b[n, k, j]", {{"a", DType::f32, {7, 64, 64}}, {"b", DType::f32, {7, 64, 64}}}},
    {"s[i] ++= a[i, k]", {{"a", DType::f32, {100, 5000}}}},
    {"s[j] max= a[i, j]", {{"a", DType::f32, {5000, 100}}}},
    {"s[] ++= a[i] * b[i]", {{"a", DType::f32, {1 << 20}}, {"b", DType::f32, {1 << 20}}}},
    {"o[j, i] = a[i, j]", {{"a", DType::f32, {2000, 3000}}}},
    {"o[i, j] = a[i, j] + b[j]", {{"a", DType::f32, {2000, 3000}}, {"b", DType::f32, {3000}}}},
    {"o[] = a[]", {{"a", DType::f32, {}}}},
    {"s[i] ++= a[i, k]", {{"a", DType::f32, {3, 0}}}},
};

struct Bound {
  Nest nest;
  Facts facts;
  std::vector<lang::OperandType> operands;
  std::optional<std::int64_t> size(std::string_view symbol) const {
    const std::size_t dot = symbol.rfind('.');
    for (const lang::OperandType& operand : operands)
      if (operand.name == symbol.substr(0, dot))
        return operand.shape.at(static_cast<std::size_t>(std::stoi(std::string(symbol.substr(dot + 1)))));
    return std::nullopt;
  }
};

Bound bound(const Sample& sample, VectorLoads loads) {
  Bound result{nest_of(sample.text, sample.operands), {}, sample.operands};
  std::vector<TensorView> views;
  for (const Tensor& tensor : result.nest.tensors)
    for (const lang::OperandType& operand : sample.operands)
      if (operand.name == tensor.name)
        views.push_back({nullptr, operand.dtype, operand.shape, row_major_strides(operand.shape)});
  std::vector<std::int64_t> shape(result.nest.output_index.size(), 64);
  const std::vector<std::int64_t> strides = row_major_strides(shape);
  result.facts = gather_facts(result.nest, views, {nullptr, result.nest.output, std::move(shape), strides}, loads);
  return result;
}

/// The passes take every line.
void expect_legal(const Sample& sample, const Schedule& schedule) {
  lang::Statement statement = std::get<lang::Statement>(parse_file(sample.text).items.at(0));
  statement.schedule = schedule;
  Nest nest = nest_of(sample.text, sample.operands);
  Trace trace;
  const Result<void> applied = apply_schedule(nest, statement, trace);
  EXPECT_TRUE(applied) << sample.text << "\n" << to_text(schedule) << render(applied.error());
}

TEST(Candidates, OfAHostAreLegalAndDistinctAndBeginWithTheAutomaticSchedule) {
  HostTarget target;
  target.vector_bytes = 32;
  target.threads = 4;
  for (const Sample& sample : samples) {
    const Bound of = bound(sample, VectorLoads::anywhere);
    const auto size = [&](std::string_view symbol) { return of.size(symbol); };
    const std::vector<Schedule> schedules = candidate_schedules(of.nest, of.facts, target, size).schedules;
    ASSERT_FALSE(schedules.empty()) << sample.text;
    Nest automatic = of.nest;
    automatic.schedule.automatic = true;
    schedule_for_host(automatic, of.facts, target);
    EXPECT_EQ(to_text(schedules.front()), to_text(write_schedule(automatic, ScheduledFor::host, size)));
    std::set<std::string> texts;
    for (const Schedule& schedule : schedules) {
      EXPECT_TRUE(texts.insert(to_text(schedule)).second) << to_text(schedule);
      expect_legal(sample, schedule);
    }
  }
}

TEST(Candidates, OfAHostsContractionDifferInTheirBlocks) {
  HostTarget target;
  target.vector_bytes = 32;
  const Bound of = bound(samples.front(), VectorLoads::anywhere);
  const auto size = [&](std::string_view symbol) { return of.size(symbol); };
  EXPECT_GE(candidate_schedules(of.nest, of.facts, target, size).schedules.size(), 4U);
}

TEST(Candidates, OfAGpuAreLegalForTheSchedulerAndOrderedByItsEstimates) {
  const GpuTarget& target = *gpu_target_named("sm_90a");
  for (const Sample& sample : samples) {
    const Bound of = bound(sample, VectorLoads::aligned);
    const auto size = [&](std::string_view symbol) { return of.size(symbol); };
    const std::vector<Schedule> schedules = candidate_schedules(of.nest, of.facts, target, size).schedules;
    ASSERT_FALSE(schedules.empty()) << sample.text;
    for (const Schedule& schedule : schedules) expect_legal(sample, schedule);
  }
  Sample halves = samples.front();
  for (lang::OperandType& operand : halves.operands) operand.dtype = DType::f16, operand.shape = {4096, 4096};
  const Bound of = bound(halves, VectorLoads::aligned);
  const auto size = [&](std::string_view symbol) { return of.size(symbol); };
  const std::vector<Schedule> schedules = candidate_schedules(of.nest, of.facts, target, size).schedules;
  std::size_t units = 0, scalars = 0;
  for (const Schedule& schedule : schedules) {
    const bool unit = to_text(schedule).contains("variant = warpgroup");
    EXPECT_FALSE(unit && scalars > 0) << "matrix units come first";
    ++(unit ? units : scalars);
    Nest scheduled = of.nest;
    lang::Statement statement = std::get<lang::Statement>(parse_file(halves.text).items.at(0));
    statement.schedule = schedule;
    Trace trace;
    ASSERT_TRUE(apply_schedule(scheduled, statement, trace));
    const auto done = schedule_for_gpu(scheduled, of.facts, target);
    EXPECT_TRUE(done) << to_text(schedule) << render(done.error());
  }
  EXPECT_GE(units, 8U);
  EXPECT_GE(scalars, 8U);
}

TEST(Neighbours, DifferInOneLineOrOneNumber) {
  const auto schedule = lang::parse_schedule("tile(i, 6)\ncache(a, b)\n");
  ASSERT_TRUE(schedule) << render(schedule.error());
  std::vector<std::string> texts;
  for (const Schedule& each : neighbours(*schedule, {})) texts.push_back(to_text(each));
  EXPECT_EQ(texts, (std::vector<std::string>{"cache(a, b)\n", "tile(i, 6)\n", "tile(i, 6)\ncache(b)\n",
                                             "tile(i, 6)\ncache(a)\n", "tile(i, 12)\ncache(a, b)\n",
                                             "tile(i, 3)\ncache(a, b)\n", "tile(i, 9)\ncache(a, b)\n",
                                             "tile(i, 4)\ncache(a, b)\n"}));
}

TEST(Neighbours, HaveNoAtomicsThatTheScheduleHasNot) {
  const auto has = [](std::string_view text) { return has_atomics(*lang::parse_schedule(text)); };
  EXPECT_TRUE(has("tile(i, 8)\nsplit(k, 4, atomics)"));
  EXPECT_FALSE(has(""));
  EXPECT_FALSE(has("split(k, 4)\ntile(atomics, 8)\ncache(atomics)")) << "a tensor's name and a loop's";
  for (const Schedule& each : neighbours(*lang::parse_schedule("tile(k, 8)\nsplit(k, 4)"), {}))
    EXPECT_FALSE(has_atomics(each)) << to_text(each);
}

TEST(Neighbours, OfOneAreNoZeros) {
  const auto schedule = lang::parse_schedule("threads = 1");
  ASSERT_TRUE(schedule) << render(schedule.error());
  std::vector<std::string> texts;
  for (const Schedule& each : neighbours(*schedule, {})) texts.push_back(to_text(each));
  EXPECT_EQ(texts, (std::vector<std::string>{"", "threads = 2\n"}));
}

TEST(Neighbours, LeaveATileThatHoldsItsIteratorAsLargeAsItIs) {
  const auto schedule = lang::parse_schedule("tile(i, 64)");
  ASSERT_TRUE(schedule) << render(schedule.error());
  std::vector<std::string> texts;
  for (const Schedule& each : neighbours(*schedule, {{"i", 60}})) texts.push_back(to_text(each));
  EXPECT_EQ(texts, (std::vector<std::string>{"", "tile(i, 32)\n"}));
  EXPECT_EQ(neighbours(*schedule, {{"i", 65}}).size(), 4U);
}

}  // namespace
}  // namespace tilewright::nest
