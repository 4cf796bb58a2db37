"""The running total begins anew in each block.

task: running_sum
patterns: carry-lost past-multiple
failure: accumulation
"""
import torch
import triton
import triton.language as tl


@triton.jit
def running_sum_kernel(x, y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    carried = 0.0
    for start in range(0, N, BLOCK):
        column = start + tl.arange(0, BLOCK)
        value = tl.load(x + row * N + column, mask=column < N, other=0.0)
        tl.store(y + row * N + column, carried + tl.cumsum(value, axis=0), mask=column < N)
        carried = 0.0


def running_sum(x):
    M, N = x.shape
    y = torch.empty_like(x)
    running_sum_kernel[(M,)](x, y, N, BLOCK=32)
    return y
