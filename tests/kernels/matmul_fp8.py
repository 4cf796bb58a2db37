import torch
import triton
import triton.language as tl


@triton.jit
def matmul_fp8_kernel(
    a, b, c, a_scale, b_scale, M, N, K, a_row, b_row,
    TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr, GROUP: tl.constexpr,
):
    # Tiles in groups of GROUP rows, so that neighbours in time share what the cache holds.
    tiles_m = tl.cdiv(M, TILE_M)
    tiles_n = tl.cdiv(N, TILE_N)
    pid = tl.program_id(0)
    first = pid // (GROUP * tiles_n) * GROUP
    height = min(tiles_m - first, GROUP)
    tile_m = first + pid % (GROUP * tiles_n) % height
    tile_n = pid % (GROUP * tiles_n) // height

    i = (tile_m * TILE_M + tl.arange(0, TILE_M)).to(tl.int64)
    j = (tile_n * TILE_N + tl.arange(0, TILE_N)).to(tl.int64)
    k = tl.arange(0, TILE_K)
    a_tile = a + i[:, None] * a_row + k[None, :]
    b_tile = b + j[None, :] * b_row + k[:, None]
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for start in range(0, K, TILE_K):
        left = K - start
        a_value = tl.load(a_tile, mask=(i[:, None] < M) & (k[None, :] < left), other=0.0)
        b_value = tl.load(b_tile, mask=(k[:, None] < left) & (j[None, :] < N), other=0.0)
        # sm_90 would keep 14 bits of the sum; others ignore the last argument.
        total = tl.dot(a_value, b_value, total, max_num_imprecise_acc=TILE_K)
        a_tile += TILE_K
        b_tile += TILE_K
    total *= tl.load(a_scale + i, mask=i < M, other=0.0)[:, None]
    total *= tl.load(b_scale + j, mask=j < N, other=0.0)[None, :]
    inside = (i[:, None] < M) & (j[None, :] < N)
    tl.store(c + i[:, None] * N + j[None, :], total.to(tl.bfloat16), mask=inside)


def matmul_fp8(a, b, a_scale, b_scale):
    M, K = a.shape
    N = b.shape[0]
    c = torch.empty((M, N), dtype=torch.bfloat16, device=a.device)
    large = M >= 512 and N >= 512
    tile_m, tile_n, tile_k = (128, 128, 64) if large else (32, 32, 64)
    grid = (triton.cdiv(M, tile_m) * triton.cdiv(N, tile_n),)
    if M:
        matmul_fp8_kernel[grid](
            a, b, c, a_scale, b_scale, M, N, K, a.stride(0), b.stride(0),
            TILE_M=tile_m, TILE_N=tile_n, TILE_K=tile_k, GROUP=8,
            num_warps=8 if large else 4, num_stages=2,
        )
    return c
