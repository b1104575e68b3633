// An NVIDIA GPU as an engine's device.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "runtime/backend.h"
#include "runtime/disk_cache.h"

namespace tilewright::cuda {

/// "cuda" or "cuda:N". R072: there is no driver or no such device. R090, R091: the driver makes no context or stream.
/// Copies of operands keep to the engine's `workspace_limit`.
Result<std::unique_ptr<Backend>> open_cuda_backend(std::string_view device_name, DiskCache disk,
                                                   std::int64_t workspace_limit);

}  // namespace tilewright::cuda
