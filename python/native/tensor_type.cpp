// Tensor: memory that the library made, as any array library takes it: a buffer, and DLPack.
#include <cstring>
#include <new>

#include "native.h"

namespace tilewright::python {
namespace {

struct TensorObject {
  PyObject_HEAD tilewright_managed_tensor* managed;
  Py_ssize_t* byte_strides;
  char format[2];
};

PyTypeObject* tensor_type = nullptr;

TensorObject* as_tensor(PyObject* self) {
  return reinterpret_cast<TensorObject*>(self);
}

/// The struct module's letter; 0 for types without one.
char format_of(tilewright_type type) {
  switch (type.code) {
    case TILEWRIGHT_FLOAT:
      return type.bits == 64 ? 'd' : type.bits == 32 ? 'f' : 'e';
    case TILEWRIGHT_INT:
      return type.bits == 64 ? 'q' : type.bits == 32 ? 'i' : 'b';
    case TILEWRIGHT_UINT:
      return type.bits == 32 ? 'I' : 'B';
    case TILEWRIGHT_BOOL:
      return '?';
    default:
      return type.bits == 16 ? 'H' : 'B';  // bfloat16 and the f8 types by their bits
  }
}

int get_buffer(PyObject* object, Py_buffer* view, int flags) {
  TensorObject* self = as_tensor(object);
  tilewright_tensor& tensor = self->managed->tensor;
  view->obj = nullptr;
  if (tensor.device.kind == TILEWRIGHT_CUDA) {
    PyErr_SetString(PyExc_BufferError, "the tensor is in a GPU's memory; take it by DLPack");
    return -1;
  }
  view->buf = static_cast<char*>(tensor.data) + tensor.byte_offset;
  view->itemsize = tensor.type.bits / 8;
  view->len = view->itemsize;
  for (int axis = 0; axis < tensor.rank; ++axis) view->len *= tensor.shape[axis];
  view->readonly = (self->managed->flags & 1U) != 0;
  view->ndim = tensor.rank;
  view->format = (flags & PyBUF_FORMAT) != 0 ? self->format : nullptr;
  view->shape = reinterpret_cast<Py_ssize_t*>(tensor.shape);
  view->strides = self->byte_strides;
  view->suboffsets = nullptr;
  view->internal = nullptr;
  view->obj = Py_NewRef(object);
  return 0;
}

void finalize(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  tilewright_tensor_free(as_tensor(object)->managed);
  delete[] as_tensor(object)->byte_strides;
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

PyObject* get_shape(PyObject* self, void*) {
  const tilewright_tensor& tensor = as_tensor(self)->managed->tensor;
  return shape_tuple(tensor.shape, tensor.rank);
}
PyObject* get_type(PyObject* self, void*) {
  return PyUnicode_FromString(tilewright_type_name(as_tensor(self)->managed->tensor.type));
}

PyObject* dlpack_device(PyObject* self, PyObject*) {
  const tilewright_device device = as_tensor(self)->managed->tensor.device;
  return Py_BuildValue("ii", device.kind, device.index);
}

/// A description before DLPack's version 1, which every library takes; it keeps the tensor object.
struct Unversioned {
  tilewright_tensor tensor;
  void* owner;
  void (*deleter)(Unversioned* self);
};

void drop_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor") == 0) return;  // taken
  auto* managed = static_cast<Unversioned*>(PyCapsule_GetPointer(capsule, "dltensor"));
  managed->deleter(managed);
}

PyObject* dlpack(PyObject* self, PyObject*, PyObject*) {
  auto* managed = new (std::nothrow) Unversioned{as_tensor(self)->managed->tensor, Py_NewRef(self), nullptr};
  if (managed == nullptr) return PyErr_NoMemory();
  managed->deleter = [](Unversioned* each) {
    const PyGILState_STATE state = PyGILState_Ensure();  // the taker may be on any thread
    Py_DECREF(static_cast<PyObject*>(each->owner));
    PyGILState_Release(state);
    delete each;
  };
  PyObject* capsule = PyCapsule_New(managed, "dltensor", drop_capsule);
  if (capsule == nullptr) managed->deleter(managed);
  return capsule;
}

}  // namespace

PyObject* wrap_tensor(tilewright_managed_tensor* managed) {
  const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(tensor_type, Py_tp_alloc));
  PyObject* object = allocate(tensor_type, 0);
  const tilewright_tensor& tensor = managed->tensor;
  auto* strides =
      object == nullptr ? nullptr : new (std::nothrow) Py_ssize_t[static_cast<std::size_t>(tensor.rank) + 1];
  if (strides == nullptr) {
    tilewright_tensor_free(managed);
    Py_XDECREF(object);
    return PyErr_NoMemory();
  }
  for (int axis = 0; axis < tensor.rank; ++axis) strides[axis] = tensor.strides[axis] * (tensor.type.bits / 8);
  as_tensor(object)->managed = managed;
  as_tensor(object)->byte_strides = strides;
  as_tensor(object)->format[0] = format_of(tensor.type);
  as_tensor(object)->format[1] = '\0';
  return object;
}

PyObject* make_tensor_type(PyObject* module) {
  static PyMethodDef methods[] = {
      {"__dlpack__", method<dlpack>(), METH_VARARGS | METH_KEYWORDS, "A capsule for any library that speaks DLPack."},
      {"__dlpack_device__", method<dlpack_device>(), METH_NOARGS,
       "(kind, index) of its device, as DLPack numbers them."},
      {nullptr, nullptr, 0, nullptr}};
  static PyGetSetDef properties[] = {
      {"shape", get_shape, nullptr, "One extent for each axis.", nullptr},
      {"type", get_type, nullptr, "The element type, as the language names it.", nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(finalize)},
      {Py_tp_doc, const_cast<char*>("Memory that a program's call on a GPU has made, as any array library "
                                    "takes it: by DLPack, on the host as a buffer too.")},
      {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
      {Py_tp_methods, methods},
      {Py_tp_getset, properties},
      {0, nullptr}};
  static PyType_Spec spec = {"tilewright._native.Tensor", sizeof(TensorObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  tensor_type = reinterpret_cast<PyTypeObject*>(type);
  return type;
}

}  // namespace tilewright::python
