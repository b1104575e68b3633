// The memory of one device, given out and taken back in the order of streams: memory freed on a stream may be given out
// again on it at once, because work queued later runs later. It belongs to a Context; DeviceMemory (memory.h) is what
// holds a piece of it.
//
// Where the driver has pools, it is the device's default pool, which other libraries in the process share; its release
// threshold is raised, so that freed memory stays mapped. Elsewhere it is a list of free blocks over cuMemAlloc.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/cuda/driver_calls.h"
#include "support/diagnostic.h"

namespace tilewright::cuda {

class BlockList;
class Context;

/// Usable from any thread.
class MemoryPool {
 public:
  explicit MemoryPool(Context& context);
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;
  ~MemoryPool();

  /// At least `bytes` ≥ 1, aligned to 256, for work that is queued on `stream` from now on. R091: the device is full,
  /// also after everything freed was given back; nothing else is disturbed.
  Result<DevicePointer> allocate(std::int64_t bytes, StreamHandle stream);
  /// Takes back what allocate() gave, after the work queued on `stream` so far.
  void free(DevicePointer memory, StreamHandle stream) noexcept;
  /// Waits for the device, then gives the driver what is free.
  void trim() noexcept;
  /// Bytes that the pool holds, in use or free.
  std::int64_t reserved_bytes() noexcept;

 private:
  Context& context_;
  PoolHandle pool_ = nullptr;          ///< the driver's, or null
  std::unique_ptr<BlockList> blocks_;  ///< where the driver has none
};

}  // namespace tilewright::cuda
