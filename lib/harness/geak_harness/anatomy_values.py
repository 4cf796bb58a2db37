"""What the wrong values look like: nothing at all, off by a factor, by an amount, by their sign.

Each guess is tried on a sample of the wrong values; one that explains nine of ten is told.
"""
import math

import numpy
import torch

from . import anatomy_elsewhere, anatomy_format
from .anatomy_common import FEW, MOSTLY, axis_word, of, powers, share_of

CONSTANTS = {
    "2": 2.0, "1/2": 0.5, "3": 3.0, "1/3": 1 / 3, "4": 4.0, "1/4": 0.25, "8": 8.0, "1/8": 1 / 8,
    "10": 10.0, "1/10": 0.1, "ln 10": math.log(10), "1/ln 10": 1 / math.log(10),
    "ln 2 (a base of 2 for a base of e, or the reverse)": math.log(2),
    "1/ln 2 (a base of 2 for a base of e, or the reverse)": 1 / math.log(2),
    "pi": math.pi, "1/pi": 1 / math.pi, "2*pi": 2 * math.pi, "1/(2*pi)": 0.5 / math.pi,
    "e": math.e, "1/e": 1 / math.e, "sqrt(2)": math.sqrt(2), "1/sqrt(2)": math.sqrt(0.5),
    "sqrt(2/pi)": math.sqrt(2 / math.pi), "sqrt(pi/2)": math.sqrt(math.pi / 2),
    "sqrt(2*pi)": math.sqrt(2 * math.pi),
}
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
    return [dict(name="unwritten", share=share, words=(
        f"{of(share)} wrong values come from memory that nobody wrote to: no program stores them, or what "
        "torch.empty gave is added to (it is filled with NaN here, or with the largest number)."))]


def _zero(wrong):
    g, w = wrong.g, wrong.w
    share = share_of(g == 0)
    if share < (SOME if wrong.eps else MOSTLY):
        return []  # among whole numbers a 0 is nothing special
    if share >= MOSTLY and share_of((g == 0) & (w < 0)) == share and _has_positive(wrong):
        return [dict(name="zero-where-negative", share=share, words=(
            "The wrong values are 0 where a negative number was expected: a maximum that starts from 0 (take "
            "-inf), masked lanes that bring a 0 in (other=-inf), or a clamp at 0."))]
    return [dict(name="all-zero" if share >= MOSTLY else "some-zero", share=share, words=(
        f"{of(share)} wrong values are exactly 0: never written, masked away, or an accumulator left as it "
        "was."))]


def _has_positive(wrong):
    """Elsewhere in the result there are positive values, so that the sign matters."""
    index = numpy.random.default_rng(1).integers(0, wrong.total, 256)
    return bool((wrong.want_at(index) > 0).any())


def _not_finite(wrong, unwritten):
    g, w, found = wrong.g, wrong.w, []
    nan, inf = share_of(numpy.isnan(g)), share_of(numpy.isinf(g))
    if nan >= SOME and not unwritten:
        found.append(dict(name="nan", share=nan, words=(
            f"{of(nan)} wrong values are NaN: inf - inf, 0/0, the root of a negative number, or memory that "
            "nobody wrote.")))
    if inf >= SOME:
        found.append(dict(name="infinite", share=inf, words=(
            f"{of(inf)} wrong values are infinite: an overflow, a division by 0, or a start value of inf "
            "left in the result.")))
    if share_of(numpy.isinf(w) & numpy.isfinite(g)) >= MOSTLY:
        found.append(dict(name="not-masked", words=(
            "Infinities were expected where numbers stand: what should be masked out is not.")))
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
        more, side = ("more", "at most") if w[0] > c else ("less", "at least")
        return [dict(name="clamped", value=c, words=(
            f"Every wrong value is {c:.6g} where {more} was expected: values are clamped to {side} "
            f"{c:.6g}, or a narrower type saturates."))]
    return [dict(name="constant", value=c, words=(
        f"Every wrong value is {c:.6g}: one value is written everywhere, or only a start value."))]


# -- right but for arithmetic

def _sizes(wrong):
    """Factors that a forgotten or wrong division by one of the sizes gives."""
    names = {}
    for n in sorted({int(n) for n in (*wrong.shape, *wrong.other_sizes) if n > 2}):
        power = 1 << (n - 1).bit_length()
        names.update({f"{n}": n, f"1/{n}": 1 / n, f"sqrt({n})": math.sqrt(n),
                      f"1/sqrt({n})": 1 / math.sqrt(n), f"{n}/{n - 1}": n / (n - 1),
                      f"{n - 1}/{n}": (n - 1) / n})
        if power != n:
            names.update({f"{n}/{power} (a block's size for the number of elements)": n / power,
                          f"{power}/{n} (a block's size for the number of elements)": power / n})
    return names


def _called(wrong, factor, spread):
    near = max(8 * spread, 1e-6)
    for names in (CONSTANTS, _sizes(wrong)):
        for name, value in names.items():
            if abs(abs(factor) / value - 1) < near:
                return f", that is {'-' if factor < 0 else ''}{name}" if name != f"{value:g}" else ""
    return ""


def _factor(wrong, usable):
    ratio = wrong.g[usable] / wrong.w[usable]
    factor = float(numpy.median(ratio))
    share = share_of(wrong.fits(factor * wrong.w)[usable])
    if share < MOSTLY or factor == 0 or abs(factor - 1) < 4 * wrong.eps:
        return []
    if abs(factor + 1) < 1e-3:
        return [dict(name="wrong-sign", factor=-1, share=share, words=(
            "The wrong values have the right size and the opposite sign."))]
    called = _called(wrong, factor, float(numpy.median(numpy.abs(ratio / factor - 1))))
    return [dict(name="factor", factor=factor, share=share, words=(
        f"The wrong values are the expected ones times {factor:.6g}{called}: a scale is missing, is "
        "applied twice, or is the wrong one."))]


def _offset(wrong, usable):
    by = float(numpy.median(wrong.g[usable] - wrong.w[usable]))
    share = share_of(wrong.fits(wrong.w + by)[usable])
    if share < MOSTLY or by == 0:
        return []
    return [dict(name="offset", offset=by, share=share, words=(
        f"The wrong values are the expected ones {by:+.6g}: a constant is missing, added twice, or a start "
        "value is counted in."))]


def _middles(groups, values):
    """For each value the middle one of its group, NaN where that is too small to tell; and how many
    groups there are."""
    order = numpy.lexsort((values, groups))
    _, start, counts = numpy.unique(groups[order], return_index=True, return_counts=True)
    middle = numpy.where(counts >= 3, values[order[start + counts // 2]], numpy.nan)
    spread = numpy.empty(len(groups))
    spread[order] = numpy.repeat(middle, counts)
    return spread, int((counts >= 3).sum())


PER_INDEX = (
    ("factor-per-index", numpy.divide, numpy.multiply,
     "by one factor, another in each {one}: its normaliser, scale or weight is wrong or missing (a sum over "
     "the wrong elements, masked lanes counted in)."),
    ("offset-per-index", numpy.subtract, numpy.add,
     "by one amount, another in each {one}: what is added or subtracted there (a mean, a bias, a maximum) is "
     "wrong or missing."),
)


def _per_index(wrong, usable):
    """A factor or an amount of its own for each row, or for each column."""
    if len(wrong.shape) < 2 or usable.sum() < 12:
        return []
    g, w, places = wrong.g[usable], wrong.w[usable], numpy.flatnonzero(usable)
    for axis, n in enumerate(wrong.shape):
        if n * 3 > wrong.total:
            continue
        one = axis_word(wrong.shape, axis)
        for name, undo, redo, words in PER_INDEX:
            middle, groups = _middles(wrong.where[axis][usable], undo(g, w))
            known = numpy.isfinite(middle)
            if groups < 2 or known.mean() < 0.5:
                continue
            share = share_of(wrong.fits(redo(w, middle), places)[known])
            if share >= MOSTLY:
                return [dict(name=name, axis=axis, share=share, words=(
                    f"In each {one} the values are off {words.format(one=one)}"))]
    return []


def _absolute(wrong, usable):
    w = wrong.w[usable]
    if wrong.count == wrong.total or not (w < 0).all() or not _has_positive(wrong):
        return []
    share = share_of(wrong.fits(-w, numpy.flatnonzero(usable)))
    if share < MOSTLY:
        return []
    return [dict(name="absolute-value", share=share, words=(
        "The wrong values are the absolute values of the expected ones; only negative ones are wrong."))]


def _restarted(wrong):
    """A running total along an axis begins anew in each block."""
    for axis, (n, stride, c) in enumerate(zip(wrong.shape, wrong.strides, wrong.where)):
        for block in powers(8, n):
            later = c >= block
            if later.mean() < MOSTLY:
                continue
            before = wrong.sample - (c % block + 1) * stride
            total = wrong.want_at(numpy.where(later, before, 0))
            share = share_of(wrong.fits(wrong.w - total)[later])
            if share >= MOSTLY:
                return [dict(name="carry-lost", axis=axis, block=block, share=share, words=(
                    f"The running total begins anew in each block of {block} along axis {axis}: what was "
                    "carried over from the blocks before is lost."))]
    return []


def _arithmetic(wrong):
    usable = numpy.isfinite(wrong.g) & numpy.isfinite(wrong.w) & (wrong.w != 0)
    if usable.sum() < FEW or usable.mean() < 0.5:
        return []
    return (_absolute(wrong, usable) or _factor(wrong, usable) or _offset(wrong, usable)
            or _restarted(wrong) or _per_index(wrong, usable))


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
        return [dict(name="only-large", bound=bound, words=(
            f"Exactly the large values are wrong, from {bound:.6g} on: a type too narrow, or an overflow on "
            "the way."))]
    return []


def find(wrong):
    if wrong.dtype == torch.bool:  # one bit tells nothing of where it comes from
        return anatomy_format.inverted(wrong)
    found = anatomy_format.undercounted(wrong) or _nothing(wrong)
    if sum(p.get("share", 1) for p in found) < 0.5:
        found += (_constant(wrong) or anatomy_format.wrapped(wrong) or anatomy_elsewhere.find(wrong)
                  or _arithmetic(wrong) or anatomy_format.rounded(wrong))
    return found + _condition(wrong)
