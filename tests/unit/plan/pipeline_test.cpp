// The tables of passes fit together, and their runner records what changed.
#include "plan/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "lang/bind.h"
#include "lang/parse.h"
#include "nest/build.h"
#include "nest/passes/schedule_table.h"
#include "plan/build_host_plan.h"

namespace tilewright::plan {
namespace {

template <class Target>
void expect_chain(std::span<const Pass<Target>> passes) {
  Level level = Level::nest;
  for (const Pass<Target>& pass : passes) {
    EXPECT_EQ(pass.input, level) << pass.name;
    EXPECT_FALSE(pass.description.empty()) << pass.name;
    level = pass.output;
  }
  EXPECT_EQ(level, Level::kernel);
}

TEST(Pipeline, EachPassTakesWhatTheOneBeforeLeaves) {
  expect_chain(host_passes());
  expect_chain(gpu_passes());
}

HostTarget machine() {
  HostTarget target;
  target.cpu = "made up";
  target.vector_bytes = 32;
  target.vector_registers = 16;
  target.has_fma = target.has_masked_memory = true;
  target.threads = 2;
  return target;
}

/// Names of the passes that the trace of a statement over x : f32 of `extent` has entries of.
std::vector<std::string> traced(const std::string& text, std::int64_t extent) {
  const auto file = lang::parse(std::make_shared<const Source>("k.tw", text)).value();
  const auto& statement = std::get<lang::Statement>(file.items.at(0));
  const auto typed = lang::bind(statement, {{"x", DType::f32, {extent}}}).value();
  nest::Nest nest = nest::build_nest(typed);
  nest::Trace lines;
  EXPECT_TRUE(nest::apply_schedule(nest, statement, lines));
  const auto view = [](const std::vector<std::int64_t>& shape) {
    return TensorView{nullptr, DType::f32, shape, row_major_strides(shape)};
  };
  const nest::Facts facts = nest::gather_facts(nest, {view({extent})}, view(typed.output_shape));
  nest::Trace trace;
  (void)build_host_plan(nest, facts, machine(), &trace);
  std::vector<std::string> passes;
  for (const nest::TraceEntry& entry : trace.entries) {
    EXPECT_FALSE(entry.text.empty()) << entry.pass;
    EXPECT_GT(entry.seconds, 0) << entry.pass;
    if (entry.pass == "tile_to_kernel") EXPECT_EQ(entry.text.substr(0, 7), "kernel ");
    passes.push_back(entry.pass);
  }
  return passes;
}

TEST(Pipeline, TheTraceHasThePassesThatChangedSomething) {
  using Names = std::vector<std::string>;
  const Names map = traced("y[i] = exp(x[i])", 100);
  EXPECT_EQ(Names(map.begin(), map.begin() + 4),
            (Names{"schedule_for_host", "nest_to_tile", "place_for_host", "tile_to_kernel"}));
  // There is nothing of f8 or bf16 to expand, and the host has a library of functions.
  EXPECT_EQ(std::ranges::count(map, "expand_conversions"), 0);
  EXPECT_EQ(std::ranges::count(map, "expand_functions"), 0);
}

TEST(Pipeline, ASplitReductionGoesDownTwice) {
  const std::vector<std::string> passes = traced("s[] ++= x[k] do:\n  schedule:\n    split(k, 4)\n", 1000);
  EXPECT_EQ(std::ranges::count(passes, "nest_to_tile"), 2);
  EXPECT_EQ(std::ranges::count(passes, "tile_to_kernel"), 2);
}

}  // namespace
}  // namespace tilewright::plan
