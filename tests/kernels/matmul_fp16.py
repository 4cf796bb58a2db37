import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    a, b, c, M, N, K, a_row, a_column, b_row, b_column,
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
    a_tile = a + i[:, None] * a_row + k[None, :] * a_column
    b_tile = b + k[:, None] * b_row + j[None, :] * b_column
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for start in range(0, K, TILE_K):
        left = K - start
        a_value = tl.load(a_tile, mask=(i[:, None] < M) & (k[None, :] < left), other=0.0)
        b_value = tl.load(b_tile, mask=(k[:, None] < left) & (j[None, :] < N), other=0.0)
        total = tl.dot(a_value, b_value, total)
        a_tile += TILE_K * a_column
        b_tile += TILE_K * b_row
    inside = (i[:, None] < M) & (j[None, :] < N)
    tl.store(c + i[:, None] * N + j[None, :], total.to(tl.float16), mask=inside)


def matmul(a, b):
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty((M, N), dtype=torch.float16, device=a.device)
    large = M >= 512 and N >= 512
    tile_m, tile_n, tile_k = (128, 128, 64) if large else (32, 32, 64)
    grid = (triton.cdiv(M, tile_m) * triton.cdiv(N, tile_n),)
    if M:
        matmul_kernel[grid](
            a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1),
            TILE_M=tile_m, TILE_N=tile_n, TILE_K=tile_k, GROUP=8,
            num_warps=8 if large else 4, num_stages=2,
        )
    return c
