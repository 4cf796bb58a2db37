"""Product of two float16 matrices, accumulated in float32."""
import torch


def inputs(p, gen):
    a = torch.randn((p["M"], p["K"]), generator=gen).to(torch.float16)
    b = torch.randn((p["K"], p["N"]), generator=gen).to(torch.float16)
    return a, b


def reference(a, b):
    return (a.float() @ b.float()).to(torch.float16)


def baseline(a, b):
    return a @ b


def flops(p):
    return 2 * p["M"] * p["N"] * p["K"]


def bytes(p):
    return 2 * (p["M"] * p["K"] + p["K"] * p["N"] + p["M"] * p["N"])
