"""Where the wrong values lie: in which rows and columns, past which multiple, in which lanes."""
import numpy

FULL = 0.75     # of a region, the share that must be wrong for the region to be the place
PERIODS = [*range(2, 65), 96, 128, 192, 256, 512, 1024, 2048, 4096]


def _power(n):
    """The largest power of two that divides n."""
    return n & -n


def _noun(wrong, axis):
    """What an index of this axis is called: ("rows", "row 3")."""
    if axis is None:
        return "flat element", "flat elements"
    if len(wrong.shape) == 1:
        return "element", "elements"
    if len(wrong.shape) == 2:
        return ("row", "rows") if axis == 0 else ("column", "columns")
    if axis == 0:
        return "batch (axis 0)", "batches (axis 0)"
    return f"index of axis {axis}", f"indices of axis {axis}"


def _few(values):
    shown = ", ".join(str(v) for v in values[:6])
    return shown + (f" and {len(values) - 6} more" if len(values) > 6 else "")


# -- one axis: which of its indices have wrong values

def _suffix(lo, n, one, many):
    block = _power(lo)
    rest = f"{many} {lo} to {n - 1}" if lo < n - 1 else f"the last {one}, {lo}"
    if 1 < block and n - lo <= block and 2 * lo != n:
        tile = f"partial tile of {block}" if n - lo < block else f"tile of {block}"
        return dict(name="last-tile", block=block, first=lo,
                    words=f"Wrong only in the last {tile}, {rest}: mask?")
    if lo == n - 1:
        return dict(name="last-only", first=lo,
                    words=f"Wrong only in the last {one} of {n}: a bound is off by one.")
    if 2 * lo == n:
        return dict(name="second-half", first=lo, block=block,
                    words=f"Wrong only in the second half, {rest}: grid or block too small.")
    if block >= 8:
        return dict(name="past-multiple", block=block, first=lo,
                    words=f"Wrong only in {rest}, from a multiple of {block} on: grid or loop.")
    if 2 * lo < n:
        right = f"the first {one}" if lo == 1 else f"{many} 0 to {lo - 1}"
        return dict(name="past-index", first=lo, words=f"Right only in {right} of {n}.")
    return dict(name="past-index", first=lo, words=f"Wrong only in {rest} of {n}.")


def _prefix(hi, n, one, many):
    rest = f"{many} 0 to {hi - 1}" if hi > 1 else f"the first {one}"
    if hi == 1:
        return dict(name="first-only",
                    words=f"Wrong only in the first {one} of {n}: start value, or bound off by one.")
    if 2 * hi == n:
        return dict(name="first-half", words=f"Wrong only in the first half, {rest} of {n}.")
    if _power(hi) >= 8:
        return dict(name="before-multiple", block=_power(hi), end=hi,
                    words=f"Wrong only in {rest} of {n}, up to a multiple of {_power(hi)}.")
    return dict(name="before-index", end=hi, words=f"Wrong only in {rest} of {n}.")


def _range(lo, hi, n, one, many):
    if hi - lo == 1:
        return dict(name="one-index", first=lo, words=f"Wrong only in {one} {lo} of {n}.")
    block = hi - lo
    if block >= 8 and block == _power(block) and lo % block == 0:
        return dict(name="one-tile", block=block, first=lo,
                    words=f"Wrong only in {many} {lo} to {hi - 1} of {n}: one tile of {block}.")
    return dict(name="range", first=lo, end=hi, words=f"Wrong only in {many} {lo} to {hi - 1} of {n}.")


def _period(marks, count, n, exact, nouns):
    """The smallest period in which only some of the places are ever wrong, and always."""
    few = marks
    if len(marks) > 1 << 14:
        few = marks[numpy.random.default_rng(0).integers(0, len(marks), 1 << 14)]
    for period in PERIODS:
        if period * 3 > n:
            return None
        if numpy.bincount(few % period, minlength=period).all():
            continue
        hit = numpy.flatnonzero(numpy.bincount(marks % period, minlength=period))
        if len(hit) == period:
            continue
        covered = len(hit) * (n // period) + int((hit < n % period).sum())
        full = 1 if exact else FULL
        if count >= full * covered and n - covered >= full * (n - count):
            return _in_period(period, hit, *nouns)
    return None


def _in_period(period, hit, one, many):
    if len(hit) == 1:
        return dict(name="every-kth", period=period, phase=hit[0],
                    words=f"Wrong where {one} % {period} == {hit[0]}: stride, or offset scaled twice.")
    if len(hit) == period - 1:
        right = (set(range(period)) - set(hit.tolist())).pop()
        return dict(name="all-but-every-kth", period=period, phase=right,
                    words=f"Right only where {one} % {period} == {right}: stride, or offset scaled twice.")
    lo, length = int(hit[0]), len(hit)
    if hit[-1] - lo + 1 != length:
        return dict(name="periodic", period=period,
                    words=f"The wrong {many} repeat: {_few(hit.tolist())} of each {period}.")
    span = f"{many} {lo} to {hit[-1]} of each block of {period}"
    if length in (32, 64) and lo % length == 0 and 2 * length <= period:
        return dict(name="one-wave", period=period, phase=lo, lanes=length,
                    words=f"Wrong only in {span}: one wave of {length}.")
    if lo + length == period:
        return dict(name="tail-of-each-block", period=period, phase=lo,
                    words=f"Wrong only in {span}: block < step?")
    return dict(name="part-of-each-block", period=period, phase=lo, length=length,
                words=f"Wrong only in {span}.")


def _snap(lo, hi, count):
    """The first wrong place may be right by chance: then the boundary lies a little before it."""
    gap = (hi - lo) / count - 1
    reach = int(min(8, 3 * gap))
    best = max(range(max(1, lo - reach), lo + 1), key=_power) if lo else 0
    return best if _power(best) >= 8 else lo


def _span(marks, holes, n, nouns):
    lo, hi = int(marks[0]), int(marks[-1]) + 1
    if holes:
        lo = _snap(lo, hi, hi - lo - holes)
    if lo == 0:
        return _prefix(hi, n, *nouns) if hi < n else None
    return _suffix(lo, n, *nouns) if hi == n else _range(lo, hi, n, *nouns)


def describe(marks, share, n, nouns):
    """marks: the indices (of a window at least), sorted; share: how many of n are marked."""
    span = int(marks[-1]) + 1 - int(marks[0])
    holes = round(span - share * n)
    if holes == 0:
        return _span(marks, 0, n, nouns)
    if n > 4 and span == n == holes + 2:
        return dict(name="ends-only",
                    words=f"Wrong only in the first and the last {nouns[0]}: neighbours past the end.")
    count = span - holes
    return (_period(marks, count, n, True, nouns)
            # Or some values in a wrong place are right by chance.
            or (_span(marks, holes, n, nouns) if holes <= (1 - FULL) * span else None)
            or _period(marks, count, n, False, nouns))


def _axis(wrong, axis, profile):
    n, marks = wrong.shape[axis], numpy.flatnonzero(profile)
    found = describe(marks, len(marks) / n, n, _noun(wrong, axis))
    one, many = _noun(wrong, axis)
    if not found and len(wrong.shape) > 1:
        found = dict(name="some-indices",
                     words=f"Wrong only in {len(marks)} of {n} {many}: {_few(marks.tolist())}.")
    if axis == 0 and len(wrong.shape) > 2 and len(marks) == 1:
        found = dict(name="one-batch", first=int(marks[0]),
                     words=f"Wrong only in {one} {marks[0]} of {n}: its stride or program id.")
    return {**found, "axis": axis} if found else None


# -- all axes together

def _region(wrong):
    """The wrong values fill a product of index sets: of some rows and some columns, say."""
    chosen = [a for a, p in enumerate(wrong.profiles) if not p.all()]
    size = numpy.prod([float(p.sum()) for p in wrong.profiles])
    if not chosen or wrong.count < FULL * size:
        return []
    found = [f for f in (_axis(wrong, a, wrong.profiles[a]) for a in chosen) if f]
    if len(found) > 1 and all(_contiguous(wrong.profiles[a]) for a in chosen):
        spans = ", ".join(f"{numpy.flatnonzero(wrong.profiles[a])[0]} to "
                          f"{numpy.flatnonzero(wrong.profiles[a])[-1]} of axis {a}" for a in chosen)
        box = dict(name="one-box", words=f"All wrong values lie in one tile, {spans}.")
        return [box, *found]
    return found


def _contiguous(profile):
    marks = numpy.flatnonzero(profile)
    return marks[-1] - marks[0] + 1 == len(marks)


def _outside_box(wrong):
    """Right in a box at the start, wrong past it in more than one direction."""
    right = wrong.total - wrong.count
    chosen = [a for a, p in enumerate(wrong.good_profiles) if not p.all()]
    size = numpy.prod([float(p.sum()) for p in wrong.good_profiles])
    if not chosen or right < FULL * size:
        return []
    if not all(p[0] and _contiguous(p) for p in (wrong.good_profiles[a] for a in chosen)):
        return []
    return [f for f in (_axis(wrong, a, ~wrong.good_profiles[a]) for a in chosen) if f]


def _triangle(wrong):
    """Bounded by a diagonal of the last two axes, as a causal mask's slip is."""
    if len(wrong.shape) < 2 or min(wrong.shape[-2:]) < 4 or wrong.window < wrong.total:
        return []
    rows, columns = wrong.shape[-2:]
    at = wrong.at % (rows * columns)
    d = at % columns - at // columns
    many = wrong.total // (rows * columns)
    lengths = numpy.array([min(rows, columns - k) if k >= 0 else min(columns, rows + k)
                           for k in range(-rows + 1, columns)]) * many
    lo, hi = int(d.min()), int(d.max())
    inside = lengths[lo + rows - 1:hi + rows].sum()
    if wrong.count < FULL * inside or inside > 0.9 * wrong.total:
        return []
    if lo == hi:
        return [dict(name="diagonal", diagonal=lo,
                     words=f"Wrong only where column - row == {lo}: < for <=, or the reverse.")]
    if hi == columns - 1:
        return [dict(name="upper-triangle", diagonal=lo,
                     words=f"Wrong only where column - row >= {lo}, a triangle: the causal mask?")]
    if lo == -rows + 1:
        return [dict(name="lower-triangle", diagonal=hi,
                     words=f"Wrong only where column - row <= {hi}, a triangle: the causal mask?")]
    return [dict(name="band", first=lo, last=hi,
                 words=f"Wrong only in a band along the diagonal: {lo} <= column - row <= {hi}.")]


def _beyond_int32(wrong):
    size = wrong.dtype.itemsize
    for unit, what in ((1, "elements"), (size, "bytes")):
        if wrong.first * unit >= 1 << 31:
            return [dict(name="past-2-31", first=wrong.first,
                         words=f"Wrong only past 2^31 {what}: offsets overflow int32, make them int64.")]
    return []


def _flat(wrong):
    """As one long vector: kernels that do not care for rows see it so."""
    if len(wrong.shape) == 1:
        return []
    nouns, span = _noun(wrong, None), wrong.last - wrong.first + 1
    if wrong.window == wrong.total:
        found = describe(wrong.at, wrong.count / wrong.total, wrong.total, nouns)
    elif wrong.count >= FULL * span:
        found = _span([wrong.first, wrong.last], span - wrong.count, wrong.total, nouns)
    else:
        found = _period(wrong.at - wrong.start, len(wrong.at), wrong.window, False, nouns)
    if found and wrong.count > 0.9 * wrong.total and found["name"] in ("range", "past-index", "before-index"):
        return []  # the few right ones at the ends mean nothing
    return [found] if found else []


def _ragged(wrong):
    """Every row has its wrong values at one side, from a place of its own on."""
    if len(wrong.shape) < 2 or wrong.window < wrong.total:
        return []
    n = wrong.shape[-1]
    row, column = wrong.at // n, wrong.at % n
    _, start, counts = numpy.unique(row, return_index=True, return_counts=True)
    to_the_end = (column[start + counts - 1] == n - 1).all() and (column[start] == n - counts).mean() > 0.9
    if len(start) < 4 or counts.mean() > 0.9 * n or not to_the_end:
        return []
    return [dict(name="tail-of-each-row",
                 words="Wrong from some column on, another in each row: a carry is lost, or a bound.")]


def find(wrong):
    if wrong.total == 1:
        return []
    if wrong.count == wrong.total:
        return [dict(name="everywhere",
                     words="Every value is wrong: the formula, a scale, strides, argument order.")]
    found = _beyond_int32(wrong)
    for look in (_region, _triangle, _outside_box, _flat, _ragged):
        found += look(wrong)
        if found:
            return found
    share = wrong.count / wrong.total
    if share >= FULL:
        return [dict(name="everywhere", share=share,
                     words="Nearly every value is wrong: the formula, a scale, strides, argument order.")]
    if wrong.count <= 3:
        return [dict(name="isolated", words="Few values are wrong, and all around them is right.")]
    return [dict(name="scattered", share=share,
                 words="Wrong values are scattered: a race, unset memory, or some kind of value.")]
