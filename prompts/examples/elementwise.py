"""Fused bias and SiLU: silu(x + bias) for a matrix and a vector.

Elementwise activation, pointwise map, add two vectors, multiply, scale, exp, gelu, silu, relu, sigmoid, tanh,
swiglu, gate, dropout with a seed and random numbers, rotary embedding (RoPE) with cos and sin, quantize a
tensor to int8, round, clamp, cast, copy, broadcast of a row vector, memory-bound. The matrix may be strided.
One program handles a block of consecutive elements of the flattened result and finds row and column by
division.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def bias_silu_kernel(x_ptr, bias_ptr, out_ptr, n_elements, n_cols, stride_row, stride_col,
                     BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n_elements
    row = offsets // n_cols
    col = offsets % n_cols
    x = tl.load(x_ptr + row * stride_row + col * stride_col, mask=mask, other=0.0)
    bias = tl.load(bias_ptr + col, mask=mask, other=0.0)
    v = x.to(tl.float32) + bias.to(tl.float32)
    tl.store(out_ptr + offsets, v * tl.sigmoid(v), mask=mask)


def bias_silu(x, bias):
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    n = x.numel()
    if n == 0:
        return out
    BLOCK = 1024
    bias_silu_kernel[(triton.cdiv(n, BLOCK),)](
        x, bias.contiguous(), out, n, x.shape[1], x.stride(0), x.stride(1), BLOCK=BLOCK, num_warps=4)
    return out
