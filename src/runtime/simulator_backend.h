// The simulator of GPU kernels as an engine's device.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/backend.h"

namespace tilewright {

/// Plans as for a GPU of architecture sm_90a; kernels read and write the host's memory.
/// Copies of operands keep to the engine's `workspace_limit`.
std::unique_ptr<Backend> open_simulator_backend(std::int64_t workspace_limit);

}  // namespace tilewright
