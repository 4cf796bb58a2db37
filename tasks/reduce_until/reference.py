"""Row sums that stop once a threshold is passed."""
import torch

STEP = 16  # elements and sums are multiples of 1/STEP, so that float32 adds them exactly


def stops(p):
    """Where each row passes the threshold; a row whose number is N never does."""
    rows = torch.arange(p["M"], dtype=torch.int64)
    last = (rows * 7919 + 3) % min(p["stop"], p["N"]) if p["stop"] else rows * 0 + p["N"]
    if p.get("some_never"):
        last[::3] = p["N"]
    return last


def inputs(p, gen):
    m, n, limit = p["M"], p["N"], p["threshold"]
    # The running sums are drawn, at most the threshold; the elements are their differences.
    sums = torch.randint(-STEP * limit, STEP * limit + 1, (m, n), generator=gen)
    passing = STEP * limit + torch.randint(1, STEP + 1, (m,), generator=gen)
    last = stops(p)
    row = torch.arange(m)
    before = (last > 0) & (last < n)
    sums[row[before], last[before] - 1] = STEP * limit  # reached exactly, not passed
    inside = last < n
    sums[row[inside], last[inside]] = passing[inside]
    x = torch.diff(sums, prepend=torch.zeros((m, 1), dtype=sums.dtype)).float() / STEP
    if p.get("poison"):  # nothing after the stop may be added
        after = torch.arange(n)[None, :] > last[:, None]
        x[after & (torch.rand((m, n), generator=gen) < 0.5)] = float("nan")
    return x, float(limit)


def reference(x, threshold):
    n = x.shape[1]
    sums = torch.cumsum(x, dim=1)
    passed = sums > threshold  # a NaN after the stop passes nothing
    count = torch.where(passed.any(dim=1), passed.int().argmax(dim=1) + 1, n)
    total = sums.gather(1, (count - 1)[:, None])[:, 0]
    return total, count.to(torch.int32)


def flops(p):
    return int((stops(p) + 1).clamp(max=p["N"]).sum())


def bytes(p):
    # The least that must be read: the elements up to each stop.
    return 4 * flops(p) + 8 * p["M"]
