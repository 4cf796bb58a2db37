"""Product of two float16 matrices, accumulated in float32."""
import torch


def matrix(rows, columns, order, gen):
    """order: "row" is contiguous, "column" has its columns contiguous, "padded" has longer rows."""
    if order == "column":
        return torch.randn((columns, rows), generator=gen).to(torch.float16).t()
    pad = 6 if order == "padded" else 0
    buffer = torch.randn((rows, columns + pad), generator=gen).to(torch.float16)
    return buffer[:, pad // 2 : pad // 2 + columns]


def inputs(p, gen):
    a = matrix(p["M"], p["K"], p.get("a", "row"), gen)
    b = matrix(p["K"], p["N"], p.get("b", "row"), gen)
    return a, b


def reference(a, b):
    return (a.float() @ b.float()).to(torch.float16)


def baseline(a, b):
    return a @ b


def flops(p):
    return 2 * p["M"] * p["N"] * p["K"]


def bytes(p):
    return 2 * (p["M"] * p["K"] + p["K"] * p["N"] + p["M"] * p["N"])
