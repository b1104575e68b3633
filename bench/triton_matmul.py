"""A matrix product in Triton, tuned by its own autotuner: the peer of bench/peers.py for products on a GPU."""

import torch
import triton
import triton.language as tl

CONFIGURATIONS = [
    triton.Config({"ROWS": rows, "COLUMNS": columns, "DEPTH": depth}, num_warps=warps, num_stages=stages)
    for rows, columns, depth, warps, stages in (
        (128, 256, 64, 8, 3), (128, 128, 64, 8, 4), (128, 128, 32, 4, 4), (64, 128, 64, 4, 4), (128, 64, 32, 4, 4),
        (64, 64, 64, 4, 4), (32, 64, 64, 4, 5), (16, 128, 128, 4, 4),
    )
]  # fmt: skip


@triton.autotune(configs=CONFIGURATIONS, key=["m", "n", "k"])
@triton.jit
def product(a, b, c, m, n, k, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr, TF32: tl.constexpr):
    """c[m, n] = a[m, k] · b[k, n], all row-major; blocks go down columns of 8 rows of tiles, for the cache's sake."""
    height, width = tl.cdiv(m, ROWS), tl.cdiv(n, COLUMNS)
    block = tl.program_id(0)
    band = block // (8 * width)
    tall = tl.minimum(height - 8 * band, 8)
    row, column = 8 * band + block % (8 * width) % tall, block % (8 * width) // tall
    i = row * ROWS + tl.arange(0, ROWS)
    j = column * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for start in range(0, k, DEPTH):
        at = start + tl.arange(0, DEPTH)
        left = tl.load(a + i[:, None] * k + at[None], (i[:, None] < m) & (at[None] < k), 0.0)
        right = tl.load(b + at[:, None] * n + j[None], (at[:, None] < k) & (j[None] < n), 0.0)
        total = tl.dot(left, right, total, input_precision="tf32" if TF32 else "ieee")
    tl.store(c + i[:, None] * n + j[None], total.to(c.dtype.element_ty), (i[:, None] < m) & (j[None] < n))


def matmul(a: torch.Tensor, b: torch.Tensor, *, tf32: bool) -> torch.Tensor:
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    grid = lambda sizes: (triton.cdiv(m, sizes["ROWS"]) * triton.cdiv(n, sizes["COLUMNS"]),)  # noqa: E731
    product[grid](a, b, c, m, n, k, TF32=tf32)
    return c
