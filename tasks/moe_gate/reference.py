"""Routing of tokens to experts: the k largest logits of each row and their softmax."""
import torch


def inputs(p, gen):
    logits = 2 * torch.randn((p["T"], p["E"]), generator=gen)
    return logits.to(getattr(torch, p["dtype"])), p["k"]


def reference(logits, k):
    # topk() leaves the order of equal elements open; a stable sort does not.
    values, order = torch.sort(logits.float(), dim=1, descending=True, stable=True)
    return torch.softmax(values[:, :k], dim=1), order[:, :k].to(torch.int32)


def baseline(logits, k):
    values, order = torch.topk(logits, k, dim=1)
    return torch.softmax(values.float(), dim=1), order.to(torch.int32)


def flops(p):
    # k passes of comparisons; subtract, exponential, add, divide for what was chosen
    return p["T"] * p["k"] * (p["E"] + 4)


def bytes(p):
    return p["T"] * (p["E"] * getattr(torch, p["dtype"]).itemsize + 8 * p["k"])
