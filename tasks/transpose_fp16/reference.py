"""Transpose a float16 matrix."""
import torch


def inputs(p, gen):
    return (torch.randn((p["M"], p["N"]), generator=gen).to(torch.float16),)


def reference(x):
    return x.t().contiguous()


def flops(p):
    return 0


def bytes(p):
    return 2 * p["M"] * p["N"] * 2
