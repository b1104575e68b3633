// The schedules that a tuner begins with, and those next to the first, compiled and run: on the processor and, for a
// GPU, on the simulator. A neighbour need not be legal, and fails in no other way. Whole numbers
// that every type holds exactly, so that every schedule has the same sums.
#include <gtest/gtest.h>

#include <cstring>

#include "lang/parse.h"
#include "runtime/engine.h"
#include "runtime/fill.h"
#include "tune/tuner.h"

namespace tilewright::tune {
namespace {

struct Sample {
  std::string text;
  std::vector<std::pair<std::string, Shape>> operands;
  DType dtype = DType::f32;
};

const std::vector<Sample> samples = {
    {"c[i, j] ++= a[i, k] * b[k, j]", {{"a", {70, 33}}, {"b", {33, 65}}}},
    {"c[i, j] ++= a[i, k] * b[k, j]", {{"a", {72, 64}}, {"b", {64, 40}}}, DType::f16},
    {"c[n, i, j] ++= a[n, i, k] * b[n, k, j]", {{"a", {3, 17, 9}}, {"b", {3, 9, 19}}}},
    {"s[i] ++= a[i, k]", {{"a", {13, 300}}}},
    {"s[j] max= a[i, j]", {{"a", {300, 13}}}},
    {"o[j, i] = a[i, j]", {{"a", {70, 90}}}},
    {"o[i, j] = a[i, j] + b[j]", {{"a", {33, 65}}, {"b", {65}}}},
};

class CandidatesRun : public testing::TestWithParam<std::string> {};

TEST_P(CandidatesRun, AreLegalAndComputeWhatTheAutomaticScheduleDoes) {
  const Engine engine = Engine::open(GetParam(), {.disk_cache = false, .stored_choices = false}).value();
  for (const Sample& sample : samples) {
    const Kernel kernel = Kernel::parse(sample.text).value();
    std::vector<Operand> operands;
    std::vector<nest::NamedView> views;
    for (const auto& [name, shape] : sample.operands) {
      // Of −2 … 2: sums of products stay below 2¹¹, which f16 holds.
      Tensor whole = random_uniform(DType::i8, shape, operands.size() + 1, -2, 3).value();
      Tensor values = Tensor::allocate(sample.dtype, shape).value();
      for_each_index(shape, [&](const std::vector<std::int64_t>& index) {
        values.view().set(index, Scalar::of(static_cast<double>(whole.view().get(index).as_int())));
      });
      operands.push_back({name, values});
    }
    for (const Operand& operand : operands) views.push_back({operand.name, operand.tensor.view()});
    const Tensor expected = engine.eval(kernel, operands).value();
    const auto candidates = engine.candidate_schedules(kernel, views);
    ASSERT_TRUE(candidates) << render(candidates.error());
    ASSERT_FALSE(candidates->schedules.empty()) << sample.text;
    const std::vector<nest::Schedule> next = nest::neighbours(candidates->schedules.front(), candidates->extents);
    std::vector<nest::Schedule> schedules = candidates->schedules;
    schedules.insert(schedules.end(), next.begin(), next.end());
    for (std::size_t n = 0; n < schedules.size(); ++n) {
      const nest::Schedule& schedule = schedules[n];
      lang::Statement statement = *kernel.statement();
      statement.schedule = schedule;
      const auto result = engine.eval(Kernel(std::move(statement)), operands);
      if (!result && n >= candidates->schedules.size() && is_legality_error(result.error())) continue;
      ASSERT_TRUE(result) << sample.text << "\n" << to_text(schedule) << render(result.error());
      const std::size_t bytes = static_cast<std::size_t>(expected.view().element_count()) * size_of(expected.dtype());
      EXPECT_EQ(std::memcmp(result->data(), expected.data(), bytes), 0) << sample.text << "\n" << to_text(schedule);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, CandidatesRun, testing::Values("cpu", "sim"),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace tilewright::tune
