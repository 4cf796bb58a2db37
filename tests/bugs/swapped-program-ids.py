"""The tile is computed for the exchanged program ids.

task: matmul
patterns: tiles-transposed
failure: indexing
"""
import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a, b, c, M, N, K, TILE: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    i = pid_n * TILE + tl.arange(0, TILE)
    j = pid_m * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for start in range(0, K, TILE):
        k = start + tl.arange(0, TILE)
        a_tile = tl.load(a + i[:, None] * K + k[None, :], mask=(i[:, None] < M) & (k[None, :] < K), other=0.0)
        b_tile = tl.load(b + k[:, None] * N + j[None, :], mask=(k[:, None] < K) & (j[None, :] < N), other=0.0)
        total += tl.dot(a_tile, b_tile, input_precision="ieee")
    m = pid_m * TILE + tl.arange(0, TILE)
    n = pid_n * TILE + tl.arange(0, TILE)
    tl.store(c + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


def matmul(a, b):
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    matmul_kernel[triton.cdiv(M, 16), triton.cdiv(N, 16)](a, b, c, M, N, K, TILE=16)
    return c
