// The tuner on the processor: what it leaves alone, what it stores, and what is used afterwards. Which schedule is the
// quickest is not for these tests to say (search_test.cpp has times of its own).
#include "tune/tuner.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "runtime/fill.h"

namespace tilewright::tune {
namespace {

namespace fs = std::filesystem;

constexpr const char* product = "mm[i, j] ++= a[i, k] * b[k, j]";

class TunerTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tilewright-tune-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    ::setenv("TILEWRIGHT_CACHE", folder_.c_str(), 1);
    ::unsetenv("TILEWRIGHT_TUNED");
  }
  void TearDown() override {
    ::unsetenv("TILEWRIGHT_CACHE");
    ::unsetenv("TILEWRIGHT_TUNED");
    fs::remove_all(folder_);
  }

  static Engine open() { return *Engine::open(); }
  static std::vector<Operand> operands(std::int64_t size = 24) {
    return {{"a", *arange(DType::i32, {size, size}, 1)}, {"b", *arange(DType::i32, {size, size}, 2)}};
  }
  static std::vector<nest::NamedView> views(const std::vector<Operand>& operands) {
    std::vector<nest::NamedView> all;
    for (const Operand& each : operands) all.push_back({each.name, each.tensor.view()});
    return all;
  }
  static std::vector<std::string> passes(const Engine& engine, const Kernel& kernel,
                                         const std::vector<Operand>& operands) {
    const auto compiled = engine.compile(kernel, views(operands), false);
    EXPECT_TRUE(compiled) << render(compiled.error());
    std::vector<std::string> names;
    for (const nest::TraceEntry& entry : compiled->trace.entries) {
      names.push_back(entry.pass);
      if (entry.pass == "stored_choice") note_ = entry.notes.at(0);
    }
    return names;
  }
  static bool uses_choice(const Engine& engine, const Kernel& kernel, const std::vector<Operand>& operands) {
    return passes(engine, kernel, operands).front() == "stored_choice";
  }

  static Result<bool> is_right(const Kernel&, const Compilation&, const std::vector<Operand>& operands,
                               const Tensor& result) {
    const std::int64_t size = result.shape()[0];
    for (std::int64_t i = 0; i < size; i += 7)
      for (std::int64_t j = 0; j < size; j += 5) {
        std::int64_t sum = 0;
        for (std::int64_t k = 0; k < size; ++k)
          sum += operands[0].tensor.view().get({i, k}).as_int() * operands[1].tensor.view().get({k, j}).as_int();
        if (result.view().get({i, j}).as_int() != sum) return false;
      }
    return true;
  }

  fs::path folder_;
  static inline std::string note_;
};

TEST_F(TunerTest, StoresAChoiceThatEnginesUseAndTheSwitchIgnores) {
  const Engine engine = open();
  const Kernel kernel = *Kernel::parse(product);
  const std::vector<Operand> given = operands();
  EXPECT_FALSE(uses_choice(engine, kernel, given));
  const Tensor before = *engine.eval(kernel, given);
  const auto kept = engine.keep_choice(kernel, views(given), {"tile(i, 8)\nunroll(i.in, 4)\n", 2.0, 1.0, 86400});
  ASSERT_TRUE(kept) << render(kept.error());
  EXPECT_TRUE(uses_choice(engine, kernel, given));
  EXPECT_EQ(note_,
            "schedule: stored choice of tune (1970-01-02, 2.00 times as quick as the automatic one): tile(i, 8); "
            "unroll(i.in, 4)");
  EXPECT_TRUE(uses_choice(open(), kernel, given)) << "another engine of the process";
  EXPECT_TRUE(uses_choice(engine, *Kernel::parse(std::string(product) + " do:\n  schedule:\n    auto\n"), given));
  EXPECT_FALSE(uses_choice(engine.without_stored_choices(), kernel, given));
  EXPECT_FALSE(uses_choice(*Engine::open("cpu", {.stored_choices = false}), kernel, given));
  ::setenv("TILEWRIGHT_TUNED", "off", 1);
  EXPECT_FALSE(uses_choice(open(), kernel, given));
  // A call that was prepared with the automatic schedule is not made again.
  EXPECT_TRUE(*is_right(kernel, {}, given, *engine.eval(kernel, given)));
  EXPECT_TRUE(*is_right(kernel, {}, given, before));
  ASSERT_TRUE(engine.forget_choice(kernel, views(given)));
  EXPECT_FALSE(uses_choice(engine, kernel, given));
}

TEST_F(TunerTest, ACallPreparedBeforeAChoiceIsNotMadeAgain) {
  const Engine engine = open();
  const Kernel kernel = *Kernel::parse(product);
  const std::vector<Operand> given = operands();
  const Tensor output = *engine.eval(kernel, given);
  std::vector<TensorRef> refs;
  for (const Operand& each : given) refs.push_back(TensorRef::of(each.tensor));
  EXPECT_TRUE(engine.call_again(kernel, refs, TensorRef::of(output)).has_value());
  ASSERT_TRUE(engine.keep_choice(kernel, views(given), {"tile(i, 8)\n", 2.0, 1.0, 0}));
  EXPECT_FALSE(engine.call_again(kernel, refs, TensorRef::of(output)).has_value());
}

TEST_F(TunerTest, AChoiceIsForItsStatementTypesSizesAndStridesAlone) {
  const Engine engine = open();
  const Kernel kernel = *Kernel::parse(product);
  const std::vector<Operand> given = operands(40);
  ASSERT_TRUE(engine.keep_choice(kernel, views(given), {"tile(i, 8)\n", 2.0, 1.0, 0}));
  EXPECT_TRUE(uses_choice(engine, kernel, operands(56))) << "of one bucket";
  EXPECT_FALSE(uses_choice(engine, kernel, operands(24)));
  EXPECT_FALSE(uses_choice(engine, kernel, operands(55))) << "rows are aligned otherwise";
  EXPECT_FALSE(uses_choice(engine, *Kernel::parse("mm[i, j] max= a[i, k] * b[k, j]"), given));
  const std::vector<Operand> turned = {{"a", *given[0].tensor.transpose({1, 0})}, given[1]};
  EXPECT_FALSE(uses_choice(engine, kernel, turned));
  const std::vector<Operand> wide = {{"a", *arange(DType::i64, {40, 40}, 1)}, {"b", *arange(DType::i64, {40, 40}, 2)}};
  EXPECT_FALSE(uses_choice(engine, kernel, wide));
}

TEST_F(TunerTest, AScheduleOfTheUsersIsNeverOverridden) {
  const Engine engine = open();
  const Kernel kernel = *Kernel::parse(std::string(product) + " do:\n  schedule:\n    tile(j, 16)\n");
  const std::vector<Operand> given = operands();
  ASSERT_TRUE(engine.keep_choice(kernel, views(given), {"tile(i, 8)\n", 2.0, 1.0, 0}));
  EXPECT_EQ(passes(engine, kernel, given).front(), "tile");
  EXPECT_TRUE(uses_choice(engine, *Kernel::parse(product), given)) << "it is for the statement without a schedule";
}

TEST_F(TunerTest, AnIllegalChoiceGivesWayToTheAutomaticSchedule) {
  const Engine engine = open();
  const Kernel kernel = *Kernel::parse(product);
  const std::vector<Operand> given = operands();
  for (const std::string lines : {"tile(q, 8)\n", "nonsense\n", "tile(i, 8)\ntile(i, 8)\n", ")\n  example: a = f32"}) {
    ASSERT_TRUE(engine.keep_choice(kernel, views(given), {lines, 2.0, 1.0, 0}));
    ASSERT_TRUE(uses_choice(engine, kernel, given));
    EXPECT_TRUE(note_.contains("not used, for it is not legal here")) << note_;
    EXPECT_TRUE(*is_right(kernel, {}, given, *engine.eval(kernel, given)));
  }
}

TEST_F(TunerTest, TunesOnMemoryOfItsOwn) {
  const Engine engine = open();
  const Kernel kernel = *Kernel::parse(product);
  const std::vector<Operand> given = operands(70);
  const Tensor a = *given[0].tensor.clone();
  const auto tuned = tune(engine, kernel, given, is_right, {.seconds = 0.5, .rounds = 3});
  ASSERT_TRUE(tuned) << render(tuned.error());
  EXPECT_GT(tuned->search.tried, 0U);
  EXPECT_FALSE(tuned->kept.has_value()) << render(*tuned->kept);
  EXPECT_EQ(fs::path(tuned->path).parent_path(), folder_);
  EXPECT_EQ(std::memcmp(a.data(), given[0].tensor.data(), 70 * 70 * sizeof(std::int32_t)), 0);
  EXPECT_EQ(uses_choice(engine, kernel, given), tuned->choice() != nullptr);
}

TEST_F(TunerTest, AWrongResultIsAnErrorAndNothingIsStored) {
  const Engine engine = open();
  const Kernel kernel = *Kernel::parse(product);
  const std::vector<Operand> given = operands();
  const Check never_with_lines = [](const Kernel& scheduled, const Compilation&, const std::vector<Operand>&,
                                    const Tensor&) -> Result<bool> {
    return !scheduled.statement()->schedule.has_value();
  };
  const auto tuned = tune(engine, kernel, given, never_with_lines, {.seconds = 0.2});
  ASSERT_FALSE(tuned);
  EXPECT_EQ(tuned.error().front().code, "R055");
  EXPECT_FALSE(uses_choice(engine, kernel, given));
}

TEST(Tuned, ChoosesWhatIsQuickerByMoreThanTimingsDiffer) {
  Tuned tuned;
  tuned.search.untuned = {{}, {1.0, 1.0, 1.0, 1.0}};
  EXPECT_EQ(tuned.choice(), nullptr);
  tuned.search.finalists = {{{}, {0.98, 0.98, 0.98, 0.98}}};
  EXPECT_EQ(tuned.choice(), nullptr) << "by 2 %";
  tuned.search.finalists = {{{}, {0.96, 0.96, 0.96, 0.96}}, {{}, {0.99, 0.99, 0.99, 0.99}}};
  EXPECT_EQ(tuned.choice(), &tuned.search.finalists.front());
  tuned.search.finalists = {{{}, {0.96, 0.96, 0.96, 2.0}}};
  EXPECT_EQ(tuned.choice(), &tuned.search.finalists.front()) << "in three rounds of four";
  tuned.search.finalists = {{{}, {0.5, 0.5, 1.1, 1.1}}};
  EXPECT_EQ(tuned.choice(), nullptr) << "in two";
}

TEST_F(TunerTest, WithoutAPlaceToStoreSaysSo) {
  ::setenv("TILEWRIGHT_CACHE", "off", 1);
  const Engine engine = open();
  const Kernel kernel = *Kernel::parse(product);
  const auto kept = engine.keep_choice(kernel, views(operands()), {"tile(i, 8)\n", 2.0, 1.0, 0});
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().front().code, "R054");
  EXPECT_TRUE(engine.choices_file().empty());
}

TEST_F(TunerTest, RejectsAProgram) {
  const Engine engine = open();
  const Kernel program = *Kernel::parse("program p(x) -> (y):\n  y[i] = x[i]\n");
  const auto tuned = tune(engine, program, {{"x", *arange(DType::f32, {4}, 1)}}, is_right, {});
  ASSERT_FALSE(tuned);
  EXPECT_EQ(tuned.error().front().code, "R077");
}

TEST_F(TunerTest, ADamagedDatabaseIsToldAndTheAutomaticScheduleUsed) {
  const Engine engine = open();
  const Kernel kernel = *Kernel::parse(product);
  const std::vector<Operand> given = operands();
  {
    std::FILE* file = std::fopen(engine.choices_file().c_str(), "wb");
    ASSERT_NE(file, nullptr);
    const std::string garbage(5000, 'x');
    std::fwrite(garbage.data(), 1, garbage.size(), file);
    std::fclose(file);
  }
  EXPECT_FALSE(engine.choices_trouble().has_value());
  EXPECT_TRUE(*is_right(kernel, {}, given, *engine.eval(kernel, given)));
  ASSERT_TRUE(engine.choices_trouble().has_value());
  EXPECT_EQ(engine.choices_trouble()->front().code, "R053");
}

}  // namespace
}  // namespace tilewright::tune
