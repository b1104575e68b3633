// Allocation, borrowing and copying of tensors; their views are in tensor_views.cpp.
#include "runtime/tensor.h"

#include "runtime/host_memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <cstring>
#include <new>
#include <utility>

namespace tilewright {

namespace {

/// Row-major strides; extents of 0 count as 1, so that the product stays what checked_byte_size has bounded.
std::vector<std::int64_t> default_strides(const Shape& shape) {
  Shape positive = shape;
  for (std::int64_t& extent : positive)
    if (extent == 0) extent = 1;
  return row_major_strides(positive);
}

/// Copies the elements of `source`, walking it in row-major order, to consecutive memory. Rows of unit stride go as one
/// block; `Element` is any trivially copyable type of the element's size.
template <class Element>
void copy_rows(const TensorView& source, std::byte* target) {
  const std::int64_t columns = source.shape.back();
  const std::int64_t stride = source.strides.back();
  const Shape outer(source.shape.begin(), source.shape.end() - 1);
  for_each_index(outer, [&](const std::vector<std::int64_t>& index) {
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) offset += index[axis] * source.strides[axis];
    const std::byte* row = source.data + offset * static_cast<std::int64_t>(sizeof(Element));
    const auto row_bytes = static_cast<std::size_t>(columns) * sizeof(Element);
    if (stride == 1 || columns == 1) {
      std::memcpy(target, row, row_bytes);
    } else {
      const auto* from = reinterpret_cast<const Element*>(row);
      auto* to = reinterpret_cast<Element*>(target);
      for (std::int64_t column = 0; column < columns; ++column) to[column] = from[column * stride];
    }
    target += row_bytes;
  });
}

void copy_elements(TensorView source, std::byte* target) {
  if (source.rank() == 0) {  // one row of one element
    source.shape.push_back(1);
    source.strides.push_back(1);
  }
  if (source.shape.back() == 0) return;
  switch (size_of(source.dtype)) {
    case 1:
      return copy_rows<std::uint8_t>(source, target);
    case 2:
      return copy_rows<std::uint16_t>(source, target);
    case 4:
      return copy_rows<std::uint32_t>(source, target);
    case 8:
      return copy_rows<std::uint64_t>(source, target);
    default:
      internal_error("an element type of a size that no copy handles");
  }
}

struct KindName {
  DeviceKind kind;
  std::string_view name;
};
constexpr std::array<KindName, 5> kind_names{{{DeviceKind::cpu, "cpu"},
                                              {DeviceKind::cuda, "cuda"},
                                              {DeviceKind::cuda_host, "cuda-host"},
                                              {DeviceKind::metal, "metal"},
                                              {DeviceKind::cuda_managed, "cuda-managed"}}};

}  // namespace

std::string to_text(Device device) {
  for (const KindName& entry : kind_names)
    if (entry.kind == device.kind)
      return device.kind == DeviceKind::cpu ? std::string(entry.name) : fmt::format("{}:{}", entry.name, device.index);
  return fmt::format("device-{}:{}", static_cast<std::int32_t>(device.kind), device.index);
}

Result<Device> device_named(std::string_view text) {
  const std::size_t colon = text.find(':');
  for (const KindName& entry : kind_names) {
    if (entry.name != text.substr(0, colon)) continue;
    if (colon == text.npos) return Device{entry.kind, 0};
    const std::string_view number = text.substr(colon + 1);
    std::int32_t index = 0;
    const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), index);
    if (failed == std::errc() && end == number.data() + number.size() && index >= 0 && entry.kind != DeviceKind::cpu)
      return Device{entry.kind, index};
  }
  return fail("R023", fmt::format("'{}' is no device", text), "cpu, cuda:N, cuda-host:N, cuda-managed:N or metal:N");
}

std::string shape_text(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

Result<std::int64_t> checked_byte_size(DType dtype, const Shape& shape) {
  if (shape.size() > max_rank)
    return fail("R001", fmt::format("a tensor has {} axes, shape {}", shape.size(), shape_text(shape)),
                fmt::format("ranks 0 to {} are supported", max_rank));
  auto bytes = static_cast<std::int64_t>(size_of(dtype));
  bool has_elements = true;  // an extent of 0 must not hide an overflow of the strides
  for (std::int64_t extent : shape) {
    if (extent < 0)
      return fail("R002", fmt::format("a tensor has a negative extent, shape {}", shape_text(shape)),
                  "extents are 0 or more");
    if (extent == 0) {
      has_elements = false;
    } else if (__builtin_mul_overflow(bytes, extent, &bytes)) {
      return fail("R003", fmt::format("a {} tensor of shape {} is too large", name(dtype), shape_text(shape)),
                  "its size in bytes must be below 2^63");
    }
  }
  return has_elements ? bytes : 0;
}

Result<Tensor> Tensor::allocate(DType dtype, Shape shape) {
  Result<std::int64_t> bytes = checked_byte_size(dtype, shape);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.strides_ = default_strides(shape);
  tensor.shape_ = std::move(shape);
  if (*bytes == 0) return tensor;
  void* memory = allocate_host(*bytes);
  if (memory == nullptr)
    return fail("R004", fmt::format("no memory for a {} tensor of shape {} ({} bytes)", name(dtype),
                                    shape_text(tensor.shape_), *bytes));
  tensor.base_ = memory;
  tensor.keep_alive_ =
      std::shared_ptr<void>(memory, [](void* pointer) { free_host(static_cast<std::byte*>(pointer)); });
  return tensor;
}

Result<Tensor> Tensor::borrow(BorrowedMemory memory) {
  Result<std::int64_t> bytes = checked_byte_size(memory.dtype, memory.shape);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  const bool is_handle = memory.device.kind == DeviceKind::metal;
  Tensor tensor;
  tensor.dtype_ = memory.dtype;
  tensor.device_ = memory.device;
  tensor.read_only_ = memory.read_only;
  tensor.keep_alive_ = std::move(memory.keep_alive);
  tensor.strides_ = memory.strides ? std::move(*memory.strides) : default_strides(memory.shape);
  tensor.shape_ = std::move(memory.shape);
  if (tensor.strides_.size() != tensor.shape_.size())
    return fail("R005",
                fmt::format("a tensor has {} strides and {} axes", tensor.strides_.size(), tensor.shape_.size()),
                "give one stride, in elements, for each axis, or none for row-major order");
  if (*bytes == 0) {  // without elements, an address and strides mean nothing
    tensor.strides_ = default_strides(tensor.shape_);
    return tensor;
  }
  if (memory.data == nullptr)
    return fail("R007", fmt::format("a tensor of shape {} has a null data pointer", shape_text(tensor.shape_)),
                "only a tensor without elements may be null");

  tensor.base_ = memory.data;
  tensor.byte_offset_ = memory.byte_offset;
  const auto base = is_handle ? std::uintptr_t{0} : reinterpret_cast<std::uintptr_t>(memory.data);
  std::uintptr_t first = 0;
  const bool first_fits = !__builtin_add_overflow(base, memory.byte_offset, &first);
  TensorView view{reinterpret_cast<std::byte*>(first), tensor.dtype_, tensor.shape_, tensor.strides_};
  if (!first_fits || !byte_range(view))
    return fail("R006",
                fmt::format("a tensor of shape {} and strides {} reaches outside of the address space",
                            shape_text(tensor.shape_), shape_text(tensor.strides_)),
                "strides count elements, not bytes");
  if (first % size_of(tensor.dtype_) != 0)
    return fail("R008", fmt::format("the data of a {} tensor is not aligned to {} bytes (byte offset {})",
                                    name(tensor.dtype_), size_of(tensor.dtype_), memory.byte_offset));
  return tensor;
}

std::int64_t Tensor::element_count() const {
  std::int64_t count = 1;
  for (std::int64_t extent : shape_)
    if (extent == 0) return 0;
  for (std::int64_t extent : shape_) count *= extent;
  return count;
}

std::int64_t Tensor::byte_size() const {
  return element_count() * static_cast<std::int64_t>(size_of(dtype_));
}

bool Tensor::is_contiguous() const {
  if (element_count() == 0) return true;
  std::int64_t expected = 1;
  for (std::size_t axis = rank(); axis-- > 0;) {
    if (shape_[axis] == 1) continue;
    if (strides_[axis] != expected) return false;
    expected *= shape_[axis];
  }
  return true;
}

ByteRange Tensor::bytes() const {
  std::optional<ByteRange> range = byte_range(view());
  if (!range) internal_error("a tensor reaches outside of the address space");
  return *range;
}

Result<Tensor> Tensor::contiguous() const {
  if (is_contiguous()) return *this;
  return clone();
}

Result<Tensor> Tensor::clone() const {
  if (!device_.is_host_accessible())
    return fail("R017", fmt::format("the host cannot read a tensor on {}", to_text(device_)),
                "copy it to the host first");
  Result<Tensor> copy = allocate(dtype_, shape_);
  if (copy && element_count() != 0) copy_elements(view(), copy->data());
  return copy;
}

void Tensor::require_host_type(bool matches) const {
  if (!device_.is_host_accessible()) internal_error("element access to a tensor that the host cannot read");
  if (!matches) internal_error(fmt::format("element access to a {} tensor as another type", name(dtype_)));
}

std::byte* Tensor::address(std::initializer_list<std::int64_t> index) const {
  if (index.size() != rank()) internal_error("element access with an index of another rank");
  std::int64_t offset = 0;
  std::size_t axis = 0;
  for (std::int64_t coordinate : index) {
    if (coordinate < 0 || coordinate >= shape_[axis]) internal_error("element access out of bounds");
    offset += coordinate * strides_[axis++];
  }
  return data() + offset * static_cast<std::int64_t>(size_of(dtype_));
}

Scalar Tensor::get(std::initializer_list<std::int64_t> index) const {
  require_host_type(true);
  return load_scalar(dtype_, address(index));
}

}  // namespace tilewright
