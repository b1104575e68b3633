// The public Tensor: its making and its elements. Views stand in tensor_views.cpp, exchange with files and other
// libraries in tensor_exchange.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "api/inside.h"
#include "runtime/fill.h"

namespace tilewright::v0 {

Tensor Tensor::Inside::wrap(tilewright::Tensor tensor) {
  return Tensor(std::make_shared<const Inside>(Inside{std::move(tensor)}));
}

const tilewright::Tensor& Tensor::Inside::of(const Tensor& tensor) {
  return tensor.inside_->tensor;
}

std::shared_ptr<const Tensor::Inside> Tensor::Inside::empty() {
  static const auto shared = std::make_shared<const Inside>();
  return shared;
}

Tensor::Tensor() noexcept : inside_(Inside::empty()) {}

Result<Tensor> Tensor::try_allocate(DType dtype, Shape shape) noexcept {
  return guarded([&] { return outer(tilewright::Tensor::allocate(inner(dtype), std::move(shape))); });
}
Result<Tensor> Tensor::try_zeros(DType dtype, Shape shape) noexcept {
  return guarded([&] { return outer(tilewright::zeros(inner(dtype), std::move(shape))); });
}
Result<Tensor> Tensor::try_full(DType dtype, Shape shape, double value) noexcept {
  return guarded([&] { return outer(tilewright::full(inner(dtype), std::move(shape), Scalar::of(value))); });
}
Result<Tensor> Tensor::try_arange(DType dtype, Shape shape, std::int64_t first, std::int64_t step) noexcept {
  return guarded([&] { return outer(tilewright::arange(inner(dtype), std::move(shape), first, step)); });
}
Result<Tensor> Tensor::try_random(DType dtype, Shape shape, std::uint64_t seed) noexcept {
  return guarded([&] { return outer(tilewright::random_data(inner(dtype), std::move(shape), seed)); });
}

namespace {

/// A015 where `count` elements are not what the shape holds; R001 to R003.
Result<void> check_count(tilewright::DType dtype, const Shape& shape, std::size_t count) {
  const auto bytes = checked_byte_size(dtype, shape);
  if (!bytes) return outer(bytes.error());
  const auto expected = static_cast<std::size_t>(*bytes) / tilewright::size_of(dtype);
  if (expected == count) return {};
  return fail_here("A015", fmt::format("{} elements for a tensor of shape {}", count, shape_text(shape)),
                   fmt::format("the shape holds {}", expected));
}

}  // namespace

Result<Tensor> Tensor::try_copy_of(DType dtype, const void* elements, std::size_t count, Shape shape) noexcept {
  return guarded([&]() -> Result<Tensor> {
    if (auto fits = check_count(inner(dtype), shape, count); !fits) return std::unexpected(fits.error());
    auto tensor = tilewright::Tensor::allocate(inner(dtype), std::move(shape));
    if (tensor && count > 0) std::memcpy(tensor->data(), elements, count * tilewright::size_of(inner(dtype)));
    return outer(std::move(tensor));
  });
}

Result<Tensor> Tensor::try_borrow_elements(Memory memory, std::size_t count) noexcept {
  return guarded([&]() -> Result<Tensor> {
    if (auto fits = check_count(inner(memory.dtype), memory.shape, count); !fits) return std::unexpected(fits.error());
    return try_borrow(std::move(memory));
  });
}

Result<Tensor> Tensor::try_borrow(Memory memory) noexcept {
  return guarded([&]() -> Result<Tensor> {
    const auto device = device_named(memory.device);
    if (!device) return outer(device.error());
    return outer(tilewright::Tensor::borrow({.data = memory.data,
                                             .dtype = inner(memory.dtype),
                                             .shape = std::move(memory.shape),
                                             .strides = std::move(memory.strides),
                                             .device = *device,
                                             .read_only = memory.read_only,
                                             .keep_alive = std::move(memory.keep_alive)}));
  });
}

DType Tensor::dtype() const noexcept {
  return outer(inside_->tensor.dtype());
}
const Shape& Tensor::shape() const noexcept {
  return inside_->tensor.shape();
}
const Strides& Tensor::strides() const noexcept {
  return inside_->tensor.strides();
}
std::int64_t Tensor::element_count() const noexcept {
  return inside_->tensor.element_count();
}
std::int64_t Tensor::byte_size() const noexcept {
  return inside_->tensor.byte_size();
}
bool Tensor::is_contiguous() const noexcept {
  return inside_->tensor.is_contiguous();
}
bool Tensor::is_read_only() const noexcept {
  return inside_->tensor.is_read_only();
}
std::string Tensor::device() const {
  return to_text(inside_->tensor.device());
}
void* Tensor::data() const noexcept {
  return inside_->tensor.data();
}

namespace {

void require(const Result<void>& condition) {
  if (!condition) detail::throw_error(condition.error());
}

Result<void> readable(const tilewright::Tensor& tensor) {
  if (tensor.device().is_host_accessible()) return {};
  return fail_here("R017", "the tensor is on " + to_text(tensor.device()), "copy it to host memory first");
}

Result<void> names_type(const tilewright::Tensor& tensor, std::span<const DType> types) {
  if (std::ranges::find(types, outer(tensor.dtype())) != types.end()) return {};
  std::string legal;
  for (DType type : types) legal += fmt::format("{}{}", legal.empty() ? "" : ", ", name(type));
  return fail_here("A010", fmt::format("elements of type {} are named as {}", name(tensor.dtype()), legal),
                   "name the C++ type of the tensor's own; f16, bf16 and f8 by their bits");
}

Result<void> writable(const tilewright::Tensor& tensor) {
  if (!tensor.is_read_only()) return {};
  return fail_here("A012", "the tensor is read only", "write into a clone()");
}

/// The place of an element, or A011.
Result<std::byte*> place(const tilewright::Tensor& tensor, std::span<const std::int64_t> index) {
  bool inside = index.size() == tensor.rank();
  std::int64_t offset = 0;
  for (std::size_t axis = 0; inside && axis < index.size(); ++axis) {
    inside = index[axis] >= 0 && index[axis] < tensor.extent(axis);
    offset += inside ? index[axis] * tensor.strides()[axis] : 0;
  }
  if (inside) return tensor.data() + offset * static_cast<std::int64_t>(tilewright::size_of(tensor.dtype()));
  return fail_here("A011",
                   fmt::format("index {} of a tensor of shape {}", shape_text({index.begin(), index.end()}),
                               shape_text(tensor.shape())),
                   "one index for each axis, from 0 to its extent less 1");
}

std::byte* required_place(const tilewright::Tensor& tensor, std::span<const std::int64_t> index) {
  require(readable(tensor));
  auto found = place(tensor, index);
  return detail::value_or_throw(std::move(found));
}

}  // namespace

void* Tensor::element(std::span<const std::int64_t> index, std::span<const DType> types, bool write) const {
  require(names_type(inside_->tensor, types));
  if (write) require(writable(inside_->tensor));
  return required_place(inside_->tensor, index);
}

double Tensor::element_value(std::span<const std::int64_t> index) const {
  return load_scalar(inside_->tensor.dtype(), required_place(inside_->tensor, index)).as_double();
}

void* Tensor::all_elements(std::span<const DType> types, bool write) const {
  require(names_type(inside_->tensor, types));
  require(readable(inside_->tensor));
  if (write) require(writable(inside_->tensor));
  if (!is_contiguous())
    detail::throw_error(
        fail_here("A013", "the elements do not lie in row-major order without gaps", "use contiguous()").error());
  return data();
}

}  // namespace tilewright::v0
