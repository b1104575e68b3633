// The tuner on the processor: what it leaves alone, what it stores, and what is used afterwards. Which schedule is the
// quickest is not for these tests to say (search_test.cpp has times of its own).
#include "tune/tuner.h"

#include <cstring>

#include "choice_fixture.h"
#include "lang/parse.h"

namespace tilewright::tune {
namespace {

class TunerTest : public ChoiceTest {};

TEST_F(TunerTest, TunesOnMemoryOfItsOwn) {
  const Engine engine = open();
  const Kernel kernel = *Kernel::parse(product);
  const std::vector<Operand> given = operands(70);
  const Tensor a = *given[0].tensor.clone();
  const auto tuned = tune(engine, kernel, given, is_right, {.seconds = 2, .rounds = 3});
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
  const auto tuned = tune(engine, kernel, given, never_with_lines, {.seconds = 60});
  ASSERT_FALSE(tuned);
  EXPECT_EQ(tuned.error().front().code, "R055");
  EXPECT_FALSE(uses_choice(engine, kernel, given));
  // Of what is stored already: it is forgotten. Of another schedule: it stays.
  ASSERT_TRUE(engine.keep_choice(kernel, views(given), {"tile(i, 8)\n", 2.0, 1.0, 0}));
  const Check right_by_the_stored_one = [](const Kernel& scheduled, const Compilation&, const std::vector<Operand>&,
                                           const Tensor&) -> Result<bool> {
    return !scheduled.statement()->schedule || to_text(*scheduled.statement()->schedule) == "tile(i, 8)\n";
  };
  ASSERT_FALSE(tune(engine, kernel, given, right_by_the_stored_one, {.seconds = 60}));
  EXPECT_TRUE(uses_choice(engine, kernel, given));
  ASSERT_FALSE(tune(engine, kernel, given, never_with_lines, {.seconds = 60}));
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

TEST(Tuned, ChoosesTheQuickestOfThoseThatAreWorthwhile) {
  const nest::Schedule tile = *lang::parse_schedule("tile(i, 8)");
  const nest::Schedule atomics = *lang::parse_schedule("split(k, 2, atomics)");
  Tuned tuned;
  tuned.search.untuned = {{}, {1.0, 1.0, 1.0, 1.0}};
  tuned.search.finalists = {{{}, {0.5, 0.5, 1.1, 1.1}}, {tile, {0.9, 0.9, 0.9, 0.9}}};
  EXPECT_EQ(tuned.choice(), &tuned.search.finalists[1]) << "the first is not steady";
  tuned.search.finalists = {{atomics, {0.5, 0.5, 0.5, 0.5}}, {tile, {0.9, 0.9, 0.9, 0.9}}};
  EXPECT_EQ(tuned.choice(), &tuned.search.finalists[0]);
  EXPECT_EQ(tuned.storable(), &tuned.search.finalists[1]) << "sums of the first differ from run to run";
  tuned.search.finalists.pop_back();
  EXPECT_EQ(tuned.storable(), nullptr);
}

TEST(Tuned, LegalityIsOfLinesAndLimits) {
  const auto is_legality = [](std::vector<std::string> codes) {
    Diagnostics errors;
    for (std::string& code : codes) errors.push_back({std::move(code), "", "", nullptr, {}});
    return is_legality_error(errors);
  };
  for (const char* code : {"N020", "N052", "L052", "R078", "R079", "R091", "R094", "P103", "G007"})
    EXPECT_TRUE(is_legality({code})) << code;
  for (const char* code : {"R090", "R092", "R093", "R055", "K204", "G003", "G004"})
    EXPECT_FALSE(is_legality({code})) << code;
  EXPECT_FALSE(is_legality({"N020", "R092"}));
}

TEST_F(TunerTest, WithoutTimeForATryTheStoredChoiceIsNotForgotten) {
  const Engine engine = open();
  const Kernel kernel = *Kernel::parse(product);
  const std::vector<Operand> given = operands();
  ASSERT_TRUE(engine.keep_choice(kernel, views(given), {"tile(i, 8)\n", 2.0, 1.0, 0}));
  const auto tuned = tune(engine, kernel, given, is_right, {.seconds = 0, .rounds = 3});
  ASSERT_TRUE(tuned) << render(tuned.error());
  EXPECT_EQ(tuned->search.tried, 1U) << "the stored one alone";
  ASSERT_EQ(tuned->search.finalists.size(), 1U);
  EXPECT_EQ(to_text(tuned->search.finalists[0].schedule), "tile(i, 8)\n");
  EXPECT_EQ(tuned->earlier, tuned->choice() != nullptr ? Earlier::kept : Earlier::forgotten);
  EXPECT_EQ(uses_choice(engine, kernel, given), tuned->choice() != nullptr);
}

TEST_F(TunerTest, AStoredChoiceThatCannotBeTimedStays) {
  const Engine engine = open();
  const Kernel kernel = *Kernel::parse(product);
  const std::vector<Operand> given = operands();
  for (const std::string lines : {"tile(q, 8)\n", "nonsense\n"}) {
    ASSERT_TRUE(engine.keep_choice(kernel, views(given), {lines, 2.0, 1.0, 0}));
    const auto tuned = tune(engine, kernel, given, is_right, {.seconds = 0, .rounds = 3});
    ASSERT_TRUE(tuned) << render(tuned.error());
    EXPECT_TRUE(tuned->search.finalists.empty());
    EXPECT_EQ(tuned->earlier, Earlier::untouched);
    EXPECT_NE(note(engine, kernel, given), "");
  }
}

TEST_F(TunerTest, TakesASchedulesAtomicsForThatScheduleAlone) {
  const Engine engine = open();
  const std::vector<Operand> given = operands(70);
  const auto has_atomics = [&](const char* text, double seconds) {
    bool found = false;
    SearchOptions options{.seconds = seconds, .rounds = 3};
    options.report = [&](const nest::Schedule& schedule, std::optional<double>, double) {
      found = found || nest::has_atomics(schedule);
    };
    const auto tuned = tune(engine, *Kernel::parse(text), given, is_right, options);
    EXPECT_TRUE(tuned) << render(tuned.error());
    return found;
  };
  EXPECT_TRUE(has_atomics("mm[i, j] ++= a[i, k] * b[k, j] do:\n  schedule:\n    split(k, 2, atomics)\n", 2));
  ASSERT_TRUE(engine.keep_choice(*Kernel::parse(product), views(given), {"split(k, 2, atomics)\n", 2.0, 1.0, 0}));
  EXPECT_FALSE(has_atomics(product, 0.5));
}

TEST_F(TunerTest, DoesNotTuneWhatIsEmptyOrTiny) {
  const Engine engine = open();
  const Kernel kernel = *Kernel::parse(product);
  for (const std::int64_t size : {0, 15}) {
    const auto tuned = tune(engine, kernel, operands(size), is_right, {.seconds = 0.1});
    ASSERT_FALSE(tuned);
    EXPECT_EQ(tuned.error().front().code, "R057");
    EXPECT_TRUE(tuned.error().front().message.starts_with(size == 0 ? "the loops of mm have 0 points"
                                                                    : "the loops of mm have 3375 points"))
        << tuned.error().front().message;
  }
}

TEST_F(TunerTest, WritesOverResultsOfEveryTypeBetweenCandidates) {
  const Engine engine = open();
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2, DType::i8,
                            DType::u8, DType::i32, DType::u32, DType::i64, DType::boolean})
    for (const bool is_scalar : {false, true}) {
      const std::string type(name(dtype));
      const Kernel kernel = *Kernel::parse(is_scalar ? "y:" + type + "[] max= cast(" + type + ", x[i, j])"
                                                     : "y:" + type + "[i, j] = cast(" + type + ", x[i, j])");
      const std::vector<Operand> given = {{"x", *arange(DType::f32, {64, 65}, 0, 0)}};
      const Check all_zero = [](const Kernel&, const Compilation&, const std::vector<Operand>&,
                                const Tensor& result) -> Result<bool> {
        bool right = true;
        for_each_index(result.shape(), [&](const std::vector<std::int64_t>& index) {
          right = right && result.view().get(index).as_double() == 0;
        });
        return right;
      };
      const auto tuned = tune(engine, kernel, given, all_zero, {.seconds = 0, .rounds = 3});
      EXPECT_TRUE(tuned) << type << render(tuned.error());
    }
}

TEST_F(TunerTest, RejectsAProgram) {
  const Engine engine = open();
  const Kernel program = *Kernel::parse("program p(x) -> (y):\n  y[i] = x[i]\n");
  const auto tuned = tune(engine, program, {{"x", *arange(DType::f32, {4}, 1)}}, is_right, {});
  ASSERT_FALSE(tuned);
  EXPECT_EQ(tuned.error().front().code, "R077");
}

}  // namespace
}  // namespace tilewright::tune
