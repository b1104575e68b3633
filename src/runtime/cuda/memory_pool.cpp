// The pool over the driver's or over a list of blocks. See memory_pool.h.
#include "runtime/cuda/memory_pool.h"

#include <fmt/format.h>

#include "runtime/cuda/block_list.h"
#include "runtime/cuda/context.h"

namespace tilewright::cuda {
namespace {

/// Freed memory that the pool keeps instead of unmapping it.
constexpr std::uint64_t kept_bytes = std::uint64_t{4} << 30;

/// Allocations are of whole pieces of asynchronous copies. Of a piece that is there in part a copy reads that part
/// alone (PTX ISA, cp.async, src-size); compute-sanitizer's memcheck reports the rest as read, too.
constexpr std::size_t piece_bytes = 16;

}  // namespace

MemoryPool::MemoryPool(Context& context) : context_(context) {
  if (context_.device().has_memory_pools) {
    PoolHandle pool = nullptr;
    context_.release([&](const DriverCalls& calls) {
      if (const Outcome got = calls.cuDeviceGetDefaultMemPool(&pool, context_.device_handle()); !got.ok()) return got;
      std::uint64_t threshold = 0;
      const Outcome read = calls.cuMemPoolGetAttribute(pool, PoolAttribute::release_threshold, &threshold);
      if (!read.ok() || threshold >= kept_bytes) return read;
      threshold = kept_bytes;
      return calls.cuMemPoolSetAttribute(pool, PoolAttribute::release_threshold, &threshold);
    });
    pool_ = pool;
  }
  if (pool_ == nullptr) blocks_ = std::make_unique<BlockList>(context_, static_cast<std::int64_t>(kept_bytes));
}

MemoryPool::~MemoryPool() = default;

Result<DevicePointer> MemoryPool::allocate(std::int64_t bytes, StreamHandle stream) {
  DevicePointer memory = 0;
  const std::size_t rounded = (static_cast<std::size_t>(bytes) + piece_bytes - 1) / piece_bytes * piece_bytes;
  const auto attempt = [&] {
    return context_.attempt([&](const DriverCalls& calls) {
      return blocks_ ? blocks_->allocate(calls, memory, bytes, stream)
                     : calls.cuMemAllocAsync(&memory, rounded, stream);
    });
  };
  Result<Outcome> outcome = attempt();
  if (outcome && outcome->status == Status::out_of_memory) {
    trim();  // what other streams freed, and what is too small, becomes room
    outcome = attempt();
  }
  if (!outcome) return std::unexpected(std::move(outcome.error()));
  if (outcome->status == Status::out_of_memory)
    return fail(
        "R091",
        fmt::format("no memory for {} bytes on {}{}", bytes, context_.device().text(), context_.free_memory_text()),
        "free tensors, or use smaller ones");
  if (auto checked = context_.check(*outcome); !checked) return std::unexpected(std::move(checked.error()));
  return memory;
}

void MemoryPool::free(DevicePointer memory, StreamHandle stream) noexcept {
  if (memory == 0) return;
  context_.release([&](const DriverCalls& calls) {
    return blocks_ ? blocks_->free(calls, memory, stream) : calls.cuMemFreeAsync(memory, stream);
  });
}

void MemoryPool::trim() noexcept {
  context_.release([&](const DriverCalls& calls) {
    if (const Outcome done = calls.cuCtxSynchronize(); !done.ok()) return done;
    return blocks_ ? blocks_->trim(calls) : calls.cuMemPoolTrimTo(pool_, 0);
  });
}

std::int64_t MemoryPool::reserved_bytes() noexcept {
  if (blocks_) return blocks_->reserved_bytes();
  std::uint64_t bytes = 0;
  context_.release([&](const DriverCalls& calls) {
    return calls.cuMemPoolGetAttribute(pool_, PoolAttribute::reserved_bytes, &bytes);
  });
  return static_cast<std::int64_t>(bytes);
}

}  // namespace tilewright::cuda
