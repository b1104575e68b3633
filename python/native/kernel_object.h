// What the files of the type Kernel share: the object, the arguments of a call, and where it runs.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "native.h"

namespace tilewright::python {

struct KernelObject {
  PyObject_HEAD tilewright_kernel* kernel;
  PyObject* names;  ///< tuple of the operands' names, interned
  char* device;     ///< chosen by the caller; null: that of the operands
};

inline KernelObject* as_kernel(PyObject* self) {
  return reinterpret_cast<KernelObject*>(self);
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

/// The kernel's device, else that of its first operand (of the output, where it has none). Null with a Python error.
const tilewright_engine* engine_for(KernelObject* self, const Arguments& arguments, const tilewright_tensor* output);

/// A call that waits for its results begins behind what the default stream holds: has that wait for what the operands'
/// libraries have queued elsewhere. False with a Python error.
bool put_producers_first(const Arguments& arguments);

/// A new array for the result: NumPy's for buffers, else of the first operand's library.
PyObject* make_output(KernelObject* self, const Arguments& arguments);

/// The methods and properties that say something of a kernel, for the type's tables.
PyObject* emit(PyObject* object, PyObject* arguments);
PyObject* explain(PyObject* object, PyObject* arguments);
PyObject* time(PyObject* object, PyObject* arguments);
PyObject* infer(PyObject* object, PyObject* arguments);
PyObject* get_result_axes(PyObject* self, void*);
PyObject* get_splits(PyObject* self, void*);

}  // namespace tilewright::python
