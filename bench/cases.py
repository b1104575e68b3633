"""What bench/peers.py measures: statements, shapes, and how each peer says the same.

A case is one statement at one size in one type. A family's functions compute it with PyTorch or NumPy,
also in f64 for the reference and of magnitudes for the bound of the error.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable


@dataclasses.dataclass(frozen=True)
class Family:
    """A statement and its equals elsewhere.

    `exactly` computes it in any type, for the reference in f64, where `torch` cannot. `is_sum`: what is allowed grows
    with the sum of the terms' magnitudes, else the result is rounded once. `is_compiled`: torch.compile makes a kernel
    of its own of it, where for a product it calls what PyTorch does. `on_the_way` is an intermediate result that peers
    round to the operands' type.
    """

    statement: str
    operands: tuple[str, ...]
    torch: Callable[..., Any]
    numpy: Callable[..., Any]
    einsum: str | None = None
    is_sum: bool = True
    is_compiled: bool = False
    exactly: Callable[..., Any] | None = None
    on_the_way: Callable[..., Any] | None = None


@dataclasses.dataclass(frozen=True)
class Case:
    family: str
    shapes: tuple[tuple[int, ...], ...]
    dtype: str = "f32"
    precision: str = "exact"
    goal: float | None = None  # the best peer's time over ours
    title: str = ""

    @property
    def name(self) -> str:
        tier = "" if self.precision == "exact" else f" {self.precision}"
        shapes = " · ".join("×".join(str(n) for n in shape) or "1" for shape in self.shapes)
        return f"{self.title or self.family} {self.dtype}{tier} {shapes}"


def families(torch: Any, numpy: Any) -> dict[str, Family]:
    """By name. `torch` may be None."""
    return {
        "copy": Family("o[i, j] = a[i, j]", ("a",), lambda a: a.clone(), lambda a: a.copy(), "ij->ij", False),
        "hadamard": Family("o[i, j] = a[i, j] * b[i, j]", ("a", "b"), lambda a, b: a * b, lambda a, b: a * b,
                           "ij,ij->ij", False, True),
        "outer": Family("o[i, j] = a[i] * b[j]", ("a", "b"), lambda a, b: torch.outer(a, b), numpy.outer, "i,j->ij",
                        False, True),
        "transpose": Family("o[j, i] = a[i, j]", ("a",), lambda a: a.t().contiguous(), lambda a: a.T.copy(), "ij->ji",
                            False, True),
        "sum": Family("o[] ++= a[i, j]", ("a",), lambda a: a.sum(), lambda a: a.sum(), "ij->", is_compiled=True),
        "column sum": Family("o[j] ++= a[i, j]", ("a",), lambda a: a.sum(0), lambda a: a.sum(0), "ij->j", is_compiled=True),
        "row sum": Family("o[i] ++= a[i, j]", ("a",), lambda a: a.sum(1), lambda a: a.sum(1), "ij->i", is_compiled=True),
        "dot": Family("o[] ++= a[i] * b[i]", ("a", "b"), lambda a, b: torch.dot(a, b), numpy.dot, "i,i->"),
        "matvec": Family("o[i] ++= a[i, k] * b[k]", ("a", "b"), lambda a, b: a @ b, lambda a, b: a @ b, "ik,k->i"),
        "gemm": Family("o[i, j] ++= a[i, k] * b[k, j]", ("a", "b"), lambda a, b: a @ b, lambda a, b: a @ b,
                       "ik,kj->ij"),
        "bmm": Family("o[n, i, j] ++= a[n, i, k] * b[n, k, j]", ("a", "b"), lambda a, b: a @ b, lambda a, b: a @ b,
                      "nik,nkj->nij"),
        "contraction": Family("r[i, k, m, o] ++= a[i, j, k, l, o] * b[m, j, l, o]",
                              ("a", "b"), lambda a, b: torch.einsum("ijklo,mjlo->ikmo", a, b),
                              lambda a, b: numpy.einsum("ijklo,mjlo->ikmo", a, b, optimize=True), "ijklo,mjlo->ikmo"),
        "bilinear": Family("o[i, j] ++= a[i, k] * t[j, k, l] * c[i, l]", ("a", "t", "c"),
                           lambda a, t, c: torch.einsum("ik,jkl,il->ij", a, t, c),
                           lambda a, t, c: numpy.einsum("ik,jkl,il->ij", a, t, c, optimize=True), "ik,jkl,il->ij"),
        "layer": Family("o[i, j] ++= a[i, k] * b[k, j] then relu(o[i, j] + c[j])", ("a", "b", "c"),
                        lambda a, b, c: torch.relu(a @ b + c), lambda a, b, c: numpy.maximum(a @ b + c, 0),
                        is_compiled=True, on_the_way=lambda a, b, c: a @ b),
        # The second factor lies with k contiguous, as these functions want it.
        "int8 gemm": Family("o[i, j] ++= a[i, k] * b[j, k]", ("a", "b"), lambda a, b: torch._int_mm(a, b.t()),
                            lambda a, b: a.astype(numpy.int32) @ b.T.astype(numpy.int32),
                            exactly=lambda a, b: a @ b.t()),
        "float8 gemm": Family("o:bf16[i, j] ++= a[i, k] * b[j, k]", ("a", "b"),
                              lambda a, b: torch._scaled_mm(a, b.t(), scale_a=torch.ones((), device=a.device),
                                                            scale_b=torch.ones((), device=a.device),
                                                            out_dtype=torch.bfloat16, use_fast_accum=False),
                              lambda a, b: a @ b.T, exactly=lambda a, b: a @ b.t()),
    }  # fmt: skip


def _square(n: int) -> tuple[tuple[int, int], tuple[int, int]]:
    return ((n, n), (n, n))


def gpu_cases() -> list[Case]:
    """The rows of the figures to beat on one GPU."""
    big = (8192, 8192)
    cases = [
        Case("copy", (big,), goal=1.0), Case("hadamard", (big, big), goal=1.0),
        Case("outer", ((8192,), (8192,)), goal=1.1),
        Case("transpose", (big,), goal=1.05), Case("transpose", ((8191, 8193),)),
        Case("sum", (big,), goal=1.05), Case("sum", ((4099, 16381),)),
        Case("column sum", (big,), goal=1.05), Case("column sum", ((4099, 16381),)),
        Case("row sum", (big,), goal=1.05), Case("row sum", ((4099, 16381),)),
        Case("dot", ((1 << 26,), (1 << 26,)), goal=1.05), Case("matvec", (big, (8192,)), goal=1.15),
    ]  # fmt: skip
    f32 = {1024: 1.1, 2048: 1.1, 4096: 1.1, 8192: 1.1}
    cases += [Case("gemm", _square(n), goal=goal) for n, goal in f32.items()]
    cases += [Case("gemm", _square(n), "f32", "tf32", 1.05) for n in (1024, 2048, 4096, 8192)]
    cases += [Case("gemm", _square(4096), "f32", "tf32x3", 2.0)]
    cases += [Case("gemm", _square(n), "f16", goal=1.05) for n in (1024, 2048, 4096, 8192)]
    cases += [Case("gemm", _square(n), "bf16", goal=1.05) for n in (2048, 4096, 8192)]
    cases += [Case("int8 gemm", _square(n), "i8", goal=1.2) for n in (4096, 8192)]
    cases += [Case("float8 gemm", _square(n), "f8e4m3", goal=1.0) for n in (4096, 8192)]
    tiers = (("f32", "exact"), ("f32", "tf32"), ("f16", "exact"))
    ragged, deep = ((4095, 4099), (4099, 4097)), ((128, 65536), (65536, 128))
    for (dtype, tier), wide, long in zip(tiers, (1.15, 2.2, 3.5), (1.3, 1.8, 1.8)):
        cases += [Case("gemm", ragged, dtype, tier, wide), Case("gemm", deep, dtype, tier, long)]
    for dtype, few, one in (("f32", 2.0, 1.15), ("f16", 1.3, 1.3)):
        cases += [Case("gemm", ((16, 8192), big), dtype, goal=few), Case("gemm", ((1, 8192), big), dtype, goal=one)]
    cases += [Case("gemm", ((8192, 64), (64, 8192)), "f16", goal=1.1),
              Case("gemm", ((8192, 8192), (8192, 64)), "f16", goal=1.1)]  # fmt: skip
    for dtype, tier in tiers:
        cases.append(Case("bmm", ((64, 512, 512), (64, 512, 512)), dtype, tier, 1.05))
    for dtype in ("f32", "f16"):
        cases.append(Case("bmm", ((4096, 64, 64), (4096, 64, 64)), dtype, goal=1.5))
    cases += [
        Case("contraction", ((16, 32, 16, 32, 32), (64, 32, 32, 32)), goal=5),
        Case("bilinear", ((512, 128), (256, 128, 128), (512, 128)), goal=2.5),
    ]
    for dtype, tier in (("f16", "exact"), ("f32", "tf32")):
        cases += [Case("layer", ((8192, 512), (512, 8192), (8192,)), dtype, tier, 1.05),
                  Case("layer", (*_square(4096), (4096,)), dtype, tier, 1.05)]  # fmt: skip
    return cases


def cpu_cases() -> list[Case]:
    big = (8192, 8192)
    cases = [Case("gemm", _square(n), goal=1.0) for n in (8, 16, 32, 64, 128, 256, 512, 1024, 2048)]
    cases += [
        Case("bmm", ((64, 256, 256), (64, 256, 256)), goal=1.0),
        Case("layer", (*_square(1024), (1024,)), goal=1.0),
        Case("contraction", ((16, 32, 16, 32, 32), (64, 32, 32, 32)), goal=10),
        Case("bilinear", ((128, 128), (128, 128, 128), (128, 128))),
        Case("copy", (big,)), Case("hadamard", (big, big)), Case("outer", ((8192,), (8192,))),
        Case("transpose", (big,)), Case("sum", (big,)), Case("column sum", (big,)), Case("row sum", (big,)),
        Case("dot", ((1 << 26,), (1 << 26,))), Case("matvec", (big, (8192,))),
    ]  # fmt: skip
    return cases
