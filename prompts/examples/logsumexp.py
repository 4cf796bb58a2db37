"""Logarithm of the sum of exponentials along each row, in one pass.

Numerically stable exponentials along rows: softmax, masked softmax, log_softmax, logsumexp, cross entropy
loss of logits and labels, negative log likelihood, online maximum and rescaled sum, rows longer than a block,
memory-bound. A running maximum and a running sum go along the row; where a new maximum appears, the sum is
rescaled. Rows of minus infinity give minus infinity.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def logsumexp_kernel(x_ptr, out_ptr, n_cols, stride_row, stride_col, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * stride_row
    running_max = tl.full((BLOCK,), -float("inf"), dtype=tl.float32)
    running_sum = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols * stride_col, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        new_max = tl.maximum(running_max, x)
        # inf - inf is NaN: a lane that has seen nothing yet subtracts 0 instead
        shift = tl.where(new_max == -float("inf"), 0.0, new_max)
        running_sum = running_sum * tl.exp(running_max - shift) + tl.exp(x - shift)
        running_max = new_max
    row_max = tl.max(running_max, axis=0)
    shift = tl.where(row_max == -float("inf"), 0.0, row_max)
    total = tl.sum(running_sum * tl.exp(running_max - shift), axis=0)
    tl.store(out_ptr + row, shift + tl.log(total))


def row_logsumexp(x):
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows,), dtype=x.dtype, device=x.device)
    if n_rows == 0:
        return out
    BLOCK = min(1024, triton.next_power_of_2(max(n_cols, 1)))
    logsumexp_kernel[(n_rows,)](x, out, n_cols, x.stride(0), x.stride(1), BLOCK=BLOCK, num_warps=4)
    return out
