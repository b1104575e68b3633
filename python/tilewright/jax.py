"""Kernels inside of JAX's programs: jax.jit, shard_map, vmap.

XLA calls the kernel itself, on its buffers and, on a GPU, its stream; Python takes no part in a call.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

from . import _native
from ._arrays import NAMES, numpy_dtype
from ._kernel import Kernel

__all__ = ["call"]


def call(kernel: Kernel, *, vmap_method: str = "sequential") -> Callable:
    """A function of JAX's arrays that runs the kernel, as a part of what jax.jit compiles too.

        matmul = tilewright.jax.call(tw.kernel("c[i, j] ++= a[i, k] * b[k, j]"))
        jax.jit(lambda a, b: matmul(a, b) + 1)

    It takes the kernel's operands by position or by name and returns its result, for a program a dictionary of all.
    Under shard_map it runs on each device's part. Under vmap it is called once for each element of the batch;
    `vmap_method` is jax.ffi.ffi_call's, for kernels whose operands may have further axes. It has no derivative until
    jax.custom_vjp gives it one. A compiled program names the kernel by a number of this process, so it cannot be
    exported to another. On a GPU, programs of several statements are refused.

    Raises ImportError where JAX is not there or has no jax.ffi; at a call InputError and TypeError as the kernel does.
    """
    import jax

    _register_targets()
    number = _native.register_for_xla(kernel)

    def function(*operands: Any, **named: Any) -> Any:
        import numpy

        given = [jax.numpy.asarray(each) for each in _in_order(kernel, operands, named)]
        types = [(NAMES.get(each.dtype.name, each.dtype.name), each.shape) for each in given]
        shapes = [jax.ShapeDtypeStruct(shape, numpy_dtype(dtype)) for dtype, shape in kernel.infer(*types)]
        wanted = shapes if kernel.is_program else shapes[0]
        results = jax.ffi.ffi_call("tilewright", wanted, vmap_method=vmap_method)(*given, kernel=numpy.int64(number))
        return dict(zip(kernel.results, results)) if kernel.is_program else results

    function.__name__ = kernel.name
    return function


def _in_order(kernel: Kernel, operands: tuple, named: dict) -> list:
    places = dict(zip(kernel.operands, operands))
    wrong = [each for each in named if each in places or each not in kernel.operands]
    missing = [each for each in kernel.operands if each not in places and each not in named]
    if len(operands) > len(kernel.operands) or wrong or missing:
        problem = "missing: " + ", ".join(missing) if missing else "unknown or given twice: " + ", ".join(wrong)
        raise TypeError(f"{kernel.name}({', '.join(kernel.operands)}): {problem}")
    places.update(named)
    return [places[each] for each in kernel.operands]


@functools.cache
def _register_targets() -> None:
    import jax

    if not hasattr(jax, "ffi"):
        raise ImportError(f"JAX {jax.__version__} has no jax.ffi")
    for platform, handler in _native.xla_handlers().items():
        jax.ffi.register_ffi_target("tilewright", handler, platform=platform, api_version=1)
