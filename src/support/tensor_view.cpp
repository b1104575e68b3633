// Element access through a borrowed tensor. See tensor_view.h.
#include "support/tensor_view.h"

namespace tilewright {

std::int64_t TensorView::element_count() const {
  std::int64_t count = 1;
  for (std::int64_t extent : shape) count *= extent;
  return count;
}

std::int64_t TensorView::offset_bytes(const std::vector<std::int64_t>& index) const {
  std::int64_t elements = 0;
  for (std::size_t axis = 0; axis < strides.size(); ++axis) elements += index[axis] * strides[axis];
  return elements * static_cast<std::int64_t>(size_of(dtype));
}

Scalar TensorView::get(const std::vector<std::int64_t>& index) const {
  return load_scalar(dtype, data + offset_bytes(index));
}

void TensorView::set(const std::vector<std::int64_t>& index, Scalar value) const {
  store_scalar(dtype, value, data + offset_bytes(index));
}

std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

}  // namespace tilewright
