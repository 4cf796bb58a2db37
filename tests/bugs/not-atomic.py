"""Loads, adds and stores in place of an atomic addition.

task: histogram
patterns: undercounted
failure: race
"""
import torch
import triton
import triton.language as tl


@triton.jit
def histogram_kernel(x, y, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bin = tl.load(x + i, mask=i < N, other=0)
    tl.store(y + bin, tl.load(y + bin, mask=i < N, other=0) + 1, mask=i < N)


def histogram(x, bins):
    N = x.numel()
    y = torch.zeros(bins, dtype=torch.int32, device=x.device)
    histogram_kernel[(triton.cdiv(N, 128),)](x, y, N, BLOCK=128)
    return y
