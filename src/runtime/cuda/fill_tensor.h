// Every element of a tensor in device memory set to one value, without a kernel: what a plan's fills need.
#pragma once

#include "runtime/cuda/stream.h"
#include "support/tensor_view.h"

namespace tilewright::cuda {

/// Queues it. `view.data` is a device address; strides are any under which the elements are distinct in memory. One
/// call of the driver fills what two axes span (all of a row-major tensor), so a tensor of many scattered axes takes
/// many. R090 to R092.
Result<void> fill_tensor(const Stream& stream, const TensorView& view, Scalar value);

}  // namespace tilewright::cuda
