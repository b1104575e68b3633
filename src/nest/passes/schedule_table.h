// The schedule lines as passes: one row each, in one table. A line's name selects its pass.
#pragma once

#include <span>
#include <string_view>

#include "nest/passes/schedule_context.h"

namespace tilewright::nest {

struct SchedulePass {
  std::string_view name;  ///< as the line writes it
  Result<void> (*run)(Nest&, ScheduleContext&);
  std::string_view description;
  PassKind kind;
};

std::span<const SchedulePass> schedule_passes();

/// Applies the statement's schedule lines in written order; each appends one entry to `trace`. Without a schedule block
/// the schedule is automatic. An error is at its line (or argument) and ends the schedule; the nest is verified after
/// every pass. Lines may be illegal in themselves (a statement built in C++): that is reported as the parser would.
Result<void> apply_schedule(Nest& nest, const lang::Statement& statement, Trace& trace);

}  // namespace tilewright::nest
