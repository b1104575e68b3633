// Borrowing and keeping pinned chunks. See staging.h.
#include "runtime/cuda/staging.h"

#include <fmt/format.h>

#include <utility>

#include "runtime/cuda/context.h"

namespace tilewright::cuda {
namespace {

/// As many threads as copy at once usually; the chunks of others are made and freed each time.
constexpr std::size_t most_idle = 4;

}  // namespace

StagingPool::~StagingPool() {
  for (const std::unique_ptr<StagingChunks>& chunks : idle_) destroy(*chunks);
}

StagingPool::Lease::~Lease() {
  if (chunks_) pool_->give_back(std::move(chunks_));
}

Result<StagingPool::Lease> StagingPool::borrow() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Lease lease(*this, std::move(idle_.back()));
      idle_.pop_back();
      return lease;
    }
  }
  auto chunks = std::make_unique<StagingChunks>();
  Result<Outcome> made = context_.attempt([&](const DriverCalls& calls) {
    Outcome outcome;
    for (StagingChunks::Chunk& chunk : chunks->chunks) {
      void* data = nullptr;
      outcome = calls.cuMemHostAlloc(&data, staging_chunk_bytes, host_memory_portable);
      if (!outcome.ok()) break;
      chunk.data = static_cast<std::byte*>(data);
      outcome = calls.cuEventCreate(&chunk.last_use, event_disable_timing);
      if (!outcome.ok()) break;
    }
    return outcome;
  });
  if (made && made->ok()) return Lease(*this, std::move(chunks));
  destroy(*chunks);
  if (!made) return std::unexpected(std::move(made.error()));
  return fail("R096",
              fmt::format("no pinned host memory of {} bytes: {}", staging_chunk_bytes, context_.driver().text(*made)),
              "free memory on the host, or raise its limit of locked memory (ulimit -l)");
}

void StagingPool::give_back(std::unique_ptr<StagingChunks> chunks) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (idle_.size() < most_idle) {
      idle_.push_back(std::move(chunks));
      return;
    }
  }
  destroy(*chunks);
}

void StagingPool::destroy(StagingChunks& chunks) noexcept {
  context_.release([&](const DriverCalls& calls) {
    Outcome outcome;
    for (StagingChunks::Chunk& chunk : chunks.chunks) {
      if (chunk.last_use != nullptr) {
        (void)calls.cuEventSynchronize(chunk.last_use);
        outcome = calls.cuEventDestroy(chunk.last_use);
      }
      if (chunk.data != nullptr) outcome = calls.cuMemFreeHost(chunk.data);
    }
    return outcome;
  });
}

}  // namespace tilewright::cuda
