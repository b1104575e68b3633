// What the files of the extension module share. The module is written against Tilewright's C interface and Python's
// stable one (3.11 and later, where buffers are part of it), so that one binary serves all later Pythons. It does what
// every call pays for: arrays to descriptions and the call itself; the package in ../tilewright does the rest.
#pragma once

#define PY_SSIZE_T_CLEAN
#if !defined(Py_LIMITED_API) && defined(TILEWRIGHT_STABLE_PYTHON)
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>

#include <cstddef>
#include <cstdint>

#include "tilewright.h"

namespace tilewright::python {

/// The functions of the package that this module calls, set once by `_native.connect`.
struct Package {
  PyObject* make_error = nullptr;  ///< (status, [(code, message, remedy, source, line, column, text)]) → exception
  PyObject* describe = nullptr;    ///< any array object → (address, type, shape, strides, kind, index, read only, keep)
  PyObject* make_result = nullptr;  ///< (type, shape, operand that is no buffer) → array
  PyObject* numpy_dtype = nullptr;  ///< (type) → NumPy's dtype
  PyObject* put_first = nullptr;    ///< (operand): the default stream waits for what its library has queued
  PyObject* find_stream = nullptr;  ///< (output, device index) → the caller's current CUDA stream, as an integer
};
extern Package package;

/// Raises what a function of the C interface reported, and frees it.
void raise(tilewright_status status, tilewright_error* error);
/// Raises an error that the C interface cannot see.
void raise(const char* code, const char* format, ...);

/// A Python object as a tensor of the C interface, which keeps it as it is until it is released.
class Argument {
 public:
  Argument() = default;
  Argument(const Argument&) = delete;
  Argument& operator=(const Argument&) = delete;
  ~Argument();

  /// False with a Python error where the object is no array that a kernel can read (or write, if `written`).
  bool take(PyObject* object, const char* name, bool written);

  tilewright_tensor tensor{};
  bool is_buffer() const { return has_buffer_; }

 private:
  bool take_buffer(PyObject* object, const char* name);
  bool take_described(PyObject* object, const char* name);

  static constexpr int most_axes = 8;
  std::int64_t shape_[most_axes];
  std::int64_t strides_[most_axes];
  Py_buffer buffer_{};
  PyObject* keep_ = nullptr;
  bool has_buffer_ = false;
  bool read_only_ = false;
};

/// The engine of a device ("cpu", "cuda:1"), opened when it is first asked for; null with a Python error.
const tilewright_engine* engine_of(const char* device);

PyObject* make_kernel_type(PyObject* module);
PyObject* make_tensor_type(PyObject* module);
/// Takes the memory over.
PyObject* wrap_tensor(tilewright_managed_tensor* tensor);
/// The extents as a tuple of Python.
PyObject* shape_tuple(const std::int64_t* shape, std::int32_t rank);

}  // namespace tilewright::python
