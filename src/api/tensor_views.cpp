// The public Tensor's views and copies.
#include "api/inside.h"

namespace tilewright::v0 {

Result<Tensor> Tensor::try_slice(std::size_t axis, Slice slice) const noexcept {
  return guarded([&] { return outer(inside_->tensor.slice(axis, {slice.start, slice.stop, slice.step})); });
}
Result<Tensor> Tensor::try_transpose(std::vector<std::size_t> permutation) const noexcept {
  return guarded([&] { return outer(inside_->tensor.transpose(permutation)); });
}
Result<Tensor> Tensor::try_broadcast_to(Shape shape) const noexcept {
  return guarded([&] { return outer(inside_->tensor.broadcast_to(std::move(shape))); });
}
Result<Tensor> Tensor::try_reshape(Shape shape) const noexcept {
  return guarded([&] { return outer(inside_->tensor.reshape(std::move(shape))); });
}
Result<Tensor> Tensor::try_squeeze(std::size_t axis) const noexcept {
  return guarded([&] { return outer(inside_->tensor.squeeze(axis)); });
}
Result<Tensor> Tensor::try_unsqueeze(std::size_t axis) const noexcept {
  return guarded([&] { return outer(inside_->tensor.unsqueeze(axis)); });
}
Result<Tensor> Tensor::try_select(std::size_t axis, std::int64_t index) const noexcept {
  return guarded([&] { return outer(inside_->tensor.select(axis, index)); });
}
Result<Tensor> Tensor::try_contiguous() const noexcept {
  return guarded([&] { return outer(inside_->tensor.contiguous()); });
}
Result<Tensor> Tensor::try_clone() const noexcept {
  return guarded([&] { return outer(inside_->tensor.clone()); });
}

}  // namespace tilewright::v0
