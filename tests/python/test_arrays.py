"""Arrays of every kind: where their memory is, what is refused, and that nothing is kept."""

import ctypes
import gc
import tracemalloc
import weakref

import numpy as np
import pytest

import tilewright as tw

DOUBLE = tw.kernel("y[i] = x[i] + x[i]")
COPY = tw.kernel("y[i] = x[i]")


class Borrowed:
    """An array that offers one protocol alone."""

    def __init__(self, array, *names):
        self.array = array
        for name in names:
            setattr(self, name, getattr(array, name))


@pytest.mark.parametrize("dtype", "f8 f4 f2 i1 u1 i4 u4 i8 ?".split())
@pytest.mark.parametrize("protocol", ["buffer", "__array_interface__", "__dlpack__"])
def test_types_by_every_protocol(dtype, protocol):
    x = np.array([0, 1, 1, 0, 1], dtype)
    if protocol == "__dlpack__" and dtype == "?" and np.lib.NumpyVersion(np.__version__) < "1.25.0":
        pytest.skip("this NumPy has no bool in DLPack")
    given = x if protocol == "buffer" else Borrowed(x, protocol)
    y = COPY(given)
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(y, x)


def test_memory_is_used_where_it_is():
    memory = np.arange(24, dtype=np.float64)
    x = memory.reshape(4, 6)[::-1, 1]
    np.testing.assert_array_equal(DOUBLE(x), 2 * memory.reshape(4, 6)[::-1, 1])
    out = Borrowed(memory.reshape(4, 6)[:, 3], "__array_interface__")
    assert DOUBLE(np.array([1.0, 2.0, 3.0, 4.0]), out=out) is out
    np.testing.assert_array_equal(memory[3::6], [2, 4, 6, 8])
    np.testing.assert_array_equal(DOUBLE(memoryview(memory)[:2]), [0, 2])
    np.testing.assert_array_equal(DOUBLE((ctypes.c_double * 2)(5, 6)), [10, 12])


def test_large_results_begin_at_a_cache_line():
    for shape in ((512, 1025), (1 << 20,)):
        y = tw.kernel("y[i, j] = x[i, j]" if len(shape) == 2 else "y[i] = x[i]")(np.ones(shape, np.float32))
        assert type(y) is np.ndarray and y.shape == shape and y.dtype == np.float32 and y.flags.c_contiguous
        assert y.ctypes.data % 64 == 0 and y.flags.writeable and (y == 1).all()
    assert tw.einsum("i->i", np.zeros(1 << 18, np.bool_)).dtype == np.bool_


def test_what_is_refused():
    class Empty:
        pass

    for wrong in (Empty(), [1.0, 2.0], 3.0, None, "x"):
        with pytest.raises(TypeError, match="'x' is a"):
            DOUBLE(wrong)
    refused = {
        "R022": [np.ones(3, np.complex64), np.ones(3, np.int16), np.ones(3, ">f4"), np.array(["a"]),
                 np.ones(3, np.longdouble)],
        "R008": [np.zeros(3, "i1,f4")["f1"]],
        "R076": [],
    }  # fmt: skip
    for code, arrays in refused.items():
        for array in arrays:
            with pytest.raises(tw.InputError) as error:
                DOUBLE(array)
            assert error.value.code == code, array.dtype
    with pytest.raises(tw.InputError) as error:
        tw.kernel("y[] ++= x[a, b, c, d, e, f, g, h]")(np.ones((1,) * 9))
    assert error.value.code == "R001"


def test_gpu_memory_is_not_read_on_the_host():
    class Fake:
        shape, dtype = (2,), np.dtype("f4")
        __cuda_array_interface__ = {"shape": (2,), "typestr": "<f4", "data": (0x1000, False), "version": 3}

    try:
        tw.processor("cuda:0")
    except tw.DeviceError:
        with pytest.raises(tw.DeviceError) as error:
            DOUBLE(Fake(), out=np.zeros(2, np.float32))
        assert error.value.code == "R072"
    two = tw.kernel("y[i] = x[i] + z[i]")
    with pytest.raises(tw.InputError) as error:
        two(np.ones(2, np.float32), Fake(), out=np.zeros(2, np.float32))
    assert error.value.code == "R073"


class Torchlike:
    """What describe() asks of a PyTorch tensor, over NumPy's memory."""

    class Device:
        type, index = "cpu", None

    device = Device()

    def __init__(self, array):
        self.array, self.shape = array, array.shape
        self.dtype = f"torch.{array.dtype}"

    def data_ptr(self):
        return self.array.ctypes.data

    def stride(self):
        return tuple(step // self.array.itemsize for step in self.array.strides)

    def is_conj(self):
        return False

    is_neg = is_conj

    def new_empty(self, shape, dtype=None):
        return Torchlike(np.empty(shape, self.array.dtype))


def test_tensors_with_torchs_attributes():
    x = Torchlike(np.arange(6, dtype=np.float32)[::2])
    y = DOUBLE(x)
    assert type(y) is Torchlike
    np.testing.assert_array_equal(y.array, [0, 4, 8])


def test_pytorch():
    torch = pytest.importorskip("torch")
    x = torch.arange(12, dtype=torch.float32).reshape(3, 4).T[1:]
    y = tw.kernel("y[i, j] = x[i, j] + x[i, j]")(x)
    assert isinstance(y, torch.Tensor) and torch.equal(y, x + x)
    assert torch.equal(tw.einsum("ij,kj->ik", x, x), x @ x.T)
    z = torch.arange(4).to(torch.bfloat16)
    assert torch.equal(COPY(z), z) and COPY(z).dtype == torch.bfloat16


def test_jax():
    jax = pytest.importorskip("jax")
    x = jax.numpy.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(tw.einsum("ij->ji", x), np.asarray(x).T)


def test_results_of_programs_own_their_memory():
    both = tw.kernel("program p(x) -> (y, z):\n  y[i] = x[i]\n  z[] max= y[i]\n")
    y = both(np.arange(4, dtype=np.int64))["y"]
    gc.collect()
    np.testing.assert_array_equal(y, [0, 1, 2, 3])
    y[0] = 7
    raw = super(type(both), both).__call__(np.arange(4, dtype=np.int64))["y"]
    assert raw.shape == (4,) and raw.type == "i64" and raw.__dlpack_device__() == (1, 0)
    taken = np.from_dlpack(raw)
    del raw
    gc.collect()
    np.testing.assert_array_equal(taken, [0, 1, 2, 3])


def test_operands_are_not_kept():
    x = np.ones(8)
    gone = weakref.ref(x)
    DOUBLE(x)
    del x
    gc.collect()
    assert gone() is None


def refused(array):
    try:
        DOUBLE(array)
    except (tw.InputError, TypeError):
        return
    raise AssertionError("not refused")


X, OUT = np.ones(64), np.ones(64)


@pytest.mark.parametrize(
    "once",
    [
        lambda: DOUBLE(X, out=OUT),
        lambda: DOUBLE(X),
        lambda: COPY(Borrowed(X, "__dlpack__")),
        lambda: COPY(Borrowed(X, "__array_interface__")),
        lambda: refused(X.astype(np.complex64)),
        lambda: refused(1.0),
        lambda: tw.kernel("y[i] = x[i] - x[i]")(X),
        lambda: tw.einsum("i->", X),
    ],
    ids="out new dlpack interface type object kernel einsum".split(),
)
def test_nothing_leaks(once):
    for _ in range(300):  # Python and NumPy keep some of what they have made
        once()
    gc.collect()
    tracemalloc.start()
    for _ in range(100):
        once()
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    rounds = 300
    for _ in range(rounds):
        once()
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < rounds * 16  # the smallest object that each round could leave
