// Ahead of time for an NVIDIA GPU. See build.h.
#pragma once

#include "aot/build.h"

namespace tilewright::aot {

Result<std::vector<BuiltFile>> build_nvptx(const report::EmitTarget& target, const Kernel& kernel,
                                           const std::vector<nest::NamedView>& operands);

}  // namespace tilewright::aot
