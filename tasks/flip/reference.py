"""Reverse each row of a matrix."""
import torch


def inputs(p, gen):
    dtype = getattr(torch, p["dtype"])
    pad = p.get("pad", 0)  # columns that belong to the buffer, not to the matrix
    shape = (p["M"], p["N"] + pad)
    if dtype.is_floating_point:
        buffer = torch.randn(shape, generator=gen).to(dtype)
    else:
        low, high = torch.iinfo(dtype).min, torch.iinfo(dtype).max
        buffer = torch.randint(low, high, shape, generator=gen, dtype=dtype)
    return (buffer[:, pad // 2 : pad // 2 + p["N"]],)


def reference(x):
    return torch.flip(x, dims=[1])


def flops(p):
    return 0


def bytes(p):
    return 2 * p["M"] * p["N"] * getattr(torch, p["dtype"]).itemsize
