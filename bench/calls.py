"""What calls cost beside their kernels, for bench/peers.py: the host's time of repeated ones, and first ones, which
compile.

Repeated calls are on 4 × 4 values, so that the kernel hardly counts; on a GPU the time is that of queueing. It is the
thread's processor time, so that other programs do not count, of as many calls as a GPU queues without waiting; the
least of nine. A first call is of a statement that no call before had, without kernels on disk, to its end.
"""

from __future__ import annotations

import time
from typing import Any, Callable

import numpy as np

import tilewright as tw

CALLS, REPEATS, FIRST, FIRST_OF_PEERS = 400, 9, 8, 2


def _wait_for(torch: Any) -> Callable[[], None]:
    return torch.cuda.synchronize if torch is not None and torch.cuda.is_available() else lambda: None


def repeated(torch: Any, device: str) -> list[dict]:
    """Rows of {contestant: seconds a call}."""
    matmul = tw.kernel("c[i, j] ++= a[i, k] * b[k, j]")
    einsum = "ij,jk->ik"
    rows = []
    if device == "cpu":
        a, b, c = (np.ones((4, 4), np.float32) for _ in range(3))
        rows += [
            ("NumPy's arrays, into an output", {"Tilewright": lambda: matmul(a, b, out=c),
                                                "NumPy": lambda: np.matmul(a, b, out=c)}),
            ("NumPy's arrays, a new output", {"Tilewright": lambda: matmul(a, b), "NumPy": lambda: np.matmul(a, b)}),
            ("NumPy's arrays, einsum", {"Tilewright": lambda: tw.einsum(einsum, a, b),
                                        "NumPy": lambda: np.einsum(einsum, a, b)}),
        ]  # fmt: skip
    if torch is not None:
        s, t, u = (torch.ones(4, 4, device=device) for _ in range(3))
        where = f"PyTorch's tensors ({device})"
        rows += [
            (f"{where}, into an output", {"Tilewright": lambda: matmul(s, t, out=u),
                                          "PyTorch": lambda: torch.mm(s, t, out=u)}),
            (f"{where}, a new output", {"Tilewright": lambda: matmul(s, t), "PyTorch": lambda: torch.mm(s, t)}),
            (f"{where}, einsum", {"Tilewright": lambda: tw.einsum(einsum, s, t),
                                  "PyTorch": lambda: torch.einsum(einsum, s, t)}),
        ]  # fmt: skip
    wait = _wait_for(torch)
    return [{"name": f"repeated call, {name}", "seconds": {who: _host_time(call, wait) for who, call in calls.items()}}
            for name, calls in rows]  # fmt: skip


def _host_time(call: Callable[[], Any], wait: Callable[[], None]) -> float:
    times = []
    for _ in range(REPEATS + 1):  # the first is not counted
        wait()
        begin = time.thread_time()
        for _ in range(CALLS):
            call()
        times.append((time.thread_time() - begin) / CALLS)
    wait()
    return min(times[1:])


def first(torch: Any, device: str, with_compile: bool) -> list[dict]:
    """Rows of {contestant: median seconds}: parsing, compiling, running and waiting."""
    kinds = {
        "elementwise": ("o[i, j] = a[i, j] * {0} + b[i, j]", lambda n: lambda a, b: a * n + b),
        "contraction of 512³": ("o[i, j] ++= a[i, k] * b[k, j] then o[i, j] * {0}", lambda n: lambda a, b: (a @ b) * n),
    }
    a, b = (np.random.default_rng(n).standard_normal((512, 512), dtype=np.float32) for n in range(2))
    if device == "cuda":
        a, b = (torch.from_numpy(each).to(device) for each in (a, b))
    wait = _wait_for(torch)
    tw.kernel("o[i] = x[i]")(a[0])  # opens the device
    rows = []
    for name, (text, function) in kinds.items():
        seconds = {"Tilewright": _first(lambda n, text=text: tw.kernel(text.format(n))(a, b), FIRST, wait)}
        if with_compile and torch is not None:
            given = [each if device == "cuda" else torch.from_numpy(each) for each in (a, b)]
            seconds["torch.compile"] = _first(
                lambda n, function=function, given=given: torch.compile(function(n))(*given), FIRST_OF_PEERS, wait)  # fmt: skip
        rows.append({"name": f"first call, {name}", "seconds": seconds})
    return rows


def _first(call: Callable[[float], Any], count: int, wait: Callable[[], None]) -> float:
    times = []
    for n in range(count):
        begin = time.perf_counter()
        call(1 + (n + 1) / 64)
        wait()
        times.append(time.perf_counter() - begin)
    return sorted(times)[count // 2]
