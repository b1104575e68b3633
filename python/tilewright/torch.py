"""Kernels as PyTorch operators, for programs that PyTorch compiles, exports or spreads over devices.

A plain call of a kernel with tensors needs none of this. PyTorch 2.4 or later; sharding needs 2.5.
"""

from __future__ import annotations

from typing import Any

from . import _native
from ._arrays import DTYPE_NAMES, NAMES
from ._kernel import Kernel

__all__ = ["register"]

_COMBINED = {"++=": "sum", "*=": "product", "max=": "max", "min=": "min"}


def register(kernel: Kernel, name: str) -> Any:
    """Makes the kernel a PyTorch operator called `name` ("mine::layer"), and returns it, to be called with tensors.

        layer = tilewright.torch.register(tw.kernel("y[i, j] ++= x[i, k] * w[k, j] then relu(y[i, j])"), "mine::layer")
        compiled = torch.compile(lambda x, w: layer(x, w) + 1)

    It takes the kernel's operands in their order and returns its result (a tuple of all, for a program). What it would
    make of shapes and types is known without running it, also for shapes that are symbols, so torch.compile and
    torch.export take it whole. On DTensors it runs on each device's part: statements are split along the iterators of
    `kernel.splits`, whose reduced ones leave partial results; operands of a program are gathered. It has no gradient
    until the operator's `register_autograd` gives it one.

    Raises ImportError where PyTorch is not there or too old; TypeError for a kernel without operands.
    """
    import torch

    if not hasattr(torch.library, "custom_op"):
        raise ImportError(f"PyTorch {torch.__version__} has no torch.library.custom_op; 2.4 or later has")
    if not kernel.operands:
        raise TypeError(f"{kernel.name} has no operands, so nothing says which device it is for")
    result = "Tensor" if not kernel.is_program else f"({', '.join(['Tensor'] * len(kernel.results))})"
    schema = f"({', '.join(f'Tensor {each}' for each in kernel.operands)}) -> {result}"

    def run(*operands: Any) -> Any:
        if not kernel.is_program:
            return kernel(*operands)
        results = _native.Kernel.__call__(kernel, *operands)
        return tuple(torch.from_dlpack(results[each]) for each in kernel.results)

    operator = torch.library.custom_op(name, run, mutates_args=(), schema=schema)

    @operator.register_fake
    def _(*operands: Any) -> Any:
        results = _infer(kernel, operands)
        made = tuple(operands[0].new_empty(shape, dtype=getattr(torch, DTYPE_NAMES[dtype])) for dtype, shape in results)
        return made if kernel.is_program else made[0]

    _register_sharding(kernel, getattr(getattr(torch.ops, name.partition("::")[0]), name.partition("::")[2]).default)
    return operator


def _infer(kernel: Kernel, operands: tuple) -> list[tuple[str, list]]:
    """The results' types and shapes; extents that are an operand's stay the symbols that they are there."""
    given = []
    for operand in operands:
        dtype = str(operand.dtype).rpartition(".")[2]
        given.append((NAMES.get(dtype, dtype), [_number(extent) for extent in operand.shape]))
    results = [(dtype, list(shape)) for dtype, shape in kernel.infer(*given)]
    for axis, source in enumerate(kernel._result_axes):
        if source is not None:
            results[0][1][axis] = operands[source[0]].shape[source[1]]
    # Any other extent is computed from the numbers of this call, and compiled code holds for them alone.
    if None in kernel._result_axes or kernel.is_program:
        for operand in operands:
            for extent in operand.shape:
                int(extent)
    return results


def _number(extent: Any) -> int:
    """An extent, or the example that stands behind a symbol, without holding the symbol to it."""
    hint = getattr(getattr(extent, "node", None), "hint", None)
    return int(extent) if hint is None else int(hint)


def _register_sharding(kernel: Kernel, overload: Any) -> None:
    try:
        from torch.distributed.tensor import Partial, Replicate, Shard
        from torch.distributed.tensor.experimental import register_sharding
    except ImportError:
        return

    @register_sharding(overload)
    def _(*specs: Any) -> list:
        del specs
        whole = [Replicate()] * len(kernel.operands)
        ways: list = [([Replicate()] * len(kernel.results), list(whole))]
        for split in kernel.splits:
            made = Partial(_COMBINED[split.combine]) if split.result is None else Shard(split.result)
            ways.append(([made], [Replicate() if axis is None else Shard(axis) for axis in split.operands]))
        return ways
