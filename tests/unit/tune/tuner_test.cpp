// The tuner on the processor: what it leaves alone, what it stores, and what is
// used afterwards. Which schedule is the quickest is not for these tests to say
// (search_test.cpp has times of its own).
#include "tune/tuner.h"

#include <cstring>

#include "choice_fixture.h"

namespace tilewright::tune {
namespace {

class TunerTest : public ChoiceTest {};

TEST_F(TunerTest, TunesOnMemoryOfItsOwn) {
  const Engine engine = open();
  const Kernel kernel = *Kernel::parse(product);
  const std::vector<Operand> given = operands(70);
  const Tensor a = *given[0].tensor.clone();
  const auto tuned =
      tune(engine, kernel, given, is_right, {.seconds = 0.5, .rounds = 3});
  ASSERT_TRUE(tuned) << render(tuned.error());
  EXPECT_GT(tuned->search.tried, 0U);
  EXPECT_FALSE(tuned->kept.has_value()) << render(*tuned->kept);
  EXPECT_EQ(fs::path(tuned->path).parent_path(), folder_);
  EXPECT_EQ(std::memcmp(a.data(), given[0].tensor.data(),
                        70 * 70 * sizeof(std::int32_t)),
            0);
  EXPECT_EQ(uses_choice(engine, kernel, given), tuned->choice() != nullptr);
}

TEST_F(TunerTest, AWrongResultIsAnErrorAndNothingIsStored) {
  const Engine engine = open();
  const Kernel kernel = *Kernel::parse(product);
  const std::vector<Operand> given = operands();
  const Check never_with_lines =
      [](const Kernel &scheduled, const Compilation &,
         const std::vector<Operand> &, const Tensor &) -> Result<bool> {
    return !scheduled.statement()->schedule.has_value();
  };
  const auto tuned =
      tune(engine, kernel, given, never_with_lines, {.seconds = 0.2});
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
  tuned.search.finalists = {{{}, {0.96, 0.96, 0.96, 0.96}},
                            {{}, {0.99, 0.99, 0.99, 0.99}}};
  EXPECT_EQ(tuned.choice(), &tuned.search.finalists.front());
  tuned.search.finalists = {{{}, {0.96, 0.96, 0.96, 2.0}}};
  EXPECT_EQ(tuned.choice(), &tuned.search.finalists.front())
      << "in three rounds of four";
  tuned.search.finalists = {{{}, {0.5, 0.5, 1.1, 1.1}}};
  EXPECT_EQ(tuned.choice(), nullptr) << "in two";
}

TEST_F(TunerTest, RejectsAProgram) {
  const Engine engine = open();
  const Kernel program =
      *Kernel::parse("program p(x) -> (y):\n  y[i] = x[i]\n");
  const auto tuned =
      tune(engine, program, {{"x", *arange(DType::f32, {4}, 1)}}, is_right, {});
  ASSERT_FALSE(tuned);
  EXPECT_EQ(tuned.error().front().code, "R077");
}

} // namespace
} // namespace tilewright::tune
