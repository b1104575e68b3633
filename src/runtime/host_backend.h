// The processor as an engine's device.
#pragma once

#include <memory>

#include "runtime/backend.h"
#include "runtime/disk_cache.h"

namespace tilewright {

/// This machine's processor, with tasks for the threads that run them.
std::unique_ptr<Backend> open_host_backend(DiskCache disk);

}  // namespace tilewright
