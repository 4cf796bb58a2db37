"""The maximum starts from zero lanes, the minimum is right.

task: extremes
patterns: one-output zero-where-negative
failure: mask
"""
import torch
import triton
import triton.language as tl


@triton.jit
def extremes_kernel(x, low, high, M, N, TILE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * TILE + tl.arange(0, TILE)
    j = tl.arange(0, BLOCK)
    inside = (i[:, None] < M) & (j[None, :] < N)
    at = x + i[:, None] * N + j[None, :]
    smallest = tl.min(tl.load(at, mask=inside, other=float("inf")), axis=1)
    largest = tl.max(tl.load(at, mask=inside, other=0.0), axis=1)
    tl.store(low + i, smallest, mask=i < M)
    tl.store(high + i, largest, mask=i < M)


def extremes(x):
    M, N = x.shape
    low, high = torch.empty(M, device=x.device), torch.empty(M, device=x.device)
    extremes_kernel[(triton.cdiv(M, 16),)](x, low, high, M, N, TILE=16, BLOCK=triton.next_power_of_2(N))
    return low, high
