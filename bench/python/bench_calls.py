"""Host time of repeated calls from Python on arrays so small that the kernel hardly counts, beside NumPy's own, and
PyTorch's where it is installed: on a GPU where there is one, where the time is that of queueing.

The thread's processor time, so that other programs do not count: the least of some repeats, in microseconds a call.
usage: PYTHONPATH=build/release/python python3 bench/python/bench_calls.py
"""

import time
import timeit

import numpy as np

import tilewright as tw

A, B, C = (np.ones((4, 4), np.float32) for _ in range(3))
X, Y = np.ones(4, np.float32), np.ones(4, np.float32)
matmul = tw.kernel("c[i, j] ++= a[i, k] * b[k, j]")
double = tw.kernel("y[i] = 2.0 * x[i]")

CALLS = [
    ("matmul(A, B, out=C)", "np.matmul(A, B, out=C)"),
    ("matmul(A, B)", "np.matmul(A, B)"),
    ("matmul(a=A, b=B, out=C)", None),
    ("double(X, out=Y)", "np.multiply(X, 2, out=Y)"),
    ("double(X)", "np.multiply(X, 2)"),
    ("tw.einsum('ij,jk->ik', A, B)", "np.einsum('ij,jk->ik', A, B)"),
]
try:
    import torch
except ImportError:
    torch = None
else:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    S, T, U = (torch.ones(4, 4, device=device) for _ in range(3))
    CALLS += [
        ("matmul(S, T, out=U)", "torch.mm(S, T, out=U)"),
        ("matmul(S, T)", "torch.mm(S, T)"),
        ("tw.einsum('ij,jk->ik', S, T)", "torch.einsum('ij,jk->ik', S, T)"),
    ]


def wait() -> None:
    if torch is not None and torch.cuda.is_available():
        torch.cuda.synchronize()


def microseconds(statement: str) -> float:
    count = 20000 if "S" not in statement else 500  # what a GPU queues before calls wait for it
    times = timeit.repeat(statement, "wait()", globals=globals(), number=count, repeat=9, timer=time.thread_time)
    return 1e6 * min(times) / count


print(f"NumPy {np.__version__}, {tw.processor('cpu')}" + (f"; PyTorch {torch.__version__}, {device}" if torch else ""))
for ours, theirs in CALLS:
    line = f"{ours:32} {microseconds(ours):6.2f} µs"
    print(line if theirs is None else f"{line}   {theirs:32} {microseconds(theirs):6.2f} µs")
