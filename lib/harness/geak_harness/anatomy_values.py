"""What the wrong values look like: nothing, a neighbour's, a multiple, a rounded or a wrapped one.

Each guess is tried on a sample of the wrong values; one that explains nine of ten is told. With few
wrong values only guesses that leave no room for chance are made.
"""
import math

import numpy
import torch

MOSTLY = 0.9
QUICK = 64
FEW = 4         # below so many wrong values, no search through many guesses
CONSTANTS = {
    "2": 2.0, "1/2": 0.5, "4": 4.0, "1/4": 0.25, "3": 3.0, "1/3": 1 / 3, "8": 8.0, "1/8": 1 / 8, "10": 10.0, "1/10": 0.1,
    "ln 2": math.log(2), "log2(e), that is 1/ln 2 (exp2 for exp, or log2 for log)": 1 / math.log(2),
    "ln 10": math.log(10), "log10(e)": 1 / math.log(10), "pi": math.pi, "1/pi": 1 / math.pi,
    "2*pi": 2 * math.pi, "1/(2*pi)": 0.5 / math.pi, "e": math.e, "1/e": 1 / math.e,
    "sqrt(2)": math.sqrt(2), "1/sqrt(2)": math.sqrt(0.5), "sqrt(2/pi)": math.sqrt(2 / math.pi),
    "sqrt(pi/2)": math.sqrt(math.pi / 2), "sqrt(2*pi)": math.sqrt(2 * math.pi),
}


def share_of(mask):
    return float(numpy.mean(mask)) if len(mask) else 0.0


def _of(share):
    return "All" if share == 1 else f"{100 * share:.0f} % of the"


# -- values that hold nothing: the sample need not be guessed at

def _unwritten(wrong):
    """Memory that holds what the harness filled it with (poison.py)."""
    if wrong.eps:
        kept = int(-math.log2(wrong.eps))  # bits of the fraction that are the type's own
        fraction = wrong.g.view(numpy.int64) >> (52 - kept) & ((1 << kept) - 1)
        mask = numpy.isnan(wrong.g) & (fraction == (1 << kept) - 1)
    elif wrong.dtype != torch.bool:
        mask = wrong.g == float(torch.iinfo(wrong.dtype).max)
    else:
        return []
    share = share_of(mask)
    if share < 0.25:
        return []
    return [dict(name="unwritten", share=share, words=(
        f"{_of(share)} wrong values come from memory that nobody wrote to: no program stores them, or what "
        "torch.empty gave is added to (it is filled with NaN here, or with the largest number)."))]


def _nothing(wrong):
    g, w, found = wrong.g, wrong.w, _unwritten(wrong)
    zero, nan, inf = share_of(g == 0), share_of(numpy.isnan(g)), share_of(numpy.isinf(g))
    if zero >= 0.25:
        negative = (g == 0) & (w < 0)
        words = f"{_of(zero)} wrong values are exactly 0: never written, masked away, or an accumulator left as it was."
        name = "all-zero" if zero >= MOSTLY else "some-zero"
        if zero >= MOSTLY and share_of(negative) == zero and _mixed_signs(wrong):
            name = "zero-where-negative"
            words = ("The wrong values are 0 where a negative number was expected: a maximum that starts from 0 "
                     "(take -inf), masked lanes that bring a 0 in (other=-inf), or a clamp at 0.")
        found.append(dict(name=name, share=zero, words=words))
    if nan >= 0.25 and not found:
        found.append(dict(name="nan", share=nan, words=(
            f"{_of(nan)} wrong values are NaN: inf - inf, 0/0, the root of a negative number, or memory that "
            "nobody wrote.")))
    if inf >= 0.25:
        found.append(dict(name="infinite", share=inf, words=(
            f"{_of(inf)} wrong values are infinite: an overflow, a division by 0, or a start value of inf left "
            "in the result.")))
    if share_of(numpy.isinf(w) & numpy.isfinite(g)) >= MOSTLY:
        found.append(dict(name="not-masked", words=(
            "Infinities were expected where numbers stand: what should be masked out is not.")))
    return found


def _mixed_signs(wrong):
    """Elsewhere in the result there are positive values, so that the sign matters."""
    index = numpy.random.default_rng(1).integers(0, wrong.total, 256)
    return bool((wrong.want_at(index) > 0).any())


def _constant(wrong):
    g = wrong.g
    if len(g) < FEW or not math.isfinite(g[0]) or g[0] == 0 or not (g == g[0]).all() or (wrong.w == wrong.w[0]).all():
        return []
    c = float(g[0])
    if wrong.count < wrong.total and ((wrong.w > c).all() or (wrong.w < c).all()):
        side = "at most" if (wrong.w > c).all() else "at least"
        return [dict(name="clamped", value=c, words=(
            f"Every wrong value is {c:.6g} where more was expected: the values are clamped to {side} {c:.6g}, or "
            "saturate a narrower type." if side == "at most" else
            f"Every wrong value is {c:.6g} where less was expected: the values are clamped to {side} {c:.6g}."))]
    return [dict(name="constant", value=c, words=(
        f"Every wrong value is {c:.6g}: one value is written everywhere, or only a start value."))]


# -- right values in wrong places

def _moved(wrong, index):
    """Share of the sample that holds what belongs to the place index (where that is a place)."""
    share = 0.0
    for some in (slice(QUICK), slice(None)):  # most guesses are refuted by a few values
        to = index[some]
        inside = (to >= 0) & (to < wrong.total)
        if inside.mean() < 0.5:
            return 0.0
        kept = numpy.flatnonzero(inside)
        share = share_of(wrong.fits(wrong.want_at(to[kept]), kept))
        if share < 0.6:
            return 0.0
    return share


def _telling(wrong):
    """The expected values differ enough from each other for a place to be recognised."""
    index = numpy.random.default_rng(2).integers(0, wrong.total, 512)
    values = wrong.want_at(index)
    return len(numpy.unique(values[numpy.isfinite(values)])) >= 8 and len(wrong.g) >= FEW


def _strides(shape):
    out = [1]
    for n in shape[:0:-1]:
        out.insert(0, out[0] * n)
    return out


def _axis_word(wrong, axis):
    if len(wrong.shape) == 1:
        return "element"
    if len(wrong.shape) == 2:
        return "row" if axis == 0 else "column"
    return f"index of axis {axis}"


def _shifted(wrong):
    steps = {}
    for axis, (n, stride) in enumerate(zip(wrong.shape, _strides(wrong.shape))):
        sizes = sorted({1, 2, 3, *(1 << k for k in range(2, 20))})
        for by in (s for s in sizes if s < n):
            steps.setdefault(by * stride, (axis, by))
    best = max(((_moved(wrong, wrong.sample + sign * step), sign * step, axis, sign * by)
                for step, (axis, by) in steps.items() for sign in (1, -1)), default=None)
    if not best or best[0] < MOSTLY:
        return []
    share, step, axis, by = best
    word = _axis_word(wrong, axis)
    from_ = f"{abs(by)} {word}{'s' if abs(by) > 1 and word != f'index of axis {axis}' else ''} further {'on' if by > 0 else 'back'}"
    why = {1: "an offset or a loop bound is off by one"}.get(abs(by), f"an offset is off by {abs(by)}")
    return [dict(name="shifted", axis=axis, shift=by, share=share, words=(
        f"The wrong values are the expected ones of another place, {from_}: {why}, or a pointer is advanced at "
        "the wrong moment."))]


def _permuted(wrong):
    at, shape = wrong.where, wrong.shape
    found = []
    strides = _strides(shape)

    def place(coordinates):
        return sum(c * s for c, s in zip(coordinates, strides))

    for axis, n in enumerate(shape):
        if n > 2:
            turned = [n - 1 - c if a == axis else c for a, c in enumerate(at)]
            found.append((_moved(wrong, place(turned)), dict(name="reversed", axis=axis, words=(
                f"The values are those expected, in reverse order along axis {axis}."))))
    if len(shape) >= 2:
        m, n = shape[-2:]
        lead = wrong.sample - wrong.sample % (m * n)
        within = wrong.sample % (m * n)
        # Stored as if the result were [n, m], or loaded with rows and columns exchanged.
        found.append((_moved(wrong, lead + within % m * n + within // m), dict(name="transposed", words=(
            "The values are those expected, transposed: rows and columns, their strides or their program ids "
            "are exchanged."))))
        if m != n:
            found.append((_moved(wrong, lead + within % n * m + within // n), dict(name="transposed", words=(
                "The values are those expected, transposed: rows and columns, their strides or their "
                "program ids are exchanged."))))
        else:
            for block in (b for b in (8, 16, 32, 64, 128) if b < m):
                i, j = at[-2], at[-1]
                swapped = (j // block * block + i % block) * n + i // block * block + j % block
                found.append((_moved(wrong, lead + swapped), dict(name="tiles-transposed", block=block, words=(
                    f"Each tile of {block} holds the values of the tile mirrored at the diagonal, itself not "
                    "turned: the program ids of rows and columns are exchanged."))))
    best = max(found, key=lambda f: f[0], default=(0, None))
    return [{**best[1], "share": best[0]}] if best[0] >= MOSTLY else []


def _repeated(wrong):
    """Every block holds the first one's values; every row those of one row."""
    tried = []
    strides = _strides(wrong.shape)
    for axis, (n, stride) in enumerate(zip(wrong.shape, strides)):
        c = wrong.where[axis]
        for block in [1 << k for k in range(0, 16) if 1 << k < n]:
            tried.append((_moved(wrong, wrong.sample - (c - c % block) * stride), axis, block))
    share, axis, block = max(tried, key=lambda t: (round(t[0], 2), t[2]), default=(0, 0, 0))
    if share < MOSTLY:
        return []
    word = _axis_word(wrong, axis)
    what = f"{word} 0" if block == 1 else f"the first block of {block} along axis {axis}"
    return [dict(name="repeated", axis=axis, block=block, share=share, words=(
        f"Everywhere stand the values expected in {what}: the program id is not in the offset, or the "
        "pointer is not advanced."))]


def _other_stride(wrong):
    if len(wrong.shape) < 2:
        return []
    n = wrong.shape[-1]
    i, j = wrong.sample // n, wrong.sample % n
    power = 1 << (n - 1).bit_length()
    for stride in {n + 1, n - 1, power, power // 2, 2 * n, n // 2, wrong.shape[-2]} - {n, 0}:
        share = _moved(wrong, i * stride + j)
        if share >= MOSTLY:
            return [dict(name="wrong-stride", stride=stride, expected_stride=n, share=share, words=(
                f"The values are those that stand {stride} apart from row to row, not {n}: a row is addressed "
                "with the wrong stride."))]
    return []


def _elsewhere(wrong):
    if not _telling(wrong):
        return []
    for look in (_permuted, _repeated, _shifted, _other_stride):
        found = look(wrong)
        if found:
            return found
    return []


# -- right but for arithmetic

def _sizes(wrong):
    """Factors that a forgotten or wrong division by one of the sizes gives."""
    names = {}
    for n in {int(n) for n in (*wrong.shape, *wrong.other_sizes) if n > 2}:
        power = 1 << (n - 1).bit_length()
        names.update({f"{n}": n, f"1/{n}": 1 / n, f"sqrt({n})": math.sqrt(n), f"1/sqrt({n})": 1 / math.sqrt(n),
                      f"{n}/{n - 1}": n / (n - 1), f"{n - 1}/{n}": (n - 1) / n})
        if power != n:
            names.update({f"{power}/{n} (a block's size for the number of elements)": power / n,
                          f"{n}/{power} (a block's size for the number of elements)": n / power})
    return names


def _name_factor(wrong, factor, spread):
    near = max(8 * spread, 1e-6)
    for names in (CONSTANTS, _sizes(wrong)):
        for name, value in names.items():
            if abs(abs(factor) / value - 1) < near:
                return f", that is {'-' if factor < 0 else ''}{name}" if name != f"{value:g}" else ""
    return ""


def _robust(values):
    """The middle, and how far the middle half lies from it."""
    middle = numpy.median(values)
    return middle, float(numpy.median(numpy.abs(values - middle)))


def _factor(wrong, usable):
    with numpy.errstate(all="ignore"):
        ratio = wrong.g[usable] / wrong.w[usable]
    factor, spread = _robust(ratio)
    share = share_of(wrong.fits(factor * wrong.w)[usable])
    if share < MOSTLY or factor == 0:
        return []
    if abs(factor + 1) < 1e-3:
        return [dict(name="wrong-sign", factor=-1, share=share, words=(
            "The wrong values have the right size and the opposite sign."))]
    if abs(factor - 1) < 4 * wrong.eps:
        return []
    named = _name_factor(wrong, factor, spread / abs(factor))
    return [dict(name="factor", factor=factor, share=share, words=(
        f"The wrong values are the expected ones times {factor:.6g}{named}: a scale is missing, is applied twice, "
        "or is the wrong one."))]


def _offset(wrong, usable):
    shift, _ = _robust(wrong.g[usable] - wrong.w[usable])
    share = share_of(wrong.fits(wrong.w + shift)[usable])
    if share < MOSTLY or shift == 0:
        return []
    return [dict(name="offset", offset=shift, share=share, words=(
        f"The wrong values are the expected ones {shift:+.6g}: a constant is missing, added twice, or a start "
        "value is counted in."))]


def _along(wrong, values, usable, axis):
    """For each value the middle one of all with the same index of the axis, NaN where these are
    too few to tell; and how many such groups there are."""
    groups = wrong.where[axis][usable]
    order = numpy.lexsort((values, groups))
    _, start, counts = numpy.unique(groups[order], return_index=True, return_counts=True)
    middle = numpy.where(counts >= 3, values[order[start + counts // 2]], numpy.nan)
    spread = numpy.empty(len(groups))
    spread[order] = numpy.repeat(middle, counts)
    return spread, int((counts >= 3).sum())


def _per_index(wrong, usable):
    """A factor or an offset of its own for each row, or for each column."""
    if len(wrong.shape) < 2 or usable.sum() < 12:
        return []
    with numpy.errstate(all="ignore"):
        ratio, less = wrong.g[usable] / wrong.w[usable], wrong.g[usable] - wrong.w[usable]
    g, w = wrong.g[usable], wrong.w[usable]
    for axis in range(len(wrong.shape)):
        word = _axis_word(wrong, axis)
        for values, name, rebuild, words in (
            (ratio, "factor-per-index", lambda m: m * w,
             f"In each {word} the values are off by one factor, another in each {word}: its normaliser, scale "
             "or weight is wrong or missing (a sum over the wrong elements, masked lanes counted in)."),
            (less, "offset-per-index", lambda m: w + m,
             f"In each {word} the values are off by one amount, another in each {word}: what is added or "
             "subtracted there (a mean, a bias, a maximum) is wrong or missing.")):
            middle, groups = _along(wrong, values, usable, axis)
            known = numpy.isfinite(middle)
            if groups < 2 or known.mean() < 0.5 or wrong.shape[axis] * 3 > wrong.total:
                continue
            share = share_of(wrong.fits(rebuild(middle), usable)[known])
            if share >= MOSTLY:
                return [dict(name=name, axis=axis, share=share, words=words)]
    return []


def _absolute(wrong, usable):
    w = wrong.w[usable]
    share = share_of(wrong.fits(numpy.abs(w), usable))
    if share >= MOSTLY and (w < 0).all() and _mixed_signs(wrong) and wrong.count < wrong.total:
        return [dict(name="absolute-value", share=share, words=(
            "The wrong values are the absolute values of the expected ones; only negative ones are wrong."))]
    return []


def _restarted(wrong):
    """A running total along an axis begins anew in each block."""
    if len(wrong.g) < FEW:
        return []
    for axis, (n, stride) in enumerate(zip(wrong.shape, _strides(wrong.shape))):
        c = wrong.where[axis]
        for block in (1 << k for k in range(3, 16)):
            if block >= n:
                break
            first = c - c % block
            later = first > 0
            if later.mean() < MOSTLY:
                continue
            before = wrong.want_at(numpy.where(later, wrong.sample - (c - first + 1) * stride, 0))
            share = share_of((wrong.fits(wrong.w - before) & later)[later])
            if share >= MOSTLY:
                return [dict(name="carry-lost", axis=axis, block=block, share=share, words=(
                    f"The running total begins anew in each block of {block} along axis {axis}: what was "
                    "carried over from the blocks before is lost."))]
    return []


def _arithmetic(wrong):
    usable = numpy.isfinite(wrong.g) & numpy.isfinite(wrong.w) & (wrong.w != 0)
    if usable.sum() < 2 or usable.mean() < 0.5:
        return []
    found = _absolute(wrong, usable)
    if not found and usable.sum() >= FEW:
        found = _factor(wrong, usable) or _offset(wrong, usable) or _restarted(wrong) or _per_index(wrong, usable)
    return found


# -- right but for the number format

def _rounded_to(values, dtype):
    return torch.from_numpy(values).to(dtype).double().numpy()


def _tf32(values):
    bits = values.astype(numpy.float32).view(numpy.uint32)
    return ((bits + 0x1000) & ~numpy.uint32(0x1FFF)).view(numpy.float32).astype(numpy.float64)


FORMATS = (
    # What bfloat16 holds, float16 holds too, within its range: the coarser comes first.
    ("bfloat16", lambda v: _rounded_to(v, torch.bfloat16)), ("float16", lambda v: _rounded_to(v, torch.float16)),
    ("tf32", _tf32), ("float32", lambda v: _rounded_to(v, torch.float32)),
)


def _rounded(wrong):
    g, w = wrong.g, wrong.w
    usable = numpy.isfinite(g) & numpy.isfinite(w)
    if usable.mean() < MOSTLY or len(g) < FEW or not wrong.dtype.is_floating_point:
        return []
    g, w = g[usable], w[usable]
    for name, whole in (("towards zero", numpy.trunc), ("to the nearest", numpy.round), ("down", numpy.floor)):
        if share_of(g == whole(w)) >= MOSTLY and not (w == numpy.trunc(w)).any():
            return [dict(name="rounded", to="integer", words=(
                f"The wrong values are the expected ones rounded {name} to whole numbers: an integer "
                "conversion, or // for /."))]
    deviation = numpy.abs(g - w) / numpy.maximum(numpy.abs(w), 1e-300)
    if numpy.median(deviation) > 0.1:
        return []
    for name, convert in FORMATS:
        if torch.finfo(getattr(torch, name, torch.float16)).eps <= wrong.eps or (g == 0).all():
            continue
        if share_of(convert(g) == g) >= MOSTLY:
            return [dict(name="rounded", to=name, words=(
                f"The wrong values are near the expected ones and all representable in {name}: the result, or "
                f"what it is made of, passes through {name}. Keep it in {_dtype(wrong)} up to the store."))]
    bits = -math.log2(max(float(numpy.median(deviation)), 1e-16))
    if numpy.quantile(deviation, 0.9) < 0.05:
        return [dict(name="low-precision", bits=round(bits, 1), words=(
            f"The wrong values agree with the expected ones to about {bits:.0f} bits (bfloat16 has 8, float16 and "
            "tf32 11, float32 24): the structure is right; accumulate in float32, convert once, at the store, "
            "and check constants such as eps."))]
    return []


def _dtype(wrong):
    return str(wrong.dtype).removeprefix("torch.")


def _wrapped(wrong):
    """Equal modulo a power of two: an integer type that is too narrow."""
    g, w = wrong.g, wrong.w
    usable = numpy.isfinite(g) & numpy.isfinite(w)
    if usable.mean() < MOSTLY or len(g) < 2 or not (numpy.trunc(w[usable]) == w[usable]).all():
        return []
    less = (w - g)[usable]
    for k in (32, 16, 8):
        if share_of((less % (1 << k) == 0) & (less != 0)) >= MOSTLY:
            return [dict(name="wrapped", bits=k, words=(
                f"The wrong values differ from the expected ones by multiples of 2^{k}: an integer of {k} bits "
                "overflows on the way; compute in a wider type."))]
    return []


def _undercounted(wrong):
    """Counts of which some are lost, as without atomics."""
    g, w = wrong.g, wrong.w
    if wrong.eps or len(g) < FEW or wrong.count < wrong.total or not ((0 < g) & (g < w)).all():
        return []
    return [dict(name="undercounted", words=(
        "The wrong values are all smaller than expected, none negative: counts are lost. Several lanes or "
        "programs write the same place: use tl.atomic_add in place of load, add and store."))]


def _inverted(wrong):
    if wrong.dtype is not torch.bool or wrong.count < wrong.total:
        return []
    return [dict(name="inverted", words="Every truth value is the opposite of the expected one.")]


# -- which values are wrong

def _condition(wrong):
    """What is wrong is not a place but a kind of value: only the negative, only the large ones."""
    if wrong.count == wrong.total or len(wrong.g) < 8 or wrong.window < 16:
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
    if math.inf > numpy.abs(w).min() > numpy.abs(right).max() > 0:
        bound = float(numpy.abs(w).min())
        return [dict(name="only-large", bound=bound, words=(
            f"Exactly the large values are wrong, from {bound:.6g} on: a type too narrow, or an overflow on "
            "the way."))]
    return []


def find(wrong):
    found = _inverted(wrong) or _undercounted(wrong) or _nothing(wrong)
    rest = 1 - sum(p["share"] for p in found if "share" in p)
    if rest > 0.5:
        found += (_constant(wrong) or _wrapped(wrong) or _elsewhere(wrong) or _arithmetic(wrong)
                  or _rounded(wrong))
    return found + _condition(wrong)
