"""Root mean square normalisation of rows, with a weight for each column."""
import torch


def inputs(p, gen):
    dtype = getattr(torch, p["dtype"])
    m, n = p["M"], p["N"]
    # Each row has a scale of its own, so that a row cannot stand in for another.
    scale = p.get("scale", 3.0) * (0.5 + torch.rand((m, 1), generator=gen))
    x = (scale * torch.randn((m, n), generator=gen)).to(dtype)
    if p.get("zero_row"):
        x[0] = 0
    weight = (1 + 0.5 * torch.randn(n, generator=gen)).to(dtype)
    return x, weight, p.get("eps", 1e-6)


def reference(x, weight, eps):
    f = x.float()
    scale = torch.rsqrt(f.square().mean(dim=1, keepdim=True) + eps)
    return (f * scale * weight.float()).to(x.dtype)


def baseline(x, weight, eps):
    return torch.nn.functional.rms_norm(x, weight.shape, weight, eps)


def flops(p):
    # square, add, scale, weight
    return 4 * p["M"] * p["N"]


def bytes(p):
    return (2 * p["M"] + 1) * p["N"] * getattr(torch, p["dtype"]).itemsize
