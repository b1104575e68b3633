// A tuner: the search over one statement's schedules on an engine's device, and the choice that is kept.
#pragma once

#include <functional>
#include <optional>
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

struct Tuned {
  Search search;
  std::string path;                 ///< of the database; empty where nothing is kept
  std::optional<Diagnostics> kept;  ///< why the choice could not be kept or forgotten; absent: it was
  /// The choice: the quickest finalist if that is worthwhile; else null, and the automatic schedule stays.
  const Trial* choice() const;
};

/// Tunes a statement, without the schedule that it may have, on operands of the engine's device, which are only read:
/// results go to memory of the tuner's own. The choice is stored, or an earlier one forgotten where none is worthwhile.
/// Errors: of calls; R077: a program; R055: a schedule's result is not that of the statement, which is a defect of the
/// compiler.
Result<Tuned> tune(const Engine& engine, const Kernel& kernel, const std::vector<Operand>& operands, const Check& check,
                   const SearchOptions& options);

}  // namespace tilewright::tune
