// What the files of the C interface share: the objects behind its handles, and the way from the inner world's errors
// and exceptions to a status. include/tilewright.h is the interface; tests/c uses it from C.
#pragma once

#include <array>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/dlpack_exchange.h"
#include "runtime/engine.h"
#include "runtime/kernel.h"
#include "runtime/tensor.h"
#include "support/diagnostic.h"
#include "tilewright.h"

struct tilewright_engine {
  tilewright::Engine engine;
  std::string device;
  std::string processor;
};

namespace tilewright::c {

/// An iterator that a statement may be computed in parts along.
struct Split {
  std::string iterator;
  std::int32_t result_axis = -1;
  std::string combine;
  std::vector<std::int32_t> operand_axes;  ///< in the kernel's order; -1: read whole
};
/// None of a program.
std::vector<Split> splits_of(const Kernel& kernel);

}  // namespace tilewright::c

struct tilewright_kernel {
  explicit tilewright_kernel(tilewright::Kernel parsed);

  tilewright::Kernel kernel;
  std::vector<std::string> results;
  std::string text;
  std::vector<tilewright::c::Split> splits;
};

namespace tilewright::c {

/// Stores the diagnostics in `*error`, where one is asked for; the status of their codes.
tilewright_status report(const Diagnostics& diagnostics, tilewright_error** error) noexcept;
/// The same for what was thrown: a defect of the library.
tilewright_status report_defect(const char* what, tilewright_error** error) noexcept;

/// Runs the body of a function of the interface; what it throws becomes a status.
template <class Body>
tilewright_status guarded(tilewright_error** error, Body&& body) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    const Result<void> done = body();
    return done ? TILEWRIGHT_OK : report(done.error(), error);
  } catch (const std::bad_alloc&) {
    return TILEWRIGHT_OUT_OF_MEMORY;
  } catch (const std::exception& exception) {
    return report_defect(exception.what(), error);
  }
}

/// An argument that must not be null.
struct Required {
  const void* pointer;
  const char* name;
};
/// A040 for the first that is null.
Result<void> require(std::initializer_list<Required> arguments);

/// The caller's options in a structure of this library's size, what an older caller lacks as zeros. A041: a size that
/// no version has.
template <class Options>
Result<Options> options_of(const Options* given, const char* what) {
  Options options{};
  if (given == nullptr) return options;
  if (given->size < sizeof(std::size_t) || given->size > 4096)
    return fail("A041", std::string(what) + " of " + std::to_string(given->size) + " bytes",
                "set `size` to sizeof(" + std::string(what) + ")");
  const auto* bytes = reinterpret_cast<const std::byte*>(given);
  std::copy_n(bytes, std::min(given->size, sizeof(Options)), reinterpret_cast<std::byte*>(&options));
  return options;
}

/// Tensors over the operands of a call, in order. A040, and the errors of borrow_dlpack with the operand's name.
struct Operands {
  std::vector<Tensor> tensors;
  std::vector<const Tensor*> pointers;

  static Result<Operands> of(const tilewright_kernel& kernel, const tilewright_tensor* given, std::size_t count);
  std::vector<tilewright::Operand> named(const Kernel& kernel) const;
  std::vector<nest::NamedView> views(const Kernel& kernel) const;
};

/// Descriptions as they are, unchecked, to look for a call that has been made before.
class References {
 public:
  /// False where one has a type, device or rank that a checked call must report.
  bool add(const tilewright_tensor& given);
  std::span<const TensorRef> all() const { return refs_; }
  std::span<const TensorRef> operands() const { return all().first(refs_.size() - 1); }
  const TensorRef& output() const { return refs_.back(); }

  void reserve(std::size_t count) {
    refs_.reserve(count);
    strides_.reserve(count);  // which refs_ points into
  }

 private:
  std::vector<TensorRef> refs_;
  std::vector<std::array<std::int64_t, max_rank>> strides_;  ///< of row-major descriptions without any
};

/// The descriptions with an address where there is none, for what reads no data.
std::vector<tilewright_tensor> with_addresses(const tilewright_tensor* operands, std::size_t count);

/// A tensor over one description. A040 and the errors of borrow_dlpack, with `name`.
Result<Tensor> borrow(const tilewright_tensor* given, std::string_view name);

tilewright_managed_tensor* exported(const Tensor& tensor);
/// A copy that tilewright_bytes_free takes.
char* exported(const std::string& bytes);

void describe(DType dtype, const std::vector<std::int64_t>& extents, tilewright_type* type, std::int32_t* rank,
              std::int64_t* shape);

}  // namespace tilewright::c
