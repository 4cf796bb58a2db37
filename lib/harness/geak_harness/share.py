"""How much of a result is the work of the candidate's own kernels?

Its entry has run once more with launches that did nothing, and poison in memory that
nobody had written. What is right even so, the kernels did not do. Zeros and what is not
finite are left out: they are often right by themselves, and poison is not finite. So are
whole numbers that are no tensors: sizes, as a rule, which no kernel computes.
"""
import torch

from . import compare


def leaves(value):
    """Its tensors and floats, in order, as tensors."""
    if isinstance(value, (list, tuple)):
        for v in value:
            yield from leaves(v)
    elif isinstance(value, dict):
        for v in value.values():
            yield from leaves(v)
    elif isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, float):
        yield torch.tensor(value, dtype=torch.float64)


def _wrong(got, want, before, tolerance):
    """(wrong, all) of the elements of want that count."""
    counted = (want != before) & want.isfinite()
    total = int(counted.sum())
    if got is None or got.shape != want.shape:
        return total, total
    return int((counted & ~compare.close(got.to(want.device), want, tolerance)).sum()), total


def count(got, want, tolerance, before=None):
    """(wrong, all) over the finite elements of a result that are not zero or, of an argument, not
    what they were before; got None: it came to nothing."""
    wanted, given = list(leaves(want)), list(leaves(got))
    fresh = [0] * len(wanted) if before is None else leaves(before)
    if len(given) != len(wanted):
        given = [None] * len(wanted)
    sums = [_wrong(g, w, b, tolerance) for g, w, b in zip(given, wanted, fresh)]
    return sum(s[0] for s in sums), sum(s[1] for s in sums)


def of(wanted, ablated, tolerance):
    """The wrong part of what counts in all results that are there, or None where nothing counts.

    wanted: {name: (result, {i: (argument as it was, and as it must become)})}
    ablated: {name: (result, arguments)}
    """
    tolerance = {**compare.DEFAULT, **(tolerance or {})}
    counts = []
    for name in (n for n in wanted if n in ablated):
        (want, changed), (got, args) = wanted[name], ablated[name]
        counts.append(count(got, want, tolerance))
        for i, (was, now) in changed.items():
            counts.append(count(_member(args, i), now, tolerance, was))
    total = sum(c[1] for c in counts)
    return sum(c[0] for c in counts) / total if total else None


def _member(args, i):
    return args[i] if isinstance(args, list) and i < len(args) else None


def of_entries(wanted, ablated, tolerance):
    """The same by whole entries, of which what is not there is wrong: what tests say of a result, a
    truth value or how a test ended, may be all that is left of it."""
    if not ablated:
        return None
    right = [n in ablated and compare.compare(ablated[n][0], want, tolerance, "")["ok"]
             for n, (want, _) in wanted.items()]
    return right.count(False) / len(right) if right else None
