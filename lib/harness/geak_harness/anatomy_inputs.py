"""Wrong values that the inputs explain: an input copied, one left out, a sum that is not whole.

What the operator is, is not known here. But where the expected result turns out to be the sum, the
mean, the maximum or the product over an input's axis, a result that has only a part of it shows it.
"""
import numpy
import torch

from .anatomy_values import MOSTLY, share_of

MOST_INPUTS = 8
LINES = 48          # results for which the reduced line is looked at
LONGEST = 8192      # elements of such a line
FEW = 4


def tensors(inputs):
    """[(name, tensor)] of the real tensors among the arguments."""
    out = []
    for i, value in enumerate(inputs or ()):
        if isinstance(value, torch.Tensor) and not value.is_complex() and value.numel() > 0:
            out.append((f"argument {i}", value))
    return out[:MOST_INPUTS]


def _at(wrong, x):
    """The value of x for each of the wrong places, where x fits the result's shape."""
    shape, where = wrong.shape, wrong.where
    lead = len(shape) - x.dim()
    if x.dim() and lead >= 0 and all(n in (1, shape[lead + a]) for a, n in enumerate(x.shape)):
        yield _gather(x, [c if n > 1 else c * 0 for c, n in zip(where[lead:], x.shape)])
    elif x.dim() == 1 and len(x) == shape[0]:  # a number for each row
        yield _gather(x, where[:1])


def _gather(x, coordinates):
    index = tuple(torch.from_numpy(numpy.ascontiguousarray(c)).to(x.device) for c in coordinates)
    return x[index].double().cpu().numpy()


def _copied(wrong, args):
    for name, x in args:
        if x.dim() == 2 and len(wrong.shape) == 2 and tuple(x.T.shape) == wrong.shape:
            turned = _gather(x, wrong.where[::-1])
            if share_of(wrong.g == turned) >= MOSTLY and not (turned == turned[0]).all():
                return [dict(name="equals-input", argument=name, words=(
                    f"The wrong values are those of {name}, transposed and otherwise untouched."))]
        for value in _at(wrong, x):
            if len(value) >= FEW and share_of(wrong.g == value) >= MOSTLY and not (value == value[0]).all():
                return [dict(name="equals-input", argument=name, words=(
                    f"The wrong values are those of {name} at the same place: it is copied, and the operation "
                    "not applied."))]
    return []


def _left_out(wrong, args):
    if len(wrong.g) < FEW:
        return []
    w = wrong.w
    for name, x in args:
        for value in _at(wrong, x):
            if (value == value[0]).all() or not numpy.isfinite(value).all() or (value == w).all():
                continue
            with numpy.errstate(all="ignore"):
                guesses = (
                    ("argument-missing", w - value, "had not been added, or were subtracted"),
                    ("argument-twice", w + value, "were added once more, or had not been subtracted"),
                    ("argument-missing", w / value, "had not been multiplied with"),
                    ("argument-twice", w * value, "were multiplied with once more, or not divided by"))
            for kind, guess, words in guesses:
                share = share_of(wrong.fits(guess))
                if share >= MOSTLY:
                    return [dict(name=kind, argument=name, share=share, words=(
                        f"The wrong values are the expected ones as if {name} {words}."))]
    return []


def _other_axis(wrong, args):
    """A vector that belongs to the columns, taken by the rows' index."""
    if len(wrong.shape) < 2 or len(wrong.g) < FEW:
        return []
    for name, x in args:
        if x.dim() != 1 or len(x) != wrong.shape[-1]:
            continue
        for axis in range(len(wrong.shape) - 1):
            inside = wrong.where[axis] < len(x)
            if inside.mean() < 0.5:
                continue
            right, got = (_gather(x, [numpy.where(inside, wrong.where[a], 0)]) for a in (-1, axis))
            with numpy.errstate(all="ignore"):
                guesses = (wrong.w - right + got, wrong.w / right * got)
            if any(share_of(wrong.fits(guess)[inside]) >= MOSTLY for guess in guesses):
                return [dict(name="argument-other-axis", argument=name, axis=axis, words=(
                    f"{name} is taken by the index of axis {axis} and belongs to the last axis: [None, :] and "
                    "[:, None], or the offsets of rows and columns, are exchanged."))]
    return []


def _as_contiguous(wrong, args):
    """An input with gaps between its rows, addressed as if it had none."""
    for name, x in args:
        if x.dim() != 2 or len(wrong.shape) != 2 or tuple(x.shape) != wrong.shape or len(wrong.g) < FEW:
            continue
        gap, n = x.stride(0), x.shape[1]
        if x.stride(1) != 1 or gap <= n:
            continue
        flat = wrong.where[0] * n + wrong.where[1]
        row, column = flat // gap, flat % gap
        inside = column < n
        if inside.mean() < 0.25:
            continue
        guess = wrong.want_at(numpy.where(inside, row * n + column, 0))
        if share_of(wrong.fits(guess)[inside]) >= MOSTLY:
            return [dict(name="wrong-stride", argument=name, stride=n, expected_stride=gap, words=(
                f"The rows of {name} stand {gap} elements apart, and are read as if it were {n}: pass "
                "its stride(0) and use that."))]
    return []


# -- reductions of which a part is missing

def _same(v):
    return v


FOLDS = (  # name, of each element, the fold, divided by how many
    ("sum", _same, numpy.add, False), ("mean", _same, numpy.add, True),
    ("sum of squares", numpy.square, numpy.add, False), ("mean of the squares", numpy.square, numpy.add, True),
    ("maximum", _same, numpy.maximum, False), ("minimum", _same, numpy.minimum, False),
)


def _lines(wrong, args):
    """For some wrong places, the line of numbers that the result may be a reduction of:
    (what, lines [places, K]); rows or columns of an input, or products for a matrix product."""
    pick = numpy.arange(len(wrong.sample))[:: max(1, len(wrong.sample) // LINES)][:LINES]
    where = [c[pick] for c in wrong.where]
    for name, x in args:
        for axis in range(x.dim()):
            if x.shape[axis] > LONGEST or x.shape[axis] < 2:
                continue
            rest = [n for a, n in enumerate(x.shape) if a != axis] or [1]
            kept = [1 if a == axis else n for a, n in enumerate(x.shape)]
            moved = x.movedim(axis, -1)
            if tuple(rest) == wrong.shape:
                index = where if x.dim() > 1 else []
            elif tuple(kept) == wrong.shape:
                index = [c for a, c in enumerate(where) if a != axis]
            else:
                continue
            lines = moved[tuple(torch.from_numpy(c).to(x.device) for c in index)] if index else moved[None]
            yield name, pick[:len(lines)], lines.double().cpu().numpy(), _beyond(x, axis, index)
    yield from _products(wrong, args, pick, where)


def _beyond(x, axis, index):
    """What stands in memory behind each line, as far as the input goes; NaN from there on."""
    if axis != x.dim() - 1 or not x.is_contiguous() or x.dim() != 2:
        return None
    k = x.shape[1]
    at = (index[0][:, None] + 1) * k + numpy.arange((1 << (k - 1).bit_length()) - k + 1)
    inside = at < x.numel()
    return numpy.where(inside, _gather(x.reshape(-1), [numpy.where(inside, at, 0)]), numpy.nan)


def _products(wrong, args, pick, where):
    if len(wrong.shape) < 2:
        return
    m, n = wrong.shape[-2:]
    lead = [torch.from_numpy(c) for c in where[:-2]]
    i, j = (torch.from_numpy(c) for c in where[-2:])
    for a_name, a in args:
        for b_name, b in args:
            if a is b or min(a.dim(), b.dim()) < 2 or a.shape[-2] != m or a.shape[-1] > LONGEST:
                continue
            for turned in (b, b.transpose(-1, -2)):
                if turned.shape[-1] != n or turned.shape[-2] != a.shape[-1]:
                    continue
                rows = a[(*[c.to(a.device) for c in lead][-(a.dim() - 2):], i.to(a.device))] \
                    if a.dim() > 2 else a[i.to(a.device)]
                columns = turned.transpose(-1, -2)
                columns = columns[(*[c.to(b.device) for c in lead][-(b.dim() - 2):], j.to(b.device))] \
                    if b.dim() > 2 else columns[j.to(b.device)]
                yield (f"{a_name} @ {b_name}", pick,
                       (rows.double() * columns.double()).cpu().numpy(), None)


def _near(a, b, bound):
    """A fold here is not the one of the reference: its own rounding is allowed for."""
    return numpy.abs(a - b) <= numpy.maximum(bound, 1e-3 * numpy.abs(b))


def _parts(what, g, bound, lines, fold):
    """The result is a reduction of these lines: is what was got that of a part of them?"""
    k = lines.shape[1]
    before = fold.accumulate(lines, axis=1)                       # up to and with each element
    after = fold.accumulate(lines[:, ::-1], axis=1)[:, ::-1]      # from each element on
    head = _near(before[:, :-1], g[:, None], bound[:, None]).mean(axis=0)
    tail = _near(after[:, 1:], g[:, None], bound[:, None]).mean(axis=0)
    best = max(((float(share.max()), int(numpy.flatnonzero(share == share.max())[0]), kind)
                for share, kind in ((head, "head"), (tail, "tail"))), default=(0, 0, ""))
    share, at, kind = best
    if share < MOSTLY:
        return []
    if kind == "head":
        end = at + 1
        return [dict(name="partial-sum", first=0, end=end, length=k, share=share, words=(
            f"The wrong values are the {what} of the first {end} of {k} elements only: the loop ends early, the "
            "number of turns is rounded down, or only the first block is counted."))]
    first = at + 1
    block = first & -first
    last = " the last block alone: each block's result replaces the one before, and is not accumulated" \
        if k - first <= block and block > 1 else " the first elements are lost"
    return [dict(name="partial-sum", first=first, end=k, length=k, share=share, words=(
        f"The wrong values are the {what} of the elements {first} to {k - 1} of {k} only:{last}."))]


def _too_long(what, g, bound, lines, more, fold):
    known = numpy.isfinite(more).all(axis=1)
    if known.sum() < FEW:
        return []
    both = numpy.concatenate([lines, more], axis=1)[known]
    k = lines.shape[1]
    share = _near(fold.accumulate(both, axis=1)[:, k:], g[known, None], bound[known, None]).mean(axis=0)
    best = int(share.argmax())
    if share[best] < MOSTLY:
        return []
    return [dict(name="reads-past-end", length=k, read=k + best + 1, words=(
        f"The wrong values are the {what} of {k + best + 1} elements in place of {k}: what follows in memory is "
        "counted in. Mask the load."))]


def _is_fold(lines, w, bound, prepare, fold, mean):
    whole = fold.reduce(prepare(lines), axis=1)
    return share_of(_near(whole / lines.shape[1] if mean else whole, w, bound)) >= MOSTLY


def _reduced(wrong, args):
    if len(wrong.g) < 2:
        return []
    for name, pick, lines, more in _lines(wrong, args):
        g, w, bound = wrong.g[pick], wrong.w[pick], wrong.bound[pick]
        if not numpy.isfinite(g).all() or not numpy.isfinite(lines).all():
            continue
        for what, prepare, fold, mean in FOLDS:
            # A few lines refute what the operator is not.
            if _is_fold(lines[:4], w[:4], bound[:4], prepare, fold, mean) and \
                    _is_fold(lines, w, bound, prepare, fold, mean):
                n, of = lines.shape[1] if mean else 1, f"{what} ({name})"
                ready = prepare(lines) / n
                return _parts(of, g, bound, ready, fold) or _across(wrong, args, what, prepare, fold, mean) \
                    or (more is not None and _too_long(of, g, bound, ready, prepare(more) / n, fold)) or []
    return []


def _across(wrong, args, what, prepare, fold, mean):
    """The same reduction, over the other axis."""
    for name, pick, lines, _ in _lines(wrong, args):
        if _is_fold(lines, wrong.g[pick], wrong.bound[pick], prepare, fold, mean):
            return [dict(name="other-axis", argument=name, words=(
                f"The wrong values are the {what} over the other axis of {name}."))]
    return []


def _overflow(wrong, args, known):
    """NaN or infinity, and inputs there too large for an exponential."""
    if not known & {"nan", "infinite"}:
        return []
    for name, x in args:
        if not x.is_floating_point() or x.dim() == 0 or x.shape[0] != wrong.shape[0]:
            continue
        rows = torch.from_numpy(numpy.unique(wrong.where[0])[:64]).to(x.device)
        some = x[rows].double()
        top = float(some[some.isfinite()].max()) if bool(some.isfinite().any()) else 0.0
        if top > 88.7 and bool(torch.isfinite(some).any()):
            return [dict(name="overflow", argument=name, largest=top, words=(
                f"{name} is as large as {top:.4g} there, and exp of more than 88.7 overflows in float32: subtract "
                "the maximum before the exponential."))]
    return []


def find(wrong, args, known):
    found = _overflow(wrong, args, known)
    if known & {"all-zero", "nan", "unwritten", "wrapped", "rounded", "shifted", "transposed"}:
        return found
    return found + (_copied(wrong, args) or _as_contiguous(wrong, args) or _reduced(wrong, args)
                    or _left_out(wrong, args) or _other_axis(wrong, args))
