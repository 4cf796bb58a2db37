"""Whether an input is made in a way that would be lost if its rows changed places.

A kernel may rely on what its task says of an input: that it is sorted, triangular, a mask with
empty blocks, offsets. Timed calls get rows in another order (fresh.py) only where no tensor looks
like that; what cannot be seen, the task has to say (contents in geak-record(5)).
"""
import torch

FEW = 4           # rows that may be in order by chance
ZEROS = 1 / 8     # more than by chance
SAMPLE = 1 << 24  # elements of which zeros and whole numbers are counted


def has_form(args):
    """Of any floating-point tensor in nested lists and dicts."""
    if isinstance(args, (list, tuple)):
        return any(map(has_form, args))
    if isinstance(args, dict):
        return any(map(has_form, args.values()))
    return isinstance(args, torch.Tensor) and args.is_floating_point() and args.numel() > 1 and _has(args)


def _has(t):
    rows = next(d for d, n in enumerate(t.shape) if n > 1)
    t = t.detach().float() if t.dtype.itemsize < 4 else t.detach()
    if torch.equal(t, t.narrow(rows, 0, 1).expand_as(t)):
        return False
    n = t.shape[rows]
    if n >= FEW and _in_order(t.narrow(rows, 0, FEW), rows, FEW) and _in_order(t, rows, n):
        return True
    some = t.reshape(-1)[:SAMPLE]
    if some.ne(some[0]).any() and (some.eq(0).double().mean() > ZEROS or some.eq(some.round()).all()):
        return True
    if rows == t.dim() - 2 and n == t.shape[-1] and _is_matrix(t.reshape(n, n)):
        return True
    return bool((t.sum(rows, dtype=torch.float64) - 1).abs().max() < 1e-3)


def _in_order(t, rows, n):
    """Sorted along its rows, in each column."""
    first, second = t.narrow(rows, 0, n - 1), t.narrow(rows, 1, n - 1)
    return bool((first <= second).all() or (first >= second).all())


def _is_matrix(t):
    """Symmetric or triangular."""
    return torch.equal(t, t.T) or torch.equal(t, t.tril()) or torch.equal(t, t.triu())
