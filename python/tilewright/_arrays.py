"""Arrays of other libraries: those that are no buffers as descriptions, and new ones for results.

NumPy's arrays are read by the extension module, as buffers, and what offers DLPack's table of functions in C (PyTorch's
tensors since 2.10) by that. This module knows the others by what they offer: PyTorch's tensors by their attributes,
everything else by `__cuda_array_interface__`, `__array_interface__` or DLPack.
Nothing is imported that the caller has not imported.
"""

from __future__ import annotations

import ctypes
import math
import sys
from typing import Any

from ._errors import input_error

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13

# Element types: the language's name, that of the array libraries, DLPack's code and bits, and typestr's letter where
# there is one. The tables below are other views of this one.
_TYPES = [
    ("f64", "float64", 2, 64, "f"), ("f32", "float32", 2, 32, "f"), ("f16", "float16", 2, 16, "f"),
    ("bf16", "bfloat16", 4, 16, None), ("f8e4m3", "float8_e4m3fn", 10, 8, None), ("f8e5m2", "float8_e5m2", 12, 8, None),
    ("i64", "int64", 0, 64, "i"), ("i32", "int32", 0, 32, "i"), ("i8", "int8", 0, 8, "i"),
    ("u32", "uint32", 1, 32, "u"), ("u8", "uint8", 1, 8, "u"), ("bool", "bool", 6, 8, "b"),
]  # fmt: skip
NAMES = {theirs: ours for ours, theirs, *_ in _TYPES}
DTYPE_NAMES = {ours: theirs for ours, theirs, *_ in _TYPES}
_SIZES = {ours: bits // 8 for ours, _, _, bits, _ in _TYPES}
_TYPESTR = {f"{letter}{bits // 8}": ours for ours, _, _, bits, letter in _TYPES if letter}
_DLPACK_TYPES = {(code, bits): ours for ours, _, code, bits, _ in _TYPES}


def _type_named(dtype: Any, name: str) -> str:
    text = str(getattr(dtype, "name", dtype)).rpartition(".")[2]
    if text in NAMES:
        return NAMES[text]
    raise input_error("R022", f"'{name}' has elements of type {text}", "supported are " + ", ".join(NAMES))


def describe(array: Any, name: str) -> tuple:
    """(address, type, shape, strides in elements, device kind, device index, read only, what keeps it alive)."""
    if hasattr(array, "data_ptr") and hasattr(array, "stride"):
        return _describe_torch(array, name)
    if isinstance(interface := getattr(array, "__cuda_array_interface__", None), dict):
        return _describe_interface(array, interface, name, CUDA)
    if isinstance(interface := getattr(array, "__array_interface__", None), dict):
        return _describe_interface(array, interface, name, CPU)
    if hasattr(array, "__dlpack__"):
        return _describe_dlpack(array, name)
    raise TypeError(
        f"'{name}' is a {type(array).__name__}, no array: it has no buffer, no __dlpack__, no __array_interface__ and "
        "no __cuda_array_interface__"
    )


def _describe_torch(tensor: Any, name: str) -> tuple:
    kind = {"cpu": CPU, "cuda": CUDA}.get(tensor.device.type)
    if kind is None:
        raise input_error("R023", f"'{name}' is on {tensor.device}", "supported are cpu and cuda")
    if tensor.is_conj() or tensor.is_neg():
        raise input_error("R022", f"'{name}' is a lazily conjugated or negated view", "resolve it first")
    index = tensor.device.index or 0
    return (tensor.data_ptr(), _type_named(tensor.dtype, name), tuple(tensor.shape), tuple(tensor.stride()), kind,
            index, False, tensor)  # fmt: skip


def _describe_interface(array: Any, interface: dict, name: str, kind: int) -> tuple:
    if interface.get("mask") is not None:
        raise input_error("R022", f"'{name}' is a masked array", "fill it first")
    typestr = interface["typestr"]
    dtype = getattr(array, "dtype", None)
    known = str(getattr(dtype, "name", "")) in NAMES
    if typestr[0] == ">":
        raise input_error("R022", f"'{name}' has big-endian elements ({typestr})", "convert it to native byte order")
    if not known and typestr[1:] not in _TYPESTR:
        _type_named(dtype if dtype is not None else typestr, name)
    type_name = _type_named(dtype, name) if known else _TYPESTR[typestr[1:]]
    size = _SIZES[type_name]
    shape = tuple(interface["shape"])
    steps = interface.get("strides")
    if steps is None:
        steps, step = [], size
        for extent in reversed(shape):
            steps.insert(0, step)
            step *= extent
    if any(step % size for step, extent in zip(steps, shape) if extent > 1):
        raise input_error("R008", f"'{name}' has strides of {tuple(steps)} bytes, no multiples of {size}",
                          "copy it: strides are whole elements")  # fmt: skip
    data = interface.get("data")
    if data is None:
        raise input_error("R007", f"'{name}' has no address", "its interface must say where its data is")
    index = 0
    if kind == CUDA:
        device = getattr(array, "device", None)
        index = int(getattr(device, "id", 0) if device is not None else 0)
    return (data[0] or 0, type_name, shape, tuple(step // size for step in steps), kind, index, bool(data[1]), array)


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("owner", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _DLTensor),
    ]  # fmt: skip


_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


def _describe_dlpack(array: Any, name: str) -> tuple:
    # The capsule is not taken: it gives the memory back when it goes, after the call.
    try:
        capsule = array.__dlpack__(max_version=(1, 0))
    except TypeError:
        capsule = array.__dlpack__()
    if _is_valid(capsule, b"dltensor_versioned"):
        managed = _Versioned.from_address(_get_pointer(capsule, b"dltensor_versioned"))
        if managed.major != 1:
            raise input_error("R021", f"'{name}' speaks DLPack {managed.major}.{managed.minor}", "1.x is supported")
        tensor, read_only = managed.tensor, bool(managed.flags & 1)
    elif _is_valid(capsule, b"dltensor"):
        tensor, read_only = _DLTensor.from_address(_get_pointer(capsule, b"dltensor")), False
    else:
        raise input_error("R020", f"'{name}' has a __dlpack__ that returns no capsule of a tensor",
                          "it must be called dltensor or dltensor_versioned")  # fmt: skip
    type_name = _DLPACK_TYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    if type_name is None:
        raise input_error("R022", f"'{name}' has elements of DLPack type {tensor.code}, {tensor.bits} bits",
                          "supported are " + ", ".join(NAMES))  # fmt: skip
    shape = tuple(tensor.shape[axis] for axis in range(tensor.ndim))
    if tensor.strides:
        strides = tuple(tensor.strides[axis] for axis in range(tensor.ndim))
    else:
        steps, step = [], 1
        for extent in reversed(shape):
            steps.insert(0, step)
            step *= extent
        strides = tuple(steps)
    return ((tensor.data or 0) + tensor.byte_offset, type_name, shape, strides, tensor.device_type, tensor.device_id,
            read_only, capsule)  # fmt: skip


_numpy_dtypes: dict[str, Any] = {}


def numpy_dtype(type_name: str) -> Any:
    """NumPy's dtype for an element type; those that NumPy lacks are ml_dtypes', where that is installed."""
    dtype = _numpy_dtypes.get(type_name)
    if dtype is None:
        import numpy

        wanted = DTYPE_NAMES[type_name]
        try:
            dtype = numpy.dtype(wanted)
        except TypeError:
            try:
                import ml_dtypes
            except ImportError:
                raise TypeError(f"NumPy has no {wanted}; install ml_dtypes, or pass out=") from None
            dtype = numpy.dtype(getattr(ml_dtypes, wanted))
        _numpy_dtypes[type_name] = dtype
    return dtype


def make_result(type_name: str, shape: tuple, operand: Any) -> Any:
    """An array for a result: of the operand's library and device where that is PyTorch or CuPy, else NumPy's, whose
    data then begin at a cache line."""
    module = type(operand).__module__.partition(".")[0]
    library = sys.modules.get(module)
    if hasattr(operand, "new_empty"):
        dtype = getattr(library, DTYPE_NAMES[type_name], None)
        return operand.new_empty(shape, dtype=dtype)
    if hasattr(operand, "__cuda_array_interface__") and hasattr(library, "empty"):
        return library.empty(shape, DTYPE_NAMES[type_name])
    if hasattr(operand, "__dlpack_device__") and operand.__dlpack_device__()[0] not in (CPU, CUDA_HOST):
        raise TypeError(f"no array of {module} can be made for the result; pass out=")
    import numpy

    count, dtype = math.prod(shape), numpy_dtype(type_name)
    memory = numpy.empty(count * dtype.itemsize + 64, numpy.uint8)
    begin = -memory.ctypes.data % 64
    return memory[begin : begin + count * dtype.itemsize].view(dtype).reshape(shape)


def put_first(array: Any) -> None:
    """Has CUDA's default stream wait for what the array's library has queued on its current stream."""
    module = type(array).__module__.partition(".")[0]
    library = sys.modules.get(module)
    if module == "torch" and library is not None and array.is_cuda:
        current, default = library.cuda.current_stream(array.device), library.cuda.default_stream(array.device)
        if current != default:
            default.wait_stream(current)
    elif module == "cupy" and library is not None:
        library.cuda.Stream.null.wait_event(library.cuda.get_current_stream().record())
    elif hasattr(array, "__dlpack_device__") and array.__dlpack_device__()[0] == CUDA:
        array.__dlpack__(stream=1)  # the default stream; the capsule goes at once


def find_stream(output: Any, index: int) -> int | None:
    """The caller's current CUDA stream: PyTorch's or CuPy's; None, where there is no telling, waits for the result."""
    module = type(output).__module__.partition(".")[0]
    library = sys.modules.get(module)
    if module == "torch" and library is not None:
        return int(library.cuda.current_stream(index).cuda_stream)
    if module == "cupy" and library is not None:
        return int(library.cuda.get_current_stream().ptr)
    return None
