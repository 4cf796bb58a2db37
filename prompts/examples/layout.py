"""Exchange of the last two axes of a three-dimensional tensor, into contiguous memory.

Layout change: transpose, permute, flip, reverse, roll, strided copy, pad, padding, unpad, concatenate, cat,
split, stack, repeat, interleave, triangle, tile by tile, strides, coalesced reads and writes, memory-bound. A
tile is read along one axis and written along the other with tl.trans between, so that both sides touch
neighbouring addresses.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def swap_last_axes_kernel(x_ptr, out_ptr, M, N, stride_b, stride_m, stride_n, TILE: tl.constexpr):
    batch = tl.program_id(1).to(tl.int64)
    tiles_n = tl.cdiv(N, TILE)
    m = (tl.program_id(0) // tiles_n) * TILE + tl.arange(0, TILE)
    n = (tl.program_id(0) % tiles_n) * TILE + tl.arange(0, TILE)
    tile = tl.load(x_ptr + batch * stride_b + m.to(tl.int64)[:, None] * stride_m + n[None, :] * stride_n,
                   mask=(m < M)[:, None] & (n < N)[None, :], other=0.0)
    tl.store(out_ptr + batch * M * N + n.to(tl.int64)[:, None] * M + m[None, :], tl.trans(tile),
             mask=(n < N)[:, None] & (m < M)[None, :])


def swap_last_axes(x):
    B, M, N = x.shape
    out = torch.empty((B, N, M), dtype=x.dtype, device=x.device)
    if out.numel() == 0:
        return out
    TILE = 32
    grid = (triton.cdiv(M, TILE) * triton.cdiv(N, TILE), B)
    swap_last_axes_kernel[grid](x, out, M, N, x.stride(0), x.stride(1), x.stride(2),
                                TILE=TILE, num_warps=4)
    return out
