"""What the wrong values look like: unwritten, zero, not finite, one constant, one kind of value.

Each guess is tried on a sample of the wrong values; one that explains nine of ten is told.
"""
import math

import numpy
import torch

from . import anatomy_arithmetic, anatomy_elsewhere, anatomy_format
from .anatomy_common import FEW, MOSTLY, has_positive, of, share_of

SOME = 0.25     # of the wrong values, how many must be zero or NaN for that to be told


# -- values that hold nothing

def _unwritten(wrong):
    """Memory that holds what the harness filled it with (poison.py).

    Not of bfloat16: torch gives every NaN these bits when it converts many at a time.
    """
    if wrong.eps and wrong.dtype.itemsize > 1 and wrong.dtype != torch.bfloat16:
        kept = int(-math.log2(wrong.eps))  # bits of the fraction that are the type's own
        fraction = wrong.g.view(numpy.int64) >> (52 - kept) & ((1 << kept) - 1)
        mask = numpy.isnan(wrong.g) & (fraction == (1 << kept) - 1)
    elif not wrong.eps:
        mask = wrong.g == float(torch.iinfo(wrong.dtype).max)
    else:
        return []
    share = share_of(mask)
    if share < SOME:
        return []
    return [dict(name="unwritten", share=share,
                 words=f"{of(share)} wrong values were never stored, or torch.empty is added to.")]


def _zero(wrong):
    g, w = wrong.g, wrong.w
    share = share_of(g == 0)
    if share < (SOME if wrong.eps else MOSTLY):
        return []  # among whole numbers a 0 is nothing special
    if share >= MOSTLY and share_of((g == 0) & (w < 0)) == share and has_positive(wrong):
        return [dict(name="zero-where-negative", share=share,
                     words="0 in place of negative values: start a maximum at -inf, other=-inf.")]
    return [dict(name="all-zero" if share >= MOSTLY else "some-zero", share=share,
                 words=f"{of(share)} wrong values are 0: masked away, or never accumulated.")]


def _not_finite(wrong, unwritten):
    g, w, found = wrong.g, wrong.w, []
    nan, inf = share_of(numpy.isnan(g)), share_of(numpy.isinf(g))
    if nan >= SOME and not unwritten:
        found.append(dict(name="nan", share=nan, words=(
            f"{of(nan)} wrong values are NaN: inf - inf, 0/0, sqrt(-1), or unset memory.")))
    if inf >= SOME:
        found.append(dict(name="infinite", share=inf, words=(
            f"{of(inf)} wrong values are infinite: overflow, 1/0, or a start value.")))
    if share_of(numpy.isinf(w) & numpy.isfinite(g)) >= MOSTLY:
        found.append(dict(name="not-masked", words=(
            "Numbers where infinities were expected: what should be masked is not.")))
    return found


def _nothing(wrong):
    unwritten = _unwritten(wrong)
    return unwritten + _zero(wrong) + _not_finite(wrong, unwritten)


def _constant(wrong):
    g, w = wrong.g, wrong.w
    c = float(g[0])
    if len(g) < FEW or not math.isfinite(c) or c == 0 or (g != c).any() or (w == w[0]).all():
        return []
    if wrong.count < wrong.total and ((w > c).all() or (w < c).all()):
        more, side = ("more", "to at most") if w[0] > c else ("less", "to at least")
        return [dict(name="clamped", value=c,
                     words=f"Every wrong value is {c:.6g} where {more} was expected: clamped {side} that.")]
    return [dict(name="constant", value=c,
                 words=f"Every wrong value is {c:.6g}: the same everywhere, or only a start value.")]


# -- which values are wrong

def _condition(wrong):
    """What is wrong is not a place but a kind of value: only the negative, only the large ones."""
    if wrong.count == wrong.total or len(wrong.g) < 8:
        return []
    index = numpy.random.default_rng(3).integers(0, wrong.window, 4096)
    index = index[~wrong.marks[index]] + wrong.start
    if len(index) < 8:
        return []
    right, w = wrong.want_at(index), wrong.w
    if (w < 0).all() and (right >= 0).all():
        return [dict(name="only-negative", words="Exactly the values that should be negative are wrong.")]
    if (w > 0).all() and (right <= 0).all():
        return [dict(name="only-positive", words="Exactly the values that should be positive are wrong.")]
    bound = float(numpy.abs(w).min())
    if math.inf > bound > max(100, numpy.abs(right).max()) and wrong.count < 0.75 * wrong.total:
        return [dict(name="only-large", bound=bound,
                     words=f"Exactly the values from {bound:.6g} on are wrong: an overflow on the way.")]
    return []


def find(wrong):
    if wrong.dtype == torch.bool:  # one bit tells nothing of where it comes from
        return anatomy_format.inverted(wrong)
    found = anatomy_format.undercounted(wrong) or _nothing(wrong)
    if sum(p.get("share", 1) for p in found) < 0.5:
        found += (_constant(wrong) or anatomy_format.wrapped(wrong) or anatomy_elsewhere.find(wrong)
                  or anatomy_arithmetic.find(wrong) or anatomy_format.rounded(wrong))
    return found + _condition(wrong)
