// Tensor maps: descriptions of a tensor in device memory and of a box of it, by which the copy engine moves boxes to
// and from shared memory.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/cuda/context.h"

namespace tilewright::cuda {

/// Bytes of an element.
std::int64_t size_of(TensorMapType type);

/// Axes are innermost first, as the copy engine counts them. The innermost is dense; strides are the others', in bytes.
struct TensorMapRequest {
  TensorMapType type = TensorMapType::f32;
  DevicePointer address = 0;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;  ///< one fewer than extents
  std::vector<std::int64_t> box;      ///< elements that one copy moves
  TensorMapSwizzle swizzle = TensorMapSwizzle::none;
  TensorMapPromotion promotion = TensorMapPromotion::bytes_256;
  TensorMapFill fill = TensorMapFill::zero;  ///< what stands for elements outside of the extents; nan only for floats
};

/// A copy's coordinates must put the first byte of the box on a multiple of 16, also before the tensor's start:
/// anything else is an illegal instruction, which loses the device. Encoding is pure computation: 0.06 µs, nothing on
/// the device changes. R095: an argument that the copy engine cannot take, with its limit. R094: the device has no
/// tensor maps. R090 to R092.
Result<TensorMap> encode_tensor_map(Context& context, const TensorMapRequest& request);

}  // namespace tilewright::cuda
