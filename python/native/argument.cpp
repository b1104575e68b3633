// Arrays as descriptions. Buffers, which NumPy's arrays are, are read here; what is none of them (PyTorch, CuPy, JAX,
// types that buffers cannot name) by the package's `describe`.
#include <cstring>

#include "exchange.h"

namespace tilewright::python {
namespace {

/// The element type of a buffer's format and item size; false where there is none.
bool type_of_format(const char* format, Py_ssize_t size, tilewright_type& type) {
  if (format == nullptr) format = "B";
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  if (format[0] == '\0' || format[1] != '\0' || size > 8) return false;
  type = {0, static_cast<std::uint8_t>(8 * size), 1};
  switch (*format) {
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
      type.code = TILEWRIGHT_INT;
      break;
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
      type.code = TILEWRIGHT_UINT;
      break;
    case 'e':
    case 'f':
    case 'd':
      type.code = TILEWRIGHT_FLOAT;
      break;
    case '?':
      type.code = TILEWRIGHT_BOOL;
      break;
    default:
      return false;
  }
  return tilewright_type_name(type) != nullptr;
}

}  // namespace

Argument::~Argument() {
  if (has_buffer_) PyBuffer_Release(&buffer_);
  if (managed_ != nullptr && managed_->deleter != nullptr) {
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;  // a deleter may be Python's, and one may be raised
    PyErr_Fetch(&type, &value, &trace);
    managed_->deleter(managed_);
    PyErr_Restore(type, value, trace);
  }
  Py_XDECREF(keep_);
}

bool Argument::take(PyObject* object, const char* name, Access access) {
  if (PyObject_CheckBuffer(object)) {
    if (!take_buffer(object, name)) return false;
  } else if (!take_exchanged(object, access) && !take_described(object, name)) {
    return false;
  }
  if (access != Access::read && read_only_) {
    raise("A012", "pass a writable array, or none for a new one", "the output '%s' is read only", name);
    return false;
  }
  return true;
}

/// False, without an error, where the type offers no table or the table cannot describe this array: describe() then
/// says why.
bool Argument::take_exchanged(PyObject* object, Access access) {
  const Exchange* exchange = exchange_of(Py_TYPE(object));
  if (exchange == nullptr) return false;
  if (exchange->is_neg != nullptr && access != Access::write_made) {
    PyObject* negated = PyObject_CallFunctionObjArgs(exchange->is_neg, object, nullptr);
    const bool is_plain = negated == Py_False;
    PyErr_Clear();
    Py_XDECREF(negated);
    if (!is_plain) return false;
  }
  // Whether memory may be written only the managed form says; what was made a moment ago may.
  tilewright_tensor seen{};
  if (exchange->table->describe != nullptr && access != Access::write) {
    if (exchange->table->describe(object, &seen) != 0) return PyErr_Clear(), false;
  } else {
    if (exchange->table->export_managed(object, &managed_) != 0) return PyErr_Clear(), false;
    seen = managed_->tensor;
    read_only_ = (managed_->flags & 1U) != 0;
  }
  if (seen.rank > most_axes || tilewright_type_name(seen.type) == nullptr || seen.device.kind > TILEWRIGHT_CUDA_MANAGED)
    return false;
  std::int64_t row_major = 1;
  for (int axis = seen.rank - 1; axis >= 0; --axis) {
    shape_[axis] = seen.shape[axis];
    strides_[axis] = seen.strides != nullptr ? seen.strides[axis] : row_major;
    row_major *= seen.shape[axis] > 0 ? seen.shape[axis] : 1;
  }
  tensor = seen;
  tensor.shape = shape_;
  tensor.strides = strides_;
  exchange_ = exchange;
  return true;
}

bool Argument::take_buffer(PyObject* object, const char* name) {
  if (PyObject_GetBuffer(object, &buffer_, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
    // NumPy has no buffers of bfloat16 and the like.
    PyErr_Clear();
    return take_described(object, name);
  }
  has_buffer_ = true;
  read_only_ = buffer_.readonly != 0;
  if (!type_of_format(buffer_.format, buffer_.itemsize, tensor.type)) {
    PyBuffer_Release(&buffer_);
    has_buffer_ = false;
    return take_described(object, name);
  }
  if (buffer_.ndim > most_axes) {
    raise("R001", "reshape it: 0 to 8 are possible", "'%s' has %d axes", name, buffer_.ndim);
    return false;
  }
  Py_ssize_t row_major = buffer_.itemsize;
  for (int axis = buffer_.ndim - 1; axis >= 0; --axis) {
    // Some exporters leave out what goes without saying.
    const Py_ssize_t extent = buffer_.shape != nullptr ? buffer_.shape[axis] : buffer_.len / buffer_.itemsize;
    const Py_ssize_t stride = buffer_.strides != nullptr ? buffer_.strides[axis] : row_major;
    row_major *= extent > 0 ? extent : 1;
    shape_[axis] = extent;
    strides_[axis] = stride / buffer_.itemsize;
    if (stride % buffer_.itemsize != 0 && shape_[axis] > 1) {
      raise("R008", "copy it: strides are whole elements",
            "'%s' steps by %zd bytes along axis %d, no multiple of its elements' %zd", name, stride, axis,
            buffer_.itemsize);
      return false;
    }
  }
  tensor.data = buffer_.buf;
  tensor.device = {TILEWRIGHT_CPU, 0};
  tensor.rank = buffer_.ndim;
  tensor.shape = shape_;
  tensor.strides = strides_;
  return true;
}

bool Argument::take_described(PyObject* object, const char* name) {
  PyObject* described = PyObject_CallFunction(package.describe, "Os", object, name);
  if (described == nullptr) return false;
  keep_ = described;
  unsigned long long address = 0;
  const char* type = nullptr;
  PyObject *shape = nullptr, *strides = nullptr, *keep = nullptr;
  int kind = 0, index = 0, read_only = 0;
  if (!PyArg_ParseTuple(described, "KsO!O!iipO", &address, &type, &PyTuple_Type, &shape, &PyTuple_Type, &strides, &kind,
                        &index, &read_only, &keep))
    return false;
  const Py_ssize_t rank = PyTuple_Size(shape);
  if (rank > most_axes || PyTuple_Size(strides) != rank) {
    raise("R001", "0 to 8 of both are possible", "'%s' has %zd axes and %zd strides", name, rank,
          PyTuple_Size(strides));
    return false;
  }
  if (tilewright_type_named(type, &tensor.type) == 0) {
    raise("R022", "convert it to a type of the language: f32", "'%s' has elements of type %s", name, type);
    return false;
  }
  for (Py_ssize_t axis = 0; axis < rank; ++axis) {
    shape_[axis] = PyLong_AsLongLong(PyTuple_GetItem(shape, axis));
    strides_[axis] = PyLong_AsLongLong(PyTuple_GetItem(strides, axis));
  }
  if (PyErr_Occurred() != nullptr) return false;
  read_only_ = read_only != 0;
  tensor.data = reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
  tensor.device = {kind, index};
  tensor.rank = static_cast<std::int32_t>(rank);
  tensor.shape = shape_;
  tensor.strides = strides_;
  return true;
}

}  // namespace tilewright::python
