// Tensor: what kernels read and write. A handle to shared memory: copies and views are cheap and keep the memory alive.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tilewright/error.h"
#include "tilewright/export.h"
#include "tilewright/types.h"

struct DLManagedTensor;           // of dlpack.h, which only those who exchange tensors include
struct DLManagedTensorVersioned;  // of dlpack.h 1.0 and later

namespace tilewright::TILEWRIGHT_ABI {

/// Python's slice of one axis: negative bounds count from the end, bounds outside are clamped, an absent bound is the
/// end that the sign of `step` starts or stops at.
struct Slice {
  std::optional<std::int64_t> start = {};
  std::optional<std::int64_t> stop = {};
  std::int64_t step = 1;
};

/// Existing memory, described for `Tensor::borrow`.
struct Memory {
  void* data = nullptr;  ///< element (0, …, 0)
  DType dtype = DType::f32;
  Shape shape = {};
  std::optional<Strides> strides = {};    ///< absent: row-major
  bool read_only = false;                 ///< kernels refuse it as an output
  std::shared_ptr<void> keep_alive = {};  ///< released with the last Tensor over this memory; may be null
  std::string device = "cpu";             ///< where `data` is: "cpu", "cuda:1", "cuda-host:0", "cuda-managed:0"
};

/// Constness is of the handle, not of the elements. Distinct handles may be used from distinct threads; elements are
/// not synchronised. Codes of errors are those of docs/errors.md; all are thrown as Error, or returned by the try_
/// form.
class TILEWRIGHT_API Tensor {
 public:
  /// f32 of shape [0].
  Tensor() noexcept;

  // ---- making ----

  /// Row-major host memory, aligned to 64 bytes, contents undefined. R001: more than 8 axes. R002: a negative extent.
  /// R003: more bytes than 63 bits count. R004: the memory is not to be had.
  static Tensor allocate(DType dtype, Shape shape) {
    return detail::value_or_throw(try_allocate(dtype, std::move(shape)));
  }
  static Result<Tensor> try_allocate(DType dtype, Shape shape) noexcept;

  /// Every element 0. R001 to R004.
  static Tensor zeros(DType dtype, Shape shape) { return detail::value_or_throw(try_zeros(dtype, std::move(shape))); }
  static Result<Tensor> try_zeros(DType dtype, Shape shape) noexcept;

  /// Every element is `value`, converted as the language's cast does. R001 to R004.
  static Tensor full(DType dtype, Shape shape, double value) {
    return detail::value_or_throw(try_full(dtype, std::move(shape), value));
  }
  static Result<Tensor> try_full(DType dtype, Shape shape, double value) noexcept;

  /// Element n in row-major order is first + n · step, converted as the language's cast does. R001 to R004.
  static Tensor arange(DType dtype, Shape shape, std::int64_t first = 0, std::int64_t step = 1) {
    return detail::value_or_throw(try_arange(dtype, std::move(shape), first, step));
  }
  static Result<Tensor> try_arange(DType dtype, Shape shape, std::int64_t first = 0, std::int64_t step = 1) noexcept;

  /// The data that `tilewright run` takes where none is given: normal floats (mean 0, variance 1, within ±6), uniform
  /// integers over all values, even bools; the same on every platform for one seed. R001 to R004.
  static Tensor random(DType dtype, Shape shape, std::uint64_t seed) {
    return detail::value_or_throw(try_random(dtype, std::move(shape), seed));
  }
  static Result<Tensor> try_random(DType dtype, Shape shape, std::uint64_t seed) noexcept;

  /// New memory with these elements in row-major order. R001 to R004. A015: their number is not the shape's.
  template <Element T>
    requires(sizeof(T) != 2)
  static Tensor copy_of(std::initializer_list<T> elements, Shape shape) {
    return detail::value_or_throw(try_copy_of(dtype_of<T>, elements.begin(), elements.size(), shape));
  }
  template <class T>
    requires Element<std::remove_const_t<T>>
  static Tensor copy_of(std::span<T> elements, Shape shape) {
    return detail::value_or_throw(
        try_copy_of(dtype_of<std::remove_const_t<T>>, elements.data(), elements.size(), shape));
  }
  /// The same for any type: `count` elements of `dtype` at `elements`.
  static Result<Tensor> try_copy_of(DType dtype, const void* elements, std::size_t count, Shape shape) noexcept;

  // ---- existing memory ----

  /// A tensor over existing elements in row-major order, which must outlive it; read only if T is const. R001 to R003.
  /// A015: their number is not the shape's.
  template <class T>
    requires Element<std::remove_const_t<T>>
  static Tensor borrow(std::span<T> elements, Shape shape) {
    return detail::value_or_throw(try_borrow(elements, shape));
  }
  template <class T>
    requires Element<std::remove_const_t<T>>
  static Result<Tensor> try_borrow(std::span<T> elements, Shape shape) noexcept {
    void* data = const_cast<std::remove_const_t<T>*>(elements.data());
    return try_borrow_elements(
        Memory{data, dtype_of<std::remove_const_t<T>>, std::move(shape), {}, std::is_const_v<T>, {}, "cpu"},
        elements.size());
  }
  /// The same for any type, strides and owner. Strides may be anything on axes of extent 1; without elements `data` may
  /// be null. R001 to R003. R005: strides and shape differ in length. R006: an element lies outside of the address
  /// space. R007: null data. R008: the first element is not aligned to the element size. R023: no such device.
  static Tensor borrow(Memory memory) { return detail::value_or_throw(try_borrow(std::move(memory))); }
  static Result<Tensor> try_borrow(Memory memory) noexcept;

  /// A tensor over the memory of `managed`, whose deleter runs when the last Tensor over it goes; on failure `managed`
  /// stays the caller's. R020: null or malformed. R021: a major version other than 1. R022: an element type that there
  /// is none of here. R023: a device that there is none of here. R001 to R008.
  static Tensor from_dlpack(DLManagedTensorVersioned* managed) {
    return detail::value_or_throw(try_from_dlpack(managed));
  }
  static Result<Tensor> try_from_dlpack(DLManagedTensorVersioned* managed) noexcept;
  /// The form of DLPack before version 1.
  static Tensor from_dlpack(DLManagedTensor* managed) { return detail::value_or_throw(try_from_dlpack(managed)); }
  static Result<Tensor> try_from_dlpack(DLManagedTensor* managed) noexcept;

  /// A description that keeps the memory alive until its deleter is called. Never null; strides are always given.
  DLManagedTensorVersioned* to_dlpack() const { return detail::value_or_throw(try_to_dlpack()); }
  Result<DLManagedTensorVersioned*> try_to_dlpack() const noexcept;
  /// The form before version 1. R024: it cannot say that a tensor is read only.
  DLManagedTensor* to_unversioned_dlpack() const { return detail::value_or_throw(try_to_unversioned_dlpack()); }
  Result<DLManagedTensor*> try_to_unversioned_dlpack() const noexcept;

  // ---- files ----

  /// A NumPy .npy file: either byte order, C or Fortran order, every element type (those that NumPy lacks as ml_dtypes
  /// writes them). The file is mapped where it can be, and the tensor then read only. R030: no .npy file. R031: a
  /// version or header that the format does not allow. R032: it ends early. R033: an element type that there is none of
  /// here. R040: it cannot be read. R001 to R004.
  static Tensor load(const std::filesystem::path& path) { return detail::value_or_throw(try_load(path)); }
  static Result<Tensor> try_load(const std::filesystem::path& path) noexcept;

  /// Writes a .npy file in C order, whole or not at all. R041: it cannot be written. R017: not in memory that the host
  /// reads.
  void save(const std::filesystem::path& path) const { detail::value_or_throw(try_save(path)); }
  Result<void> try_save(const std::filesystem::path& path) const noexcept;

  // ---- what it is ----

  DType dtype() const noexcept;
  const Shape& shape() const noexcept;
  const Strides& strides() const noexcept;
  std::size_t rank() const noexcept { return shape().size(); }
  std::int64_t extent(std::size_t axis) const { return shape().at(axis); }  ///< std::out_of_range: no such axis
  std::int64_t element_count() const noexcept;
  std::int64_t byte_size() const noexcept;  ///< of the elements, without gaps between them
  bool is_contiguous() const noexcept;      ///< row-major without gaps
  bool is_read_only() const noexcept;
  std::string device() const;   ///< "cpu", "cuda:0"
  void* data() const noexcept;  ///< element (0, …, 0); null where there is no memory

  // ---- elements ----

  /// One element of a host tensor. `T` names the element type (see Element). A010: it does not. A011: another number of
  /// indices than axes, or an index outside of its extent. R017: not in memory that the host reads.
  template <Element T, std::convertible_to<std::int64_t>... Indices>
  const T& at(Indices... indices) const {
    const std::int64_t list[] = {static_cast<std::int64_t>(indices)..., 0};
    return *static_cast<const T*>(element({list, sizeof...(Indices)}, detail::ElementTypes<T>::all, false));
  }
  /// The same, to write. A012: the tensor is read only.
  template <Element T, std::convertible_to<std::int64_t>... Indices>
  T& mutable_at(Indices... indices) const {
    const std::int64_t list[] = {static_cast<std::int64_t>(indices)..., 0};
    return *static_cast<T*>(element({list, sizeof...(Indices)}, detail::ElementTypes<T>::all, true));
  }
  /// One element of any type as a double, to which an i64 past 2⁵³ is rounded. A011, R017 as at().
  template <std::convertible_to<std::int64_t>... Indices>
  double value(Indices... indices) const {
    const std::int64_t list[] = {static_cast<std::int64_t>(indices)..., 0};
    return element_value({list, sizeof...(Indices)});
  }
  /// All elements in row-major order, as long as a Tensor over this memory lives (so not of a temporary). A010: `T`
  /// does not name the element type. A013: they do not lie so (see contiguous()). R017.
  template <Element T>
  std::span<const T> elements() const& {
    return {static_cast<const T*>(all_elements(detail::ElementTypes<T>::all, false)), count()};
  }
  /// The same, to write. A012: the tensor is read only.
  template <Element T>
  std::span<T> mutable_elements() const& {
    return {static_cast<T*>(all_elements(detail::ElementTypes<T>::all, true)), count()};
  }
  template <Element T>
  std::span<const T> elements() const&& = delete;
  template <Element T>
  std::span<T> mutable_elements() const&& = delete;

  // ---- views, which share the memory; axes count from 0. R009: no such axis ----

  /// R010: a step of 0.
  Tensor slice(std::size_t axis, Slice slice) const { return detail::value_or_throw(try_slice(axis, slice)); }
  Result<Tensor> try_slice(std::size_t axis, Slice slice) const noexcept;
  /// Axis `a` of the result is axis `permutation[a]`. R011: not a permutation of the axes.
  Tensor transpose(std::vector<std::size_t> permutation) const {
    return detail::value_or_throw(try_transpose(std::move(permutation)));
  }
  Result<Tensor> try_transpose(std::vector<std::size_t> permutation) const noexcept;
  /// NumPy's rule: axes align at the right; those of extent 1 and missing ones repeat with stride 0. The result is read
  /// only where an element repeats. R012: the shapes do not fit.
  Tensor broadcast_to(Shape shape) const { return detail::value_or_throw(try_broadcast_to(std::move(shape))); }
  Result<Tensor> try_broadcast_to(Shape shape) const noexcept;
  /// The same elements in row-major order under another shape. R013: another element count. R014: only a copy could do
  /// it (see contiguous()).
  Tensor reshape(Shape shape) const { return detail::value_or_throw(try_reshape(std::move(shape))); }
  Result<Tensor> try_reshape(Shape shape) const noexcept;
  /// Without `axis`. R015: its extent is not 1.
  Tensor squeeze(std::size_t axis) const { return detail::value_or_throw(try_squeeze(axis)); }
  Result<Tensor> try_squeeze(std::size_t axis) const noexcept;
  /// With a new axis of extent 1 before `axis`; rank() appends one.
  Tensor unsqueeze(std::size_t axis) const { return detail::value_or_throw(try_unsqueeze(axis)); }
  Result<Tensor> try_unsqueeze(std::size_t axis) const noexcept;
  /// Without `axis`, at `index` of it; a negative one counts from the end. R016: outside.
  Tensor select(std::size_t axis, std::int64_t index) const { return detail::value_or_throw(try_select(axis, index)); }
  Result<Tensor> try_select(std::size_t axis, std::int64_t index) const noexcept;

  /// Itself if contiguous, else clone().
  Tensor contiguous() const { return detail::value_or_throw(try_contiguous()); }
  Result<Tensor> try_contiguous() const noexcept;
  /// A row-major copy in new host memory. R004, R017.
  Tensor clone() const { return detail::value_or_throw(try_clone()); }
  Result<Tensor> try_clone() const noexcept;

  struct TILEWRIGHT_INNER Inside;  ///< the library's own

 private:
  friend Inside;
  explicit Tensor(std::shared_ptr<const Inside> inside) noexcept : inside_(std::move(inside)) {}

  static Result<Tensor> try_borrow_elements(Memory memory, std::size_t count) noexcept;
  void* element(std::span<const std::int64_t> index, std::span<const DType> types, bool write) const;
  double element_value(std::span<const std::int64_t> index) const;
  void* all_elements(std::span<const DType> types, bool write) const;
  std::size_t count() const noexcept { return static_cast<std::size_t>(element_count()); }

  std::shared_ptr<const Inside> inside_;
};

}  // namespace tilewright::TILEWRIGHT_ABI
