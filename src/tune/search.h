// The search of a tuner: which schedules are tried, in what order, and which one is the quickest. It knows no device:
// what it needs of one is a Probe, and a test's probe has times of its own.
//
// The candidates are tried in their order, as long as there is time for what a try mostly takes. Whenever there is a
// new quickest schedule, its neighbours (nest/candidates.h) come next; when nothing is left, those of the second and
// the third. A try is one timing, and its quickest call counts, which says more than a median while other work comes
// and goes. What comes out of the tries, a few of the quickest, the automatic schedule and the one that is in use, is
// then timed in interleaved rounds, each of which begins with another one, so that whatever else the machine does falls
// on all of them; the medians of the rounds decide.
//
//   candidates   tile 64: 1.0 ms    tile 32: 1.4 ms
//   neighbours   of tile 64: tile 128: 0.7 ms, then of tile 128: tile 256: 0.9 ms, tile 192: 0.6 ms, …
//   rounds       automatic 0.9 0.9 1.8 | tile 192 0.6 0.6 1.2 | tile 128 0.7 0.7 1.3: medians 0.9, 0.6, 0.7
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "nest/candidates.h"
#include "support/diagnostic.h"

namespace tilewright::tune {

/// The automatic schedule: that of a statement without lines.
inline const nest::Schedule automatic = {};

/// Of one call.
struct Seconds {
  double least = 0;
  double median = 0;
};

/// A device, as a search sees it.
class Probe {
 public:
  virtual ~Probe() = default;
  /// Compiles the schedule and checks what it computes. False: it is not legal here. An error ends the search.
  virtual Result<bool> prepare(const nest::Schedule& schedule) = 0;
  /// Of calls for about `seconds`, with a schedule that has been prepared.
  virtual Result<Seconds> time(const nest::Schedule& schedule, double seconds) = 0;
  /// Seconds since the search began.
  virtual double elapsed() const = 0;
};

struct Trial {
  nest::Schedule schedule;
  std::vector<double> seconds;  ///< the medians of the rounds
  double median() const;        ///< of at least one round
};

struct SearchOptions {
  double seconds = 20;         ///< the budget; a try that is slower than others and three rounds may pass it by
  std::size_t finalists = 4;   ///< beside the automatic schedule and the one in use
  int rounds = 7;              ///< in the end, at most; at least 3
  nest::Schedule in_use = {};  ///< tried first, and a finalist wherever it is legal; empty: the automatic schedule is
  /// Called after each try: its quickest call, or none where it is not legal, and the part of the budget that is gone.
  std::function<void(const nest::Schedule& schedule, std::optional<double> seconds, double fraction)> report =
      [](const nest::Schedule&, std::optional<double>, double) {};
};

struct Search {
  Trial untuned;                 ///< the automatic schedule
  std::vector<Trial> finalists;  ///< the quickest first
  std::size_t tried = 0;         ///< schedules that were timed, the automatic one not counted
  std::size_t illegal = 0;       ///< that cannot run here
  bool exhausted = false;        ///< there was nothing left to try; else the budget was gone
};

/// Errors: the probe's. The automatic schedule must be legal.
Result<Search> search(Probe& probe, const nest::Candidates& candidates, const SearchOptions& options);

}  // namespace tilewright::tune
