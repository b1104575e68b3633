// Best fit among free blocks, with events between streams. See block_list.h.
#include "runtime/cuda/block_list.h"

#include "runtime/cuda/context.h"

namespace tilewright::cuda {
namespace {

/// Sizes are rounded up, so that blocks of nearly one size replace one another.
constexpr std::int64_t small_step = 512;
constexpr std::int64_t large_step = std::int64_t{2} << 20;
constexpr std::int64_t large_from = std::int64_t{1} << 20;

std::int64_t rounded(std::int64_t bytes) {
  const std::int64_t step = bytes >= large_from ? large_step : small_step;
  return (bytes + step - 1) / step * step;
}

}  // namespace

BlockList::~BlockList() {
  context_.release([this](const DriverCalls& calls) { return trim(calls); });
}

Outcome BlockList::allocate(const DriverCalls& calls, DevicePointer& memory, std::int64_t bytes, StreamHandle stream) {
  const std::int64_t size = rounded(bytes);
  const std::lock_guard lock(mutex_);
  const auto found = free_.lower_bound(size);
  if (found != free_.end() && found->first <= 2 * size) {
    const auto [block_size, block] = *found;
    if (const Outcome waits = calls.cuStreamWaitEvent(stream, block.last_use, 0); !waits.ok()) return waits;
    free_.erase(found);
    (void)calls.cuEventDestroy(block.last_use);
    free_bytes_ -= block_size;
    used_bytes_ += block_size;
    used_.emplace(block.memory, block_size);
    memory = block.memory;
    return {};
  }
  const Outcome allocated = calls.cuMemAlloc(&memory, static_cast<std::size_t>(size));
  if (!allocated.ok()) return allocated;
  used_.emplace(memory, size);
  used_bytes_ += size;
  return allocated;
}

Outcome BlockList::free(const DriverCalls& calls, DevicePointer memory, StreamHandle stream) {
  const std::lock_guard lock(mutex_);
  const auto found = used_.find(memory);
  if (found == used_.end()) return {};
  const std::int64_t size = found->second;
  used_.erase(found);
  used_bytes_ -= size;
  FreeBlock block{memory, nullptr};
  Outcome marked = calls.cuEventCreate(&block.last_use, event_disable_timing);
  if (marked.ok()) marked = calls.cuEventRecord(block.last_use, stream);
  // Without a mark nobody could know when the block is free; cuMemFree waits for the device itself.
  if (!marked.ok() || free_bytes_ + size > kept_bytes_) return drop(calls, block);
  free_bytes_ += size;
  free_.emplace(size, block);
  return {};
}

Outcome BlockList::trim(const DriverCalls& calls) {
  const std::lock_guard lock(mutex_);
  Outcome result;
  for (const auto& [size, block] : free_)
    if (const Outcome freed = drop(calls, block); !freed.ok()) result = freed;
  free_.clear();
  free_bytes_ = 0;
  return result;
}

Outcome BlockList::drop(const DriverCalls& calls, const FreeBlock& block) {
  if (block.last_use != nullptr) (void)calls.cuEventDestroy(block.last_use);
  return calls.cuMemFree(block.memory);
}

std::int64_t BlockList::reserved_bytes() {
  const std::lock_guard lock(mutex_);
  return free_bytes_ + used_bytes_;
}

}  // namespace tilewright::cuda
