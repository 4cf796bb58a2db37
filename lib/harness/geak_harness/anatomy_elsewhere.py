"""Right values in wrong places: shifted, transposed, reversed, repeated, read with another stride.

A guess is a map from each wrong place to the place whose expected value stands there.
"""
import numpy

from .anatomy_common import FEW, MOSTLY, axis_word, powers, share_of

QUICK = 64          # values that refute most guesses
SORTED = 1 << 16    # elements that are worth sorting


def _moved(wrong, index):
    """Share of the sample that holds what belongs to the place index, of those where it is one."""
    share = 0.0
    for some in (slice(QUICK), slice(None)):
        to = index[some]
        inside = numpy.flatnonzero((to >= 0) & (to < wrong.total))
        if len(inside) < 0.5 * len(to):
            return 0.0
        share = share_of(wrong.fits(wrong.want_at(to[inside]), inside))
        if share < 0.6:
            return 0.0
    return share


def _telling(wrong):
    """The expected values differ enough from each other for a place to be recognised."""
    values = wrong.want_at(numpy.random.default_rng(2).integers(0, wrong.total, 512))
    return len(wrong.g) >= FEW and len(numpy.unique(values[numpy.isfinite(values)])) >= 8


def _best(guesses):
    """The pattern of the guess that explains most: (share, pattern) pairs."""
    share, found = max(guesses, key=lambda guess: guess[0], default=(0, None))
    return [{**found, "share": share}] if share >= MOSTLY else []


def _shifted(wrong):
    guesses = []
    for axis, (n, stride) in enumerate(zip(wrong.shape, wrong.strides)):
        one = axis_word(wrong.shape, axis)
        for by in (s for s in (1, 2, 3, *powers(4, n)) if s < n):
            for sign in (1, -1):
                side = "after" if sign > 0 else "before"
                guesses.append((_moved(wrong, wrong.sample + sign * by * stride), dict(
                    name="shifted", axis=axis, shift=sign * by,
                    words=f"Shifted: values belong {by} {one}{'s' if by > 1 else ''} {side} their place.")))
    return _best(guesses)


def _reversed(wrong):
    return _best([(_moved(wrong, wrong.sample + (n - 1 - 2 * c) * stride), dict(
        name="reversed", axis=axis, words=f"The values are right, in reverse order along axis {axis}."))
        for axis, (n, stride, c) in enumerate(zip(wrong.shape, wrong.strides, wrong.where)) if n > 2])


def _transposed(wrong):
    """As if the result were stored as [n, m], or its tiles were exchanged, themselves not turned."""
    if len(wrong.shape) < 2:
        return []
    m, n = wrong.shape[-2:]
    within = wrong.sample % (m * n)
    lead = wrong.sample - within
    turned = dict(name="transposed",
                  words="The values are right, transposed: strides or program ids are exchanged.")
    guesses = [(_moved(wrong, lead + within % m * n + within // m), turned),
               (_moved(wrong, lead + within % n * m + within // n), turned)]
    i, j = wrong.where[-2:]
    for block in powers(8, m) if m == n else ():
        swapped = (j - j % block + i % block) * n + i - i % block + j % block
        guesses.append((_moved(wrong, lead + swapped), dict(
            name="tiles-transposed", block=block,
            words=f"Tiles of {block} are transposed, not their insides: program ids are exchanged.")))
    return _best(guesses)


def _repeated(wrong):
    """Every block holds the first one's values; every row those of one row."""
    guesses = []
    for axis, (n, stride, c) in enumerate(zip(wrong.shape, wrong.strides, wrong.where)):
        for block in powers(1, n):
            where = f"the first block of {block} along axis {axis}" if block > 1 else \
                f"{axis_word(wrong.shape, axis)} 0"
            share = _moved(wrong, wrong.sample - (c - c % block) * stride)
            guesses.append((round(share, 2), dict(
                name="repeated", axis=axis, block=block,
                words=f"All repeats {where}: program id unused?")))
    # Whatever repeats a block repeats its first half not: of equals the last is the largest.
    return _best(guesses[::-1])


def _other_stride(wrong):
    if len(wrong.shape) < 2:
        return []
    n = wrong.shape[-1]
    i, j = wrong.sample // n, wrong.sample % n
    power = 1 << (n - 1).bit_length()
    others = {n + 1, n - 1, power, power // 2, 2 * n, n // 2, wrong.shape[-2]} - {n, 0}
    return _best([(_moved(wrong, i * stride + j), dict(
        name="wrong-stride", stride=stride, expected_stride=n,
        words=f"Rows are addressed with stride {stride} instead of {n}.")) for stride in sorted(others)])


def _permuted(wrong):
    """All the values are there, in an order that none of the other guesses has."""
    if wrong.total > SORTED or wrong.count < FEW * FEW:
        return []
    everywhere = numpy.arange(wrong.total)
    g, w = (at(everywhere).reshape(wrong.shape) for at in (wrong.got_at, wrong.want_at))
    if not _same_when_sorted(wrong, g.ravel(), w.ravel()):
        return []
    for axis, n in enumerate(wrong.shape if len(wrong.shape) > 1 else ()):
        others = tuple(a for a in range(len(wrong.shape)) if a != axis)
        # The largest of a row is its own wherever the row stands.
        if n > 2 and _same_when_sorted(wrong, g.max(others), w.max(others)):
            one = axis_word(wrong.shape, axis)
            return [dict(name="permuted", axis=axis,
                         words=f"Each {one} holds the values of another {one}: their order is wrong.")]
    return [dict(name="permuted", words="All the expected values are there, in another order.")]


def _same_when_sorted(wrong, g, w):
    """As near as makes no difference, and nearer by far than they are as they stand."""
    near = 4 * wrong.eps * numpy.abs(w).max()
    moved = numpy.abs(g - w)[g != w]
    return bool((numpy.abs(numpy.sort(g) - numpy.sort(w)) <= near).all() and len(moved)
                and numpy.median(moved) > 25 * near)


def find(wrong):
    if not _telling(wrong):
        return []
    for look in (_reversed, _transposed, _repeated, _shifted, _other_stride, _permuted):
        found = look(wrong)
        if found:
            return found
    return []
