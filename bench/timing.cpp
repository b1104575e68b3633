#include "timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

namespace tilewright::bench {
namespace {

constexpr double sample_seconds = 0.5e-3;
constexpr double short_call_seconds = 20e-3;

/// Linear between the two samples around the place.
double quantile(const std::vector<double>& sorted, double place) {
  const double at = place * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

double seconds_of(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double seconds_waited() {
  double nanoseconds = 0;
  std::error_code none;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", none)) {
    // "time on a processor, time waiting for one, slices": proc(5), CONFIG_SCHEDSTATS.
    std::ifstream file(task.path() / "schedstat");
    double ran = 0, waited = 0;
    if (file >> ran >> waited) nanoseconds += waited;
  }
  return nanoseconds * 1e-9;
}

Spread spread_of(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::ranges::sort(samples);
  return {quantile(samples, 0.5), quantile(samples, 0.25), quantile(samples, 0.75), samples.size()};
}

Rounds measure_in_turns(const std::vector<Contestant>& contestants, const TimeBox& box) {
  const std::size_t count = contestants.size();
  std::vector<double> estimate(count);
  std::vector<int> calls(count, 1);
  for (std::size_t c = 0; c < count; ++c) {
    contestants[c].call();
    estimate[c] = seconds_of(contestants[c].call);
    if (estimate[c] < sample_seconds)
      calls[c] = static_cast<int>(std::ceil(sample_seconds / std::max(estimate[c], 1e-8)));
  }
  Rounds rounds{.samples = std::vector<std::vector<double>>(count)};
  double timed = 0;
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  for (std::size_t round = 0; round < box.most && (round < box.least || elapsed() < box.seconds); ++round) {
    for (std::size_t turn = 0; turn < count; ++turn) {
      const std::size_t c = (turn + round) % count;
      if (box.pause_seconds > 0) std::this_thread::sleep_for(std::chrono::duration<double>(box.pause_seconds));
      if (estimate[c] < short_call_seconds) contestants[c].call();
      const double waited_before = seconds_waited();
      const double seconds = seconds_of([&] {
        for (int call = 0; call < calls[c]; ++call) contestants[c].call();
      });
      rounds.waited += seconds_waited() - waited_before;
      timed += seconds;
      rounds.samples[c].push_back(seconds / calls[c]);
    }
  }
  rounds.waited /= timed;
  return rounds;
}

double rate_ratio(const Rounds& rounds, const std::vector<Contestant>& contestants, std::size_t own, std::size_t peer) {
  std::vector<double> ratios;
  for (std::size_t r = 0; r < rounds.samples[own].size(); ++r)
    ratios.push_back(contestants[own].work / rounds.samples[own][r] /
                     (contestants[peer].work / rounds.samples[peer][r]));
  return spread_of(std::move(ratios)).median;
}

}  // namespace tilewright::bench
