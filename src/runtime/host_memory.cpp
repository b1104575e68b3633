// Host allocation with huge pages for large blocks.
#include "runtime/host_memory.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tilewright {
namespace {

constexpr std::int64_t cache_line = 64;
constexpr std::int64_t huge_page = std::int64_t{2} << 20;

}  // namespace

std::byte* allocate_host(std::int64_t bytes) {
  const std::int64_t alignment = bytes >= 2 * huge_page ? huge_page : cache_line;
  if (bytes > std::numeric_limits<std::int64_t>::max() - alignment) return nullptr;
  const std::int64_t rounded = (std::max<std::int64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(static_cast<std::size_t>(alignment), static_cast<std::size_t>(rounded));
#if defined(__linux__)
  if (memory != nullptr && alignment == huge_page)
    (void)madvise(memory, static_cast<std::size_t>(rounded), MADV_HUGEPAGE);  // a hint: small pages do as well
#endif
  return static_cast<std::byte*>(memory);
}

void free_host(std::byte* memory) {
  std::free(memory);
}

}  // namespace tilewright
