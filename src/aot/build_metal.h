// Ahead of time for Apple's GPUs. See build.h.
#pragma once

#include "aot/build.h"

namespace tilewright::aot {

Result<std::vector<BuiltFile>> build_metal(const report::EmitTarget& target, const Kernel& kernel,
                                           const std::vector<nest::NamedView>& operands);

}  // namespace tilewright::aot
