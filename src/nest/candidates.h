// What a tuner tries: schedules that the schedulers think of, and those next to one. All of them are lists of lines
// that a user might write; whether one is legal is for the passes to say, as for a user's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "nest/facts.h"
#include "nest/ir.h"
#include "nest/written_schedule.h"
#include "support/target.h"

namespace tilewright::nest {

/// What a search over a statement's schedules starts from.
struct Candidates {
  std::vector<Schedule> schedules;
  std::map<std::string, std::int64_t, std::less<>> extents;  ///< of the iterators, by name
};

/// The automatic schedule as lines, then what the scheduler would choose for processors with other caches and more
/// registers; each once. The nest is the statement's, without a schedule, its axes as written.
Candidates candidate_schedules(const Nest& nest, const Facts& facts, const HostTarget& target,
                               const SymbolValues& sizes);
/// The automatic schedule as lines, then a contraction's next best tiles by the scheduler's estimates: those of matrix
/// units, where the target has them for it, then those of scalar products.
Candidates candidate_schedules(const Nest& nest, const Facts& facts, const GpuTarget& target,
                               const SymbolValues& sizes);

/// It combines the parts of a split in place, so that sums differ from run to run.
bool has_atomics(const Schedule& schedule);

/// The schedules with one line fewer, or a cached tensor fewer; then those that differ in one number (double, half, one
/// and a half times, two thirds), in the order of the lines. A tile that holds all of its iterator gets no larger.
std::vector<Schedule> neighbours(const Schedule& schedule,
                                 const std::map<std::string, std::int64_t, std::less<>>& extents);

}  // namespace tilewright::nest
