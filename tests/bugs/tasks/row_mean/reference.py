import torch


def inputs(p, gen):
    return (torch.randn(p["M"], p["N"], generator=gen),)


def reference(x):
    return x.mean(1)
