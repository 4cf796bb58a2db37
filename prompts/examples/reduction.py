"""Root mean square of each column of a matrix.

Reduction over an axis: reduce, sum, mean, variance, std of rows or columns, maximum, minimum, max, min,
argmax, argmin and the position where it occurs, count, any, l1 and l2 norm, length, distance, accumulate over
rows, early stop, threshold, loss such as mean squared error or KL divergence, memory-bound. One program owns
a block of columns and walks down the rows in tiles, so that neighbouring threads read neighbouring addresses;
partial sums stay in registers until the end.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def column_rms_kernel(x_ptr, out_ptr, n_rows, n_cols, stride_row, stride_col,
                      ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    col_mask = cols < n_cols
    sums = tl.zeros((ROWS, COLS), dtype=tl.float32)
    for start in range(0, n_rows, ROWS):
        rows = start + tl.arange(0, ROWS)
        offsets = rows.to(tl.int64)[:, None] * stride_row + cols[None, :] * stride_col
        mask = (rows < n_rows)[:, None] & col_mask[None, :]
        x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
        sums += x * x
    total = tl.sum(sums, axis=0)
    tl.store(out_ptr + cols, tl.sqrt(total / n_rows), mask=col_mask)


def column_rms(x):
    n_rows, n_cols = x.shape
    out = torch.empty((n_cols,), dtype=x.dtype, device=x.device)
    if n_rows == 0:
        return out.fill_(float("nan"))
    if n_cols == 0:
        return out
    ROWS, COLS = 16, 64
    column_rms_kernel[(triton.cdiv(n_cols, COLS),)](
        x, out, n_rows, n_cols, x.stride(0), x.stride(1), ROWS=ROWS, COLS=COLS, num_warps=4)
    return out
