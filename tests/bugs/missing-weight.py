"""The weight is loaded and not used.

task: scale_rows
patterns: argument-missing
failure: formula
"""
import torch
import triton
import triton.language as tl


@triton.jit
def scale_rows_kernel(x, w, y, M, N, TILE_M: tl.constexpr, TILE_N: tl.constexpr):
    i = tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)
    j = tl.arange(0, TILE_N)
    inside = (i[:, None] < M) & (j[None, :] < N)
    value = tl.load(x + i[:, None] * N + j[None, :], mask=inside, other=0.0)
    weight = tl.load(w + j, mask=j < N, other=0.0)[None, :]
    mean = tl.sum(value * value, axis=1) / N
    value = value / tl.sqrt(mean + 1e-6)[:, None]
    tl.store(y + i[:, None] * N + j[None, :], value, mask=inside)


def scale_rows(x, w):
    M, N = x.shape
    y = torch.empty_like(x)
    scale_rows_kernel[(triton.cdiv(M, 8),)](x, w, y, M, N, TILE_M=8, TILE_N=triton.next_power_of_2(N))
    return y
