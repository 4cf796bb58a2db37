"""The causal mask leaves out the diagonal.

task: causal
patterns: diagonal infinite
failure: mask
"""
import torch
import triton
import triton.language as tl


@triton.jit
def causal_kernel(q, k, y, T, scale, TILE: tl.constexpr, D: tl.constexpr):
    i = tl.program_id(0) * TILE + tl.arange(0, TILE)
    j = tl.program_id(1) * TILE + tl.arange(0, TILE)
    d = tl.arange(0, D)
    q_tile = tl.load(q + i[:, None] * D + d[None, :], mask=i[:, None] < T, other=0.0)
    k_tile = tl.load(k + j[:, None] * D + d[None, :], mask=j[:, None] < T, other=0.0)
    score = tl.dot(q_tile, tl.trans(k_tile), input_precision="ieee") * scale
    score = tl.where(j[None, :] < i[:, None], score, float("-inf"))
    tl.store(y + i[:, None] * T + j[None, :], score, mask=(i[:, None] < T) & (j[None, :] < T))


def causal(q, k):
    T, D = q.shape
    y = torch.empty((T, T), dtype=q.dtype, device=q.device)
    tiles = triton.cdiv(T, 32)
    causal_kernel[(tiles, tiles)](q, k, y, T, D ** -0.5, TILE=32, D=D)
    return y
