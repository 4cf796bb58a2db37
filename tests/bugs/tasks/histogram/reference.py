import torch


def inputs(p, gen):
    return torch.randint(0, p["bins"], (p["N"],), generator=gen, dtype=torch.int32), p["bins"]


def reference(x, bins):
    return torch.bincount(x, minlength=bins).int()
