// Tries, neighbours, rounds. See search.h.
#include "tune/search.h"

#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lang/parse.h"

namespace tilewright::tune {
namespace {

constexpr double share_of_tries = 0.75;  ///< of the budget; the rest is for the rounds
constexpr double part_of_a_timing = 1.0 / 200;
constexpr double least_timing = 0.01, most_timing = 0.2;  ///< seconds
constexpr double clearly = 0.99;     ///< of the best time; neighbours of what takes less are tried next
constexpr std::size_t expanded = 3;  ///< of the quickest, whose neighbours are tried when nothing else is left

double median(std::vector<double> sorted) {
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

class Searching {
 public:
  Searching(Probe& probe, const nest::Candidates& candidates, const SearchOptions& options)
      : probe_(probe), candidates_(candidates), options_(options) {}

  Result<Search> run() {
    if (auto timed = time_automatic(); !timed) return std::unexpected(std::move(timed.error()));
    if (enqueue(options_.in_use)) {
      queue_.clear();
      if (auto done = attempt(options_.in_use); !done) return std::unexpected(std::move(done.error()));
    }
    for (const nest::Schedule& schedule : candidates_.schedules) enqueue(schedule);
    while (has_time()) {
      if (queue_.empty() && !expand_next()) {
        result_.exhausted = true;
        break;
      }
      if (queue_.empty()) continue;  // all neighbours are known
      const nest::Schedule schedule = std::move(queue_.front());
      queue_.pop_front();
      if (auto done = attempt(schedule); !done) return std::unexpected(std::move(done.error()));
    }
    if (auto timed = time_rounds(); !timed) return std::unexpected(std::move(timed.error()));
    return std::move(result_);
  }

 private:
  bool has_time() const { return probe_.elapsed() + median(durations_) <= share_of_tries * options_.seconds; }
  double timing() const { return std::clamp(options_.seconds * part_of_a_timing, least_timing, most_timing); }

  bool enqueue(const nest::Schedule& schedule) {
    if (schedule.empty() || !known_.insert(to_text(schedule)).second) return false;
    queue_.push_back(schedule);
    return true;
  }

  Result<void> time_automatic() {
    const double begin = probe_.elapsed();
    const Result<bool> legal = probe_.prepare(automatic);
    if (!legal) return std::unexpected(legal.error());
    if (!*legal) internal_error("a statement's automatic schedule is not legal");
    const Result<Seconds> seconds = probe_.time(automatic, timing());
    if (!seconds) return std::unexpected(seconds.error());
    durations_.push_back(probe_.elapsed() - begin);
    best_ = seconds->least;
    report(automatic, seconds->least);
    return {};
  }

  void report(const nest::Schedule& schedule, std::optional<double> seconds) const {
    options_.report(schedule, seconds, std::min(probe_.elapsed() / options_.seconds, 1.0));
  }

  Result<void> attempt(const nest::Schedule& schedule) {
    const double begin = probe_.elapsed();
    const Result<bool> legal = probe_.prepare(schedule);
    if (!legal) return std::unexpected(legal.error());
    if (!*legal) {
      ++result_.illegal;
      report(schedule, std::nullopt);
      return {};
    }
    const Result<Seconds> seconds = probe_.time(schedule, timing());
    if (!seconds) return std::unexpected(seconds.error());
    durations_.push_back(probe_.elapsed() - begin);
    ++result_.tried;
    report(schedule, seconds->least);
    const Attempt found{seconds->least, schedule};
    attempts_.insert(std::ranges::upper_bound(attempts_, found.seconds, {}, &Attempt::seconds), found);
    if (found.seconds < clearly * best_) {
      best_ = found.seconds;
      expand_first(schedule);
    }
    return {};
  }

  /// Its neighbours come before what waits.
  void expand_first(const nest::Schedule& schedule) {
    std::deque<nest::Schedule> waiting = std::exchange(queue_, {});
    expand(schedule);
    queue_.insert(queue_.end(), waiting.begin(), waiting.end());
  }

  void expand(const nest::Schedule& schedule) {
    expanded_.insert(to_text(schedule));
    for (const nest::Schedule& neighbour : nest::neighbours(schedule, candidates_.extents)) enqueue(neighbour);
  }

  /// Of the quickest that has not been expanded. False: all of them have been.
  bool expand_next() {
    for (std::size_t n = 0; n < std::min(attempts_.size(), expanded); ++n)
      if (!expanded_.contains(to_text(attempts_[n].schedule))) {
        const nest::Schedule schedule = attempts_[n].schedule;
        expand(schedule);
        return true;
      }
    return false;
  }

  Result<void> time_rounds() {
    constexpr int fewest = 3;
    result_.untuned.schedule = automatic;
    for (std::size_t n = 0; n < attempts_.size(); ++n)
      if (n < options_.finalists || to_text(attempts_[n].schedule) == to_text(options_.in_use))
        result_.finalists.push_back({attempts_[n].schedule, {}});
    std::vector<Trial*> turns = {&result_.untuned};
    for (Trial& trial : result_.finalists) turns.push_back(&trial);
    double longest = 0;
    for (int round = 0; round < options_.rounds; ++round) {
      const double begin = probe_.elapsed();
      if (round >= fewest && begin + longest > options_.seconds) break;
      for (Trial* trial : turns)
        if (auto timed = time_once(*trial); !timed) return timed;
      std::ranges::rotate(turns, turns.begin() + 1);
      longest = std::max(longest, probe_.elapsed() - begin);
    }
    std::vector<Trial> sorted;  // of equals, the one tried first is the first
    for (Trial& trial : result_.finalists)
      sorted.insert(std::ranges::upper_bound(sorted, trial.median(), {}, &Trial::median), std::move(trial));
    result_.finalists = std::move(sorted);
    return {};
  }

  Result<void> time_once(Trial& trial) {
    const Result<Seconds> seconds = probe_.time(trial.schedule, timing());
    if (!seconds) return std::unexpected(seconds.error());
    trial.seconds.push_back(seconds->median);
    return {};
  }

  struct Attempt {
    double seconds = 0;
    nest::Schedule schedule;
  };

  Probe& probe_;
  const nest::Candidates& candidates_;
  const SearchOptions& options_;
  Search result_;
  std::deque<nest::Schedule> queue_;
  std::set<std::string> known_, expanded_;
  std::vector<Attempt> attempts_;  ///< the quickest first
  std::vector<double> durations_;  ///< of tries, with all that belongs to one
  double best_ = 0;
};

}  // namespace

double Trial::median() const {
  return tune::median(seconds);
}

Result<Search> search(Probe& probe, const nest::Candidates& candidates, const SearchOptions& options) {
  return Searching(probe, candidates, options).run();
}

}  // namespace tilewright::tune
