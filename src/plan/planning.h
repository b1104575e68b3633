// What the planners of all targets share: a nest is scheduled, becomes tiles, is placed and launched; a split reduction
// is two such steps with a workspace between them.
#pragma once

#include <functional>
#include <string>

#include "nest/facts.h"
#include "nest/ir.h"
#include "nest/passes/schedule_for_host.h"
#include "nest/trace.h"
#include "plan/ir.h"

namespace tilewright::plan {

/// A target's passes, with their names in the trace.
struct PlanTarget {
  std::string scheduler, scheduler_description;
  std::function<Result<nest::Reasons>(nest::Nest&, const nest::Facts&)> schedule;
  std::string placer, placer_description;
  std::function<void(tile::Program&, const nest::Nest&, const nest::Facts&)> place;
};

/// Errors: the scheduler's.
Result<Plan> make_plan(const nest::Nest& nest, const nest::Facts& facts, const PlanTarget& target, nest::Trace& trace);

}  // namespace tilewright::plan
