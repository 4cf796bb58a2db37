import torch


def inputs(p, gen):
    x = torch.randn(p["M"], p["N"], generator=gen)
    return (x - 5 * (torch.arange(p["M"]) % 2)[:, None],)  # every second row is negative throughout


def reference(x):
    return x.min(1).values, x.max(1).values
