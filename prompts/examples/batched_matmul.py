"""Products of a batch of matrices: a[i] @ b[i] in float16, accumulated in float32.

Batched matrix multiplication: bmm, baddbmm, batch of small matrix products, einsum, chunk products, broadcast
batch, compute-bound. The batch is an axis of the grid; offsets of a batch entry are 64 bits wide, those
within it 32.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def bmm_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_ab, stride_am, stride_ak, stride_bb, stride_bk, stride_bn,
               BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    batch = tl.program_id(1).to(tl.int64)
    tiles_n = tl.cdiv(N, BN)
    rows = (tl.program_id(0) // tiles_n) * BM + tl.arange(0, BM)
    cols = (tl.program_id(0) % tiles_n) * BN + tl.arange(0, BN)
    a_ptr += batch * stride_ab
    b_ptr += batch * stride_bb
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        a = tl.load(a_ptr + rows[:, None] * stride_am + k[None, :] * stride_ak,
                    mask=(rows < M)[:, None] & (k < K)[None, :], other=0.0)
        b = tl.load(b_ptr + k[:, None] * stride_bk + cols[None, :] * stride_bn,
                    mask=(k < K)[:, None] & (cols < N)[None, :], other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + batch * M * N + rows[:, None] * N + cols[None, :], acc,
             mask=(rows < M)[:, None] & (cols < N)[None, :])


def bmm(a, b):
    B, M, K = a.shape
    N = b.shape[2]
    c = torch.empty((B, M, N), dtype=a.dtype, device=a.device)
    if c.numel() == 0:
        return c
    BM, BN, BK = 32, 64, 32
    bmm_kernel[(triton.cdiv(M, BM) * triton.cdiv(N, BN), B)](
        a, b, c, M, N, K, *a.stride(), *b.stride(), BM=BM, BN=BN, BK=BK, num_warps=4, num_stages=2)
    return c
