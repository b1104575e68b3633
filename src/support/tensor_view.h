// A borrowed tensor: what evaluators, plans and kernels read and write. The owning Tensor lives in the runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/dtype.h"
#include "support/scalar.h"

namespace tilewright {

/// `data` points at element (0, …, 0); strides are in elements and may be zero or negative. Rank 0 to 8.
struct TensorView {
  std::byte* data = nullptr;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;

  std::size_t rank() const { return shape.size(); }
  std::int64_t element_count() const;
  /// Byte offset of `index` (one entry an axis, in range) from `data`.
  std::int64_t offset_bytes(const std::vector<std::int64_t>& index) const;
  Scalar get(const std::vector<std::int64_t>& index) const;
  void set(const std::vector<std::int64_t>& index, Scalar value) const;
};

/// Row-major strides of `shape`, in elements.
std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& shape);

/// Calls `visit(index)` for each index of `shape` in row-major order; not at all if an extent is 0; once for rank 0.
template <class Visit>
void for_each_index(const std::vector<std::int64_t>& shape, Visit&& visit) {
  for (std::int64_t extent : shape)
    if (extent == 0) return;
  std::vector<std::int64_t> index(shape.size(), 0);
  while (true) {
    visit(static_cast<const std::vector<std::int64_t>&>(index));
    std::size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

}  // namespace tilewright
