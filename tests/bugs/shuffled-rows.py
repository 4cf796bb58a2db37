"""Rows are computed in another order than they are stored in.

task: affine
patterns: permuted
failure: indexing
"""
import torch
import triton
import triton.language as tl


@triton.jit
def affine_kernel(x, y, M, N, x_row, TILE_M: tl.constexpr, TILE_N: tl.constexpr):
    i = tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)
    j = tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)
    inside = (i[:, None] < M) & (j[None, :] < N)
    value = tl.load(x + (i[:, None] * 3 % M) * x_row + j[None, :], mask=inside, other=0.0)
    tl.store(y + i[:, None] * N + j[None, :], 2 * value + 1, mask=inside)


def affine(x):
    M, N = x.shape
    y = torch.empty((M, N), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(M, 32), triton.cdiv(N, 64))
    affine_kernel[grid](x, y, M, N, x.stride(0), TILE_M=32, TILE_N=64)
    return y
