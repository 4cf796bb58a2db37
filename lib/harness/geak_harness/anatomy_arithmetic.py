"""Right values but for arithmetic: off by a factor, an amount, their sign, a lost carry."""
import math

import numpy

from .anatomy_common import FEW, MOSTLY, axis_word, has_positive, powers, share_of

CONSTANTS = {
    "2": 2.0, "1/2": 0.5, "3": 3.0, "1/3": 1 / 3, "4": 4.0, "1/4": 0.25, "8": 8.0, "1/8": 1 / 8,
    "10": 10.0, "1/10": 0.1, "ln 10": math.log(10), "1/ln 10": 1 / math.log(10),
    "ln 2 (base 2 for base e?)": math.log(2), "1/ln 2 (base 2 for base e?)": 1 / math.log(2),
    "pi": math.pi, "1/pi": 1 / math.pi, "2*pi": 2 * math.pi, "1/(2*pi)": 0.5 / math.pi,
    "e": math.e, "1/e": 1 / math.e, "sqrt(2)": math.sqrt(2), "1/sqrt(2)": math.sqrt(0.5),
    "sqrt(2/pi)": math.sqrt(2 / math.pi), "sqrt(pi/2)": math.sqrt(math.pi / 2),
    "sqrt(2*pi)": math.sqrt(2 * math.pi),
}


def _sizes(wrong):
    """Factors that a forgotten or wrong division by one of the sizes gives."""
    names = {}
    for n in sorted({int(n) for n in (*wrong.shape, *wrong.other_sizes) if n > 2}):
        power = 1 << (n - 1).bit_length()
        names.update({f"{n}": n, f"1/{n}": 1 / n, f"sqrt({n})": math.sqrt(n),
                      f"1/sqrt({n})": 1 / math.sqrt(n), f"{n}/{n - 1}": n / (n - 1),
                      f"{n - 1}/{n}": (n - 1) / n})
        if power != n:
            names.update({f"{n}/{power} (block for length)": n / power,
                          f"{power}/{n} (block for length)": power / n})
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
        return [dict(name="wrong-sign", factor=-1, share=share, words="The sign is the opposite.")]
    called = _called(wrong, factor, float(numpy.median(numpy.abs(ratio / factor - 1))))
    return [dict(name="factor", factor=factor, share=share,
                 words=f"Off by a factor of {factor:.6g}{called}.")]


def _offset(wrong, usable):
    by = float(numpy.median(wrong.g[usable] - wrong.w[usable]))
    share = share_of(wrong.fits(wrong.w + by)[usable])
    if share < MOSTLY or by == 0:
        return []
    return [dict(name="offset", offset=by, share=share,
                 words=f"Off by a constant, {by:+.6g}: not added, added twice, or a start value.")]


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
    ("factor-per-index", numpy.divide, numpy.multiply, "factor", "normaliser or scale"),
    ("offset-per-index", numpy.subtract, numpy.add, "amount", "mean, bias or maximum"),
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
        for name, undo, redo, what, cause in PER_INDEX:
            middle, groups = _middles(wrong.where[axis][usable], undo(g, w))
            known = numpy.isfinite(middle)
            if groups < 2 or known.mean() < 0.5:
                continue
            share = share_of(wrong.fits(redo(w, middle), places)[known])
            if share >= MOSTLY:
                return [dict(name=name, axis=axis, share=share,
                             words=f"Each {one} is off by its own {what}: the {cause} is wrong.")]
    return []


def _absolute(wrong, usable):
    w = wrong.w[usable]
    if wrong.count == wrong.total or not (w < 0).all() or not has_positive(wrong):
        return []
    share = share_of(wrong.fits(-w, numpy.flatnonzero(usable)))
    if share < MOSTLY:
        return []
    return [dict(name="absolute-value", share=share, words="Negative values come out positive.")]


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
                return [dict(name="carry-lost", axis=axis, block=block, share=share,
                             words=f"The running total restarts in each block of {block} of axis {axis}.")]
    return []


def find(wrong):
    usable = numpy.isfinite(wrong.g) & numpy.isfinite(wrong.w) & (wrong.w != 0)
    if usable.sum() < FEW or usable.mean() < 0.5:
        return []
    return (_absolute(wrong, usable) or _factor(wrong, usable) or _offset(wrong, usable)
            or _restarted(wrong) or _per_index(wrong, usable))
