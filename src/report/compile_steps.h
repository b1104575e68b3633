// A kernel compiled but not run: what is emitted, explained and timed.
#pragma once

#include <functional>
#include <vector>

#include "runtime/engine.h"

namespace tilewright::report {

struct CompiledStep {
  Kernel kernel;
  Compilation compilation;  ///< without machine code
};

using Compile = std::function<Result<Compilation>(const Kernel&, const std::vector<nest::NamedView>& operands)>;

/// The statements that a kernel runs, in order: itself, or a program's.
std::vector<Kernel> statements_of(const Kernel& kernel);

/// One a statement, in order; what a statement computes is a row-major operand of those after it. `operands` are all of
/// the kernel's, whose data may be null.
Result<std::vector<CompiledStep>> compile_steps(const Compile& compile, const Kernel& kernel,
                                                std::vector<nest::NamedView> operands);
/// The same for an engine's device.
Result<std::vector<CompiledStep>> compile_steps(const Engine& engine, const Kernel& kernel,
                                                std::vector<nest::NamedView> operands);

}  // namespace tilewright::report
