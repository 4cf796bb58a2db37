"""The sum is computed in int32.

task: row_count
patterns: wrapped
failure: numeric_drift
"""
import torch
import triton
import triton.language as tl


@triton.jit
def row_count_kernel(x, y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    value = tl.load(x + row * N + column, mask=column < N, other=0).to(tl.int64)
    tl.store(y + row, tl.sum(value, axis=0).to(tl.int32))


def row_count(x):
    M, N = x.shape
    y = torch.empty(M, dtype=torch.int64, device=x.device)
    row_count_kernel[(M,)](x, y, N, BLOCK=triton.next_power_of_2(N))
    return y
