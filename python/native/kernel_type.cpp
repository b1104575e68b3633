// Kernel: a parsed statement or program, callable with arrays.
#include <cstring>
#include <string>
#include <vector>

#include "exchange.h"
#include "kernel_object.h"

namespace tilewright::python {
namespace {

/// All results of a program, by name.
PyObject* run_program(KernelObject* self, const Arguments& arguments) {
  const tilewright_engine* engine = engine_for(self, arguments, nullptr);
  if (engine == nullptr || !put_producers_first(arguments)) return nullptr;
  const std::size_t count = tilewright_kernel_result_count(self->kernel);
  std::vector<tilewright_managed_tensor*> results(count, nullptr);
  const bool done = call_unlocked([&](tilewright_error** error) {
    return tilewright_run(engine, self->kernel, arguments.tensors.data(), arguments.count, results.data(), error);
  });
  if (!done) return nullptr;
  PyObject* named = PyDict_New();
  for (std::size_t n = 0; n < count; ++n) {
    PyObject* tensor = wrap_tensor(results[n]);
    if (named != nullptr &&
        (tensor == nullptr || PyDict_SetItemString(named, tilewright_kernel_result(self->kernel, n), tensor) != 0))
      Py_CLEAR(named);
    Py_XDECREF(tensor);
  }
  return named;
}

/// The stream that the caller names, else the current one of the output's library, where there is telling. False with a
/// Python error.
bool choose_stream(PyObject* named, PyObject* output, const Argument& written, tilewright_call_options& options) {
  const tilewright_device device = written.tensor.device;
  if (named == Py_None && written.exchange() != nullptr) {
    options.has_stream = 1;
    return written.exchange()->table->current_stream(device.kind, device.index, &options.stream) == 0;
  }
  PyObject* chosen = named != Py_None
                         ? Py_NewRef(named)
                         : PyObject_CallFunction(package.find_stream, "Oi", output, static_cast<int>(device.index));
  options.has_stream = chosen != Py_None;
  if (chosen != nullptr && chosen != Py_None)
    options.stream = reinterpret_cast<void*>(static_cast<std::uintptr_t>(PyLong_AsUnsignedLongLong(chosen)));
  Py_XDECREF(chosen);
  return PyErr_Occurred() == nullptr;
}

PyObject* call(PyObject* object, PyObject* positional, PyObject* named) {
  KernelObject* self = as_kernel(object);
  PyObject *out = Py_None, *stream = Py_None;
  Arguments arguments;
  if (!arguments.take(self, positional, named, &out, &stream)) return nullptr;
  if (tilewright_kernel_is_program(self->kernel) != 0) {
    if (out != Py_None || stream != Py_None)
      return PyErr_SetString(PyExc_TypeError, "a program takes neither out= nor stream="), nullptr;
    return run_program(self, arguments);
  }
  PyObject* output = out == Py_None ? make_output(self, arguments) : Py_NewRef(out);
  if (output == nullptr) return nullptr;
  Argument written;
  bool done =
      written.take(output, tilewright_kernel_name(self->kernel), out == Py_None ? Access::write_made : Access::write);
  const tilewright_engine* engine = done ? engine_for(self, arguments, &written.tensor) : nullptr;
  done = engine != nullptr;
  tilewright_call_options options{sizeof(tilewright_call_options), 0, nullptr};
  const bool on_gpu = written.tensor.device.kind == TILEWRIGHT_CUDA;
  if (done && (stream != Py_None || on_gpu))
    done =
        choose_stream(stream, output, written, options) && (options.has_stream != 0 || put_producers_first(arguments));
  done = done && call_unlocked([&](tilewright_error** error) {
           return tilewright_call(engine, self->kernel, arguments.tensors.data(), arguments.count, &written.tensor,
                                  &options, error);
         });
  if (!done) Py_CLEAR(output);
  return output;
}

// ---- making ----

/// tuple of interned names
PyObject* operand_names(const tilewright_kernel* kernel) {
  const std::size_t count = tilewright_kernel_operand_count(kernel);
  PyObject* names = PyTuple_New(static_cast<Py_ssize_t>(count));
  for (std::size_t n = 0; names != nullptr && n < count; ++n) {
    PyObject* name = PyUnicode_InternFromString(tilewright_kernel_operand(kernel, n));
    if (name == nullptr || PyTuple_SetItem(names, static_cast<Py_ssize_t>(n), name) != 0) Py_CLEAR(names);
  }
  return names;
}

PyObject* make(PyTypeObject* type, tilewright_kernel* kernel, const char* device) {
  const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  PyObject* object = allocate(type, 0);
  if (object == nullptr) return tilewright_kernel_free(kernel), nullptr;
  as_kernel(object)->kernel = kernel;
  as_kernel(object)->names = operand_names(kernel);
  as_kernel(object)->device = device == nullptr ? nullptr : strdup(device);
  if (as_kernel(object)->names == nullptr) Py_CLEAR(object);
  return object;
}

PyObject* construct(PyTypeObject* type, PyObject* arguments, PyObject* named) {
  const char *text = nullptr, *source = "<statement>", *device = nullptr;
  static const char* keywords[] = {"text", "source", "device", nullptr};
  if (!PyArg_ParseTupleAndKeywords(arguments, named, "s|sz", const_cast<char**>(keywords), &text, &source, &device))
    return nullptr;
  tilewright_kernel* kernel = nullptr;
  tilewright_error* error = nullptr;
  const tilewright_status status = tilewright_kernel_parse(text, source, &kernel, &error);
  if (status != TILEWRIGHT_OK) return raise(status, error), nullptr;
  return make(type, kernel, device);
}

PyObject* einsum(PyObject* type, PyObject* arguments) {
  const char *equation = nullptr, *element = nullptr;
  PyObject* ranks = nullptr;
  if (!PyArg_ParseTuple(arguments, "sO!z", &equation, &PyTuple_Type, &ranks, &element)) return nullptr;
  std::vector<std::size_t> numbers;
  for (Py_ssize_t n = 0; n < PyTuple_Size(ranks); ++n) numbers.push_back(PyLong_AsSize_t(PyTuple_GetItem(ranks, n)));
  if (PyErr_Occurred() != nullptr) return nullptr;
  tilewright_kernel* kernel = nullptr;
  tilewright_error* error = nullptr;
  tilewright_type known{};
  if (element != nullptr) tilewright_type_named(element, &known);
  const tilewright_status status =
      element == nullptr
          ? tilewright_kernel_einsum(equation, numbers.data(), numbers.size(), &kernel, &error)
          : tilewright_kernel_einsum_of(equation, numbers.data(), numbers.size(), known, &kernel, &error);
  if (status != TILEWRIGHT_OK) return raise(status, error), nullptr;
  return make(reinterpret_cast<PyTypeObject*>(type), kernel, nullptr);
}

void finalize(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  tilewright_kernel_free(as_kernel(object)->kernel);
  Py_CLEAR(as_kernel(object)->names);
  free(as_kernel(object)->device);
  const auto release = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  release(object);
  Py_DECREF(type);
}

PyObject* get_name(PyObject* self, void*) {
  return PyUnicode_FromString(tilewright_kernel_name(as_kernel(self)->kernel));
}
PyObject* get_text(PyObject* self, void*) {
  return PyUnicode_FromString(tilewright_kernel_text(as_kernel(self)->kernel));
}
PyObject* get_device(PyObject* self, void*) {
  const char* device = as_kernel(self)->device;
  return device == nullptr ? Py_NewRef(Py_None) : PyUnicode_FromString(device);
}
PyObject* get_operands(PyObject* self, void*) {
  return Py_NewRef(as_kernel(self)->names);
}
PyObject* get_is_program(PyObject* self, void*) {
  return PyBool_FromLong(tilewright_kernel_is_program(as_kernel(self)->kernel));
}
PyObject* get_results(PyObject* self, void*) {
  const tilewright_kernel* kernel = as_kernel(self)->kernel;
  const std::size_t count = tilewright_kernel_result_count(kernel);
  PyObject* names = PyTuple_New(static_cast<Py_ssize_t>(count));
  for (std::size_t n = 0; names != nullptr && n < count; ++n)
    if (PyTuple_SetItem(names, static_cast<Py_ssize_t>(n), PyUnicode_FromString(tilewright_kernel_result(kernel, n))) !=
        0)
      Py_CLEAR(names);
  return names;
}
/// [{operand: (type, shape)}, …]: one an example line
PyObject* get_examples(PyObject* self, void*) {
  const tilewright_kernel* kernel = as_kernel(self)->kernel;
  PyObject* examples = PyList_New(0);
  for (std::size_t e = 0; examples != nullptr && e < tilewright_kernel_example_count(kernel); ++e) {
    PyObject* example = PyDict_New();
    for (std::size_t n = 0; example != nullptr && n < tilewright_kernel_operand_count(kernel); ++n) {
      tilewright_type type;
      std::int32_t rank = 0;
      std::int64_t shape[8];
      if (tilewright_kernel_example(kernel, e, n, &type, &rank, shape) == 0) continue;
      PyObject* described = Py_BuildValue("sN", tilewright_type_name(type), shape_tuple(shape, rank));
      if (described == nullptr || PyDict_SetItemString(example, tilewright_kernel_operand(kernel, n), described) != 0)
        Py_CLEAR(example);
      Py_XDECREF(described);
    }
    if (example == nullptr || PyList_Append(examples, example) != 0) Py_CLEAR(examples);
    Py_XDECREF(example);
  }
  return examples;
}

}  // namespace

PyObject* parse(PyObject*, PyObject* arguments) {
  const char *text = nullptr, *source = nullptr, *device = nullptr;
  PyObject *statements = nullptr, *programs = nullptr;
  if (!PyArg_ParseTuple(arguments, "sszO!O!", &text, &source, &device, &PyType_Type, &statements, &PyType_Type,
                        &programs))
    return nullptr;
  tilewright_kernel** kernels = nullptr;
  std::size_t count = 0;
  const bool done = call_unlocked(
      [&](tilewright_error** error) { return tilewright_kernels_parse(text, source, &kernels, &count, error); });
  if (!done) return nullptr;
  PyObject* made = PyList_New(0);
  for (std::size_t n = 0; made != nullptr && n < count; ++n) {
    PyObject* type = tilewright_kernel_is_program(kernels[n]) != 0 ? programs : statements;
    PyObject* object = make(reinterpret_cast<PyTypeObject*>(type), kernels[n], device);
    kernels[n] = nullptr;  // the object's now
    if (object == nullptr || PyList_Append(made, object) != 0) Py_CLEAR(made);
    Py_XDECREF(object);
  }
  tilewright_kernels_free(kernels, count);
  return made;
}

PyObject* make_kernel_type(PyObject* module) {
  static PyMethodDef methods[] = {
      {"_emit", method<emit>(), METH_VARARGS, "(target, stage, positional, named) -> bytes"},
      {"_explain", method<explain>(), METH_VARARGS, "(html, positional, named) -> str"},
      {"_time", method<time>(), METH_VARARGS,
       "(seconds, positional, named) -> (median, low, high, calls, flops, bytes)"},
      {"_einsum", method<einsum>(), METH_VARARGS | METH_CLASS, "(equation, ranks, element type or None) -> Kernel"},
      {"_infer", method<infer>(), METH_VARARGS, "(type, shape) of each operand -> [(type, shape), ...]"},
      {nullptr, nullptr, 0, nullptr}};
  static PyGetSetDef properties[] = {
      {"name", get_name, nullptr, "The statement's target; a program's name.", nullptr},
      {"text", get_text, nullptr, "The kernel as canonical text, which parses to the same.", nullptr},
      {"device", get_device, nullptr, "The device it was made for; None: that of its operands.", nullptr},
      {"operands", get_operands, nullptr, "Names of the operands, in order of first read.", nullptr},
      {"results", get_results, nullptr, "Names of what it computes.", nullptr},
      {"examples", get_examples, nullptr, "Its example lines: {operand: (type, shape)} of each.", nullptr},
      {"is_program", get_is_program, nullptr, "True for several statements with a name.", nullptr},
      {"_result_axes", get_result_axes, nullptr, "(operand, axis) or None for each axis of the result", nullptr},
      {"_splits", get_splits, nullptr, "[(iterator, axes of operands, axis of result, operator), ...]", nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(&Guarded<construct>::call)},
                                {Py_tp_call, reinterpret_cast<void*>(&Guarded<call>::call)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(finalize)},
                                {Py_tp_methods, methods},
                                {Py_tp_getset, properties},
                                {0, nullptr}};
  static PyType_Spec spec = {"tilewright._native.Kernel", sizeof(KernelObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  return PyType_FromModuleAndSpec(module, &spec, nullptr);
}

}  // namespace tilewright::python
