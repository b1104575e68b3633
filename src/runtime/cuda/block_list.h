// Free blocks of device memory, for devices whose driver has no stream-ordered pools. A block that comes back carries
// an event behind its last use, which the stream that gets it next waits for. It stands behind memory_pool.h.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>

#include "runtime/cuda/driver_calls.h"

namespace tilewright::cuda {

class Context;

/// Usable from any thread; every function that takes the calls needs the context current.
class BlockList {
 public:
  /// Keeps at most `kept_bytes` of free blocks.
  BlockList(Context& context, std::int64_t kept_bytes) : context_(context), kept_bytes_(kept_bytes) {}
  BlockList(const BlockList&) = delete;
  BlockList& operator=(const BlockList&) = delete;
  ~BlockList();

  /// Takes a free block of at least `bytes`, and at most twice that, or asks the driver.
  Outcome allocate(const DriverCalls& calls, DevicePointer& memory, std::int64_t bytes, StreamHandle stream);
  Outcome free(const DriverCalls& calls, DevicePointer memory, StreamHandle stream);
  /// Gives the driver every free block.
  Outcome trim(const DriverCalls& calls);
  std::int64_t reserved_bytes();

 private:
  struct FreeBlock {
    DevicePointer memory = 0;
    EventHandle last_use = nullptr;
  };

  Outcome drop(const DriverCalls& calls, const FreeBlock& block);

  Context& context_;
  std::int64_t kept_bytes_;
  std::mutex mutex_;  ///< guards what follows
  std::multimap<std::int64_t, FreeBlock> free_;
  std::unordered_map<DevicePointer, std::int64_t> used_;
  std::int64_t free_bytes_ = 0;
  std::int64_t used_bytes_ = 0;
};

}  // namespace tilewright::cuda
