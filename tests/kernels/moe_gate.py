import torch
import triton
import triton.language as tl


@triton.jit
def moe_gate_kernel(
    logits, weights, indices, T, E,
    K: tl.constexpr, K_PADDED: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)
    column = tl.arange(0, COLUMNS)[None, :]
    inside = (row[:, None] < T) & (column < E)
    value = tl.load(logits + row[:, None] * E + column, mask=inside, other=float("-inf"))
    value = value.to(tl.float32)
    rank = tl.arange(0, K_PADDED)[None, :]
    best = tl.full((ROWS, K_PADDED), float("-inf"), tl.float32)
    where = tl.zeros((ROWS, K_PADDED), tl.int32)
    for r in tl.static_range(K):
        largest = tl.max(value, axis=1)[:, None]
        # Of equals the smallest column.
        chosen = tl.min(tl.where(value == largest, column, COLUMNS), axis=1)[:, None]
        best = tl.where(rank == r, largest, best)
        where = tl.where(rank == r, chosen, where)
        value = tl.where(column == chosen, float("-inf"), value)
    weight = tl.exp(best - tl.max(best, axis=1)[:, None])
    weight = weight / tl.sum(weight, axis=1)[:, None]
    store = (row[:, None] < T) & (rank < K)
    tl.store(weights + row[:, None] * K + rank, weight, mask=store)
    tl.store(indices + row[:, None] * K + rank, where, mask=store)


def moe_gate(logits, k):
    T, E = logits.shape
    weights = torch.empty((T, k), dtype=torch.float32, device=logits.device)
    indices = torch.empty((T, k), dtype=torch.int32, device=logits.device)
    columns = triton.next_power_of_2(E)
    rows = max(4, 2048 // columns)
    if T:
        moe_gate_kernel[(triton.cdiv(T, rows),)](
            logits, weights, indices, T, E,
            K=k, K_PADDED=triton.next_power_of_2(k), ROWS=rows, COLUMNS=columns, num_warps=4,
        )
    return weights, indices
