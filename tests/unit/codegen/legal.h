// Kernels of tests as code generation takes them: after the passes that end every target's pipeline.
#pragma once

#include <stdexcept>

#include "kernel/passes/pipeline.h"

namespace tilewright::codegen {

template <class Target>
kernel::Kernel legal(kernel::Kernel kernel, const Target& target) {
  if (!kernel::verify(kernel)) return kernel;  // for tests of what the code generator says to it
  for (const kernel::KernelPass& pass : kernel::kernel_passes) pass.run(kernel, kernel::kernel_facts(target));
  return kernel;
}

}  // namespace tilewright::codegen
