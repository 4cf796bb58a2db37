"""The k largest elements of each row, with their positions.

Selection: top-k, top-p, largest, smallest, sort, rank, median, beam search, sampling, router, gating of
experts by logits, ties. The maximum is taken k times and struck out each time; of equal elements the one
further to the left comes first. Wherever an element is struck out is remembered in a mask, so that minus
infinity can be chosen too.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def row_topk_kernel(x_ptr, values_ptr, indices_ptr, n_cols, stride_row, stride_col, k,
                    BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride_row + cols * stride_col, mask=cols < n_cols,
                other=-float("inf")).to(tl.float32)
    left = cols < n_cols
    for i in range(k):
        best = tl.max(tl.where(left, x, -float("inf")), axis=0)
        # the first of those that equal the maximum and are still there
        where = tl.min(tl.where(left & (x == best), cols, BLOCK), axis=0)
        tl.store(values_ptr + row * k + i, best)
        tl.store(indices_ptr + row * k + i, where)
        left = left & (cols != where)


def row_topk(x, k):
    n_rows, n_cols = x.shape
    values = torch.empty((n_rows, k), dtype=x.dtype, device=x.device)
    indices = torch.empty((n_rows, k), dtype=torch.int32, device=x.device)
    if values.numel() == 0:
        return values, indices
    BLOCK = triton.next_power_of_2(n_cols)
    row_topk_kernel[(n_rows,)](x, values, indices, n_cols, x.stride(0), x.stride(1), k,
                               BLOCK=BLOCK, num_warps=4)
    return values, indices
