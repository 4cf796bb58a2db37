"""The division by the number of columns is forgotten.

task: row_mean
patterns: factor
failure: formula
"""
import torch
import triton
import triton.language as tl


@triton.jit
def row_mean_kernel(x, y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        column = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * N + column, mask=column < N, other=0.0)
    tl.store(y + row, tl.sum(total, axis=0))


def row_mean(x):
    M, N = x.shape
    y = torch.empty(M, dtype=x.dtype, device=x.device)
    row_mean_kernel[(M,)](x, y, N, BLOCK=32)
    return y
