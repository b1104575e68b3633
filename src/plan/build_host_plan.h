// Compilation for a host down to a plan: scheduler, tile program, placement; one launch, or two for a split reduction.
#pragma once

#include "nest/facts.h"
#include "nest/ir.h"
#include "nest/trace.h"
#include "plan/ir.h"
#include "support/target.h"

namespace tilewright::plan {

/// The plan of a nest whose schedule lines have been applied. Its kernels are placed tile programs, its tensors the
/// nest's with the nest's name for the output. Each pass appends to `trace`.
Plan build_host_plan(const nest::Nest& nest, const nest::Facts& facts, const HostTarget& target, nest::Trace& trace);

}  // namespace tilewright::plan
