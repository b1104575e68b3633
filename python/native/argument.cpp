// Arrays as descriptions. Buffers, which NumPy's arrays are, are read here; what is none of them (PyTorch, CuPy, JAX,
// types that buffers cannot name) by the package's `describe`.
#include <cstring>

#include "native.h"

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
  Py_XDECREF(keep_);
}

bool Argument::take(PyObject* object, const char* name, bool written) {
  if (PyObject_CheckBuffer(object)) {
    if (!take_buffer(object, name)) return false;
  } else if (!take_described(object, name)) {
    return false;
  }
  if (written && read_only_) {
    raise("A012", "the output '%s' is read only", name);
    return false;
  }
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
    raise("R001", "'%s' has %d axes, more than 8", name, buffer_.ndim);
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
      raise("R008", "'%s' steps by %zd bytes along axis %d, no multiple of its elements' %zd", name, stride, axis,
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
    raise("R001", "'%s' has %zd axes and %zd strides; 0 to 8 of both are possible", name, rank, PyTuple_Size(strides));
    return false;
  }
  if (tilewright_type_named(type, &tensor.type) == 0) {
    raise("R022", "'%s' has elements of type %s", name, type);
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
