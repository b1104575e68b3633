// The module `tilewright._native`: its functions, its types, and how errors become exceptions.
#include <pthread.h>

#include <cstdarg>
#include <cstdio>
#include <map>
#include <mutex>
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

void raise(const char* code, const char* remedy, const char* format, ...) {
  char message[512];
  va_list values;
  va_start(values, format);
  std::vsnprintf(message, sizeof message, format, values);
  va_end(values);
  const std::string text = std::string("error[") + code + "]: " + message + "\n    = help: " + remedy + "\n";
  set_exception(TILEWRIGHT_BAD_INPUT, Py_BuildValue("[(ssssIIs)]", code, message, remedy, "", 0U, 0U, text.c_str()));
}

PyObject* shape_tuple(const std::int64_t* shape, std::int32_t rank) {
  PyObject* tuple = PyTuple_New(rank);
  for (std::int32_t axis = 0; tuple != nullptr && axis < rank; ++axis)
    if (PyTuple_SetItem(tuple, axis, PyLong_FromLongLong(shape[axis])) != 0) Py_CLEAR(tuple);
  return tuple;
}

namespace {

/// Engines by device. Opening one takes its own lock, for it may take long and others look theirs up meanwhile; neither
/// lock is held while Python's is asked for.
struct Engines {
  std::mutex looking, opening;
  std::map<std::string, const tilewright_engine*, std::less<>> open;

  const tilewright_engine* find(std::string_view device) {
    const std::lock_guard lock(looking);
    const auto found = open.find(device);
    return found == open.end() ? nullptr : found->second;
  }
};

Engines& engines() {
  static auto& all = *new Engines();
  // A process that is forked while another thread holds a lock would wait for it for good.
  static const int registered =
      pthread_atfork([] { all.opening.lock(), all.looking.lock(); }, [] { all.looking.unlock(), all.opening.unlock(); },
                     [] { all.looking.unlock(), all.opening.unlock(); });
  static_cast<void>(registered);
  return all;
}

}  // namespace

tilewright_status open_engine(const char* device, const tilewright_engine** engine, tilewright_error** error) {
  *engine = engines().find(device);
  if (*engine != nullptr) return TILEWRIGHT_OK;
  const std::lock_guard opening(engines().opening);
  *engine = engines().find(device);
  if (*engine != nullptr) return TILEWRIGHT_OK;
  tilewright_engine* opened = nullptr;
  const tilewright_status status = tilewright_engine_open(device, nullptr, &opened, error);
  if (status != TILEWRIGHT_OK) return status;
  const std::lock_guard looking(engines().looking);
  engines().open.emplace(device, opened);
  *engine = opened;
  return TILEWRIGHT_OK;
}

const tilewright_engine* engine_of(const char* device) {
  const tilewright_engine* engine = engines().find(device);
  if (engine != nullptr) return engine;
  call_unlocked([&](tilewright_error** error) { return open_engine(device, &engine, error); });
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
    {"connect", method<connect>(), METH_VARARGS,
     "(make_error, describe, make_result, numpy_dtype, put_first, find_stream): what this module calls."},
    {"parse", method<parse>(), METH_VARARGS,
     "(text, source, device, type of statements, type of programs) -> [kernel, ...]"},
    {"register_for_xla", method<register_for_xla>(), METH_O, "(kernel) -> the number that XLA's calls name it by"},
    {"xla_handlers", method<xla_handlers>(), METH_NOARGS, "() -> {platform: capsule of the function that XLA calls}"},
    {"set_threads", method<set_threads>(), METH_O,
     "set_threads(count)\n--\n\nHow many threads of the host a call may use, the calling one included; 0: all.\n\n"
     "Raises ValueError for a count that is not 0 to 1024."},
    {"threads", method<threads>(), METH_NOARGS, "threads()\n--\n\nHow many threads of the host a call may use."},
    {"processor", method<processor>(), METH_O,
     "processor(device)\n--\n\nWhat a device is: \"znver3\" for \"cpu\", \"NVIDIA H200\" for \"cuda:0\".\n\n"
     "Raises DeviceError where it is not there."},
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
