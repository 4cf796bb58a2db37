"""A linear recurrence along each row: h[t] = a[t] * h[t - 1] + x[t].

Scan: prefix sum, cumsum, cumulative sum, product or maximum, recurrence, recurrent, state space model (SSM),
selective scan, chunk scan, linear attention with decay, retention, gated recurrence (GLA, RWKV), running
total, carry from chunk to chunk, associative scan, memory-bound. A pair (a, x) stands for the map h -> a * h
+ x, and two such maps one after the other are one again: so a block is scanned in parallel, and the state at
its end is carried to the next. Masked places are the map that changes nothing.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def then(a_first, x_first, a_second, x_second):
    return a_first * a_second, a_second * x_first + x_second


@triton.jit
def recurrence_kernel(a_ptr, x_ptr, out_ptr, n_cols, a_row, a_col, x_row, x_col, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, BLOCK)
    state = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + lane
        mask = cols < n_cols
        a = tl.load(a_ptr + row * a_row + cols * a_col, mask=mask, other=1.0).to(tl.float32)
        x = tl.load(x_ptr + row * x_row + cols * x_col, mask=mask, other=0.0).to(tl.float32)
        decay, gained = tl.associative_scan((a, x), 0, then)
        h = decay * state + gained
        tl.store(out_ptr + row * n_cols + cols, h, mask=mask)
        state = tl.sum(tl.where(lane == BLOCK - 1, h, 0.0), axis=0)


def recurrence(a, x):
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if out.numel() == 0:
        return out
    BLOCK = min(512, triton.next_power_of_2(n_cols))
    recurrence_kernel[(n_rows,)](a, x, out, n_cols, a.stride(0), a.stride(1), x.stride(0), x.stride(1),
                                 BLOCK=BLOCK, num_warps=4)
    return out
