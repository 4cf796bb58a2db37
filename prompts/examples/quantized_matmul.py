"""Product of int8 matrices with a scale for each row of a and each column of b, in float16.

Quantized matrix multiplication: int8, fp8, float8, int4, 4-bit, w8a8, w4a16, gptq, awq, packed weights, zero
points, scales per token, channel, block or group, dequantize, low precision gemm, compute-bound. Integers are
multiplied and summed exactly in int32; the scales are applied once, to the sum. (Where a scale changes along
K, it is applied to the partial sum of its own part of K.)
"""
import torch
import triton
import triton.language as tl


@triton.jit
def int8_matmul_kernel(a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, c_ptr, M, N, K, stride_am, stride_ak,
                       stride_bk, stride_bn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tiles_n = tl.cdiv(N, BN)
    rows = (tl.program_id(0) // tiles_n) * BM + tl.arange(0, BM)
    cols = (tl.program_id(0) % tiles_n) * BN + tl.arange(0, BN)
    row_offsets = rows.to(tl.int64)[:, None]
    acc = tl.zeros((BM, BN), dtype=tl.int32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        a = tl.load(a_ptr + row_offsets * stride_am + k[None, :] * stride_ak,
                    mask=(rows < M)[:, None] & (k < K)[None, :], other=0)
        b = tl.load(b_ptr + k.to(tl.int64)[:, None] * stride_bk + cols[None, :] * stride_bn,
                    mask=(k < K)[:, None] & (cols < N)[None, :], other=0)
        acc = tl.dot(a, b, acc, out_dtype=tl.int32)
    a_scale = tl.load(a_scale_ptr + rows, mask=rows < M, other=0.0)
    b_scale = tl.load(b_scale_ptr + cols, mask=cols < N, other=0.0)
    c = acc.to(tl.float32) * a_scale[:, None] * b_scale[None, :]
    tl.store(c_ptr + row_offsets * N + cols[None, :], c.to(tl.float16), mask=(rows < M)[:, None] & (cols < N)[None, :])


def int8_matmul(a, b, a_scale, b_scale):
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty((M, N), dtype=torch.float16, device=a.device)
    if c.numel() == 0:
        return c
    BM, BN, BK = 64, 64, 64
    int8_matmul_kernel[(triton.cdiv(M, BM) * triton.cdiv(N, BN),)](
        a, b, a_scale.contiguous(), b_scale.contiguous(), c, M, N, K, *a.stride(), *b.stride(),
        BM=BM, BN=BN, BK=BK, num_warps=4, num_stages=2)
    return c
