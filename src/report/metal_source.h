// A compiled statement as Metal source: what `emit --stage msl` prints and `build` writes.
#pragma once

#include <string>
#include <vector>

#include "codegen/metal/metal.h"
#include "report/compile_steps.h"
#include "support/target.h"

namespace tilewright::report {

struct MetalSource {
  std::string text;
  std::vector<codegen::MetalFunction> functions;  ///< by the plan's kernels, which the step's plan holds
};

/// All kernels of the statement's plan below a comment: the statement, the target's choices, how to compile it. Errors:
/// emit_metal's.
Result<MetalSource> metal_source(const CompiledStep& step, const GpuTarget& target);

}  // namespace tilewright::report
