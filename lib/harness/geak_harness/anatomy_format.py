"""Right but for the number format: rounded, cut off, wrapped round."""
import math

import numpy
import torch

from . import wire
from .anatomy_common import FEW, MOSTLY, share_of


def _through(dtype):
    return lambda values: torch.from_numpy(values).to(dtype).double().numpy()


def _tf32(values):
    bits = values.astype(numpy.float32).view(numpy.uint32)
    return ((bits + 0x1000) & ~numpy.uint32(0x1FFF)).view(numpy.float32).astype(numpy.float64)


FORMATS = (  # what bfloat16 holds, float16 holds too, within its range: the coarser comes first
    ("bfloat16", 2.0 ** -7, _through(torch.bfloat16)), ("float16", 2.0 ** -10, _through(torch.float16)),
    ("tf32", 2.0 ** -10, _tf32), ("float32", 2.0 ** -23, _through(torch.float32)),
)
WHOLE = (("towards zero", numpy.trunc), ("to the nearest", numpy.round), ("down", numpy.floor))


def rounded(wrong):
    usable = numpy.isfinite(wrong.g) & numpy.isfinite(wrong.w)
    if usable.mean() < MOSTLY or len(usable) < FEW or not wrong.dtype.is_floating_point:
        return []
    g, w = wrong.g[usable], wrong.w[usable]
    for name, whole in WHOLE:
        if share_of(g == whole(w)) >= MOSTLY and not (w == numpy.trunc(w)).any():
            return [dict(name="rounded", to="integer",
                         words=f"Rounded {name} to whole numbers: an integer conversion, or // for /.")]
    off = numpy.abs(g - w) / numpy.maximum(numpy.abs(w), 1e-300)
    if numpy.median(off) > 0.1 or not g.any():
        return []
    for name, eps, convert in FORMATS:
        if eps > wrong.eps and share_of(convert(g) == g) >= MOSTLY:
            return [dict(name="rounded", to=name,
                         words=f"Rounded to {name} on the way: keep {wire.dtype_name(wrong.dtype)} up to the store.")]
    if numpy.quantile(off, 0.9) > 0.05:
        return []
    bits = -math.log2(max(float(numpy.median(off)), 1e-16))
    return [dict(name="low-precision", bits=round(bits, 1),
                 words=f"Right to about {bits:.0f} bits (bfloat16 8, float16 11): accumulate in float32.")]


def wrapped(wrong):
    """Equal modulo a power of two: an integer type that is too narrow."""
    usable = numpy.isfinite(wrong.g) & numpy.isfinite(wrong.w)
    less = (wrong.w - wrong.g)[usable]
    if usable.mean() < MOSTLY or len(less) < 2 or (numpy.trunc(wrong.w[usable]) != wrong.w[usable]).any():
        return []
    for k in (32, 16, 8):
        if share_of((less % (1 << k) == 0) & (less != 0)) >= MOSTLY:
            return [dict(name="wrapped", bits=k,
                         words=f"Off by multiples of 2^{k}: an integer of {k} bits overflows.")]
    return []


def undercounted(wrong):
    """Counts of which some are lost, as without atomics."""
    g, w = wrong.g, wrong.w
    if wrong.eps or len(g) < 2 * FEW or wrong.count < wrong.total or not ((0 < g) & (g < w)).all():
        return []
    return [dict(name="undercounted",
                 words="All values are too small: counts are lost in a race, use tl.atomic_add.")]


def inverted(wrong):
    if wrong.count < wrong.total or wrong.total < FEW:
        return []
    return [dict(name="inverted", words="Every truth value is the opposite of the expected one.")]
