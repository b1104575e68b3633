"""dot_general, StableHLO's contraction of two arrays by the numbers of their axes."""

from __future__ import annotations

import functools
import operator
from typing import Any, Iterable, Sequence

from ._arrays import DTYPE_NAMES, NAMES
from ._kernel import Kernel, kernel

_BOUND = 4096  # kernels kept; the calls of a program are few
_NONE: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())


def dot_general(a: Any, b: Any, contracting: Sequence[Iterable[int]] = _NONE, batch: Sequence[Iterable[int]] = _NONE, *,
                out: Any = None, dtype: Any = None, precision: str = "exact") -> Any:  # fmt: skip
    """StableHLO's dot_general: sums of products of two arrays along pairs of axes.

        dot_general(a, b, contracting=([2], [1]), batch=([0], [0]))  # a batch of matrix products: a @ b

    `contracting` has axes of `a` and as many of `b`: the first of one goes with the first of the other, and along these
    the products are summed. `batch` has pairs of axes that both run along together. A negative axis counts from the end.
    The result's axes are those of the batch, in the order of `a`'s list, then the others of `a`, then the others of
    `b`; `out` is written where it is given.

    Both arrays have one type, which is not converted; the result's is that of the statement
    `c[n, i, j] ++= a[n, i, k] * b[n, k, j]`, or `dtype`. `precision` is "exact", "tf32" or "tf32x3".

    Raises InputError: an axis that there is not, in two places or without its other half, with the call and a caret;
    pairs of different extents; arrays of different types. TypeError: what is no array, or no axis.
    """
    ranks = _rank("a", a), _rank("b", b)
    lists = tuple(_lists("contracting", contracting, ranks) + _lists("batch", batch, ranks))
    made = _kernel_for(ranks, lists, None if dtype is None else _name_of(dtype), precision)
    return made(a, b) if out is None else made(a, b, out=out)


def _rank(name: str, array: Any) -> int:
    try:
        return len(array.shape)
    except AttributeError:
        raise TypeError(f"'{name}' is a {type(array).__name__}, no array: it has no shape") from None


def _lists(what: str, pair: Sequence[Iterable[int]], ranks: tuple[int, int]) -> list[tuple[int, ...]]:
    """Both lists, with axes from the end counted from the start; one that there is not stays as it is."""
    if len(pair) != 2:
        raise TypeError(f"{what} takes two lists of axes, a's and b's, and received {len(pair)}")
    return [tuple(axis + rank if -rank <= axis < 0 else axis for axis in map(operator.index, axes))
            for axes, rank in zip(pair, ranks)]  # fmt: skip


def _name_of(dtype: Any) -> str:
    """The language's name of a type, which may be given as NumPy's, PyTorch's or the language's."""
    if isinstance(dtype, type):
        import numpy

        dtype = numpy.dtype(dtype)
    text = str(getattr(dtype, "name", dtype)).rpartition(".")[2]
    if text in DTYPE_NAMES:
        return text
    if text not in NAMES:
        raise TypeError(f"dot_general has no {text}; it has {', '.join(sorted(NAMES))}")
    return NAMES[text]


@functools.lru_cache(_BOUND)
def _kernel_for(ranks: tuple[int, int], lists: tuple[tuple[int, ...], ...], dtype: str | None,
                precision: str) -> Kernel:  # fmt: skip
    """The kernel of the call as the language writes it, which checks the axes."""
    a_contracting, b_contracting, a_batch, b_batch = map(list, lists)
    # How many axes are in no list; where the lists are wrong, anything: that is said first.
    a_free = max(0, ranks[0] - len(a_contracting) - len(a_batch))
    b_free = max(0, ranks[1] - len(b_contracting) - len(b_batch))
    iterators = [f"n{n}" for n in range(len(a_batch))] + [f"i{n}" for n in range(a_free)]
    iterators += [f"j{n}" for n in range(b_free)]
    a, b = (f"{name}[{', '.join(':' * rank)}]" for name, rank in zip("ab", ranks))
    text = (f"result{':' + dtype if dtype else ''}[{', '.join(iterators)}] = dot_general({a}, {b}, "
            f"contracting = {a_contracting} x {b_contracting}, batch = {a_batch} x {b_batch})")  # fmt: skip
    return kernel(text if precision == "exact" else f"{text} do:\n  precision: {precision}", source="dot_general")
