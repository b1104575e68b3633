// Kernel: a parsed statement or program, callable with arrays.
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "native.h"

namespace tilewright::python {
namespace {

struct KernelObject {
  PyObject_HEAD tilewright_kernel* kernel;
  PyObject* names;  ///< tuple of the operands' names, interned
  char* device;     ///< chosen by the caller; null: that of the operands
};

KernelObject* as_kernel(PyObject* self) {
  return reinterpret_cast<KernelObject*>(self);
}

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

/// The arguments of one call, in the kernel's order.
class Arguments {
 public:
  /// False with a Python error.
  bool take(KernelObject* self, PyObject* positional, PyObject* named, PyObject** out, PyObject** stream);

  std::size_t count = 0;
  std::vector<PyObject*> objects;
  std::unique_ptr<Argument[]> taken;
  std::vector<tilewright_tensor> tensors;

 private:
  bool place(KernelObject* self, PyObject* positional, PyObject* named, PyObject** out, PyObject** stream);
};

bool raise_arguments(KernelObject* self, const char* problem, const char* name) {
  std::string names;
  for (std::size_t n = 0; n < tilewright_kernel_operand_count(self->kernel); ++n)
    names += std::string(n == 0 ? "" : ", ") + tilewright_kernel_operand(self->kernel, n);
  PyErr_Format(PyExc_TypeError, "%s(%s): %s%s", tilewright_kernel_name(self->kernel), names.c_str(), problem, name);
  return false;
}

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
    if (!taken[n].take(objects[n], tilewright_kernel_operand(self->kernel, n), false)) return false;
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

/// A call that waits for its results begins behind what the default stream holds: has that wait for what the operands'
/// libraries have queued elsewhere. False with a Python error.
bool put_producers_first(const Arguments& arguments) {
  for (std::size_t n = 0; n < arguments.count; ++n) {
    if (arguments.taken[n].is_buffer()) continue;
    PyObject* done = PyObject_CallFunctionObjArgs(package.put_first, arguments.objects[n], nullptr);
    if (done == nullptr) return false;
    Py_DECREF(done);
  }
  return true;
}

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

/// A new array for the result: NumPy's for buffers, else the package makes it of the operands' kind.
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
  if (!is_foreign) return make_numpy(type, extents);
  return PyObject_CallFunction(package.make_result, "sNO", tilewright_type_name(type), extents, arguments.objects[0]);
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
  bool done = written.take(output, tilewright_kernel_name(self->kernel), true);
  const tilewright_engine* engine = done ? engine_for(self, arguments, &written.tensor) : nullptr;
  done = engine != nullptr;
  tilewright_call_options options{sizeof(tilewright_call_options), 0, nullptr};
  const bool on_gpu = written.tensor.device.kind == TILEWRIGHT_CUDA;
  if (done && (stream != Py_None || on_gpu)) {
    PyObject* chosen = stream != Py_None ? Py_NewRef(stream)
                                         : PyObject_CallFunction(package.find_stream, "Oi", output,
                                                                 static_cast<int>(written.tensor.device.index));
    options.has_stream = chosen != Py_None;
    if (chosen != nullptr && chosen != Py_None)
      options.stream = reinterpret_cast<void*>(static_cast<std::uintptr_t>(PyLong_AsUnsignedLongLong(chosen)));
    Py_XDECREF(chosen);
    done = PyErr_Occurred() == nullptr && (options.has_stream != 0 || put_producers_first(arguments));
  }
  done = done && call_unlocked([&](tilewright_error** error) {
           return tilewright_call(engine, self->kernel, arguments.tensors.data(), arguments.count, &written.tensor,
                                  &options, error);
         });
  if (!done) Py_CLEAR(output);
  return output;
}

// ---- what the compiler did ----

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
  bool done = written.take(output, tilewright_kernel_name(self->kernel), true);
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
  const char* equation = nullptr;
  PyObject* ranks = nullptr;
  if (!PyArg_ParseTuple(arguments, "sO!", &equation, &PyTuple_Type, &ranks)) return nullptr;
  std::vector<std::size_t> numbers;
  for (Py_ssize_t n = 0; n < PyTuple_Size(ranks); ++n) numbers.push_back(PyLong_AsSize_t(PyTuple_GetItem(ranks, n)));
  if (PyErr_Occurred() != nullptr) return nullptr;
  tilewright_kernel* kernel = nullptr;
  tilewright_error* error = nullptr;
  const tilewright_status status = tilewright_kernel_einsum(equation, numbers.data(), numbers.size(), &kernel, &error);
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

PyObject* make_kernel_type(PyObject* module) {
  static PyMethodDef methods[] = {
      {"_emit", emit, METH_VARARGS, "(target, stage, positional, named) -> bytes"},
      {"_explain", explain, METH_VARARGS, "(html, positional, named) -> str"},
      {"_time", time, METH_VARARGS, "(seconds, positional, named) -> (median, low, high, calls, flops, bytes)"},
      {"_einsum", einsum, METH_VARARGS | METH_CLASS, "(equation, ranks) -> Kernel"},
      {nullptr, nullptr, 0, nullptr}};
  static PyGetSetDef properties[] = {
      {"name", get_name, nullptr, "The statement's target; a program's name.", nullptr},
      {"text", get_text, nullptr, "The kernel as canonical text, which parses to the same.", nullptr},
      {"device", get_device, nullptr, "The device it was made for; None: that of its operands.", nullptr},
      {"operands", get_operands, nullptr, "Names of the operands, in order of first read.", nullptr},
      {"results", get_results, nullptr, "Names of what it computes.", nullptr},
      {"examples", get_examples, nullptr, "Its example lines: {operand: (type, shape)} of each.", nullptr},
      {"is_program", get_is_program, nullptr, "True for several statements with a name.", nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(construct)},
                                {Py_tp_call, reinterpret_cast<void*>(call)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(finalize)},
                                {Py_tp_methods, methods},
                                {Py_tp_getset, properties},
                                {0, nullptr}};
  static PyType_Spec spec = {"tilewright._native.Kernel", sizeof(KernelObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  return PyType_FromModuleAndSpec(module, &spec, nullptr);
}

}  // namespace tilewright::python
