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
    # torch tells of a type of one byte nothing but its values.
    wide = want.float() if want.is_floating_point() and want.itemsize == 1 else want
    finite = wide.isfinite()
    if isinstance(before, torch.Tensor):
        finite = finite | wide.isinf()  # what was something else before did not become so by itself
    counted = (want != before) & finite
    total = int(counted.sum())
    if got is None or got.shape != want.shape:
        return total, total
    return int((counted & ~compare.close(got.to(want.device), want, tolerance)).sum()), total


def count(got, want, tolerance, before=None):
    """(wrong, all) over the finite elements of a result that are not zero or, of an argument, not
    what they were before; got None: it came to nothing."""
    return _count(got, want, tolerance, [0] * len(list(leaves(want))) if before is None else leaves(before))


def _count(got, want, tolerance, fresh):
    """The same; fresh has for each tensor what does not count."""
    wanted, given = list(leaves(want)), list(leaves(got))
    if len(given) != len(wanted):
        given = [None] * len(wanted)
    sums = [_wrong(g, w, b, tolerance) for g, w, b in zip(given, wanted, fresh)]
    return sum(s[0] for s in sums), sum(s[1] for s in sums)


def _copies(want, inputs):
    """For each tensor of a result the first input that is like it, or 0; None where there is none at all."""
    given = list(leaves(inputs))
    found = [next((g for g in given if g.shape == w.shape and g.dtype == w.dtype), 0) for w in leaves(want)]
    return found if any(isinstance(f, torch.Tensor) for f in found) else None


def of(wanted, ablated, tolerance):
    """The wrong part of what counts in all results that are there, or None where nothing counts.

    A kernel may have worked on a copy of an input, which is right without it wherever the input is. So it
    is looked at, too, what is wrong of what the kernels have to change in such a copy; the larger part counts.

    wanted: {name: (result, {i: (argument as it was, and as it must become)}, arguments)}
    ablated: {name: (result, arguments)}
    """
    tolerance = {**compare.DEFAULT, **(tolerance or {})}
    made, changed_copies, any_copy = [], [], False
    for name in (n for n in wanted if n in ablated):
        (want, changed, inputs), (got, args) = wanted[name], ablated[name]
        copies = _copies(want, inputs)
        any_copy = any_copy or copies is not None
        made.append(count(got, want, tolerance))
        changed_copies.append(made[-1] if copies is None else _count(got, want, tolerance, copies))
        for i, (was, now) in changed.items():
            both = count(_member(args, i), now, tolerance, was)
            made.append(both)
            changed_copies.append(both)
    shares = [_part(counts) for counts in ([made, changed_copies] if any_copy else [made])]
    return max((s for s in shares if s is not None), default=None)


def _part(counts):
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
             for n, (want, *_) in wanted.items()]
    return right.count(False) / len(right) if right else None
