// The tuner on a GPU as the stand-in driver has it: every kernel takes 10 µs of its virtual time and computes nothing,
// so which schedule is the quickest is known. Results are taken for right.
#include <cstdlib>
#include <filesystem>

#include "cuda_test.h"
#include "lang/parse.h"
#include "tune/tuner.h"

namespace tilewright::tune {
namespace {

namespace fs = std::filesystem;

class DeviceTunerTest : public cuda::CudaEngineTest {
 protected:
  void SetUp() override {
    CudaEngineTest::SetUp();
    std::string pattern = (fs::temp_directory_path() / "tilewright-tune-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    ::setenv("TILEWRIGHT_CACHE", folder_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("TILEWRIGHT_CACHE");
    fs::remove_all(folder_);
    CudaEngineTest::TearDown();
  }

  static Result<bool> taken_for_right(const Kernel&, const Compilation&, const std::vector<Operand>&, const Tensor&) {
    return true;
  }

  fs::path folder_;
};

TEST_F(DeviceTunerTest, FindsThatOneKernelIsQuickerThanTwoAndKeepsIt) {
  // Few outputs and many terms: the scheduler splits the sum, and a second kernel adds the parts.
  const Engine engine = Engine::open("cuda").value();
  const Kernel kernel = Kernel::parse("y[] ++= x[i]").value();
  const std::vector<Operand> operands = {{"x", engine.allocate(DType::f32, {1 << 22}).value()}};
  const auto tuned = tune(engine, kernel, operands, taken_for_right, {.seconds = 2, .rounds = 3});
  ASSERT_TRUE(tuned) << render(tuned.error());
  EXPECT_NEAR(tuned->search.untuned.median(), 20e-6, 1e-9);
  const Trial* choice = tuned->choice();
  ASSERT_NE(choice, nullptr);
  EXPECT_NEAR(choice->median(), 10e-6, 1e-9);
  EXPECT_FALSE(to_text(choice->schedule).contains("split")) << to_text(choice->schedule);
  EXPECT_FALSE(tuned->kept.has_value()) << render(*tuned->kept);

  const std::vector<nest::NamedView> views = {{"x", operands[0].tensor.view()}};
  const auto compiled = engine.compile(kernel, views, false);
  ASSERT_TRUE(compiled) << render(compiled.error());
  EXPECT_EQ(compiled->trace.entries.front().pass, "stored_choice");
  EXPECT_EQ(compiled->plan->kernels.size(), 1U);
  EXPECT_EQ(engine.without_stored_choices().compile(kernel, views, false)->plan->kernels.size(), 2U);
  // Calls, too: the engine had prepared none before.
  const std::size_t before = cuda::fake().launches().size();
  ASSERT_TRUE(engine.eval(kernel, operands));
  EXPECT_EQ(cuda::fake().launches().size(), before + 1);
}

TEST_F(DeviceTunerTest, KeepsTheAutomaticScheduleWhereNothingIsQuicker) {
  const Engine engine = Engine::open("cuda").value();
  const Kernel kernel = Kernel::parse("y[i] = x[i] + x[i]").value();
  const std::vector<Operand> operands = {{"x", engine.allocate(DType::f32, {1 << 16}).value()}};
  const std::vector<nest::NamedView> views = {{"x", operands[0].tensor.view()}};
  ASSERT_TRUE(engine.keep_choice(kernel, views, {"threads = 64\n", 2.0, 1.0, 0}));
  const auto tuned = tune(engine, kernel, operands, taken_for_right, {.seconds = 1, .rounds = 3});
  ASSERT_TRUE(tuned) << render(tuned.error());
  EXPECT_EQ(tuned->choice(), nullptr);
  EXPECT_GT(tuned->search.tried, 0U);
  const auto compiled = engine.compile(kernel, views, false);
  ASSERT_TRUE(compiled) << render(compiled.error());
  EXPECT_NE(compiled->trace.entries.front().pass, "stored_choice") << "the earlier choice is forgotten";
}

TEST_F(DeviceTunerTest, CandidatesOfAProductRunByMatrixUnitsAndWithoutThem) {
  const Engine engine = Engine::open("cuda").value();
  const Kernel kernel = Kernel::parse("c[i, j] ++= a[i, k] * b[k, j]").value();
  const std::vector<Operand> operands = {{"a", engine.allocate(DType::f16, {512, 512}).value()},
                                         {"b", engine.allocate(DType::f16, {512, 512}).value()}};
  const auto candidates =
      engine.candidate_schedules(kernel, {{"a", operands[0].tensor.view()}, {"b", operands[1].tensor.view()}});
  ASSERT_TRUE(candidates) << render(candidates.error());
  const Tensor output = engine.allocate(DType::f16, {512, 512}).value();
  std::size_t units = 0, others = 0;
  for (const nest::Schedule& schedule : candidates->schedules) {
    const bool unit = to_text(schedule).contains("variant = warpgroup");
    std::size_t& seen = unit ? units : others;
    if (++seen > 2) continue;  // two of each tell
    lang::Statement statement = *kernel.statement();
    statement.schedule = schedule;
    const auto ran = engine.eval_into(Kernel(statement), operands, output);
    EXPECT_TRUE(ran) << to_text(schedule) << render(ran.error());
  }
  EXPECT_GE(units, 4U);
  EXPECT_GE(others, 4U);
}

}  // namespace
}  // namespace tilewright::tune
