import torch


def inputs(p, gen):
    x = torch.randn(p["M"], p["N"], generator=gen)
    sign = torch.where(torch.arange(p["M"]) % 2 == 0, 1, -1)[:, None]
    return (x.abs() * sign,)  # every second row is negative throughout


def reference(x):
    return x.max(1).values
