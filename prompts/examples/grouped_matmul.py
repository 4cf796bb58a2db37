"""Rows in groups, each group times a matrix of its own: out[start:end] = x[start:end] @ w[g].

Grouped matrix multiplication: grouped gemm, mixture of experts (MoE), tokens sorted by expert, expert
weights, LoRA (sgmv, bgmv), ragged, compute-bound. Where the groups begin is known on the GPU only: the grid
is as large as it may have to be, each program counts tiles until it finds its own, and those left over end.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def grouped_matmul_kernel(x_ptr, w_ptr, offsets_ptr, out_ptr, G, N, K, stride_xm, stride_xk, stride_wg, stride_wk,
                          stride_wn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tile = tl.program_id(0)
    group, first, last, seen = 0, 0, 0, 0
    for g in range(0, G):
        begin = tl.load(offsets_ptr + g)
        end = tl.load(offsets_ptr + g + 1)
        tiles = tl.cdiv(end - begin, BM)
        mine = (tile >= seen) & (tile < seen + tiles)
        group = tl.where(mine, g, group)
        first = tl.where(mine, begin + (tile - seen) * BM, first)
        last = tl.where(mine, end, last)
        seen += tiles
    if first < last:
        rows = first + tl.arange(0, BM)
        cols = tl.program_id(1) * BN + tl.arange(0, BN)
        x_row = rows.to(tl.int64)[:, None]
        w_ptr += group.to(tl.int64) * stride_wg
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for start in range(0, K, BK):
            k = start + tl.arange(0, BK)
            x = tl.load(x_ptr + x_row * stride_xm + k[None, :] * stride_xk,
                        mask=(rows < last)[:, None] & (k < K)[None, :], other=0.0)
            w = tl.load(w_ptr + k[:, None] * stride_wk + cols[None, :] * stride_wn,
                        mask=(k < K)[:, None] & (cols < N)[None, :], other=0.0)
            acc = tl.dot(x, w, acc)
        tl.store(out_ptr + x_row * N + cols[None, :], acc, mask=(rows < last)[:, None] & (cols < N)[None, :])


def grouped_matmul(x, w, offsets):
    T, K = x.shape
    G, _, N = w.shape
    out = torch.empty((T, N), dtype=x.dtype, device=x.device)
    if out.numel() == 0:
        return out
    BM, BN, BK = 32, 64, 32
    # each group but one may leave a tile partly empty
    grouped_matmul_kernel[(triton.cdiv(T, BM) + G, triton.cdiv(N, BN))](
        x, w, offsets.contiguous(), out, G, N, K, *x.stride(), *w.stride(),
        BM=BM, BN=BN, BK=BK, num_warps=4, num_stages=2)
    return out
