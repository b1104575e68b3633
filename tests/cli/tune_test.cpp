// `tilewright tune` and stored choices as a user meets them. Choices that others depend on are put into the database by
// the library, since which schedule is the quickest on a busy machine is nobody's to say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "command.h"
#include "runtime/engine.h"

namespace tilewright::cli {
namespace {

constexpr const char* tuned_file =
    "mm[i, j] ++= a[i, k] * b[k, j] do:\n"
    "  example: a = f32 70x65, b = f32 65x33\n";

class Tune : public testing::Test {
 protected:
  Tune() {
    place_.write("k.tw", tuned_file);
    place_.set_variable("TILEWRIGHT_CACHE", cache());
    ::setenv("TILEWRIGHT_CACHE", cache().c_str(), 1);
  }
  ~Tune() override { ::unsetenv("TILEWRIGHT_CACHE"); }

  std::string cache() const { return place_.path("cache").string(); }

  /// As if tune had found these lines for the example.
  void keep(const std::string& lines) const {
    const Engine engine = *Engine::open();
    const Kernel kernel = *Kernel::parse(tuned_file);
    const std::vector<nest::NamedView> views = {{"a", {nullptr, DType::f32, {70, 65}, {65, 1}}},
                                                {"b", {nullptr, DType::f32, {65, 33}, {33, 1}}}};
    const auto kept = engine.keep_choice(kernel, views, {lines, 3.0, 2.0, 951782400});
    ASSERT_TRUE(kept) << render(kept.error());
  }
  std::string explained() const {
    const CommandResult result = place_.run({"explain", "k.tw"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    return result.output;
  }
  void expect_right() const {
    const CommandResult result = place_.run({"run", "k.tw", "--verify"});
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
    EXPECT_TRUE(result.output.contains("right: 2310 of 2310 values checked")) << result.output;
  }

  Workplace place_;
};

TEST_F(Tune, FindsStoresAndShows) {
  const CommandResult result = place_.run({"tune", "k.tw", "--seconds", "3", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  const nlohmann::json document = nlohmann::json::parse(result.output);
  EXPECT_EQ(document["device"], "cpu");
  EXPECT_EQ(document["stored_in"], cache() + "/choices.sqlite");
  ASSERT_EQ(document["runs"].size(), 1U);
  const nlohmann::json& run = document["runs"][0];
  EXPECT_EQ(run["kernel"], "mm with a = f32 70x65, b = f32 65x33");
  EXPECT_GT(run["automatic_seconds"], 0.0);
  EXPECT_GE(run["rounds"], 3);
  EXPECT_GE(run["tried"], run["best"].size());
  ASSERT_FALSE(run["best"].empty());
  for (std::size_t n = 1; n < run["best"].size(); ++n)
    EXPECT_LE(run["best"][n - 1]["seconds"], run["best"][n]["seconds"]);
  EXPECT_EQ(run["stored"], !run["choice"].is_null());
  const std::string text = explained();
  EXPECT_EQ(text.contains("schedule: stored choice of tune ("), !run["choice"].is_null());
  if (!run["choice"].is_null()) {
    EXPECT_TRUE(std::ranges::any_of(
        run["best"], [&](const nlohmann::json& each) { return each["lines"] == run["choice"]["lines"]; }));
    EXPECT_GT(run["choice"]["gain"], 1.03);
    for (const auto& line : run["choice"]["lines"]) EXPECT_TRUE(text.contains(line.get<std::string>())) << line;
  }
  expect_right();
}

TEST_F(Tune, PrintsATableAndALineForEachTry) {
  const CommandResult result = place_.run({"tune", "k.tw", "--seconds", "0.5", "--verbose"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(result.output.starts_with("mm with a = f32 70x65, b = f32 65x33\n")) << result.output;
  EXPECT_TRUE(result.output.contains(" ms        the automatic schedule\n")) << result.output;
  EXPECT_TRUE(result.output.contains(" schedules tried, ")) << result.output;
  EXPECT_TRUE(result.errors.starts_with("mm: ")) << result.errors;
  EXPECT_TRUE(result.errors.contains(" ms: the automatic schedule\nmm: ")) << result.errors;
}

TEST_F(Tune, WithoutACacheSaysSoFirstAndStoresNothing) {
  place_.set_variable("TILEWRIGHT_CACHE", "off");
  const CommandResult result = place_.run({"tune", "k.tw", "--seconds", "0.3", "--json", "--verbose"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(result.errors.starts_with("warning[R054]: there is no place for stored choices\n")) << result.errors;
  EXPECT_LT(result.errors.find("warning["), result.errors.find("the automatic schedule")) << result.errors;
  const nlohmann::json document = nlohmann::json::parse(result.output);
  EXPECT_EQ(document["stored_in"], "");
  EXPECT_EQ(document["runs"][0]["stored"], false);
  EXPECT_FALSE(std::filesystem::exists(place_.path("cache")));
}

TEST_F(Tune, SaysWhatBecameOfTheStoredChoice) {
  const auto tuned = [&] { return place_.run({"tune", "k.tw", "--seconds", "0.1"}).output; };
  const std::string first = tuned();
  EXPECT_TRUE(first.contains("\n  nothing is stored\n") || first.contains("\n  stored in " + cache())) << first;
  keep("tile(i, 8)\n");
  const std::string second = tuned();
  const bool is_kept = second.contains("\n  the stored choice is kept, with today's times, in " + cache());
  const bool is_replaced = second.contains("\n  stored in the place of another choice in " + cache());
  const bool is_forgotten = second.contains("\n  the stored choice is no longer worthwhile: it is forgotten\n");
  EXPECT_EQ(is_kept + is_replaced + is_forgotten, 1) << second;
  EXPECT_TRUE(second.contains("x tile(i, 8)\n")) << "it is timed in the rounds\n" << second;
  EXPECT_EQ(explained().contains("schedule: stored choice of tune ("), !is_forgotten);
  EXPECT_EQ(explained().contains("automatic one): tile(i, 8)\n"), is_kept);
}

TEST_F(Tune, TunesTheStatementsOfAProgramThatAreLaunchedByThemselves) {
  place_.write("p.tw",
               "program p(x) -> (z, m):\n"
               "  example: x = f32 100x80\n"
               "  y[i, j] = x[i, j] * 2.0\n"
               "  z[i] ++= y[i, j]\n"
               "  m[j] max= x[i, j]\n");
  const CommandResult result = place_.run({"tune", "p.tw", "--seconds", "0.3", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const nlohmann::json document = nlohmann::json::parse(result.output);
  ASSERT_EQ(document["runs"].size(), 3U);
  EXPECT_EQ(document["runs"][0]["kernel"], "p: y with x = f32 100x80");
  EXPECT_EQ(document["runs"][0]["passed_over"], "it is computed together with z, and never by itself");
  EXPECT_EQ(document["runs"][1]["passed_over"], "it is computed together with y, and never by itself");
  EXPECT_EQ(document["runs"][2]["kernel"], "p: m with x = f32 100x80");
  EXPECT_FALSE(document["runs"][2].contains("passed_over"));
  EXPECT_GT(document["runs"][2]["automatic_seconds"], 0.0);
}

TEST_F(Tune, DoesNotTuneWhatIsTiny) {
  for (const char* shape : {"7x9", "0x9"}) {
    place_.write("t.tw", std::string("o[i, j] = a[i, j] do:\n  example: a = f32 ") + shape + "\n");
    const CommandResult result = place_.run({"tune", "t.tw"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.output, std::string("o with a = f32 ") + shape + "\n  not tuned: the loops of o have " +
                                 (*shape == '7' ? "63" : "0") +
                                 " points, and a call of fewer than 4096 takes as long as its launch\n");
  }
}

TEST_F(Tune, ExplainsAStoredChoiceAndComputesTheSame) {
  keep("tile(i, 8)\ntile(j, 16)\nreorder(j, i, i.in, j.in)\n");
  EXPECT_TRUE(explained().contains(
      "stored_choice: schedule: stored choice of tune (2000-02-29, 1.50 times as quick as the automatic one): "
      "tile(i, 8); tile(j, 16); reorder(j, i, i.in, j.in)\n"));
  expect_right();
}

TEST_F(Tune, TheSwitchIgnoresAStoredChoice) {
  keep("tile(i, 8)\n");
  place_.set_variable("TILEWRIGHT_TUNED", "off");
  EXPECT_FALSE(explained().contains("stored_choice"));
  expect_right();
}

TEST_F(Tune, AStoredChoiceThatIsNotLegalGivesWay) {
  keep("tile(no_such_loop, 8)\n");
  EXPECT_TRUE(
      explained().contains("tile(no_such_loop, 8); not used, for it is not legal here: there is no loop "
                           "'no_such_loop'\n"));
  expect_right();
}

TEST_F(Tune, AScheduleInTheFileWins) {
  keep("tile(i, 8)\n");
  place_.write("k.tw", std::string(tuned_file) + "  schedule:\n    tile(j, 16)\n");
  const std::string text = explained();
  EXPECT_FALSE(text.contains("stored_choice"));
  EXPECT_TRUE(text.contains("tile(j, 16)"));
  const CommandResult result = place_.run({"tune", "k.tw", "--seconds", "0.5", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
}

TEST_F(Tune, ADamagedDatabaseIsOneWarning) {
  keep("tile(i, 8)\n");
  std::ofstream(place_.path("cache") / "choices.sqlite", std::ios::binary) << std::string(4096, '?');
  const CommandResult result = place_.run({"run", "k.tw", "--verify"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(result.output.contains("right: 2310 of 2310")) << result.output;
  EXPECT_EQ(result.errors, "warning[R053]: the stored choices '" + cache() +
                               "/choices.sqlite' cannot be used: file is not a database\n    = help: delete the file, "
                               "or set TILEWRIGHT_TUNED to 'off'\n");
  const CommandResult tuned = place_.run({"tune", "k.tw", "--seconds", "0.3"});
  EXPECT_EQ(tuned.exit_code, 0) << tuned.errors;
  EXPECT_TRUE(tuned.errors.starts_with("warning[R053]")) << tuned.errors;
  EXPECT_FALSE(tuned.errors.substr(1).contains("warning[")) << tuned.errors;
}

}  // namespace
}  // namespace tilewright::cli
