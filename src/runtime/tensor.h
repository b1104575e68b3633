// Tensor: the values that users hand to kernels and get back. It has DLPack's fields (data pointer, byte offset,
// device, element type, shape, strides in elements) and shares ownership of its memory, so that a view or a copy of the
// handle is cheap and keeps the memory alive. Below it stands support's TensorView, which borrows and which plans read.
//
// Errors are R001 to R017, each named at the function that reports it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/byte_range.h"
#include "support/diagnostic.h"
#include "support/dtype.h"
#include "support/scalar.h"
#include "support/tensor_view.h"

namespace tilewright {

/// Where memory is; the values are DLPack's device types.
enum class DeviceKind : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, metal = 8, cuda_managed = 13 };

struct Device {
  DeviceKind kind = DeviceKind::cpu;
  std::int32_t index = 0;

  /// The host may read and write it.
  bool is_host_accessible() const { return kind != DeviceKind::cuda && kind != DeviceKind::metal; }
  friend bool operator==(const Device&, const Device&) = default;
};
/// "cpu", "cuda:0".
std::string to_text(Device device);

/// The reverse; "cuda" is "cuda:0". R023: no device is called so.
Result<Device> device_named(std::string_view text);

using Shape = std::vector<std::int64_t>;
/// "[3, 4]"; "[]" for rank 0.
std::string shape_text(const Shape& shape);

inline constexpr std::size_t max_rank = 8;
/// Bytes of a row-major tensor. R001: more than 8 axes. R002: a negative extent. R003: the product of the extents,
/// those of 0 left out, is more bytes than 63 bits count.
Result<std::int64_t> checked_byte_size(DType dtype, const Shape& shape);

/// Alignment in bytes of memory that a Tensor allocates.
inline constexpr std::size_t tensor_alignment = 64;

/// Python's slice of one axis: negative bounds count from the end, bounds outside are clamped, an absent bound is the
/// end that the sign of `step` starts or stops at.
struct Slice {
  std::optional<std::int64_t> start = {};
  std::optional<std::int64_t> stop = {};
  std::int64_t step = 1;
};

/// Memory of someone else, described for `Tensor::borrow`.
struct BorrowedMemory {
  void* data = nullptr;           ///< a pointer, or a buffer handle where the device has those
  std::uint64_t byte_offset = 0;  ///< from `data` to element (0, …, 0)
  DType dtype = DType::f32;
  Shape shape = {};
  std::optional<std::vector<std::int64_t>> strides = {};  ///< in elements; absent: row-major
  Device device = {};
  bool read_only = false;
  std::shared_ptr<void> keep_alive = {};  ///< released with the last Tensor over this memory; may be null
};

/// A handle: copying one does not copy elements, and constness is of the handle, not of the elements. Distinct handles
/// may be used from distinct threads; the elements are not synchronised.
class Tensor {
 public:
  /// f32 of shape [0].
  Tensor() : shape_{0}, strides_{1} {}

  /// Row-major host memory, aligned to `tensor_alignment`, contents undefined. R001 to R003 as checked_byte_size; R004:
  /// the memory is not to be had.
  static Result<Tensor> allocate(DType dtype, Shape shape);

  /// A tensor over existing memory. Strides may be zero or negative, and anything on axes of extent 1; without elements
  /// `data` may be null and strides are ignored. R001 to R003 as checked_byte_size. R005: strides and shape differ in
  /// length. R006: an element lies outside of the address space. R007: null data. R008: the first element is not
  /// aligned to the element size.
  static Result<Tensor> borrow(BorrowedMemory memory);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  const std::vector<std::int64_t>& strides() const { return strides_; }  ///< in elements
  std::size_t rank() const { return shape_.size(); }
  std::int64_t extent(std::size_t axis) const { return shape_[axis]; }
  std::int64_t element_count() const;
  std::int64_t byte_size() const;  ///< of the elements, without gaps between them
  Device device() const { return device_; }
  bool is_read_only() const { return read_only_; }  ///< writing through it is undefined; kernels refuse it as an output

  /// What DLPack calls `data`: the start of the memory, or its handle. Null where there is none.
  void* base() const { return base_; }
  std::uint64_t byte_offset() const { return byte_offset_; }  ///< from base() to element (0, …, 0)
  /// Element (0, …, 0). Not for devices whose base is a handle.
  std::byte* data() const { return base_ == nullptr ? nullptr : static_cast<std::byte*>(base_) + byte_offset_; }
  const std::shared_ptr<void>& keep_alive() const { return keep_alive_; }

  /// The same elements, borrowed: valid while a Tensor over this memory lives.
  TensorView view() const { return {data(), dtype_, shape_, strides_}; }
  /// Row-major without gaps; the strides of axes of extent 1 do not count, nor any if there are no elements.
  bool is_contiguous() const;
  /// The addresses that it touches.
  ByteRange bytes() const;

  /// One element of a host tensor at `index`. `T` is the element's C++ type; u16 gives the bits of f16 and bf16, u8
  /// those of f8 and bool. A wrong type, rank or index is a defect of the caller: internal_error.
  template <class T>
  T& at(std::initializer_list<std::int64_t> index) const;
  /// The same for any type, by value.
  Scalar get(std::initializer_list<std::int64_t> index) const;

  // Views share the memory. Axes count from 0; R009: no such axis.

  /// `slice` of one axis. R010: a step of 0.
  Result<Tensor> slice(std::size_t axis, Slice slice) const;
  /// Axis `a` of the result is axis `permutation[a]`. R011: not a permutation of the axes.
  Result<Tensor> transpose(const std::vector<std::size_t>& permutation) const;
  /// NumPy's rule: axes align at the right; those of extent 1 and missing ones repeat with stride 0. The result is read
  /// only where an element repeats. R012: the shapes do not fit.
  Result<Tensor> broadcast_to(Shape shape) const;
  /// The same elements in row-major order under another shape. R013: another element count. R014: only a copy could do
  /// it (see contiguous()).
  Result<Tensor> reshape(Shape shape) const;
  /// Without `axis`. R015: its extent is not 1.
  Result<Tensor> squeeze(std::size_t axis) const;
  /// With a new axis of extent 1 before `axis` (rank() appends one).
  Result<Tensor> unsqueeze(std::size_t axis) const;
  /// Without `axis`, at `index` of it; a negative one counts from the end. R016: outside.
  Result<Tensor> select(std::size_t axis, std::int64_t index) const;

  /// Itself if contiguous, else clone().
  Result<Tensor> contiguous() const;
  /// A row-major copy in new host memory. R017: not in memory that the host reads. R004 as allocate().
  Result<Tensor> clone() const;

 private:
  /// Moves element (0, …, 0); by nothing where there are no elements, so that a view never points outside.
  void advance(std::int64_t elements);
  std::byte* address(std::initializer_list<std::int64_t> index) const;
  void require_host_type(bool matches) const;

  std::shared_ptr<void> keep_alive_;
  void* base_ = nullptr;
  std::uint64_t byte_offset_ = 0;
  Shape shape_;
  std::vector<std::int64_t> strides_;
  Device device_;
  DType dtype_ = DType::f32;
  bool read_only_ = false;
};

namespace detail {
/// Which element types `T` may name, in `Tensor::at`.
template <class T>
constexpr bool names_element(DType) = delete;
template <>
constexpr bool names_element<double>(DType type) {
  return type == DType::f64;
}
template <>
constexpr bool names_element<float>(DType type) {
  return type == DType::f32;
}
template <>
constexpr bool names_element<std::uint16_t>(DType type) {
  return type == DType::f16 || type == DType::bf16;
}
template <>
constexpr bool names_element<std::int8_t>(DType type) {
  return type == DType::i8;
}
template <>
constexpr bool names_element<std::uint8_t>(DType type) {
  return type == DType::u8 || type == DType::boolean || type == DType::f8e4m3 || type == DType::f8e5m2;
}
template <>
constexpr bool names_element<std::int32_t>(DType type) {
  return type == DType::i32;
}
template <>
constexpr bool names_element<std::uint32_t>(DType type) {
  return type == DType::u32;
}
template <>
constexpr bool names_element<std::int64_t>(DType type) {
  return type == DType::i64;
}
}  // namespace detail

template <class T>
T& Tensor::at(std::initializer_list<std::int64_t> index) const {
  require_host_type(detail::names_element<T>(dtype_));
  return *reinterpret_cast<T*>(address(index));
}

}  // namespace tilewright
