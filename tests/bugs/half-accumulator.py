"""Accumulates in float16.

task: row_mean
patterns: low-precision
failure: numeric_drift
"""
import torch
import triton
import triton.language as tl


@triton.jit
def row_mean_kernel(x, y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), dtype=tl.float16)
    for start in range(0, N, BLOCK):
        column = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * N + column, mask=column < N, other=0.0).to(tl.float16)
    tl.store(y + row, tl.sum(total, axis=0).to(tl.float32) / N)


def row_mean(x):
    M, N = x.shape
    y = torch.empty(M, dtype=x.dtype, device=x.device)
    row_mean_kernel[(M,)](x, y, N, BLOCK=32)
    return y
