"""Tilewright: one tensor statement in, one fast kernel out.

    import numpy as np
    import tilewright as tw

    mm = tw.kernel("c[i, j] ++= a[i, k] * b[k, j] then relu(c[i, j])")
    c = mm(np.ones((64, 32), np.float32), np.ones((32, 16), np.float32))
    d = tw.einsum("ij,kj->ik", c, c)

Arrays of NumPy, PyTorch, JAX and CuPy are used where they are. docs/python.md is the guide.
"""

from . import _arrays, _errors, _native
from ._dot import dot_general
from ._einsum import einsum
from ._errors import Defect, DeviceError, Diagnostic, Error, InputError, OutOfMemory
from ._kernel import Explanation, Kernel, Split, Timing, kernel, kernels, load
from ._native import Tensor, processor, set_threads, threads
from ._native import version as __version__

_native.connect(_errors.make_error, _arrays.describe, _arrays.make_result, _arrays.numpy_dtype,
                _arrays.put_first, _arrays.find_stream)  # fmt: skip

__all__ = [
    "Defect", "DeviceError", "Diagnostic", "Error", "Explanation", "InputError", "Kernel", "OutOfMemory", "Split",
    "Tensor", "Timing", "dot_general", "einsum", "kernel", "kernels", "load", "processor", "set_threads", "threads",
]  # fmt: skip
