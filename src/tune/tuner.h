// A tuner: the search over one statement's schedules on an engine's device, and the choice that is kept.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/engine.h"
#include "tune/search.h"

namespace tilewright::tune {

/// Whether a result is that of the statement on these operands, within the language's bound for the plan that made it;
/// all of it is in memory that the host reads.
using Check = std::function<Result<bool>(const Kernel& kernel, const Compilation& compilation,
                                         const std::vector<Operand>& operands, const Tensor& result)>;

/// A choice takes less than so much of the automatic schedule's time, and less in so many of the rounds: timings differ
/// by a few percent, and the quickest of several is the one that was lucky.
inline constexpr double worthwhile = 0.97, rounds_won = 0.75;

/// What became of a choice that was stored before.
enum class Earlier : std::uint8_t {
  none,       ///< there was none
  kept,       ///< it is what is stored now, with its times of today
  replaced,   ///< by another
  forgotten,  ///< it was timed in the rounds, and neither it nor another is worthwhile
  untouched   ///< it could not be timed here, and nothing is worthwhile
};

struct Tuned {
  Search search;
  std::string path;                 ///< of the database; empty where nothing is kept
  std::optional<Diagnostics> kept;  ///< why the choice could not be kept or forgotten; absent: it was
  Earlier earlier = Earlier::none;
  /// The quickest of the finalists that are worthwhile; null where none is, and the automatic schedule stays.
  const Trial* choice() const {
    return quickest([](const nest::Schedule&) { return true; });
  }
  /// The same of those whose sums are the same in every run, as those of a statement without a schedule are: what is
  /// stored.
  const Trial* storable() const {
    return quickest([](const nest::Schedule& schedule) { return !nest::has_atomics(schedule); });
  }

 private:
  const Trial* quickest(const std::function<bool(const nest::Schedule&)>& counts) const;
};

/// Points of a statement's loops below which a call takes about as long as its launch, and is not tuned.
inline constexpr double least_points = 4096;

/// The codes that say that a schedule is not for the statement, the operands or the device: a line's, a limit's. Any
/// other, of a schedule that was tried, is a defect of the compiler or of the device.
bool is_legality_error(const Diagnostics& errors);

/// Tunes a statement, without the schedule that it may have, on operands of the engine's device, which are only read:
/// results go to memory of the tuner's own. The choice is stored; an earlier one takes part, and is forgotten where it
/// was timed and none is worthwhile. Errors: of calls; R077: a program; R057: fewer points than least_points; R055: a
/// schedule's result is not that of the statement, or the device fails with it; nothing is stored, and if it was the
/// earlier choice, that is forgotten.
Result<Tuned> tune(const Engine& engine, const Kernel& kernel, const std::vector<Operand>& operands, const Check& check,
                   const SearchOptions& options);

}  // namespace tilewright::tune
