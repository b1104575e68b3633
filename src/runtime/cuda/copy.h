// Tensors between host and device. What lies on the host may have any strides and need not be pinned: it goes through
// pinned chunks (staging.h), filled in row-major order.
#pragma once

#include "runtime/cuda/memory.h"
#include "runtime/tensor.h"

namespace tilewright::cuda {

/// Writes the elements of a host tensor densely in row-major order to device memory. Returns when the host memory may
/// change; the copy is queued on the stream, whose later work sees it. The stream must not be capturing. R090 to R092,
/// R096.
Result<void> copy_to_device(const Stream& stream, DevicePointer to, const TensorView& from);
/// The reverse, after the work that the stream has queued; returns when the elements are there. The elements of `to`
/// must be distinct in memory. After an error its contents are undefined.
Result<void> copy_to_host(const Stream& stream, const TensorView& to, DevicePointer from);

/// A row-major tensor in new device memory, contents undefined, for work on `stream`; the memory goes back to the pool
/// behind what the stream has queued when the last Tensor over it goes. R001 to R003 as Tensor::allocate; R091.
Result<Tensor> allocate_tensor(const Stream& stream, DType dtype, Shape shape);
/// A row-major copy on the device of a tensor that the host reads. R017: of another device.
Result<Tensor> to_device(const Stream& stream, const Tensor& host);
/// A row-major copy on the host, in new memory, of a tensor of any strides on this stream's device. R017: it is
/// elsewhere.
Result<Tensor> to_host(const Stream& stream, const Tensor& device);

/// Where a tensor's first element is on its device.
inline DevicePointer device_address(const Tensor& tensor) {
  return reinterpret_cast<DevicePointer>(tensor.data());
}

}  // namespace tilewright::cuda
