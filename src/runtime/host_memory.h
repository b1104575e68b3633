// Memory of tensors, workspaces and task buffers on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tilewright {

/// At least 64-byte aligned, contents undefined; null if it is not to be had. Large blocks start at a 2 MiB boundary
/// and ask for pages of that size: rows that lie a page or more apart otherwise cost an address translation each, which
/// dominates transposes and matrix products of some thousand rows. `bytes` ≥ 0; 0 gives a valid pointer.
std::byte* allocate_host(std::int64_t bytes);
void free_host(std::byte* memory);

struct FreeHost {
  void operator()(std::byte* memory) const { free_host(memory); }
};
using HostMemory = std::unique_ptr<std::byte, FreeHost>;

}  // namespace tilewright
