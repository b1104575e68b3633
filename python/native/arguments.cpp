// The arguments of a call, placed and described; the engine that they choose, and the array for the result.
#include <cstring>
#include <string>

#include "exchange.h"
#include "kernel_object.h"

namespace tilewright::python {
namespace {

bool raise_arguments(KernelObject* self, const char* problem, const char* name) {
  std::string names;
  for (std::size_t n = 0; n < tilewright_kernel_operand_count(self->kernel); ++n)
    names += std::string(n == 0 ? "" : ", ") + tilewright_kernel_operand(self->kernel, n);
  PyErr_Format(PyExc_TypeError, "%s(%s): %s%s", tilewright_kernel_name(self->kernel), names.c_str(), problem, name);
  return false;
}

}  // namespace

bool Arguments::place(KernelObject* self, PyObject* positional, PyObject* named, PyObject** out, PyObject** stream) {
  const Py_ssize_t given = PyTuple_Size(positional);
  if (static_cast<std::size_t>(given) > count)
    return raise_arguments(self, "more positional arguments than operands", "");
  for (Py_ssize_t n = 0; n < given; ++n) objects[static_cast<std::size_t>(n)] = PyTuple_GetItem(positional, n);
  if (named != nullptr) {
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t at = 0;
    while (PyDict_Next(named, &at, &key, &value) != 0) {
      std::size_t n = 0;
      // Names are interned on both sides, so most are found by identity.
      while (n < count && PyTuple_GetItem(self->names, static_cast<Py_ssize_t>(n)) != key) ++n;
      for (std::size_t m = 0; n == count && m < count; ++m)
        if (PyUnicode_Compare(PyTuple_GetItem(self->names, static_cast<Py_ssize_t>(m)), key) == 0) n = m;
      const char* name = PyUnicode_AsUTF8AndSize(key, nullptr);
      if (name == nullptr) return false;
      if (n < count) {
        if (objects[n] != nullptr) return raise_arguments(self, "given twice: ", name);
        objects[n] = value;
      } else if (std::strcmp(name, "out") == 0) {
        *out = value;
      } else if (std::strcmp(name, "stream") == 0) {
        *stream = value;
      } else {
        return raise_arguments(self, "it has no operand ", name);
      }
    }
  }
  for (std::size_t n = 0; n < count; ++n)
    if (objects[n] == nullptr) return raise_arguments(self, "missing: ", tilewright_kernel_operand(self->kernel, n));
  return true;
}

bool Arguments::take(KernelObject* self, PyObject* positional, PyObject* named, PyObject** out, PyObject** stream) {
  count = tilewright_kernel_operand_count(self->kernel);
  objects.assign(count, nullptr);
  if (!place(self, positional, named, out, stream)) return false;
  taken = std::make_unique<Argument[]>(count);
  tensors.reserve(count);
  for (std::size_t n = 0; n < count; ++n) {
    if (!taken[n].take(objects[n], tilewright_kernel_operand(self->kernel, n), Access::read)) return false;
    tensors.push_back(taken[n].tensor);
  }
  return true;
}

const tilewright_engine* engine_for(KernelObject* self, const Arguments& arguments, const tilewright_tensor* output) {
  if (self->device != nullptr) return engine_of(self->device);
  const tilewright_tensor* first = arguments.count > 0 ? arguments.tensors.data() : output;
  const bool on_gpu =
      first != nullptr && (first->device.kind == TILEWRIGHT_CUDA || first->device.kind == TILEWRIGHT_CUDA_MANAGED);
  if (!on_gpu) return engine_of("cpu");
  return engine_of(("cuda:" + std::to_string(first->device.index)).c_str());
}

bool put_producers_first(const Arguments& arguments) {
  for (std::size_t n = 0; n < arguments.count; ++n) {
    if (arguments.taken[n].is_buffer()) continue;
    PyObject* done = PyObject_CallFunctionObjArgs(package.put_first, arguments.objects[n], nullptr);
    if (done == nullptr) return false;
    Py_DECREF(done);
  }
  return true;
}

namespace {

/// numpy.empty(shape, dtype); takes the shape over.
PyObject* make_numpy(tilewright_type type, PyObject* shape) {
  static PyObject* empty = nullptr;
  static PyObject* dtypes[16][9] = {};  // by code and bytes
  if (empty == nullptr) {
    PyObject* numpy = PyImport_ImportModule("numpy");
    empty = numpy == nullptr ? nullptr : PyObject_GetAttrString(numpy, "empty");
    Py_XDECREF(numpy);
  }
  PyObject*& dtype = dtypes[type.code % 16][type.bits / 8 % 9];
  if (empty != nullptr && dtype == nullptr)
    dtype = PyObject_CallFunction(package.numpy_dtype, "s", tilewright_type_name(type));
  PyObject* array =
      empty == nullptr || dtype == nullptr ? nullptr : PyObject_CallFunctionObjArgs(empty, shape, dtype, nullptr);
  Py_DECREF(shape);
  return array;
}

/// Bytes of a result from which on it is worth some microseconds to begin at a cache line, which NumPy's own arrays of
/// this size do not: kernels write past the caches only there.
constexpr std::int64_t aligned_from = 1 << 20;

/// operand.new_empty(*shape), as PyTorch has it: of the operand's type and device. It reads numbers quicker than a
/// tuple.
PyObject* make_like(PyObject* operand, PyObject* shape) {
  static PyObject* const new_empty = PyUnicode_InternFromString("new_empty");
  if (PyTuple_Size(shape) == 0) return PyObject_CallMethodObjArgs(operand, new_empty, shape, nullptr);
  PyObject* method = PyObject_GetAttr(operand, new_empty);
  PyObject* made = method == nullptr ? nullptr : PyObject_Call(method, shape, nullptr);
  Py_XDECREF(method);
  return made;
}

}  // namespace

PyObject* make_output(KernelObject* self, const Arguments& arguments) {
  tilewright_type type;
  std::int32_t rank = 0;
  std::int64_t shape[8];
  tilewright_error* error = nullptr;
  const tilewright_status status =
      tilewright_result_type(self->kernel, arguments.tensors.data(), arguments.count, &type, &rank, shape, &error);
  if (status != TILEWRIGHT_OK) return raise(status, error), nullptr;
  PyObject* extents = shape_tuple(shape, rank);
  if (extents == nullptr) return nullptr;
  const bool is_foreign = arguments.count > 0 && !arguments.taken[0].is_buffer();
  std::int64_t bytes = type.bits / 8;
  for (std::int32_t axis = 0; axis < rank; ++axis) bytes *= shape[axis];
  if (!is_foreign && bytes < aligned_from) return make_numpy(type, extents);
  if (!is_foreign)
    return PyObject_CallFunction(package.make_result, "sNO", tilewright_type_name(type), extents, Py_None);
  const Argument& like = arguments.taken[0];
  const tilewright_type given = like.tensor.type;
  if (like.exchange() != nullptr && like.exchange()->has_new_empty && given.code == type.code &&
      given.bits == type.bits) {
    PyObject* output = make_like(arguments.objects[0], extents);
    Py_DECREF(extents);
    return output;
  }
  return PyObject_CallFunction(package.make_result, "sNO", tilewright_type_name(type), extents, arguments.objects[0]);
}

}  // namespace tilewright::python
