// Chunked copies. See copy.h.
#include "runtime/cuda/copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "runtime/cuda/row_major_copy.h"
#include "runtime/cuda/staging.h"

namespace tilewright::cuda {
namespace {

/// Chunk n of a tensor that is cut into pieces of staging_chunk_bytes.
struct Piece {
  std::int64_t first = 0;  ///< element, in row-major order
  std::int64_t count = 0;
  std::int64_t byte_offset = 0;
  std::int64_t bytes = 0;
};

std::vector<Piece> pieces_of(const TensorView& view) {
  const auto size = static_cast<std::int64_t>(size_of(view.dtype));
  const std::int64_t per_chunk = staging_chunk_bytes / size;
  const std::int64_t total = view.element_count();
  std::vector<Piece> pieces;
  for (std::int64_t first = 0; first < total; first += per_chunk) {
    const std::int64_t count = std::min(per_chunk, total - first);
    pieces.push_back({first, count, first * size, count * size});
  }
  return pieces;
}

Result<void> wait_for(Context& context, const StagingChunks::Chunk& chunk) {
  return context.call([&](const DriverCalls& calls) { return calls.cuEventSynchronize(chunk.last_use); });
}

std::unexpected<Diagnostics> elsewhere(const Tensor& tensor, std::string_view reader) {
  return fail("R017", fmt::format("{} cannot read a tensor on {}", reader, to_text(tensor.device())),
              "copy it to the host first");
}

}  // namespace

Result<void> copy_to_device(const Stream& stream, DevicePointer to, const TensorView& from) {
  const std::vector<Piece> pieces = pieces_of(from);
  if (pieces.empty()) return {};
  Context& context = stream.context();
  Result<StagingPool::Lease> lease = context.staging().borrow();
  if (!lease) return std::unexpected(std::move(lease.error()));
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    const Piece& piece = pieces[n];
    const StagingChunks::Chunk& chunk = (*lease)[n];
    if (auto idle = wait_for(context, chunk); !idle) return idle;
    gather_elements(from, piece.first, piece.count, chunk.data);
    auto queued = context.call([&](const DriverCalls& calls) {
      const Outcome copied = calls.cuMemcpyHtoDAsync(to + static_cast<DevicePointer>(piece.byte_offset), chunk.data,
                                                     static_cast<std::size_t>(piece.bytes), stream.handle());
      return copied.ok() ? calls.cuEventRecord(chunk.last_use, stream.handle()) : copied;
    });
    if (!queued) return queued;
  }
  return {};
}

Result<void> copy_to_host(const Stream& stream, const TensorView& to, DevicePointer from) {
  const std::vector<Piece> pieces = pieces_of(to);
  if (pieces.empty()) return stream.synchronize();
  Context& context = stream.context();
  Result<StagingPool::Lease> lease = context.staging().borrow();
  if (!lease) return std::unexpected(std::move(lease.error()));
  const auto queue = [&](std::size_t n) {
    const Piece& piece = pieces[n];
    const StagingChunks::Chunk& chunk = (*lease)[n];
    if (auto idle = wait_for(context, chunk); !idle) return idle;
    return context.call([&](const DriverCalls& calls) {
      const Outcome copied = calls.cuMemcpyDtoHAsync(chunk.data, from + static_cast<DevicePointer>(piece.byte_offset),
                                                     static_cast<std::size_t>(piece.bytes), stream.handle());
      return copied.ok() ? calls.cuEventRecord(chunk.last_use, stream.handle()) : copied;
    });
  };
  // The device is always one chunk ahead of the host.
  for (std::size_t n = 0; n < std::min(pieces.size(), staging_chunk_count - 1); ++n)
    if (auto queued = queue(n); !queued) return queued;
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    const std::size_t ahead = n + staging_chunk_count - 1;
    if (ahead < pieces.size())
      if (auto queued = queue(ahead); !queued) return queued;
    const StagingChunks::Chunk& chunk = (*lease)[n];
    if (auto arrived = wait_for(context, chunk); !arrived) return arrived;
    scatter_elements(chunk.data, to, pieces[n].first, pieces[n].count);
  }
  return {};
}

Result<Tensor> allocate_tensor(const Stream& stream, DType dtype, Shape shape) {
  const Result<std::int64_t> bytes = checked_byte_size(dtype, shape);
  if (!bytes) return std::unexpected(bytes.error());
  Result<DeviceMemory> memory = DeviceMemory::allocate(stream, *bytes);
  if (!memory) return std::unexpected(std::move(memory.error()));
  auto owner = std::make_shared<DeviceMemory>(std::move(*memory));
  BorrowedMemory borrowed;
  borrowed.data = reinterpret_cast<void*>(owner->address());
  borrowed.dtype = dtype;
  borrowed.shape = std::move(shape);
  borrowed.device = {DeviceKind::cuda, stream.context().device().ordinal};
  borrowed.keep_alive = std::move(owner);
  return Tensor::borrow(std::move(borrowed));
}

Result<Tensor> to_device(const Stream& stream, const Tensor& host) {
  if (!host.device().is_host_accessible()) return elsewhere(host, "the host");
  Result<Tensor> device = allocate_tensor(stream, host.dtype(), host.shape());
  if (!device) return device;
  if (auto copied = copy_to_device(stream, device_address(*device), host.view()); !copied)
    return std::unexpected(std::move(copied.error()));
  return device;
}

Result<Tensor> to_host(const Stream& stream, const Tensor& device) {
  const Device here{DeviceKind::cuda, stream.context().device().ordinal};
  if (device.device() != here) return elsewhere(device, to_text(here));
  Result<Tensor> host = Tensor::allocate(device.dtype(), device.shape());
  if (!host) return host;
  if (device.is_contiguous()) {
    if (auto copied = copy_to_host(stream, host->view(), device_address(device)); !copied)
      return std::unexpected(std::move(copied.error()));
    return host;
  }
  // All bytes that it spans, seen through its strides. Every element lies a multiple of its size from the lowest one.
  const ByteRange range = device.bytes();
  const auto size = static_cast<std::int64_t>(size_of(device.dtype()));
  Result<Tensor> span = Tensor::allocate(device.dtype(), {static_cast<std::int64_t>(range.size()) / size});
  if (!span) return span;
  if (auto copied = copy_to_host(stream, span->view(), range.begin); !copied)
    return std::unexpected(std::move(copied.error()));
  TensorView seen = device.view();
  seen.data = span->data() + (device_address(device) - range.begin);
  gather_elements(seen, 0, seen.element_count(), host->data());
  return host;
}

}  // namespace tilewright::cuda
