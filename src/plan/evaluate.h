// Runs a plan on the tile evaluator: no code generation. The oracle of plans, as the tile evaluator is of tile
// programs.
#pragma once

#include <vector>

#include "nest/evaluate.h"
#include "plan/ir.h"

namespace tilewright::plan {

/// `views` by name, outputs too. Workspace starts with every byte 0xFF. Besides run_plan's errors and the tile
/// evaluator's: P105 a launch's grid is not the one that its kernel has for these tensors.
Result<void> evaluate_plan(const Plan& plan, const std::vector<nest::NamedView>& views);

}  // namespace tilewright::plan
