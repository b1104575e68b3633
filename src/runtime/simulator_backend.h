// The simulator of GPU kernels as an engine's device.
#pragma once

#include <memory>

#include "runtime/backend.h"

namespace tilewright {

/// Plans as for a GPU of architecture sm_90a; kernels read and write the host's memory.
std::unique_ptr<Backend> open_simulator_backend();

}  // namespace tilewright
