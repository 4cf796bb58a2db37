"""What the parts of the anatomy share: how much must fit, and what things are called."""
import numpy

MOSTLY = 0.9    # of the wrong values, what a pattern must explain to be told
FEW = 4         # with fewer wrong values chance explains them as well


def share_of(mask):
    return float(numpy.mean(mask)) if len(mask) else 0.0


def of(share):
    """How a sentence about so many of the wrong values begins."""
    return "All" if share == 1 else f"{100 * share:.0f} % of the"


def powers(lowest, below):
    """The powers of two from lowest on, below a bound."""
    return [1 << k for k in range(lowest.bit_length() - 1, 32) if 1 << k < below]


def axis_word(shape, axis):
    """What an index of this axis is called."""
    if len(shape) == 1:
        return "element"
    if len(shape) == 2:
        return "row" if axis == 0 else "column"
    return f"place along axis {axis}"


def has_positive(wrong):
    """Elsewhere in the result there are positive values, so that the sign matters."""
    index = numpy.random.default_rng(1).integers(0, wrong.total, 256)
    return bool((wrong.want_at(index) > 0).any())
