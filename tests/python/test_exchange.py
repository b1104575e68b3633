"""Arrays whose type offers DLPack's table of functions in C: they are read by it, without Python's __dlpack__."""

import ctypes
import gc
import os
import subprocess
import sys

import numpy as np
import pytest

import tilewright as tw
from tilewright._arrays import _DLTensor, _Versioned

DOUBLE = tw.kernel("y[i] = x[i] + x[i]")
Deleter = ctypes.PYFUNCTYPE(None, ctypes.POINTER(_Versioned))
Describe = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(_DLTensor))
Export = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.POINTER(_Versioned)))
Stream = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Table(ctypes.Structure):
    pass


Table._fields_ = [
    ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.POINTER(Table)),
    ("allocate", ctypes.c_void_p), ("export", Export), ("import_", ctypes.c_void_p), ("describe", Describe),
    ("current_stream", Stream),
]  # fmt: skip


def fill(tensor, array):
    tensor.data, tensor.byte_offset = array.ctypes.data - 4, 4
    tensor.device_type, tensor.device_id, tensor.ndim = array.kind, 0, array.array.ndim
    tensor.code, tensor.bits, tensor.lanes = 2, 32, 1
    tensor.shape, tensor.strides = array.shape_, array.strides_


def producer(version=1, previous=None, describes=True, fails=False, read_only=False):
    """A type of arrays over NumPy's memory that offers a table and no other protocol, and what was called of it."""
    called = []
    kept = {}

    def describe(array, tensor):
        called.append("describe")
        if fails:
            return -1
        fill(tensor.contents, array)
        return 0

    def forget(managed):
        called.append("delete")
        kept.pop(ctypes.addressof(managed.contents))

    deleter = Deleter(forget)

    def export(array, made):
        called.append("export")
        if fails:
            return -1
        managed = _Versioned(major=1, minor=3, flags=1 if read_only else 0)
        managed.deleter = ctypes.cast(deleter, ctypes.c_void_p).value
        fill(managed.tensor, array)
        kept[ctypes.addressof(managed)] = managed
        made[0] = ctypes.pointer(managed)
        return 0

    def current_stream(kind, index, stream):
        called.append((kind, index))
        stream[0] = Array.stream
        return 0

    table = Table(major=version, minor=3, export=Export(export), current_stream=Stream(current_stream))
    if previous is not None:
        table.previous = ctypes.pointer(previous.table)
    if describes:
        table.describe = Describe(describe)

    class Array:
        kind = 1
        stream = None
        __dlpack_c_exchange_api__ = _new_capsule(ctypes.addressof(table), b"dlpack_exchange_api", None)

        def __init__(self, array):
            self.array, self.ctypes, self.dtype = array, array.ctypes, array.dtype
            self.shape_ = (ctypes.c_int64 * array.ndim)(*array.shape)
            self.strides_ = (ctypes.c_int64 * array.ndim)(*(each // 4 for each in array.strides))

    Array.table, Array.called, Array.kept, Array.alive = table, called, kept, (table, deleter)
    return Array


def test_the_table_is_what_is_read():
    Array = producer()
    x = Array(np.arange(12, dtype=np.float32)[::-3])
    for _ in range(3):
        np.testing.assert_array_equal(DOUBLE(x), [22, 16, 10, 4])
    assert Array.called == ["describe"] * 3


def test_strides_may_be_left_out():
    x = producer()(np.arange(4, dtype=np.float32))
    x.strides_ = None
    np.testing.assert_array_equal(DOUBLE(x), [0, 2, 4, 6])


def test_outputs_are_asked_whether_they_may_be_written():
    Array = producer()
    out = Array(np.zeros(4, np.float32))
    assert DOUBLE(np.arange(4, dtype=np.float32), out=out) is out
    np.testing.assert_array_equal(out.array, [0, 2, 4, 6])
    assert Array.called == ["export", "delete"] and not Array.kept
    frozen = producer(read_only=True)(np.zeros(4, np.float32))
    with pytest.raises(tw.InputError) as error:
        DOUBLE(np.arange(4, dtype=np.float32), out=frozen)
    assert error.value.code == "A012" and not frozen.array.any() and not frozen.kept


def test_without_the_short_form_the_long_one_is_given_back():
    Array = producer(describes=False)
    np.testing.assert_array_equal(DOUBLE(Array(np.ones(2, np.float32))), [2, 2])
    assert Array.called == ["export", "delete"] and not Array.kept


def test_tables_of_other_versions():
    older = producer()
    np.testing.assert_array_equal(DOUBLE(producer(version=2, previous=older)(np.ones(2, np.float32))), [2, 2])
    assert older.called == ["describe"]
    with pytest.raises(TypeError, match="no array"):
        DOUBLE(producer(version=2)(np.ones(2, np.float32)))


def test_what_the_table_cannot_describe_other_protocols_may():
    Array = producer(fails=True)
    x = Array(np.ones(2, np.float32))
    with pytest.raises(TypeError, match="no array"):
        DOUBLE(x)
    x.__array_interface__ = x.array.__array_interface__
    np.testing.assert_array_equal(DOUBLE(x), [2, 2])


def test_negated_views_are_not_read_as_they_lie():
    Array = producer()
    Array.is_neg = lambda self: True
    with pytest.raises(TypeError):
        DOUBLE(Array(np.ones(2, np.float32)))
    assert Array.called == []


def test_results_are_of_the_operands_library():
    Array = producer()
    Array.new_empty = lambda self, *shape, dtype=None: Array(np.empty(shape if shape != ((),) else (), np.float32))
    y = DOUBLE(Array(np.ones(2, np.float32)))
    assert type(y) is Array
    np.testing.assert_array_equal(y.array, [2, 2])
    total = tw.kernel("s[] ++= x[i]")(Array(np.ones(2, np.float32)))
    assert type(total) is Array and total.array == 2


def test_types_may_go():
    for _ in range(3):
        producer()
    gc.collect()
    np.testing.assert_array_equal(DOUBLE(producer()(np.ones(2, np.float32))), [2, 2])


def call_on_a_fake_gpu():
    """What the next test runs in a process of its own, over a stand-in for the driver whose kernels do nothing."""
    ctypes.CDLL(os.environ["TILEWRIGHT_CUDA_DRIVER"]).fake_cuda_reset(1)
    Array = producer()
    Array.kind = 2
    x, y = (Array(np.zeros(4, np.float32)) for _ in range(2))
    assert DOUBLE(x, out=y) is y  # on the default stream, which this library's current one is
    assert Array.called.count((2, 0)) == 1
    Array.stream = 0x1230
    with pytest.raises(tw.DeviceError, match="cuLaunchKernelEx failed: error 400"):  # no stream of the driver's
        DOUBLE(x, out=y)
    assert Array.called.count((2, 0)) == 2
    DOUBLE(x, out=y, stream=0)  # which the caller says
    assert Array.called.count((2, 0)) == 2


def test_calls_are_queued_on_the_librarys_current_stream():
    driver = os.environ.get("TILEWRIGHT_FAKE_CUDA", "")
    if not os.path.exists(driver):
        pytest.skip("TILEWRIGHT_FAKE_CUDA names no stand-in for the driver")
    done = subprocess.run([sys.executable, __file__], env={**os.environ, "TILEWRIGHT_CUDA_DRIVER": driver},
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    call_on_a_fake_gpu()
