"""Transpose a float16 matrix."""
import torch


def inputs(p, gen):
    pad = p.get("pad", 0)  # columns that belong to the buffer, not to the matrix
    buffer = torch.randn((p["M"], p["N"] + pad), generator=gen).to(torch.float16)
    return (buffer[:, pad // 2 : pad // 2 + p["N"]],)


def reference(x):
    return x.t().contiguous()


def flops(p):
    return 0


def bytes(p):
    return 2 * p["M"] * p["N"] * 2
