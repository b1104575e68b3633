// Pieces of a device's memory, and of pinned host memory, that give themselves back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "runtime/cuda/stream.h"

namespace tilewright::cuda {

/// Device memory from the context's pool, ordered by a stream. Move-only.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  /// `bytes` ≥ 0, aligned to 256, contents undefined, for work queued on `stream` from now on; work on other streams
  /// must wait for an event of it. 0 bytes have address 0. R091: the device is full (the message has the sizes), and
  /// stays usable.
  static Result<DeviceMemory> allocate(const Stream& stream, std::int64_t bytes);
  DeviceMemory(DeviceMemory&& other) noexcept { swap(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  /// Gives it back after the work that its stream has queued so far; work on other streams must be done by then.
  ~DeviceMemory();

  DevicePointer address() const { return address_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  void swap(DeviceMemory& other) noexcept;

  std::optional<Stream> stream_;
  DevicePointer address_ = 0;
  std::int64_t bytes_ = 0;
};

/// Host memory that the device copies from and to at full speed, and while the host goes on. Move-only.
class PinnedMemory {
 public:
  /// R096: the system does not pin so much.
  static Result<PinnedMemory> allocate(ContextPtr context, std::int64_t bytes);
  PinnedMemory(PinnedMemory&& other) noexcept
      : context_(std::move(other.context_)),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  PinnedMemory& operator=(PinnedMemory&&) = delete;
  ~PinnedMemory();

  std::byte* data() const { return data_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  PinnedMemory(ContextPtr context, std::byte* data, std::int64_t bytes)
      : context_(std::move(context)), data_(data), bytes_(bytes) {}

  ContextPtr context_;
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

/// Device to device, and bytes of one value: queued on the stream.
Result<void> copy_on_device(const Stream& stream, DevicePointer to, DevicePointer from, std::int64_t bytes);
Result<void> fill_bytes(const Stream& stream, DevicePointer to, std::uint8_t value, std::int64_t bytes);

}  // namespace tilewright::cuda
