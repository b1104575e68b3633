"""einsum with the arguments of NumPy's."""

from __future__ import annotations

import functools
import operator
import string
from typing import Any

from ._arrays import NAMES
from ._errors import InputError
from ._kernel import Kernel

_kernels: dict[tuple, Kernel] = {}
_kind = operator.attrgetter("dtype", "ndim")
_BOUND = 4096  # kernels kept; einsum strings of a program are few


def einsum(*operands: Any, out: Any = None, dtype: Any = None, order: str = "K", casting: str = "safe",
           optimize: Any = False) -> Any:  # fmt: skip
    """numpy.einsum: `einsum("ij,jk->ik", a, b)`, or `einsum(a, [0, 1], b, [1, 2], [0, 2])`.

    Arguments and errors are numpy.einsum's: arrays of different types are promoted (which copies them), axes of extent
    1 broadcast, `dtype`, `casting`, `out` and `order` mean the same; `optimize` is accepted and the order of evaluation
    is the compiler's. The result has NumPy's type and is always an array of its own, never a view. Sums of f16 are
    accumulated in f32. Arrays of other libraries (PyTorch, CuPy, JAX) must have one type.

    Raises ValueError (as InputError, where the compiler found it) for a wrong string or shapes that do not fit,
    TypeError for what is no array and for types that cannot be cast or that there are none of here (complex, int16).
    """
    if not operands:
        raise ValueError("must specify the einstein sum subscripts string and at least one operand, or at least one "
                         "operand and its corresponding subscripts list")  # fmt: skip
    if isinstance(operands[0], str):
        subscripts, arrays = operands[0], operands[1:]
    else:
        subscripts, arrays = _from_lists(operands)
    key = None
    if dtype is None and order == "K":
        try:
            key = (subscripts, *map(_kind, arrays))
        except AttributeError:  # lists, and arrays that say neither
            known = None
        else:
            known = _kernels.get(key)
        # An output of another type needs a cast, which the kept kernel has not.
        if known is not None and (out is None or all(getattr(out, "dtype", None) == each.dtype for each in arrays)):
            try:
                return known(*arrays) if out is None else known(*arrays, out=out)
            except InputError as error:
                if error.code != "B010":
                    raise
    return _einsum(subscripts, arrays, out, dtype, order, casting, key)


def _from_lists(operands: tuple) -> tuple[str, list]:
    """The other spelling: operands in turns with lists of axis numbers, and at the end the output's."""
    arrays, lists = list(operands[0::2]), list(operands[1::2])
    has_output = len(arrays) > len(lists)
    if has_output:
        lists.append(arrays.pop())
    terms = []
    for axes in lists:
        term = ""
        for axis in axes:
            if axis is Ellipsis:
                term += "..."
                continue
            try:
                axis = axis.__index__()
            except AttributeError:
                raise TypeError("each subscript must be either an integer or an ellipsis") from None
            if not 0 <= axis < 52:
                raise ValueError("subscript is not within the valid range [0, 52)")
            term += _LETTERS[axis]
        terms.append(term)
    text = ",".join(terms[:-1] if has_output else terms)
    return (f"{text}->{terms[-1]}" if has_output else text), arrays


_LETTERS = string.ascii_uppercase + string.ascii_lowercase  # NumPy's order


def _einsum(subscripts: str, arrays: Any, out: Any, dtype: Any, order: str, casting: str, key: Any) -> Any:
    """What the first call of each kind goes through: conversion, broadcasting, a kernel that is then kept."""
    foreign = [each for each in arrays if not _is_host(each)]
    if foreign:
        if dtype is not None:
            raise TypeError("dtype= is for NumPy's arrays; convert the operands instead")
        made = _kernel_for(subscripts, tuple(len(each.shape) for each in arrays), None)
        result = made(*arrays) if out is None else made(*arrays, out=out)
        _keep(key, made)
        return result

    import numpy

    given = [numpy.asanyarray(each) for each in arrays]
    common = numpy.dtype(dtype) if dtype is not None else numpy.result_type(*given) if given else None
    if given and common.name not in NAMES:
        raise TypeError(f"einsum has no {common.name}; it has {', '.join(sorted(NAMES))}")
    for each in given:
        if not numpy.can_cast(each.dtype, common, casting):
            raise TypeError(f"Cannot cast einsum operand from {each.dtype} to {common} according to the rule '{casting}'")
    if out is not None and not numpy.can_cast(common, out.dtype, casting):
        raise TypeError(f"Cannot cast einsum result from {common} to {out.dtype} according to the rule '{casting}'")
    converted = [each if each.dtype == common else each.astype(common) for each in given]
    made = _kernel_for(subscripts, tuple(each.ndim for each in converted), common.name if given else None)
    try:
        result = _run(made, converted, out, common)
        exact = all(mine is theirs for mine, theirs in zip(converted, arrays))
        if exact and (out is None or out.dtype == common):
            _keep(key, made)
    except InputError as error:
        if error.code != "B010":
            raise
        narrow = _without_broadcasts(subscripts, converted)
        if narrow is None:
            raise
        subscripts, converted = narrow
        made = _kernel_for(subscripts, tuple(each.ndim for each in converted), common.name)
        result = _run(made, converted, out, common)
    if out is None and order in ("F", "A"):
        wants_columns = order == "F" or all(each.flags.fnc for each in given)
        result = numpy.asfortranarray(result) if wants_columns else result
    return result


def _is_host(array: Any) -> bool:
    if hasattr(array, "data_ptr") or hasattr(array, "__cuda_array_interface__"):
        return False
    if hasattr(array, "__array_interface__") or not hasattr(array, "__dlpack__"):
        return True
    return False


def _run(made: Kernel, arrays: list, out: Any, common: Any) -> Any:
    if out is None:
        return made(*arrays)
    if out.dtype == common:
        return made(*arrays, out=out)
    out[...] = made(*arrays)
    return out


def _keep(key: Any, made: Kernel) -> None:
    if key is None:
        return
    if len(_kernels) >= _BOUND:
        _kernels.clear()
    _kernels[key] = made


@functools.lru_cache(_BOUND)
def _kernel_for(subscripts: str, ranks: tuple, dtype: str | None) -> Kernel:
    """The einsum's kernel; with NumPy's types for operands of a dtype of this name."""
    return Kernel._einsum(subscripts, ranks, None if dtype is None else NAMES[dtype])


def _without_broadcasts(subscripts: str, arrays: list) -> tuple[str, list] | None:
    """The same sum without the axes of extent 1 that meet longer ones; None where none do."""
    inputs, arrow, result = subscripts.replace(" ", "").partition("->")
    if "." in inputs:
        inputs, result = _spelled_out(inputs, result if arrow else None, arrays)
    elif not arrow:
        letters = inputs.replace(",", "")
        result = "".join(sorted(each for each in set(letters) if letters.count(each) == 1))
    terms = inputs.split(",")
    longest: dict[str, int] = {}
    for term, array in zip(terms, arrays):
        for letter, extent in zip(term, array.shape):
            longest[letter] = extent if longest.get(letter, 1) == 1 else longest[letter]
    found = False
    for number, (term, array) in enumerate(zip(terms, arrays)):
        kept = [axis for axis, letter in enumerate(term) if array.shape[axis] != 1 or longest[letter] == 1]
        if len(kept) < len(term):
            found = True
            arrays[number] = array[tuple(slice(None) if axis in kept else 0 for axis in range(len(term)))]
            terms[number] = "".join(term[axis] for axis in kept)
    return (f"{','.join(terms)}->{result}", arrays) if found else None


def _spelled_out(inputs: str, result: str | None, arrays: list) -> tuple[str, str]:
    """Both sides with letters in place of '...'; axes under it align at the right."""
    free = [each for each in _LETTERS if each not in inputs and each not in (result or "")]
    terms, most = [], 0
    for term, array in zip(inputs.split(","), arrays):
        most = max(most, array.ndim - len(term.replace("...", "")) if "..." in term else 0)
    covered = "".join(free[:most])
    for term, array in zip(inputs.split(","), arrays):
        count = array.ndim - len(term.replace("...", "")) if "..." in term else 0
        terms.append(term.replace("...", covered[most - count :]))
    if result is None:
        letters = "".join(terms)
        single = sorted(each for each in set(letters) if letters.count(each) == 1 and each not in covered)
        return ",".join(terms), covered + "".join(single)
    return ",".join(terms), result.replace("...", covered)
