"""Reductions of which a part is missing, or that go on too far.

What the operator is, is not known here. But where the expected values turn out to be the sum, the
mean, the maximum or the products of lines of the inputs, the values got may be those of a part of
each line.
"""
import numpy
import torch

from .anatomy_common import FEW, MOSTLY, share_of
from .anatomy_inputs import gather

LINES = 48          # wrong places of which the line is looked at
LONGEST = 8192      # elements of a line


def _same(v):
    return v


FOLDS = (  # name, of each element, the fold, divided by how many
    ("sum", _same, numpy.add, False), ("mean", _same, numpy.add, True),
    ("sum of squares", numpy.square, numpy.add, False),
    ("mean of the squares", numpy.square, numpy.add, True),
    ("maximum", _same, numpy.maximum, False), ("minimum", _same, numpy.minimum, False),
)


class _Lines:
    """For some wrong places the numbers that the value there may be a reduction of."""

    def __init__(self, name, lines, beyond=None):
        self.name = name
        self.values = lines.double().cpu().numpy()
        self.beyond = beyond  # what follows each in memory

    def fold(self, prepare, fold, mean):
        whole = fold.reduce(prepare(self.values), axis=1)
        return whole / self.values.shape[1] if mean else whole


class _Places:
    """The wrong places looked at: some, with finite values."""

    def __init__(self, wrong):
        usable = numpy.isfinite(wrong.g) & numpy.isfinite(wrong.w) & numpy.isfinite(wrong.bound)
        pick = numpy.flatnonzero(usable)[:LINES]
        self.g, self.w, self.bound = wrong.g[pick], wrong.w[pick], wrong.bound[pick]
        self.where = [torch.from_numpy(c[pick]) for c in wrong.where]
        self.shape = wrong.shape

    def __len__(self):
        return len(self.g)


def _near(a, b, bound):
    """A fold here is not the one of the reference: its own rounding is allowed for."""
    return numpy.abs(a - b) <= numpy.maximum(bound, 1e-3 * numpy.abs(b))


def _rows(places, args):
    """Lines of one input along each axis that the result has not, or has with one element."""
    for name, x in args:
        for axis, k in enumerate(x.shape):
            left_out = tuple(n for a, n in enumerate(x.shape) if a != axis) or (1,)
            kept = tuple(1 if a == axis else n for a, n in enumerate(x.shape))
            if not 2 <= k <= LONGEST or places.shape not in (left_out, kept):
                continue
            index = places.where if places.shape == left_out else \
                [c for a, c in enumerate(places.where) if a != axis]
            index = [c.to(x.device) for c in index] if x.dim() > 1 else []
            moved = x.movedim(axis, -1)
            lines = moved[tuple(index)] if index else moved.expand(len(places), k)
            yield _Lines(name, lines, _beyond(x, index[0]) if x.dim() == 2 and axis == 1 else None)


def _beyond(x, row):
    """What stands in memory behind each row, as far as the input goes; NaN from there on."""
    if not x.is_contiguous():
        return None
    k = x.shape[1]
    at = (row.cpu().numpy()[:, None] + 1) * k + numpy.arange((1 << (k - 1).bit_length()) - k + 1)
    inside = at < x.numel()
    return numpy.where(inside, gather(x.reshape(-1), [numpy.where(inside, at, 0)]), numpy.nan)


def _products(places, args):
    """Products of a row and a column: what a matrix product sums."""
    if len(places.shape) < 2:
        return
    m, n = places.shape[-2:]
    *lead, i, j = places.where
    for a_name, a in args:
        for b_name, b in args:
            if a is b or a.dim() < 2 or b.dim() < 2 or a.shape[-2] != m or a.shape[-1] > LONGEST:
                continue
            for columns in (b.mT, b):  # [N, K]
                if columns.shape[-2:] == (n, a.shape[-1]):
                    lines = _at(a, lead, i).double() * _at(columns, lead, j).double()
                    yield _Lines(f"{a_name} @ {b_name}", lines)


def _at(x, lead, index):
    """Rows of the last two axes; leading axes as the result's, as far as x has them."""
    lead = lead[len(lead) - (x.dim() - 2):] if x.dim() > 2 else []
    return x[tuple(c.to(x.device) for c in (*lead, index))]


def _part(places, of, lines, fold):
    """What was got is the reduction of the head, or of the tail, of each line."""
    g, bound, k = places.g[:, None], places.bound[:, None], lines.shape[1]
    head = _near(fold.accumulate(lines, axis=1)[:, :-1], g, bound).mean(axis=0)
    tail = _near(fold.accumulate(lines[:, ::-1], axis=1)[:, -2::-1], g, bound).mean(axis=0)
    if max(head.max(), tail.max()) < MOSTLY:
        return []
    if head.max() >= tail.max():
        first, end, share = 0, int(head.argmax()) + 1, head.max()
        why = "The loop ends early"
    else:
        first, end, share = int(tail.argmax()) + 1, k, tail.max()
        block = first & -first
        why = "Blocks are lost" if 1 < block >= k - first else "The first are lost"
    return [dict(name="partial-sum", first=first, end=end, length=k, share=share,
                 words=f"{why}: the {of} of {first} to {end - 1} of {k}.")]


def _too_long(places, of, lines, beyond, fold):
    known = numpy.isfinite(beyond).all(axis=1)
    if known.sum() < FEW:
        return []
    both, k = numpy.concatenate([lines, beyond], axis=1)[known], lines.shape[1]
    share = _near(fold.accumulate(both, axis=1)[:, k:], places.g[known, None],
                  places.bound[known, None]).mean(axis=0)
    end = k + int(share.argmax()) + 1
    if share.max() < MOSTLY:
        return []
    return [dict(name="reads-past-end", length=k, read=end, share=share.max(),
                 words=f"Reads past the end: the {of} of {end} for {k}. Mask it.")]


def _other_axis(places, args, of, how):
    for lines in _rows(places, args):
        if share_of(_near(lines.fold(*how), places.g, places.bound)) >= MOSTLY:
            return [dict(name="other-axis", argument=lines.name,
                         words=f"The {of} over the other axis of {lines.name}.")]
    return []


def find(wrong, args):
    places = _Places(wrong)
    if len(places) < 2:
        return []
    for source in (_rows, _products):
        for lines in source(places, args):
            for name, *how in FOLDS:
                if share_of(_near(lines.fold(*how), places.w, places.bound)) < MOSTLY:
                    continue
                prepare, fold, mean = how
                n = lines.values.shape[1] if mean else 1
                of, values = f"{name} ({lines.name})", prepare(lines.values) / n
                found = _part(places, of, values, fold)
                if not found and lines.beyond is not None:
                    found = _too_long(places, of, values, prepare(lines.beyond) / n, fold)
                return found or _other_axis(places, args, name, how)
    return []
