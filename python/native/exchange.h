// DLPack's exchange table: what an array type offers to C, so that a call asks for descriptions and the current stream
// without going through Python. A type has it as the capsule `__dlpack_c_exchange_api__` (DLPack 1.3, Python
// specification, C exchange interface).
#pragma once

#include <cstdint>

#include "native.h"

namespace tilewright::python {

/// The layout of DLPack's table. Functions return 0, or not 0 with a Python error; none waits for a stream.
struct ExchangeTable {
  struct {
    std::uint32_t major;
    std::uint32_t minor;
  } version;
  ExchangeTable* previous;  ///< that of an older major version; may be null
  int (*allocate)(const tilewright_tensor* like, tilewright_managed_tensor** made, void* context,
                  void (*set_error)(void* context, const char* kind, const char* message));
  int (*export_managed)(void* object, tilewright_managed_tensor** made);
  int (*import_managed)(tilewright_managed_tensor* taken, void** object);
  int (*describe)(void* object, tilewright_tensor* described);  ///< may be null; its arrays are the object's
  int (*current_stream)(std::int32_t device_kind, std::int32_t device_index, void** stream);
};

/// What a type offers, looked up once a type.
struct Exchange {
  const ExchangeTable* table = nullptr;
  PyObject* is_neg = nullptr;  ///< PyTorch's: true of a tensor whose memory holds the negated values
  bool has_new_empty = false;  ///< PyTorch's way to make another of the same type and device
};

/// Null for types that offer nothing. No Python error is set. Needs the interpreter's lock.
const Exchange* exchange_of(PyTypeObject* type);

}  // namespace tilewright::python
