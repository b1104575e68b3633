// The tuner on a GPU as the stand-in driver has it: every kernel takes 10 µs of its virtual time and computes nothing,
// so which schedule is the quickest is known. Results are taken for right.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <utility>

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
  // Compilations take real time, on a busy machine a multiple of it: with more of it, a search gets as far.
  const auto tuned_with_time = [&](const Kernel& statement, const std::function<void()>& before) {
    for (double seconds = 2;; seconds *= 5) {
      before();
      auto done = tune(engine, statement, operands, taken_for_right, {.seconds = seconds, .rounds = 3});
      if (!done || done->choice() != nullptr || seconds > 50) return done;
    }
  };
  const auto tuned = tuned_with_time(kernel, [] {});
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

  // Once more: what is stored is as quick as any, and was there first.
  EXPECT_EQ(tuned->earlier, Earlier::none);
  const auto again = tune(engine, kernel, operands, taken_for_right, {.seconds = 0.1, .rounds = 3});
  ASSERT_TRUE(again) << render(again.error());
  ASSERT_NE(again->choice(), nullptr);
  EXPECT_EQ(to_text(again->choice()->schedule), to_text(choice->schedule));
  EXPECT_EQ(again->earlier, Earlier::kept);
  // A stored one that is slower gives way to the first that is tried.
  const Kernel scheduled = Kernel::parse("y[] ++= x[i] do:\n  schedule:\n    threads = 64\n").value();
  const auto other = tuned_with_time(
      scheduled, [&] { EXPECT_TRUE(engine.keep_choice(kernel, views, {"split(i, 8)\n", 2.0, 1.0, 0})); });
  ASSERT_TRUE(other) << render(other.error());
  EXPECT_EQ(other->earlier, Earlier::replaced);
}

TEST_F(DeviceTunerTest, AChoiceThatIsNotLoadedOrLaunchedGivesWay) {
  const Kernel kernel = Kernel::parse("y[] ++= x[i]").value();
  const Kernel program = Kernel::parse("program p(x) -> (y):\n  y[] ++= x[i]\n").value();
  for (const std::string call : {"cuLinkAddData", "cuModuleLoadData", "cuLaunchKernelEx"})
    for (const bool of_a_program : {false, true}) {
      const Engine engine = Engine::open("cuda", {.disk_cache = false}).value();
      const std::vector<Operand> operands = {{"x", engine.allocate(DType::f32, {1 << 22}).value()}};
      const std::vector<nest::NamedView> views = {{"x", operands[0].tensor.view()}};
      ASSERT_TRUE(engine.keep_choice(kernel, views, {"threads = 64\n", 2.0, 1.0, 0}));
      const std::size_t before = cuda::fake().launches().size();
      cuda::fake().fail(call, 1, cuda::Status::invalid_value);
      if (of_a_program)
        EXPECT_TRUE(engine.run(program, operands)) << call;
      else
        EXPECT_TRUE(engine.eval(kernel, operands)) << call;
      EXPECT_EQ(cuda::fake().launches().size(), before + 2) << call << ": of the automatic schedule";
    }
}

TEST_F(DeviceTunerTest, AChoiceWithWhichACallFailedIsNotUsedAgain) {
  const Engine engine = Engine::open("cuda").value();
  const Kernel kernel = Kernel::parse("y[] ++= x[i]").value();
  const std::vector<Operand> operands = {{"x", engine.allocate(DType::f32, {1 << 22}).value()}};
  const std::vector<nest::NamedView> views = {{"x", operands[0].tensor.view()}};
  ASSERT_TRUE(engine.keep_choice(kernel, views, {"threads = 64\n", 2.0, 1.0, 0}));
  const Tensor output = engine.eval(kernel, operands).value();
  EXPECT_EQ(cuda::fake().launches().size(), 1U) << "the choice's kernel";
  const std::vector<TensorRef> refs = {TensorRef::of(operands[0].tensor)};
  cuda::fake().fail("cuLaunchKernelEx", 1, cuda::Status::invalid_value);
  EXPECT_FALSE(engine.call_again(kernel, refs, TensorRef::of(output)).has_value());
  EXPECT_TRUE(engine.eval_into(kernel, operands, output));
  EXPECT_EQ(cuda::fake().launches().size(), 3U) << "the automatic schedule's two";
  const auto compiled = engine.compile(kernel, views, false);
  ASSERT_TRUE(compiled) << render(compiled.error());
  EXPECT_TRUE(compiled->trace.entries.front().notes.at(0).contains(
      "threads = 64; not used, for a call with it failed: cuLaunchKernelEx failed"))
      << compiled->trace.entries.front().notes.at(0);
  // Another choice is.
  ASSERT_TRUE(engine.keep_choice(kernel, views, {"threads = 128\n", 2.0, 1.0, 0}));
  EXPECT_TRUE(engine.eval_into(kernel, operands, output));
  EXPECT_EQ(cuda::fake().launches().size(), 4U);
}

TEST_F(DeviceTunerTest, AFaultOfTheDeviceEndsTheSearchWithItsText) {
  const Engine engine = Engine::open("cuda").value();
  const Kernel kernel = Kernel::parse("y[i] = x[i] + x[i]").value();
  const std::vector<Operand> operands = {{"x", engine.allocate(DType::f32, {1 << 16}).value()}};
  SearchOptions options{.seconds = 60, .rounds = 3};
  bool armed = false;
  options.report = [&](const nest::Schedule&, std::optional<double>, double) {
    // After the automatic schedule: a launch writes over its result, the next is a candidate's.
    if (!std::exchange(armed, true)) cuda::fake().fail("cuLaunchKernelEx", 2, cuda::Status::invalid_value);
  };
  const auto tuned = tune(engine, kernel, operands, taken_for_right, options);
  ASSERT_FALSE(tuned);
  EXPECT_EQ(tuned.error().front().code, "R055");
  EXPECT_TRUE(tuned.error().front().message.starts_with("y fails (R090: cuLaunchKernelEx failed: "))
      << tuned.error().front().message;
}

TEST_F(DeviceTunerTest, AChoiceIsForItsPrecisionAndDevice) {
  cuda::fake().reset({cuda::FakeDevice{}, cuda::FakeDevice{}, cuda::FakeDevice{.name = "Fake B100"}});
  const Engine engine = Engine::open("cuda").value();
  const std::string product = "c[i, j] ++= a[i, k] * b[k, j]";
  const Kernel exact = Kernel::parse(product).value();
  const Kernel tf32 = Kernel::parse(product + " do:\n  precision: tf32\n").value();
  const std::vector<nest::NamedView> views = {{"a", {nullptr, DType::f32, {64, 64}, {64, 1}}},
                                              {"b", {nullptr, DType::f32, {64, 64}, {64, 1}}}};
  ASSERT_TRUE(engine.keep_choice(exact, views, {"tile(i, 16)\n", 2.0, 1.0, 0}));
  EXPECT_TRUE(engine.stored_schedule(exact, views)->has_value());
  EXPECT_FALSE(engine.stored_schedule(tf32, views)->has_value());
  EXPECT_FALSE(Engine::open("cpu")->stored_schedule(exact, views)->has_value());
  EXPECT_TRUE(Engine::open("cuda:1")->stored_schedule(exact, views)->has_value()) << "like any of its processor";
  EXPECT_FALSE(Engine::open("cuda:2")->stored_schedule(exact, views)->has_value());
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
  EXPECT_EQ(tuned->earlier, Earlier::forgotten);
  // Each result is checked in memory that the one before has left.
  EXPECT_EQ(std::ranges::count_if(cuda::fake().launches(),
                                  [](const cuda::FakeLaunch& launch) { return launch.kernel.contains("overwritten"); }),
            static_cast<std::ptrdiff_t>(tuned->search.tried) + 1);
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
