// Pinned chunks through which pageable memory travels to and from a device: while the device copies one chunk, the host
// fills or empties another. A Context owns them; copy.h borrows them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/cuda/driver_calls.h"
#include "support/diagnostic.h"

namespace tilewright::cuda {

class Context;

/// Bytes of a chunk: long enough that a copy runs at the bus's speed, short enough that the first one starts soon.
inline constexpr std::int64_t staging_chunk_bytes = std::int64_t{4} << 20;
inline constexpr std::size_t staging_chunk_count = 2;

/// The chunks that one copy uses, with a mark behind the device's last use of each.
struct StagingChunks {
  struct Chunk {
    std::byte* data = nullptr;
    EventHandle last_use = nullptr;
  };
  std::array<Chunk, staging_chunk_count> chunks;
};

/// Usable from any thread.
class StagingPool {
 public:
  explicit StagingPool(Context& context) : context_(context) {}
  StagingPool(const StagingPool&) = delete;
  StagingPool& operator=(const StagingPool&) = delete;
  ~StagingPool();

  /// Borrowed chunks, which go back to the pool with the lease; the device may still be reading them then, which the
  /// next borrower waits for.
  class Lease {
   public:
    Lease(StagingPool& pool, std::unique_ptr<StagingChunks> chunks) : pool_(&pool), chunks_(std::move(chunks)) {}
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    const StagingChunks::Chunk& operator[](std::size_t turn) const {
      return chunks_->chunks[turn % staging_chunk_count];
    }

   private:
    StagingPool* pool_;
    std::unique_ptr<StagingChunks> chunks_;
  };
  /// R096: the system does not pin so much. R090 to R092.
  Result<Lease> borrow();

 private:
  void give_back(std::unique_ptr<StagingChunks> chunks) noexcept;
  void destroy(StagingChunks& chunks) noexcept;

  Context& context_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<StagingChunks>> idle_;  ///< guarded by mutex_
};

}  // namespace tilewright::cuda
