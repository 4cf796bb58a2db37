import torch


def inputs(p, gen):
    return torch.randn(p["M"], p["N"], generator=gen), torch.rand(p["N"], generator=gen) + 0.5


def reference(x, w):
    return x * torch.rsqrt(x.square().mean(1, keepdim=True) + 1e-6) * w
