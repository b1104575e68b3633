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
#include <exception>
#include <new>

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
/// Raises an error that the C interface cannot see; `remedy` says what would be legal.
[[gnu::format(printf, 3, 4)]] void raise(const char* code, const char* remedy, const char* format, ...);

/// Calls a function of the C interface without the interpreter's lock; false with a Python error.
template <class Function>
bool call_unlocked(Function&& function) {
  tilewright_error* error = nullptr;
  PyThreadState* state = PyEval_SaveThread();
  const tilewright_status status = function(&error);
  PyEval_RestoreThread(state);
  if (status != TILEWRIGHT_OK) raise(status, error);
  return status == TILEWRIGHT_OK;
}

/// A function as Python may call it: what it throws becomes a Python error.
template <auto function>
struct Guarded;
template <class... Arguments, PyObject* (*function)(Arguments...)>
struct Guarded<function> {
  static PyObject* call(Arguments... arguments) noexcept {
    try {
      return function(arguments...);
    } catch (const std::bad_alloc&) {
      return PyErr_NoMemory();
    } catch (const std::exception& exception) {
      return PyErr_Format(PyExc_RuntimeError, "a defect of tilewright._native: %s", exception.what());
    }
  }
};
/// For tables of methods, whose entries have one type.
template <auto function>
PyCFunction method() {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&Guarded<function>::call));
}

/// What a call does to an array.
enum class Access { read, write, write_made };  ///< write_made: into an array that this module has asked for
struct Exchange;

/// A Python object as a tensor of the C interface, which keeps it as it is until it is released.
class Argument {
 public:
  Argument() = default;
  Argument(const Argument&) = delete;
  Argument& operator=(const Argument&) = delete;
  ~Argument();

  /// False with a Python error where the object is no array that a kernel can read (or write).
  bool take(PyObject* object, const char* name, Access access);

  tilewright_tensor tensor{};
  bool is_buffer() const { return has_buffer_; }
  /// What the object's type offers to C, where it was described by that; else null.
  const Exchange* exchange() const { return exchange_; }

 private:
  bool take_buffer(PyObject* object, const char* name);
  bool take_exchanged(PyObject* object, Access access);
  bool take_described(PyObject* object, const char* name);

  static constexpr int most_axes = 8;
  std::int64_t shape_[most_axes];
  std::int64_t strides_[most_axes];
  Py_buffer buffer_{};
  PyObject* keep_ = nullptr;
  tilewright_managed_tensor* managed_ = nullptr;
  const Exchange* exchange_ = nullptr;
  bool has_buffer_ = false;
  bool read_only_ = false;
};

/// The engine of a device ("cpu", "cuda:1"), opened when it is first asked for and until the process ends; null with a
/// Python error. open_engine is what it does, without Python: a status and an error like the C interface's.
const tilewright_engine* engine_of(const char* device);
tilewright_status open_engine(const char* device, const tilewright_engine** engine, tilewright_error** error);

PyObject* make_kernel_type(PyObject* module);
/// (text, source, device, type of statements, type of programs) → [kernel, …]
PyObject* parse(PyObject* module, PyObject* arguments);
/// (kernel) → the number that calls from XLA name it by; the kernel then lives until the process ends. xla_handlers:
/// () → {platform: capsule of the function that XLA calls}
PyObject* register_for_xla(PyObject* module, PyObject* kernel);
PyObject* xla_handlers(PyObject* module, PyObject* none);
PyObject* make_tensor_type(PyObject* module);
/// Takes the memory over.
PyObject* wrap_tensor(tilewright_managed_tensor* tensor);
/// The extents as a tuple of Python.
PyObject* shape_tuple(const std::int64_t* shape, std::int32_t rank);

}  // namespace tilewright::python
