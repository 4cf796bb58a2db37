import torch


def inputs(p, gen):
    return (torch.randn(p["M"], p["N"], generator=gen),)


def reference(x):
    return torch.cumsum(x, 1)
