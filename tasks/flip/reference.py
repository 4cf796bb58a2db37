"""Reverse each row of a matrix."""
import torch


def inputs(p, gen):
    dtype = getattr(torch, p["dtype"])
    shape = (p["M"], p["N"])
    if dtype.is_floating_point:
        return (torch.randn(shape, generator=gen).to(dtype),)
    low, high = torch.iinfo(dtype).min, torch.iinfo(dtype).max
    return (torch.randint(low, high, shape, generator=gen, dtype=dtype),)


def reference(x):
    return torch.flip(x, dims=[1])


def flops(p):
    return 0


def bytes(p):
    return 2 * p["M"] * p["N"] * getattr(torch, p["dtype"]).itemsize
