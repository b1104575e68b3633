// Ahead of time for this machine's processor. See build.h.
#pragma once

#include "aot/build.h"

namespace tilewright::aot {

Result<std::vector<BuiltFile>> build_host(const Kernel& kernel, const std::vector<nest::NamedView>& operands);

}  // namespace tilewright::aot
