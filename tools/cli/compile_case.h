// A case compiled but not run: what emit, explain and bench look at.
#pragma once

#include <functional>
#include <vector>

#include "cli/cases.h"
#include "runtime/engine.h"

namespace tilewright::cli {

struct CompiledStep {
  Kernel kernel;
  Compilation compilation;  ///< without machine code
};

using Compile = std::function<Result<Compilation>(const Kernel&, const std::vector<nest::NamedView>& operands)>;

/// One a statement, in order; what a statement computes is a row-major operand of those after it.
Result<std::vector<CompiledStep>> compile_case(const Compile& compile, const Case& each);
/// The same for an engine's device.
Result<std::vector<CompiledStep>> compile_case(const Engine& engine, const Case& each);

}  // namespace tilewright::cli
