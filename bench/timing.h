// Times of several contestants that do comparable work, taken in turns, so that a drift of the clock or a busy
// neighbour meets all of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tilewright::bench {

/// Something to time, and how much of the row's unit (FLOP, bytes) one call does.
struct Contestant {
  std::string name;
  double work = 0;
  std::function<void()> call;
};

/// Seconds a call: the median and the quartiles of the samples.
struct Spread {
  double median = 0;
  double lower = 0;
  double upper = 0;
  std::size_t samples = 0;
};
Spread spread_of(std::vector<double> samples);

struct Rounds {
  /// Seconds a call; one entry a contestant, in their order: sample r of each was taken in round r.
  std::vector<std::vector<double>> samples;
  /// Of the time of all samples, what threads of this process spent ready to run while other processes had the
  /// processors, over the time itself. From about 0.05 the machine was too busy to judge by the figures.
  double waited = 0;
};

struct TimeBox {
  double seconds = 3;  ///< after which no round begins, once there are `least` rounds
  std::size_t least = 5;
  std::size_t most = 101;
  double pause_seconds = 0;  ///< before each turn: threads of the one before fall asleep
};

/// Seconds that the threads of this process have spent waiting for a processor so far; 0 where the system does not say.
double seconds_waited();

/// A sample is the mean of as many calls as fill half a millisecond. Calls under 20 ms are preceded by an untimed one,
/// which finds the contestant's data, code and threads awake. Each round begins with another contestant.
Rounds measure_in_turns(const std::vector<Contestant>& contestants, const TimeBox& box);

/// How many times the rate of contestant `peer` contestant `own` has: the median over rounds.
double rate_ratio(const Rounds& rounds, const std::vector<Contestant>& contestants, std::size_t own, std::size_t peer);

/// Wall-clock seconds of one call.
double seconds_of(const std::function<void()>& call);

}  // namespace tilewright::bench
