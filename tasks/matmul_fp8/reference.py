"""Scaled product of two float8 (e4m3fn) matrices, accumulated in float32."""
import torch


def inputs(p, gen):
    m, n, k = p["M"], p["N"], p["K"]
    a = torch.randn((m, k), generator=gen).to(torch.float8_e4m3fn)
    b = torch.randn((n, k), generator=gen).to(torch.float8_e4m3fn)
    a_scale = 0.5 + torch.rand(m, generator=gen)
    b_scale = 0.5 + torch.rand(n, generator=gen)
    return a, b, a_scale, b_scale


def reference(a, b, a_scale, b_scale):
    c = a.float() @ b.float().t()
    return (c * a_scale[:, None] * b_scale[None, :]).to(torch.bfloat16)


def baseline(a, b, a_scale, b_scale):
    # Every e4m3 value is a bfloat16 too. The library's own scaled product is not used: it takes
    # e4m3fn on some GPUs and e4m3fnuz on others.
    c = a.to(torch.bfloat16) @ b.to(torch.bfloat16).t()
    return (c * a_scale[:, None] * b_scale[None, :]).to(torch.bfloat16)


def flops(p):
    return 2 * p["M"] * p["N"] * p["K"]


def bytes(p):
    m, n, k = p["M"], p["N"], p["K"]
    return (m + n) * k + 4 * (m + n) + 2 * m * n
