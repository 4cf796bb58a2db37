"""How much of a result is the work of the candidate's own kernels?

Its entry has run once more with launches that did nothing, and poison in memory that
nobody had written. What is right even so, the kernels did not do. Zeros and what is not
finite are left out: they are often right by themselves, and poison is not finite. So are
whole numbers that are no tensors: sizes, as a rule, which no kernel computes.
"""
import torch

from . import compare


def _leaves(value):
    if isinstance(value, (list, tuple)):
        for v in value:
            yield from _leaves(v)
    elif isinstance(value, dict):
        for v in value.values():
            yield from _leaves(v)
    elif isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, float):
        yield torch.tensor(value, dtype=torch.float64)


def _wrong(got, want, counted, tolerance):
    """(wrong, all) of the elements of want that count."""
    total = int(counted.sum())
    if got is None or got.shape != want.shape:
        return total, total
    g, w = (t.to(torch.complex128 if want.is_complex() else torch.float64).cpu() for t in (got, want))
    bound = tolerance.get("atol", 0) + tolerance.get("rtol", 0) * w.abs()
    right = ((g - w).abs() <= bound) | (g == w) | (g.isnan() & w.isnan())
    return int((counted & ~right).sum()), total


def count(got, want, tolerance):
    """(wrong, all) over the finite, non-zero elements of a result; got None: it came to nothing."""
    wanted = list(_leaves(want))
    given = list(_leaves(got)) if got is not None else []
    if len(given) != len(wanted):
        given = [None] * len(wanted)
    sums = [_wrong(g, w, ((w != 0) & w.isfinite()).cpu(), tolerance) for g, w in zip(given, wanted)]
    return sum(s[0] for s in sums), sum(s[1] for s in sums)


def count_arguments(got, fresh, now, tolerance):
    """The same for arguments: what the reference changed in them."""
    before, after = list(_leaves(fresh)), list(_leaves(now))
    given = list(_leaves(got)) if got is not None else []
    if len(given) != len(after):
        given = [None] * len(after)
    sums = [_wrong(g, a, ((a != b) & a.isfinite()).cpu(), tolerance)
            for g, b, a in zip(given, before, after)]
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
            counts.append(count_arguments(_member(args, i), was, now, tolerance))
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
