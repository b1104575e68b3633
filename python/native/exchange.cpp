#include "exchange.h"

#include <map>

namespace tilewright::python {
namespace {

const ExchangeTable* table_of(PyObject* type) {
  PyObject* capsule = PyObject_GetAttrString(type, "__dlpack_c_exchange_api__");
  const ExchangeTable* table = nullptr;
  if (capsule != nullptr && PyCapsule_IsValid(capsule, "dlpack_exchange_api") != 0)
    table = static_cast<const ExchangeTable*>(PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
  PyErr_Clear();
  Py_XDECREF(capsule);
  while (table != nullptr && table->version.major != 1) table = table->previous;
  const bool is_whole = table != nullptr && table->export_managed != nullptr && table->current_stream != nullptr;
  return is_whole ? table : nullptr;
}

}  // namespace

const Exchange* exchange_of(PyTypeObject* type) {
  static auto& known =
      *new std::map<PyTypeObject*, Exchange>();  // holds its types, so that none is mistaken for another
  auto found = known.find(type);
  if (found == known.end()) {
    auto* object = reinterpret_cast<PyObject*>(type);
    Exchange made{.table = table_of(object)};
    if (made.table == nullptr) return nullptr;  // other types come and go: nothing is kept of them
    made.is_neg = PyObject_GetAttrString(object, "is_neg");
    PyErr_Clear();
    made.has_new_empty = PyObject_HasAttrString(object, "new_empty") != 0;
    found = known.emplace(type, made).first;
    Py_INCREF(object);
  }
  return &found->second;
}

}  // namespace tilewright::python
