// Owners of device and pinned memory. See memory.h.
#include "runtime/cuda/memory.h"

#include <fmt/format.h>

#include "runtime/cuda/memory_pool.h"

namespace tilewright::cuda {

Result<DeviceMemory> DeviceMemory::allocate(const Stream& stream, std::int64_t bytes) {
  if (bytes < 0) internal_error("device memory of a negative size");
  DeviceMemory memory;
  if (bytes == 0) return memory;
  Result<DevicePointer> address = stream.context().pool().allocate(bytes, stream.handle());
  if (!address) return std::unexpected(std::move(address.error()));
  memory.stream_ = stream;
  memory.address_ = *address;
  memory.bytes_ = bytes;
  return memory;
}

DeviceMemory::~DeviceMemory() {
  if (address_ != 0) stream_->context().pool().free(address_, stream_->handle());
}

void DeviceMemory::swap(DeviceMemory& other) noexcept {
  std::swap(stream_, other.stream_);
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
}

Result<PinnedMemory> PinnedMemory::allocate(ContextPtr context, std::int64_t bytes) {
  if (bytes < 0) internal_error("pinned memory of a negative size");
  void* data = nullptr;
  if (bytes == 0) return PinnedMemory(std::move(context), nullptr, 0);
  Result<Outcome> outcome = context->attempt([&](const DriverCalls& calls) {
    return calls.cuMemHostAlloc(&data, static_cast<std::size_t>(bytes), host_memory_portable);
  });
  if (!outcome) return std::unexpected(std::move(outcome.error()));
  if (!outcome->ok())
    return fail("R096", fmt::format("no pinned host memory of {} bytes: {}", bytes, context->driver().text(*outcome)),
                "free memory on the host, or raise its limit of locked memory (ulimit -l)");
  return PinnedMemory(std::move(context), static_cast<std::byte*>(data), bytes);
}

PinnedMemory::~PinnedMemory() {
  if (data_ != nullptr) context_->release([this](const DriverCalls& calls) { return calls.cuMemFreeHost(data_); });
}

Result<void> copy_on_device(const Stream& stream, DevicePointer to, DevicePointer from, std::int64_t bytes) {
  if (bytes == 0) return {};
  return stream.context().call([&](const DriverCalls& calls) {
    return calls.cuMemcpyDtoDAsync(to, from, static_cast<std::size_t>(bytes), stream.handle());
  });
}

Result<void> fill_bytes(const Stream& stream, DevicePointer to, std::uint8_t value, std::int64_t bytes) {
  if (bytes == 0) return {};
  return stream.context().call([&](const DriverCalls& calls) {
    return calls.cuMemsetD8Async(to, value, static_cast<std::size_t>(bytes), stream.handle());
  });
}

}  // namespace tilewright::cuda
