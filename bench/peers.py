#!/usr/bin/env python3
"""Tilewright and its peers, in turns in one process, on the same inputs: on this machine's CPU or on an NVIDIA GPU.

    PYTHONPATH=build/release/python python3 bench/peers.py --device cpu --json cpu.json
    PYTHONPATH=build/release/python python3 bench/peers.py --device cuda --compile --json h200.json
    python3 bench/report.py cpu.json h200.json --markdown docs/performance.md

Peers are those that are found: NumPy (OpenBLAS or MKL), opt_einsum, JAX and PyTorch on the CPU; PyTorch, with --compile
torch.compile, and Triton on a GPU. Inputs are normal (mean 0, variance 1; integers: -4 to 4), of a fixed seed.

Before it is timed, every result is compared with the statement in f64: within 8 u of the sum of its terms' magnitudes
and 2 units of its own rounding (and of an intermediate result's, where a peer has one), u being that of the
accumulating type (2^-24, 2^-11 for tf32). A contestant that is
further off is shown as wrong and not timed; Tilewright being wrong ends the run with 1.

A round calls each contestant once and begins with another one each time. A sample on the CPU is the mean of as many
calls as fill half a millisecond, after one that is not timed, into outputs that exist (JAX, torch.compile and einsums
make theirs); on a GPU a call between events, the cache flushed before
it. Ratios are taken within a round; the median of the rounds counts.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import platform
import re
import statistics
import sys
import tempfile
import time
from typing import Any, Callable

# Threads that wait for work spin for half a millisecond, so that they are asleep in the turns of others.
os.environ.update(OPENBLAS_THREAD_TIMEOUT="20", GOMP_SPINCOUNT="200000")

# Libraries start as many threads as there are processors for them when they are loaded.
if "--threads" in sys.argv[:-1]:
    processors = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, processors[: int(sys.argv[sys.argv.index("--threads") + 1])])

import calls
import cases as table
import numpy as np

import tilewright as tw
from tilewright._arrays import DTYPE_NAMES

try:
    import torch

    torch.from_numpy(np.zeros(1))
except (ImportError, RuntimeError) as problem:  # RuntimeError: built for another NumPy
    print(f"peers: without PyTorch: {problem}", file=sys.stderr)
    torch = None

FAMILIES = table.families(torch, np)
ROUNDINGS = {"f64": 2.0**-53, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8, "i32": 0.0}
SIZES = {"f64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "f8e4m3": 1, "i8": 1}
SEED = 1
MOST_ROUNDS = 101


def statement_of(case: table.Case) -> str:
    text = FAMILIES[case.family].statement
    return text if case.precision == "exact" else f"{text} do:\n  precision: {case.precision}\n"


def operands_of(case: table.Case) -> list[np.ndarray]:
    """In f32, which all cases on the CPU are in."""
    generator = np.random.default_rng(SEED)
    return [generator.standard_normal(shape, dtype=np.float32) for shape in case.shapes]


# ---- contestants: each prepares a case, and returns the function that is timed, which returns the result ----


class OnCpu:
    """Contestants on the CPU, with NumPy's memory for those that take it."""

    def __init__(self, options: argparse.Namespace):
        self.threads = len(os.sched_getaffinity(0))
        self.names = ["Tilewright", "NumPy"]
        self.versions = {"NumPy": f"{np.__version__} ({blas_of_numpy()})"}
        try:
            import opt_einsum

            self.opt_einsum = opt_einsum
            self.add("opt_einsum", opt_einsum.__version__)
        except ImportError:
            pass
        if torch is not None:
            self.add("PyTorch", torch.__version__)
            if options.compile:
                self.add("torch.compile", torch.__version__)
        try:
            import jax

            self.jax = jax
            self.add("JAX", jax.__version__)
        except ImportError:
            pass

    def add(self, name: str, version: str) -> None:
        self.names.append(name)
        self.versions[name] = version

    def describe(self) -> dict:
        return {"device": "cpu", "processor": tw.processor("cpu"), "threads": self.threads}

    def prepare(self, case: table.Case) -> dict[str, Callable[[], Any]]:
        family, operands = FAMILIES[case.family], operands_of(case)
        kernel = tw.kernel(statement_of(case))
        out = kernel(*operands)
        ready: dict[str, Callable[[], Any]] = {"Tilewright": lambda: kernel(*operands, out=out)}
        into = numpy_into(case.family, operands, kernel(*operands))  # like ours, from a cache line on
        ready["NumPy"] = into or (lambda: family.numpy(*operands))
        if "opt_einsum" in self.names and family.einsum and family.is_sum and len(operands) > 1:
            expression = self.opt_einsum.contract_expression(family.einsum, *case.shapes)
            ready["opt_einsum"] = lambda: expression(*operands)
        if "PyTorch" in self.names:
            tensors = [torch.from_numpy(each) for each in operands]
            into = torch_into(case.family, tensors, torch.from_numpy(kernel(*operands)))
            ready["PyTorch"] = into or (lambda: family.torch(*tensors))
            if "torch.compile" in self.names and family.is_compiled:
                compiled = torch.compile(family.torch)
                ready["torch.compile"] = lambda: compiled(*tensors)
        if "JAX" in self.names and family.einsum:
            arrays = [self.jax.numpy.asarray(each) for each in operands]
            jitted = self.jax.jit(lambda *given: self.jax.numpy.einsum(family.einsum, *given))
            ready["JAX"] = lambda: jitted(*arrays).block_until_ready()
        return ready

    def reference(self, case: table.Case) -> tuple[Any, Any, Any]:
        """The result in f64, that of the operands' magnitudes, and what peers may round on the way (0: nothing)."""
        family, wide = FAMILIES[case.family], [each.astype(np.float64) for each in operands_of(case)]
        on_the_way = 0 if family.on_the_way is None else family.on_the_way(*wide)
        return np.asarray(family.numpy(*wide)), np.asarray(family.numpy(*map(np.abs, wide))), on_the_way

    def widen(self, result: Any) -> np.ndarray:
        return np.asarray(result).astype(np.float64)

    def sample(self, call: Callable[[], Any]) -> float:
        if self.threads > 1:
            time.sleep(2e-3)  # in which the threads of the turn before fall asleep
        begin = time.perf_counter()
        call()
        count = max(1, int(0.5e-3 / max(time.perf_counter() - begin, 1e-7)))
        begin = time.perf_counter()
        for _ in range(count):
            call()
        return (time.perf_counter() - begin) / count


class OnGpu:
    """Contestants on one NVIDIA GPU, on the same tensors of PyTorch's."""

    def __init__(self, options: argparse.Namespace):
        if torch is None or not torch.cuda.is_available():
            sys.exit("peers: --device cuda needs PyTorch and an NVIDIA GPU")
        self.names = ["Tilewright", "PyTorch"] + ["torch.compile"] * options.compile
        self.versions = dict.fromkeys(self.names[1:], torch.__version__)
        try:
            import triton
            import triton_matmul

            self.triton_matmul = triton_matmul.matmul
            self.names.append("Triton")
            self.versions["Triton"] = triton.__version__
        except ImportError:
            pass
        size = max(2 * torch.cuda.get_device_properties(0).L2_cache_size, 256 << 20)
        self.flush = torch.empty(size, dtype=torch.uint8, device="cuda")

    def describe(self) -> dict:
        return {"device": "cuda", "processor": torch.cuda.get_device_name(0), "cuda": torch.version.cuda}

    def tensors_of(self, case: table.Case) -> list:
        generator = torch.Generator(device="cuda").manual_seed(SEED)
        if case.dtype == "i8":
            return [torch.randint(-4, 5, shape, generator=generator, device="cuda", dtype=torch.int8)
                    for shape in case.shapes]  # fmt: skip
        dtype = getattr(torch, DTYPE_NAMES[case.dtype])
        return [torch.randn(shape, generator=generator, device="cuda").to(dtype) for shape in case.shapes]

    def prepare(self, case: table.Case) -> dict[str, Callable[[], Any]]:
        family, operands = FAMILIES[case.family], self.tensors_of(case)
        matmul = torch.backends.cuda.matmul
        matmul.allow_tf32 = case.precision == "tf32"
        # Partial sums in f16 or bf16 would be further off than is allowed.
        matmul.allow_fp16_reduced_precision_reduction = matmul.allow_bf16_reduced_precision_reduction = False
        kernel = tw.kernel(statement_of(case))
        ready: dict[str, Callable[[], Any]] = {}
        try:
            out = kernel(*operands)
            ready["Tilewright"] = lambda: kernel(*operands, out=out)
        except (tw.InputError, tw.DeviceError) as error:  # a tier that this device or this version lacks
            print(f"  Tilewright cannot: {str(error).strip().splitlines()[0]}", file=sys.stderr)
        ready["PyTorch"] = lambda: family.torch(*operands)
        if "torch.compile" in self.names and family.is_compiled:
            torch._dynamo.reset()
            compiled = torch.compile(family.torch, dynamic=False)
            ready["torch.compile"] = lambda: compiled(*operands)
        if case.family == "layer":
            ready["cuBLASLt epilogue"] = lambda: torch._addmm_activation(operands[2], *operands[:2])  # relu is its default
        if "Triton" in self.names and case.family == "gemm" and case.precision in ("exact", "tf32"):
            ready["Triton"] = lambda: self.triton_matmul(*operands, tf32=case.precision == "tf32")
        return ready

    def reference(self, case: table.Case) -> tuple[Any, Any, Any]:
        family = FAMILIES[case.family]
        function, wide = family.exactly or family.torch, [each.double() for each in self.tensors_of(case)]
        on_the_way = 0 if family.on_the_way is None else family.on_the_way(*wide)
        return function(*wide), function(*(each.abs() for each in wide)), on_the_way

    def widen(self, result: Any) -> Any:
        return result.double()

    def sample(self, call: Callable[[], Any]) -> float:
        pairs = []
        for _ in range(7):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            self.flush.fill_(1)
            start.record()
            call()
            end.record()
            pairs.append((start, end))
        torch.cuda.synchronize()
        return statistics.median(start.elapsed_time(end) * 1e-3 for start, end in pairs)


def blas_of_numpy() -> str:
    """The library that NumPy's products come from, as its memory map names it."""
    np.ones((2, 2)) @ np.ones((2, 2))
    maps = pathlib.Path("/proc/self/maps")
    lines = maps.read_text().splitlines() if maps.exists() else []
    paths = {pathlib.Path(line.split()[-1]) for line in lines if ".so" in line}
    found = [path for path in paths if any(each in path.name.lower() for each in ("blas", "mkl_rt"))]
    own = [path for path in found if "numpy" in str(path)]  # a wheel brings its own; a distribution's is shared
    return ", ".join(sorted(path.name for path in own or found)) or "BLAS unknown"


def numpy_into(family: str, operands: list, out: np.ndarray) -> Callable[[], Any] | None:
    """NumPy's call with an output that exists, as ours has one."""
    a, b = operands[0], operands[-1]
    calls = {
        "copy": lambda: np.copyto(out, a), "hadamard": lambda: np.multiply(a, b, out=out),
        "outer": lambda: np.multiply(a[:, None], b, out=out), "transpose": lambda: np.copyto(out, a.T),
        "matvec": lambda: np.matmul(a, b, out=out), "gemm": lambda: np.matmul(a, b, out=out),
        "bmm": lambda: np.matmul(a, b, out=out),
    }  # fmt: skip
    if family not in calls:
        return None

    def call() -> Any:
        calls[family]()
        return out

    return call


def torch_into(family: str, operands: list, out: Any) -> Callable[[], Any] | None:
    """The same for PyTorch, whose new tensors on the CPU would cost the pages of their memory."""
    a, b = operands[0], operands[-1]
    return {
        "copy": lambda: out.copy_(a), "hadamard": lambda: torch.mul(a, b, out=out),
        "outer": lambda: torch.outer(a, b, out=out), "transpose": lambda: out.copy_(a.t()),
        "matvec": lambda: torch.mv(a, b, out=out), "gemm": lambda: torch.mm(a, b, out=out),
        "bmm": lambda: torch.bmm(a, b, out=out),
    }.get(family)  # fmt: skip


# ---- one case ----


def worst_error(case: table.Case, result: Any, reference: tuple[Any, Any, Any], made: str) -> float:
    """The largest error over what is allowed; at most 1 is right. `made` is the result's type."""
    exact, magnitude, on_the_way = reference
    accumulated = 2.0**-11 if case.precision == "tf32" else 0.0 if made == "i32" else 2.0**-24
    allowed = 2 * ROUNDINGS[made] * (abs(exact) + abs(on_the_way)) + 1e-30
    if FAMILIES[case.family].is_sum:
        allowed = allowed + 8 * accumulated * magnitude
    return float((abs(result.reshape(exact.shape) - exact) / allowed).max())


def measure(place: OnCpu | OnGpu, case: table.Case, seconds: float, rounds: int) -> dict:
    ready = place.prepare(case)
    reference, work = place.reference(case), work_of(case)
    row: dict = {"name": case.name, "family": case.family, "shapes": case.shapes, "dtype": case.dtype,
                 "precision": case.precision, "goal": case.goal, "wrong": {}, **work}  # fmt: skip
    for name in list(ready):
        try:
            error = worst_error(case, place.widen(ready[name]()), reference, work["type"])
        except Exception as problem:  # a peer that cannot: not a row less
            if name == "Tilewright":
                raise
            row["wrong"][name] = f"{type(problem).__name__}: {str(problem).strip()[:120]}"
            del ready[name]
            continue
        if not error <= 1:
            row["wrong"][name] = f"off by {error:.3g} times what is allowed"
            del ready[name]
    del reference
    row["samples"] = {name: [] for name in ready}
    names, begin = list(ready), time.perf_counter()
    for turn in range(MOST_ROUNDS if names else 0):
        if turn >= rounds and time.perf_counter() - begin >= seconds:
            break
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            row["samples"][name].append(float(f"{place.sample(ready[name]):.5g}"))
    return row


def work_of(case: table.Case) -> dict:
    """The result's type, and the operations and bytes that the statement cannot do without."""
    kernel = tw.kernel(FAMILIES[case.family].statement)
    (dtype, made), = kernel.infer(*((case.dtype, shape) for shape in case.shapes))
    count = lambda shape: int(np.prod(shape, dtype=np.int64))  # noqa: E731
    read = sum(count(shape) * SIZES[case.dtype] for shape in case.shapes)
    flops = {"gemm": lambda a, b: 2 * count(a) * b[-1], "layer": lambda a, b, c: 2 * count(a) * b[-1],
             "bmm": lambda a, b: 2 * count(a) * b[-1], "matvec": lambda a, b: 2 * count(a),
             "dot": lambda a, b: 2 * count(a), "contraction": lambda a, b: 2 * count(a) * b[0],
             "bilinear": lambda a, t, c: 3 * count(t) * a[0], "hadamard": lambda a, b: count(a),
             "outer": lambda a, b: count(a) * count(b)}  # fmt: skip
    flops["int8 gemm"] = flops["float8 gemm"] = lambda a, b: 2 * count(a) * b[0]
    operations = flops.get(case.family, lambda a: count(a) if "sum" in case.family else 0)(*case.shapes)
    return {"type": dtype, "flops": operations, "bytes": read + count(made) * SIZES[dtype]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--only", default="", help="cases in whose name this regular expression is found")
    parser.add_argument("--threads", type=int, help="processors that all contestants have on the CPU (default: all)")
    parser.add_argument("--compile", action="store_true", help="torch.compile as a peer of its own")
    parser.add_argument("--seconds", type=float, default=1.0, help="for the turns of one case")
    parser.add_argument("--rounds", type=int, default=5, help="at least")
    parser.add_argument("--calls", action="store_true", help="what calls cost beside their kernels, and no other case")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures here")
    options = parser.parse_args()
    cache = tempfile.TemporaryDirectory()
    os.environ["TILEWRIGHT_CACHE"] = cache.name  # nothing is found that another run compiled
    place = OnGpu(options) if options.device == "cuda" else OnCpu(options)
    chosen = table.gpu_cases() if options.device == "cuda" else table.cpu_cases()
    document = {
        **place.describe(), "machine": platform.machine(), "python": platform.python_version(),
        "tilewright": tw.__version__, "peers": place.versions, "seed": SEED,
        "distribution": "normal, mean 0, variance 1; integers -4 to 4", "rows": [],
    }  # fmt: skip
    if options.calls:
        document["calls"] = calls.repeated(torch, options.device) + calls.first(torch, options.device, options.compile)
        for row in document["calls"]:
            print(f"{row['name']}: " + ", ".join(f"{who} {1e6 * each:.2f} µs" for who, each in row["seconds"].items()))
        if options.json:
            options.json.write_text(json.dumps(document, indent=1) + "\n")
        return
    failed = False
    for case in chosen:
        if not re.search(options.only, case.name):
            continue
        row = measure(place, case, options.seconds, options.rounds)
        document["rows"].append(row)
        failed = failed or "Tilewright" in row["wrong"]
        medians = {name: statistics.median(times) for name, times in row["samples"].items()}
        print(f"{case.name}: " + ", ".join(f"{name} {1e6 * each:.1f} µs" for name, each in medians.items())
              + "".join(f"; {name} WRONG: {why}" for name, why in row["wrong"].items()), flush=True)  # fmt: skip
        if options.json:
            options.json.write_text(json.dumps(document, indent=1) + "\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
