// Stored choices when statements are compiled and called: for which calls one is used, and what gives way to the
// automatic schedule.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <limits>

#include "choice_fixture.h"
#include "runtime/thread_pool.h"

namespace tilewright::tune {
namespace {

class StoredChoices : public ChoiceTest {};

TEST_F(StoredChoices, StoresAChoiceThatEnginesUseAndTheSwitchIgnores) {
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

TEST_F(StoredChoices, ACallPreparedBeforeAChoiceIsNotMadeAgain) {
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

TEST_F(StoredChoices, CallsThatNoChoiceConcernsAreMadeAgain) {
  const Engine engine = open();
  const Engine without = engine.without_stored_choices();
  const Kernel kernel = *Kernel::parse(product);
  const std::vector<Operand> given = operands();
  const Tensor output = *engine.eval(kernel, given);
  ASSERT_TRUE(without.eval_into(kernel, given, output));
  std::vector<TensorRef> refs;
  for (const Operand& each : given) refs.push_back(TensorRef::of(each.tensor));
  ::setenv("TILEWRIGHT_CACHE", (folder_ / "other").c_str(), 1);
  ASSERT_TRUE(open().keep_choice(kernel, views(given), {"tile(i, 8)\n", 2.0, 1.0, 0}));
  EXPECT_TRUE(engine.call_again(kernel, refs, TensorRef::of(output)).has_value()) << "of another folder";
  ASSERT_TRUE(engine.keep_choice(kernel, views(given), {"tile(i, 8)\n", 2.0, 1.0, 0}));
  EXPECT_TRUE(without.call_again(kernel, refs, TensorRef::of(output)).has_value());
  // One folder by another name.
  ASSERT_TRUE(engine.eval_into(kernel, given, output));
  fs::create_directory_symlink(folder_, folder_ / "link");
  ::setenv("TILEWRIGHT_CACHE", (folder_ / "link").c_str(), 1);
  ASSERT_TRUE(open().forget_choice(kernel, views(given)));
  EXPECT_FALSE(engine.call_again(kernel, refs, TensorRef::of(output)).has_value());
}

TEST_F(StoredChoices, AreForAsManyThreads) {
  const Kernel kernel = *Kernel::parse(product);
  const std::vector<Operand> given = operands();
  const int before = threads();
  set_threads(2);
  ASSERT_TRUE(open().keep_choice(kernel, views(given), {"tile(i, 8)\n", 2.0, 1.0, 0}));
  EXPECT_TRUE(uses_choice(open(), kernel, given));
  set_threads(3);
  EXPECT_FALSE(uses_choice(open(), kernel, given));
  set_threads(before);
}

/// Another process holds a database as a writer of SQLite does that is about to commit (SQLite, File Locking And
/// Concurrency, 3.0: an exclusive lock is one on the shared bytes, which begin two past the pending byte at 1 GiB).
class LockedDatabase {
 public:
  explicit LockedDatabase(const fs::path& path) {
    EXPECT_EQ(::pipe(held_.data()), 0);
    EXPECT_EQ(::pipe(release_.data()), 0);
    child_ = ::fork();
    if (child_ == 0) {
      struct flock range{};
      range.l_type = F_WRLCK;
      range.l_whence = SEEK_SET;
      range.l_start = 0x40000000;
      range.l_len = 512;
      const int file = ::open(path.c_str(), O_RDWR);
      char byte = ::fcntl(file, F_SETLK, &range) == 0 ? 'y' : 'n';
      ::close(release_[1]);
      if (::write(held_[1], &byte, 1) == 1) (void)!::read(release_[0], &byte, 1);
      ::_exit(0);
    }
    char byte = 'n';
    EXPECT_EQ(::read(held_[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
  }
  LockedDatabase(const LockedDatabase&) = delete;
  LockedDatabase& operator=(const LockedDatabase&) = delete;
  ~LockedDatabase() {
    for (const int end : {release_[0], release_[1], held_[0], held_[1]}) ::close(end);
    ::waitpid(child_, nullptr, 0);
  }

 private:
  std::array<int, 2> held_{}, release_{};
  pid_t child_ = 0;
};

TEST_F(StoredChoices, ADatabaseThatIsLockedIsLookedAtOnce) {
  const Kernel kernel = *Kernel::parse(product);
  const std::vector<Operand> given = operands();
  ASSERT_TRUE(open().keep_choice(kernel, views(given), {"tile(i, 8)\n", 2.0, 1.0, 0}));
  const Engine engine = open();
  {
    const LockedDatabase locked(engine.choices_file());
    EXPECT_TRUE(note(engine, kernel, given).ends_with("cannot be used: database is locked")) << note_;
  }
  // It would find it now; it was told once that there is trouble.
  EXPECT_TRUE(note(engine, kernel, given).ends_with("cannot be used: database is locked")) << note_;
  EXPECT_TRUE(*is_right(kernel, {}, given, *engine.eval(kernel, given)));
  EXPECT_TRUE(note(open(), kernel, given).ends_with("tile(i, 8)")) << note_;
}

TEST_F(StoredChoices, AChoiceIsForItsStatementTypesSizesAndStridesAlone) {
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

TEST_F(StoredChoices, AScheduleOfTheUsersIsNeverOverridden) {
  const Engine engine = open();
  const Kernel kernel = *Kernel::parse(std::string(product) + " do:\n  schedule:\n    tile(j, 16)\n");
  const std::vector<Operand> given = operands();
  ASSERT_TRUE(engine.keep_choice(kernel, views(given), {"tile(i, 8)\n", 2.0, 1.0, 0}));
  EXPECT_EQ(passes(engine, kernel, given).front(), "tile");
  EXPECT_TRUE(uses_choice(engine, *Kernel::parse(product), given)) << "it is for the statement without a schedule";
}

TEST_F(StoredChoices, AnIllegalChoiceGivesWayToTheAutomaticSchedule) {
  const Engine engine = open();
  const Kernel kernel = *Kernel::parse(product);
  const std::vector<Operand> given = operands();
  for (const std::string lines : {"tile(q, 8)\n", "tile(i, 8)\ntile(i, 8)\n"}) {
    ASSERT_TRUE(engine.keep_choice(kernel, views(given), {lines, 2.0, 1.0, 0}));
    EXPECT_TRUE(note(engine, kernel, given).contains("not used, for it is not legal here")) << note_;
    EXPECT_TRUE(*is_right(kernel, {}, given, *engine.eval(kernel, given)));
  }
}

TEST_F(StoredChoices, ARowThatIsNoneOfTunesIsPassedOver) {
  const Engine engine = open();
  const Kernel kernel = *Kernel::parse(product);
  const std::vector<Operand> given = operands();
  constexpr double inf = std::numeric_limits<double>::infinity();
  const std::string lines = "tile(i, 8)\n";
  const std::vector<std::pair<StoredChoice, std::string>> rows = {
      {{"", 2, 1, 0}, "it has no lines, or 'auto' alone"},
      {{"auto\n", 2, 1, 0}, "it has no lines, or 'auto' alone"},
      {{"tile(i, \x1b[31m 8)\n", 2, 1, 0}, "its lines are no schedule (L006)"},
      {{")\n  example: a = f32", 2, 1, 0}, "its lines are no schedule (L010)"},
      {{std::string("tile(i,\0 8)\n", 13), 2, 1, 0}, "its lines are no schedule (L001)"},
      {{lines, 0, 1, 0}, "it took 0 seconds"},
      {{lines, 2, -1, 0}, "it took -1 seconds"},
      {{lines, 2, inf, 0}, "it took inf seconds"},
      {{lines, std::nan(""), 1, 0}, "it took 0 seconds"},  // SQLite has no NaN
      {{lines, 2, 1, std::numeric_limits<std::int64_t>::max()}, "its date is 9223372036854775807 seconds after 1970"},
      {{"split(k, 2, atomics)\n", 2, 1, 0},
       "it has 'atomics', and the statement, which asks for no schedule, has the same sums in every run"},
  };
  for (const auto& [row, why] : rows) {
    ASSERT_EQ(engine.keep_choice(kernel, views(given), row).has_value(), !std::isnan(row.automatic_seconds));
    if (std::isnan(row.automatic_seconds)) continue;
    EXPECT_EQ(note(engine, kernel, given), "what tune stored is not used: " + why);
    EXPECT_TRUE(*is_right(kernel, {}, given, *engine.eval(kernel, given)));
    const auto stored = engine.stored_schedule(kernel, views(given));
    ASSERT_FALSE(stored);
    EXPECT_EQ(stored.error().front().code, "R056");
  }
  ASSERT_TRUE(engine.keep_choice(kernel, views(given), {"  tile( i ,8 )", 2, 1, 0}));
  EXPECT_TRUE(note(engine, kernel, given).ends_with("automatic one): tile(i, 8)")) << note_;
}

TEST_F(StoredChoices, AChoicePastTheWorkspaceLimitGivesWay) {
  const Engine limited = *Engine::open("cpu", {.workspace_limit = 16});
  const Kernel kernel = *Kernel::parse(product);
  const std::vector<Operand> given = operands();
  ASSERT_TRUE(limited.keep_choice(kernel, views(given), {"split(k, 2)\n", 2.0, 1.0, 0}));
  EXPECT_TRUE(note(open(), kernel, given).ends_with("automatic one): split(k, 2)")) << note_;
  const auto result = limited.eval(kernel, given);
  ASSERT_TRUE(result) << render(result.error());
  EXPECT_TRUE(*is_right(kernel, {}, given, *result));
  EXPECT_TRUE(limited.time_into(kernel, given, *result));
  EXPECT_TRUE(note(limited, kernel, given).contains("not used, for it is not legal here: mm needs a workspace of "))
      << note_;
  EXPECT_TRUE(note_.ends_with(" bytes, the limit is 16")) << note_;
  // As a launch of a program.
  const Kernel program = *Kernel::parse("program p(a, b) -> (mm):\n  " + std::string(product) + "\n");
  const auto results = limited.run(program, given);
  ASSERT_TRUE(results) << render(results.error());
  EXPECT_TRUE(*is_right(kernel, {}, given, results->front().tensor));
}

TEST_F(StoredChoices, WithoutAPlaceToStoreSaysSo) {
  ::setenv("TILEWRIGHT_CACHE", "off", 1);
  const Engine engine = open();
  const Kernel kernel = *Kernel::parse(product);
  const auto kept = engine.keep_choice(kernel, views(operands()), {"tile(i, 8)\n", 2.0, 1.0, 0});
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().front().code, "R054");
  EXPECT_EQ(engine.check_choices().error().front().code, "R054");
  EXPECT_TRUE(engine.choices_file().empty());
}

TEST_F(StoredChoices, AFolderThatCannotBeUsedIsKnownBefore) {
  EXPECT_TRUE(open().check_choices());
  EXPECT_TRUE(fs::is_empty(folder_)) << "no file is made";
  ::chmod(folder_.c_str(), 0777);
  EXPECT_EQ(open().check_choices().error().front().code, "R051");
  ::chmod(folder_.c_str(), 0700);
  std::FILE* file = std::fopen((folder_ / "no_folder").c_str(), "wb");
  ASSERT_NE(file, nullptr);
  std::fclose(file);
  ::setenv("TILEWRIGHT_CACHE", (folder_ / "no_folder").c_str(), 1);
  EXPECT_EQ(open().check_choices().error().front().code, "R050");
}

TEST_F(StoredChoices, ADamagedDatabaseIsToldAndTheAutomaticScheduleUsed) {
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
  EXPECT_EQ(engine.check_choices().error().front().code, "R053");
  EXPECT_FALSE(engine.choices_trouble().has_value());
  EXPECT_TRUE(*is_right(kernel, {}, given, *engine.eval(kernel, given)));
  ASSERT_TRUE(engine.choices_trouble().has_value());
  EXPECT_EQ(engine.choices_trouble()->front().code, "R053");
}

}  // namespace
}  // namespace tilewright::tune
