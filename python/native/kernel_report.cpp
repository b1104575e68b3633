// What a kernel says of itself: stages of its compilation, explanations, times, shapes and parts.
#include <cstring>
#include <string>
#include <vector>

#include "kernel_object.h"

namespace tilewright::python {

PyObject* emit(PyObject* object, PyObject* arguments) {
  KernelObject* self = as_kernel(object);
  const char *target = nullptr, *stage = nullptr;
  PyObject *positional = nullptr, *named = nullptr, *out = Py_None, *stream = Py_None;
  if (!PyArg_ParseTuple(arguments, "ssO!O!", &target, &stage, &PyTuple_Type, &positional, &PyDict_Type, &named))
    return nullptr;
  Arguments read;
  if (!read.take(self, positional, named, &out, &stream)) return nullptr;
  char* bytes = nullptr;
  std::size_t size = 0;
  const bool done = call_unlocked([&](tilewright_error** error) {
    return tilewright_emit(self->kernel, target, stage, read.tensors.data(), read.count, &bytes, &size, error);
  });
  if (!done) return nullptr;
  PyObject* result = PyBytes_FromStringAndSize(bytes, static_cast<Py_ssize_t>(size));
  tilewright_bytes_free(bytes);
  return result;
}

PyObject* explain(PyObject* object, PyObject* arguments) {
  KernelObject* self = as_kernel(object);
  int html = 0;
  PyObject *positional = nullptr, *named = nullptr, *out = Py_None, *stream = Py_None;
  if (!PyArg_ParseTuple(arguments, "pO!O!", &html, &PyTuple_Type, &positional, &PyDict_Type, &named)) return nullptr;
  Arguments read;
  if (!read.take(self, positional, named, &out, &stream)) return nullptr;
  const tilewright_engine* engine = engine_for(self, read, nullptr);
  if (engine == nullptr) return nullptr;
  char* text = nullptr;
  const bool done = call_unlocked([&](tilewright_error** error) {
    return tilewright_explain(engine, self->kernel, read.tensors.data(), read.count, html, &text, error);
  });
  if (!done) return nullptr;
  PyObject* result = PyUnicode_FromString(text);
  tilewright_bytes_free(text);
  return result;
}

PyObject* time(PyObject* object, PyObject* arguments) {
  KernelObject* self = as_kernel(object);
  double seconds = 0;
  PyObject *positional = nullptr, *named = nullptr, *out = Py_None, *stream = Py_None;
  if (!PyArg_ParseTuple(arguments, "dO!O!", &seconds, &PyTuple_Type, &positional, &PyDict_Type, &named)) return nullptr;
  Arguments read;
  if (!read.take(self, positional, named, &out, &stream)) return nullptr;
  if (tilewright_kernel_is_program(self->kernel) != 0)
    return PyErr_SetString(PyExc_TypeError, "a program is not timed as a whole; time its statements"), nullptr;
  PyObject* output = out == Py_None ? make_output(self, read) : Py_NewRef(out);
  if (output == nullptr) return nullptr;
  Argument written;
  tilewright_timing timing{};
  bool done = written.take(output, tilewright_kernel_name(self->kernel), Access::write);
  const tilewright_engine* engine =
      done && put_producers_first(read) ? engine_for(self, read, &written.tensor) : nullptr;
  done = engine != nullptr && call_unlocked([&](tilewright_error** error) {
           return tilewright_time(engine, self->kernel, read.tensors.data(), read.count, &written.tensor, seconds,
                                  &timing, error);
         });
  Py_DECREF(output);
  if (!done) return nullptr;
  return Py_BuildValue("dddndd", timing.median, timing.low, timing.high, static_cast<Py_ssize_t>(timing.calls),
                       timing.flops, timing.bytes);
}

namespace {

/// (type, shape) as a description without data; false with a Python error. `shape` has room for 8 extents.
bool describe_type(PyObject* pair, const char* name, tilewright_tensor& tensor, std::int64_t* shape) {
  const char* type = nullptr;
  PyObject* extents = nullptr;
  if (PyTuple_Check(pair) == 0 || PyArg_ParseTuple(pair, "sO!", &type, &PyTuple_Type, &extents) == 0) return false;
  if (tilewright_type_named(type, &tensor.type) == 0)
    return raise("R022", "take a name of the language: f32", "'%s' has elements of type %s", name, type), false;
  const Py_ssize_t rank = PyTuple_Size(extents);
  if (rank > 8) return raise("R001", "0 to 8 are possible", "'%s' has %zd axes", name, rank), false;
  for (Py_ssize_t axis = 0; axis < rank; ++axis) shape[axis] = PyLong_AsLongLong(PyTuple_GetItem(extents, axis));
  tensor.device = {TILEWRIGHT_CPU, 0};
  tensor.rank = static_cast<std::int32_t>(rank);
  tensor.shape = shape;
  return PyErr_Occurred() == nullptr;
}

}  // namespace

/// ((type, shape), …) of the operands → [(type, shape), …] of the results
PyObject* infer(PyObject* object, PyObject* arguments) {
  KernelObject* self = as_kernel(object);
  const std::size_t count = tilewright_kernel_operand_count(self->kernel);
  if (PyTuple_Size(arguments) != static_cast<Py_ssize_t>(count))
    return PyErr_Format(PyExc_TypeError, "%s has %zu operands, not %zd", tilewright_kernel_name(self->kernel), count,
                        PyTuple_Size(arguments));
  std::vector<tilewright_tensor> operands(count);
  std::vector<std::int64_t> extents(8 * count);
  for (std::size_t n = 0; n < count; ++n)
    if (!describe_type(PyTuple_GetItem(arguments, static_cast<Py_ssize_t>(n)),
                       tilewright_kernel_operand(self->kernel, n), operands[n], extents.data() + 8 * n))
      return nullptr;
  const std::size_t made = tilewright_kernel_result_count(self->kernel);
  std::vector<tilewright_type> types(made);
  std::vector<std::int32_t> ranks(made);
  std::vector<std::int64_t> shapes(8 * made);
  tilewright_error* error = nullptr;
  const tilewright_status status =
      tilewright_result_types(self->kernel, operands.data(), count, types.data(), ranks.data(), shapes.data(), &error);
  if (status != TILEWRIGHT_OK) return raise(status, error), nullptr;
  PyObject* results = PyList_New(0);
  for (std::size_t n = 0; results != nullptr && n < made; ++n) {
    PyObject* result =
        Py_BuildValue("sN", tilewright_type_name(types[n]), shape_tuple(shapes.data() + 8 * n, ranks[n]));
    if (result == nullptr || PyList_Append(results, result) != 0) Py_CLEAR(results);
    Py_XDECREF(result);
  }
  return results;
}

/// ((operand, axis) | None, …): for each axis of the result the axis of an operand that has its extent
PyObject* get_result_axes(PyObject* self, void*) {
  const tilewright_kernel* kernel = as_kernel(self)->kernel;
  PyObject* axes = PyList_New(0);
  for (std::size_t n = 0; axes != nullptr; ++n) {
    std::size_t operand = 0, axis = 0;
    const int known = tilewright_kernel_result_axis(kernel, n, &operand, &axis);
    if (known < 0) break;
    PyObject* found = known != 0
                          ? Py_BuildValue("(nn)", static_cast<Py_ssize_t>(operand), static_cast<Py_ssize_t>(axis))
                          : Py_NewRef(Py_None);
    if (found == nullptr || PyList_Append(axes, found) != 0) Py_CLEAR(axes);
    Py_XDECREF(found);
  }
  return axes;
}

/// [(iterator, operands' axes with None for whole, result's axis or None, operator or None), …]
PyObject* get_splits(PyObject* self, void*) {
  const tilewright_kernel* kernel = as_kernel(self)->kernel;
  PyObject* splits = PyList_New(0);
  tilewright_split split;
  for (std::size_t n = 0; splits != nullptr && tilewright_kernel_split(kernel, n, &split) != 0; ++n) {
    const std::size_t count = tilewright_kernel_operand_count(kernel);
    PyObject* axes = PyTuple_New(static_cast<Py_ssize_t>(count));
    for (std::size_t operand = 0; axes != nullptr && operand < count; ++operand) {
      const std::int32_t axis = tilewright_kernel_split_axis(kernel, n, operand);
      PyTuple_SetItem(axes, static_cast<Py_ssize_t>(operand), axis < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(axis));
    }
    PyObject* result = split.result_axis < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(split.result_axis);
    PyObject* entry = axes == nullptr ? nullptr : Py_BuildValue("sNNz", split.iterator, axes, result, split.combine);
    if (entry == nullptr || PyList_Append(splits, entry) != 0) Py_CLEAR(splits);
    Py_XDECREF(entry);
  }
  return splits;
}

}  // namespace tilewright::python
