// The module `tilewright._native`: its functions, its types, and how errors become exceptions.
#include <cstdarg>
#include <cstdio>
#include <map>
#include <string>

#include "native.h"

namespace tilewright::python {

Package package;

namespace {

/// A list of (code, message, remedy, source, line, column, text).
PyObject* diagnostics_of(const tilewright_error* error) {
  PyObject* list = PyList_New(0);
  for (std::size_t n = 0; list != nullptr && n < tilewright_error_count(error); ++n) {
    const tilewright_diagnostic* each = tilewright_error_at(error, n);
    PyObject* tuple = Py_BuildValue("ssssIIs", each->code, each->message, each->remedy, each->source, each->line,
                                    each->column, each->text);
    if (tuple == nullptr || PyList_Append(list, tuple) != 0) Py_CLEAR(list);
    Py_XDECREF(tuple);
  }
  return list;
}

/// Sets the exception that the package makes of a status and diagnostics (taken over).
void set_exception(tilewright_status status, PyObject* diagnostics) {
  if (diagnostics == nullptr) return;
  PyObject* exception = PyObject_CallFunction(package.make_error, "iN", static_cast<int>(status), diagnostics);
  if (exception == nullptr) return;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception)), exception);
  Py_DECREF(exception);
}

}  // namespace

void raise(tilewright_status status, tilewright_error* error) {
  PyObject* diagnostics = diagnostics_of(error);
  tilewright_error_free(error);
  set_exception(status, diagnostics);
}

void raise(const char* code, const char* format, ...) {
  char message[512];
  va_list values;
  va_start(values, format);
  std::vsnprintf(message, sizeof message, format, values);
  va_end(values);
  const std::string text = std::string("error[") + code + "]: " + message + "\n";
  set_exception(TILEWRIGHT_BAD_INPUT, Py_BuildValue("[(ssssIIs)]", code, message, "", "", 0U, 0U, text.c_str()));
}

PyObject* shape_tuple(const std::int64_t* shape, std::int32_t rank) {
  PyObject* tuple = PyTuple_New(rank);
  for (std::int32_t axis = 0; tuple != nullptr && axis < rank; ++axis)
    if (PyTuple_SetItem(tuple, axis, PyLong_FromLongLong(shape[axis])) != 0) Py_CLEAR(tuple);
  return tuple;
}

const tilewright_engine* engine_of(const char* device) {
  // Open until the process ends; the interpreter's lock guards the map.
  static auto& engines = *new std::map<std::string, tilewright_engine*, std::less<>>();
  if (const auto found = engines.find(std::string_view(device)); found != engines.end()) return found->second;
  tilewright_engine* engine = nullptr;
  tilewright_error* error = nullptr;
  const tilewright_status status = tilewright_engine_open(device, nullptr, &engine, &error);
  if (status != TILEWRIGHT_OK) return raise(status, error), nullptr;
  engines.emplace(device, engine);
  return engine;
}

namespace {

PyObject* connect(PyObject*, PyObject* arguments) {
  PyObject *make_error = nullptr, *describe = nullptr, *make_result = nullptr, *dtype = nullptr, *put_first = nullptr,
           *find_stream = nullptr;
  if (!PyArg_ParseTuple(arguments, "OOOOOO", &make_error, &describe, &make_result, &dtype, &put_first, &find_stream))
    return nullptr;
  package = {Py_NewRef(make_error), Py_NewRef(describe),  Py_NewRef(make_result),
             Py_NewRef(dtype),      Py_NewRef(put_first), Py_NewRef(find_stream)};
  return Py_NewRef(Py_None);
}

PyObject* parse_texts(PyObject*, PyObject* arguments) {
  const char *text = nullptr, *source = nullptr;
  if (!PyArg_ParseTuple(arguments, "ss", &text, &source)) return nullptr;
  tilewright_kernel** kernels = nullptr;
  std::size_t count = 0;
  tilewright_error* error = nullptr;
  const tilewright_status status = tilewright_kernels_parse(text, source, &kernels, &count, &error);
  if (status != TILEWRIGHT_OK) return raise(status, error), nullptr;
  PyObject* texts = PyList_New(0);
  for (std::size_t n = 0; texts != nullptr && n < count; ++n) {
    PyObject* canonical = PyUnicode_FromString(tilewright_kernel_text(kernels[n]));
    if (canonical == nullptr || PyList_Append(texts, canonical) != 0) Py_CLEAR(texts);
    Py_XDECREF(canonical);
  }
  tilewright_kernels_free(kernels, count);
  return texts;
}

PyObject* set_threads(PyObject*, PyObject* count) {
  const long number = PyLong_AsLong(count);
  if (number == -1 && PyErr_Occurred() != nullptr) return nullptr;
  if (number < 0 || number > 1024) return PyErr_Format(PyExc_ValueError, "0 to 1024 threads, not %ld", number);
  tilewright_set_threads(static_cast<std::int32_t>(number));
  return Py_NewRef(Py_None);
}

PyObject* threads(PyObject*, PyObject*) {
  return PyLong_FromLong(tilewright_threads());
}

PyObject* processor(PyObject*, PyObject* device) {
  const char* name = PyUnicode_AsUTF8AndSize(device, nullptr);
  const tilewright_engine* engine = name == nullptr ? nullptr : engine_of(name);
  return engine == nullptr ? nullptr : PyUnicode_FromString(tilewright_engine_processor(engine));
}

PyMethodDef functions[] = {
    {"connect", connect, METH_VARARGS,
     "(make_error, describe, make_result, numpy_dtype, put_first, find_stream): what this module calls."},
    {"parse_texts", parse_texts, METH_VARARGS, "(text, source) -> the canonical text of each kernel."},
    {"set_threads", set_threads, METH_O, "How many threads of the host a call may use; 0: all."},
    {"threads", threads, METH_NOARGS, "The figure in force."},
    {"processor", processor, METH_O, "What a device is; raises DeviceError where it is not there."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace
}  // namespace tilewright::python

PyMODINIT_FUNC PyInit__native() {
  using namespace tilewright::python;
  static PyModuleDef definition = {
      PyModuleDef_HEAD_INIT, "tilewright._native", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr};
  if (tilewright_interface() != TILEWRIGHT_INTERFACE) {
    PyErr_Format(PyExc_ImportError, "libtilewright has interface %u, this package needs %u", tilewright_interface(),
                 static_cast<unsigned>(TILEWRIGHT_INTERFACE));
    return nullptr;
  }
  PyObject* module = PyModule_Create(&definition);
  if (module == nullptr) return nullptr;
  const bool made = PyModule_AddObject(module, "Kernel", make_kernel_type(module)) == 0 &&
                    PyModule_AddObject(module, "Tensor", make_tensor_type(module)) == 0 &&
                    PyModule_AddStringConstant(module, "version", tilewright_version()) == 0;
  if (!made) Py_CLEAR(module);
  return module;
}
