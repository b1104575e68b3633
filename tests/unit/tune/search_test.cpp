// The search on a device whose times are made up: what is tried, in what order, and which schedule comes first.
#include "tune/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "lang/parse.h"

namespace tilewright::tune {
namespace {

nest::Schedule lines(std::string_view text) {
  auto schedule = lang::parse_schedule(text);
  EXPECT_TRUE(schedule) << render(schedule.error());
  return *schedule;
}

/// With an iterator that is long enough for any tile.
nest::Candidates from(std::vector<nest::Schedule> schedules) {
  return {std::move(schedules), {{"i", 1 << 20}}};
}

/// The number in "tile(i, n)"; 0 for the automatic schedule.
std::int64_t tile_of(const nest::Schedule& schedule) {
  return schedule.empty() ? 0 : std::get<std::int64_t>(schedule.front().arguments.at(1).value);
}

/// A device on which a call takes |n − best| + 10 for tile(i, n), and 100 with the automatic schedule. Each timing
/// takes a second of its clock, or as many as a test says.
class FakeProbe : public Probe {
 public:
  explicit FakeProbe(std::int64_t best) : best_(best) {}

  Result<bool> prepare(const nest::Schedule& schedule) override {
    order.push_back(tile_of(schedule));
    return !illegal.contains(tile_of(schedule));
  }
  Result<Seconds> time(const nest::Schedule& schedule, double) override {
    clock += seconds_a_timing;
    ++timings[tile_of(schedule)];
    turns.push_back(tile_of(schedule));
    EXPECT_NE(std::ranges::find(order, tile_of(schedule)), order.end()) << "it was not prepared";
    if (schedule.empty()) return Seconds{100, 100};
    const double seconds = static_cast<double>(std::abs(tile_of(schedule) - best_) + 10);
    return Seconds{seconds, seconds * (clock < slow_until ? 3 : 1)};
  }
  double elapsed() const override { return clock; }

  std::set<std::int64_t> illegal;
  std::vector<std::int64_t> order;  ///< of preparations
  std::map<std::int64_t, int> timings;
  std::vector<std::int64_t> turns;  ///< of timings
  double clock = 0, slow_until = 0, seconds_a_timing = 1;

 private:
  std::int64_t best_;
};

TEST(Search, ClimbsFromTheSeedsToTheQuickest) {
  FakeProbe probe(48);
  const auto found = search(probe, from({lines("tile(i, 512)")}), {.seconds = 1000});
  ASSERT_TRUE(found) << render(found.error());
  ASSERT_FALSE(found->finalists.empty());
  EXPECT_EQ(tile_of(found->finalists.front().schedule), 48);  // 512, 256, 128, 64, 96 → 48
  EXPECT_EQ(found->finalists.front().median(), 10);
  EXPECT_EQ(found->untuned.median(), 100);
  EXPECT_TRUE(found->exhausted);
  EXPECT_EQ(found->finalists.size(), 4U);
  for (std::size_t n = 1; n < found->finalists.size(); ++n)
    EXPECT_LE(found->finalists[n - 1].median(), found->finalists[n].median());
}

TEST(Search, TriesEachScheduleOnceAndTheAutomaticOneFirst) {
  FakeProbe probe(48);
  const auto found =
      search(probe, from({lines("tile(i, 64)"), lines("tile(i, 32)"), lines("tile(i, 64)")}), {.seconds = 1000});
  ASSERT_TRUE(found);
  EXPECT_EQ(probe.order.front(), 0);
  EXPECT_EQ(probe.order.at(1), 64);
  const std::set<std::int64_t> distinct(probe.order.begin(), probe.order.end());
  EXPECT_EQ(distinct.size(), probe.order.size());
  EXPECT_EQ(found->tried + found->illegal + 1, probe.order.size());
}

TEST(Search, PassesOverWhatIsNotLegal) {
  FakeProbe probe(48);
  probe.illegal = {48, 64};
  const auto found = search(probe, from({lines("tile(i, 64)"), lines("tile(i, 32)")}), {.seconds = 1000});
  ASSERT_TRUE(found);
  EXPECT_EQ(probe.timings.count(48), 0U);
  EXPECT_EQ(probe.timings.count(64), 0U);
  EXPECT_GE(found->illegal, 2U);
  for (const Trial& trial : found->finalists) EXPECT_FALSE(probe.illegal.contains(tile_of(trial.schedule)));
}

TEST(Search, EndsWithItsBudget) {
  FakeProbe probe(1);
  std::vector<nest::Schedule> seeds;
  for (int n = 1000; n < 1100; ++n) seeds.push_back(lines("tile(i, " + std::to_string(n) + ")"));
  const auto found = search(probe, from(seeds), {.seconds = 20, .finalists = 2, .rounds = 7});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->exhausted);
  EXPECT_EQ(found->tried, 14U);                  // and the automatic one: three quarters of 20 timings
  EXPECT_EQ(found->untuned.seconds.size(), 3U);  // the fewest rounds
  EXPECT_LE(probe.clock, 15 + 3 * 3);
}

TEST(Search, StartsNoTryThatWouldPassTheBudget) {
  FakeProbe probe(1);
  probe.seconds_a_timing = 4;
  const auto found = search(probe, from({lines("tile(i, 1000)"), lines("tile(i, 1001)"), lines("tile(i, 1002)")}),
                            {.seconds = 20, .finalists = 1, .rounds = 7});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tried, 2U);                   // to 12 of 15 seconds; another would end at 16
  EXPECT_EQ(found->untuned.seconds.size(), 3U);  // the fewest, to 36; no fourth
}

TEST(Search, WhatIsInUseIsAFinalistWhateverTheTime) {
  FakeProbe probe(1);
  const nest::Schedule in_use = lines("tile(i, 500)");
  const auto late =
      search(probe, from({lines("tile(i, 2)")}), {.seconds = 0, .finalists = 4, .rounds = 3, .in_use = in_use});
  ASSERT_TRUE(late);
  EXPECT_EQ(late->tried, 1U);
  ASSERT_EQ(late->finalists.size(), 1U);
  EXPECT_EQ(tile_of(late->finalists.front().schedule), 500);
  EXPECT_EQ(late->finalists.front().seconds.size(), 3U);

  FakeProbe beside(100);  // it is slower than those that would be finalists
  const auto found = search(beside, from({lines("tile(i, 100)"), lines("tile(i, 97)"), lines("tile(i, 500)")}),
                            {.seconds = 8, .finalists = 2, .rounds = 3, .in_use = in_use});
  ASSERT_TRUE(found);
  EXPECT_EQ(beside.order.at(1), 500) << "the first after the automatic one";
  EXPECT_EQ(std::ranges::count(beside.order, 500), 1);
  ASSERT_EQ(found->finalists.size(), 3U);
  EXPECT_EQ(tile_of(found->finalists.at(2).schedule), 500);

  FakeProbe without(100);
  without.illegal = {500};
  const auto illegal = search(without, from({lines("tile(i, 100)")}), {.seconds = 0, .in_use = in_use});
  ASSERT_TRUE(illegal);
  EXPECT_TRUE(illegal->finalists.empty());
}

TEST(Search, ABusyMachineSlowsTheRoundsOfAllAlike) {
  // Two of three rounds: medians are thrice what they were in the tries, and the order stays.
  FakeProbe probe(100);
  probe.illegal = {50, 150, 200};
  probe.slow_until = 10;
  const auto found = search(probe, from({lines("tile(i, 100)"), lines("tile(i, 97)")}), {.seconds = 4, .rounds = 7});
  ASSERT_TRUE(found);
  EXPECT_EQ(tile_of(found->finalists.front().schedule), 100);
  EXPECT_EQ(found->finalists.front().seconds, (std::vector<double>{30, 30, 10}));
  EXPECT_EQ(found->finalists.front().median(), 30);
  for (const Trial& trial : found->finalists) EXPECT_EQ(trial.seconds.size(), found->untuned.seconds.size());
}

TEST(Search, EachRoundBeginsWithAnother) {
  FakeProbe probe(100);
  probe.illegal = {50, 150, 200};
  ASSERT_TRUE(search(probe, from({lines("tile(i, 100)"), lines("tile(i, 97)")}), {.seconds = 4, .rounds = 3}));
  EXPECT_EQ(probe.turns, (std::vector<std::int64_t>{0, 100, 97, /*rounds:*/ 0, 100, 97, 100, 97, 0, 97, 0, 100}));
}

TEST(Search, DoesNotGrowATileThatHoldsAll) {
  FakeProbe probe(1000);
  const auto found = search(probe, {{lines("tile(i, 64)")}, {{"i", 64}}}, {.seconds = 1000});
  ASSERT_TRUE(found);
  for (const std::int64_t tile : probe.order) EXPECT_LT(tile, 128);  // of 48, 96 holds all as well
}

TEST(Search, ReportsEachTry) {
  FakeProbe probe(48);
  probe.illegal = {32};
  std::vector<std::pair<std::int64_t, std::optional<double>>> reports;
  SearchOptions options{.seconds = 4};
  options.report = [&](const nest::Schedule& schedule, std::optional<double> seconds, double fraction) {
    reports.emplace_back(tile_of(schedule), seconds);
    EXPECT_GE(fraction, 0);
    EXPECT_LE(fraction, 1);
  };
  ASSERT_TRUE(search(probe, from({lines("tile(i, 32)"), lines("tile(i, 40)")}), options));
  ASSERT_GE(reports.size(), 3U);
  EXPECT_EQ(reports[0], (std::pair<std::int64_t, std::optional<double>>{0, 100.0}));
  EXPECT_EQ(reports[1], (std::pair<std::int64_t, std::optional<double>>{32, std::nullopt}));
  EXPECT_EQ(reports[2], (std::pair<std::int64_t, std::optional<double>>{40, 18.0}));
}

TEST(Search, HandsOnTheProbesErrors) {
  class Broken final : public FakeProbe {
   public:
    using FakeProbe::FakeProbe;
    Result<bool> prepare(const nest::Schedule& schedule) override {
      if (tile_of(schedule) == 32) return fail("R055", "wrong");
      return FakeProbe::prepare(schedule);
    }
  };
  Broken probe(48);
  const auto found = search(probe, from({lines("tile(i, 32)")}), {.seconds = 1000});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().front().code, "R055");
}

TEST(Trial, TheMedianOfAnEvenNumberLiesBetween) {
  EXPECT_EQ((Trial{{}, {4, 1, 2}}).median(), 2);
  EXPECT_EQ((Trial{{}, {4, 1, 2, 3}}).median(), 2.5);
}

}  // namespace
}  // namespace tilewright::tune
