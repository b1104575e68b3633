// A kernel in one line, for traces.
#pragma once

#include <string>

#include "kernel/ir.h"

namespace tilewright::kernel {

/// "7 parameters, 3 loops, 1 branch, 41 other ops".
std::string summarize(const Kernel& kernel);

}  // namespace tilewright::kernel
