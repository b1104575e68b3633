// Where the shared buffers of a GPU kernel lie in its block's shared memory: what code generators address, the launch
// asks for and the simulator checks.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "kernel/ir.h"

namespace tilewright::kernel {

struct SharedLayout {
  std::unordered_map<std::uint32_t, std::int64_t> offsets;  ///< by the value of a `shared`: its first byte
  std::int64_t bytes = 0;                                   ///< of all buffers, with the gaps between them
  std::int64_t align = 16;                                  ///< that the block's first byte needs
};

/// The buffers in the order of their ops, each aligned as it asks.
SharedLayout shared_layout(const Kernel& kernel);

}  // namespace tilewright::kernel
