// Compilation for a host: a nest becomes a plan and its kernels; one launch, or two for a split reduction.
#pragma once

#include "nest/facts.h"
#include "nest/ir.h"
#include "nest/trace.h"
#include "plan/planning.h"
#include "support/target.h"

namespace tilewright::plan {

/// The plan of a nest whose schedule lines have been applied, by host_passes. Its programs are placed, its tensors the
/// nest's with the nest's name for the output. Passes append to `trace`, if there is one.
PlannedKernels build_host_plan(const nest::Nest& nest, const nest::Facts& facts, const HostTarget& target,
                               nest::Trace* trace);

}  // namespace tilewright::plan
