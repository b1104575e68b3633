"""Kernels: statements as text, called with arrays."""

from __future__ import annotations

import os
from typing import Any, NamedTuple, Sequence

from . import _native
from ._arrays import numpy_dtype
from ._errors import input_error


class Timing(NamedTuple):
    """Seconds of one call, and what the statement must do in it."""

    median: float
    low: float
    high: float
    calls: int
    flops: float
    bytes: float

    @property
    def gflops(self) -> float:
        """Floating-point operations a nanosecond."""
        return self.flops / self.median / 1e9

    @property
    def gbytes(self) -> float:
        """Bytes read and written a nanosecond."""
        return self.bytes / self.median / 1e9

    def __str__(self) -> str:
        return f"{self.median * 1e6:.2f} µs, {self.gflops:.2f} GFLOP/s, {self.gbytes:.2f} GB/s ({self.calls} calls)"


class Split(NamedTuple):
    """An iterator that a statement may be computed in parts along: each part is the kernel on slices of its operands.

    `operands` has the axis of each operand that is sliced, None for one that every part reads whole. `result` is the
    axis of the result whose slices the parts are; None where the iterator is reduced, and `combine` ("++=", "*=",
    "max=", "min=") makes the result of those of the parts.
    """

    iterator: str
    operands: tuple[int | None, ...]
    result: int | None
    combine: str | None


class Explanation:
    """What the compiler chose and why: text where it is printed, a page where a notebook shows it."""

    def __init__(self, text: str, html: str):
        self.text = text
        self.html = html

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html


class Kernel(_native.Kernel):
    """A statement or a program, checked and callable: see tilewright.kernel.

    It keeps what its calls compiled, so keep it rather than making it again. Immutable, and safe to call from threads.
    """

    def __repr__(self) -> str:
        return f"<tilewright.Kernel {self.name}({', '.join(self.operands)}): {self.text.splitlines()[0]}>"

    # ---- schedules: each method returns a new kernel, whose schedule has one line more ----

    def schedule(self, lines: str) -> Kernel:
        """The kernel with these lines at the end of its schedule, in the language's words: "tile(i, 64)\\ncache(a)".

        Raises InputError for a line that is none; what a line asks for is checked when the kernel is compiled.
        """
        if self.is_program:
            raise TypeError("the statements of a program have their schedules in its text")
        text = self.text.rstrip("\n")
        if not any(line.strip() == "schedule:" for line in text.splitlines()[1:]):
            text += ("" if "\n" in text else " do:") + "\n  schedule:"
        for line in lines.splitlines():
            if line.strip():
                text += "\n    " + line.strip()
        return type(self)(text, "<schedule>", self.device)

    def tile(self, loop: str, n: int | None = None) -> Kernel:
        """Splits a loop into an outer one of step n and an inner one, called "i.in"."""
        return self.schedule(f"tile({loop})" if n is None else f"tile({loop}, {n})")

    def cache(self, *operands: str) -> Kernel:
        """Stages the reads of these operands in near memory."""
        return self.schedule(f"cache({', '.join(operands)})")

    def reorder(self, *loops: str) -> Kernel:
        """The order of these loops, among the places that they have."""
        return self.schedule(f"reorder({', '.join(loops)})")

    def parallel(self, loop: str) -> Kernel:
        """Runs a loop of the output across blocks or cores."""
        return self.schedule(f"parallel({loop})")

    def vectorize(self, loop: str, n: int) -> Kernel:
        """Computes n neighbouring points of a loop at once, as lanes."""
        return self.schedule(f"vectorize({loop}, {n})")

    def unroll(self, loop: str, n: int) -> Kernel:
        """Repeats a loop's body n times between two tests."""
        return self.schedule(f"unroll({loop}, {n})")

    def split(self, loop: str, n: int, atomics: bool = False) -> Kernel:
        """Splits a reduction into n parts."""
        return self.schedule(f"split({loop}, {n}{', atomics' if atomics else ''})")

    def threads(self, n: int) -> Kernel:
        """Threads of a block."""
        return self.schedule(f"threads = {n}")

    def stages(self, n: int) -> Kernel:
        """Depth of the pipeline of asynchronous copies."""
        return self.schedule(f"stages = {n}")

    def warps(self, m: int, n: int, k: int | None = None) -> Kernel:
        """Warps over a tile."""
        return self.schedule(f"warps({m}, {n})" if k is None else f"warps({m}, {n}, {k})")

    def variant(self, name: str) -> Kernel:
        """The lowering variant of this name."""
        return self.schedule(f"variant = {name}")

    # ---- shapes and parts ----

    def infer(self, *operands: tuple[str, Sequence[int]]) -> list[tuple[str, tuple[int, ...]]]:
        """The types and shapes of the results for operands of these types and shapes, in their order, without running.

            tw.kernel("c[i, j] ++= a[i, k] * b[k, j]").infer(("f32", (2, 3)), ("f32", (3, 4)))  # [("f32", (2, 4))]

        Raises InputError for types and shapes that do not fit.
        """
        return self._infer(*((dtype, tuple(shape)) for dtype, shape in operands))

    @property
    def splits(self) -> list[Split]:
        """The iterators that a statement may be computed in parts along, on slices of its operands; none of a program."""
        return [Split(*each) for each in self._splits]

    # ---- looking ----

    def explain(self, *operands: Any, **named: Any) -> Explanation:
        """What the compiler chose for these operands and why: passes, plan, kernels, cost.

        Without operands, those of the kernel's first `example` line.
        """
        operands = self._operands(operands, named)
        return Explanation(self._explain(False, operands, named), self._explain(True, operands, named))

    def emit(self, stage: str, *operands: Any, target: str = "host", **named: Any) -> str | bytes:
        """The kernel at a stage of compilation: nest, tile, kernel, llvm, asm, ptx as text, obj as bytes.

        `target` is "host" or "nvptx:sm_90a" (sm_80, sm_89). Without operands, those of the first `example` line.
        Raises InputError where there is no such stage, DeviceError where the target is not there.
        """
        data = self._emit(target, stage, self._operands(operands, named), named)
        return data if stage == "obj" else data.decode()

    def bench(self, *operands: Any, out: Any = None, seconds: float = 0.5, **named: Any) -> Timing:
        """Times calls with these operands into one output, for about `seconds`, without the checks before a call."""
        operands = self._operands(operands, named)
        if out is not None:
            named = {**named, "out": out}
        return Timing(*self._time(seconds, operands, named))

    def _operands(self, operands: tuple, named: dict) -> tuple:
        """The operands as given, or random ones of the first example."""
        if operands or named or not self.operands:
            return operands
        if not self.examples:
            raise TypeError(f"{self.name} has no example line: pass its operands ({', '.join(self.operands)})")
        import numpy

        generator = numpy.random.default_rng(0)
        example = self.examples[0]
        return tuple(
            generator.standard_normal(shape).astype(numpy_dtype(dtype))
            for dtype, shape in (example[name] for name in self.operands)
        )


class _Program(Kernel):
    """A program: a call returns its results as a dictionary of NumPy arrays by name."""

    def __call__(self, *operands: Any, **named: Any) -> Any:
        results = super().__call__(*operands, **named)
        return {name: _to_array(result) for name, result in results.items()}


def _to_array(tensor: _native.Tensor) -> Any:
    if tensor.__dlpack_device__()[0] == 2:
        return tensor  # any library takes it by DLPack
    import numpy

    array = numpy.asarray(tensor)
    dtype = numpy_dtype(tensor.type)
    return array if array.dtype == dtype else array.view(dtype)


def kernel(text: str, *, schedule: str | None = None, device: str | None = None, source: str = "<statement>") -> Kernel:
    """The kernel of a text in the statement language, which holds one statement or program.

        mm = tw.kernel("c[i, j] ++= a[i, k] * b[k, j] then relu(c[i, j])")
        c = mm(a, b)                # in the order of mm.operands, or
        mm(b=b, a=a, out=c)         # by name, into an array that exists

    A call takes arrays of any library that offers a buffer (NumPy), DLPack, `__array_interface__` or
    `__cuda_array_interface__`, uses them where they are, and returns a new array of their library; a program returns a
    dictionary of arrays. Extents are those of the arrays. With `out=` the result goes there: it has the result's type
    and shape, any strides, and overlaps no operand. With `stream=` (an integer, a CUDA stream) the call is queued there
    and does not wait; PyTorch's and CuPy's arrays are worked on on their current stream.

    `schedule` has further lines for its schedule block. `device` is "cpu", "cuda", "cuda:1" or "sim"; by default the
    device is that of the operands.

    Raises InputError: errors in the text, all at once, with source lines and carets; at a call, types and shapes that
    do not fit. TypeError: names that the kernel does not have, and what is no array. DeviceError: no such device.
    """
    found = _native.parse(text, source, device, Kernel, _Program)
    if len(found) != 1:
        raise input_error("R070", f"expected one kernel, got {len(found)}", "tilewright.kernels() takes a text of several")
    made = found[0]
    return made.schedule(schedule) if schedule else made


def kernels(text: str, *, device: str | None = None, source: str = "<statement>") -> dict[str, Kernel]:
    """All kernels of a text, by name, as a .tw file has them. Raises InputError."""
    return {each.name: each for each in _native.parse(text, source, device, Kernel, _Program)}


def load(path: str | os.PathLike, *, device: str | None = None) -> dict[str, Kernel]:
    """The kernels of a file, by name. Raises InputError, OSError."""
    with open(path, encoding="utf-8") as file:
        return kernels(file.read(), device=device, source=os.fspath(path))
