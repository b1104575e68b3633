// A kernel compiled but not run: what is emitted, explained and timed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/engine.h"
#include "runtime/fused_program.h"

namespace tilewright::report {

/// One of a kernel's launches: a statement, or several of a program that are computed as one.
struct CompiledStep {
  std::string name;                ///< of what it computes
  std::vector<Kernel> statements;  ///< that it computes, in order
  Compilation compilation;         ///< without machine code
};

/// "y", or of several statements "y (mm, y)".
std::string title_of(const std::string& name, const std::vector<Kernel>& statements);

using Compile =
    std::function<Result<Compilation>(const nest::BoundNest&, const std::vector<nest::NamedView>& operands)>;

/// The statements of a kernel, in order: itself, or a program's.
std::vector<Kernel> statements_of(const Kernel& kernel);
/// Those of them with these targets.
std::vector<Kernel> statements_of(const Kernel& kernel, const std::vector<std::string>& targets);

/// One a launch of fuse_program, in order; what one computes is a row-major operand of those after it. `operands` are
/// all of the kernel's, whose data may be null.
Result<std::vector<CompiledStep>> compile_steps(const Compile& compile, const Kernel& kernel,
                                                std::vector<nest::NamedView> operands);
/// The same for an engine's device.
Result<std::vector<CompiledStep>> compile_steps(const Engine& engine, const Kernel& kernel,
                                                std::vector<nest::NamedView> operands);

}  // namespace tilewright::report
