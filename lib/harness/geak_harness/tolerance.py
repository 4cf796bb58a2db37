"""What may a result be off by? Derived from its type, the length of its sums, and how far the
reference is itself from the same in float64.

Let t be the reference's result in float64 and r the one in its own type, both for one tensor;
u the unit roundoff of that type (half the distance from 1 to the next number), w that of the
arithmetic: 2^-24 for everything up to float32, 2^-53 where the result or an argument is float64.
With s = |t| + the mean of |t| over the last dimension an element may be off t by

    max(4 * e * s,  2 * u * |t| + c * w * s) + underflow

- e is the largest |r - t| / s in the tensor, the reference's own error: another honest order of
  the same operations has an error of the same size, four times leaves room for luck.
- 2 u |t|: the result is one of the two numbers of its type beside the true one or the next.
- c = 4 sqrt(n), 32 at least and 1024 at most. A sum of n terms is off by gamma_n = n w / (1 - n w)
  times the sum of their magnitudes at worst (Higham, Accuracy and Stability of Numerical
  Algorithms, 2nd ed., 3.1 and 4.2), and by a small multiple of sqrt(n) w with near certainty
  (Higham and Mary, A new approach to probabilistic rounding error analysis, SIAM J. Sci. Comput.
  41(5), 2019). 32 is for a handful of operations each of which is off by a few units, such as
  a GPU's exp2 and rsqrt; 1024 w = 2^-14 stays below 2^-11, what half precision is off by at once.
- The mean stands for magnitudes that cancel in t: an element near zero among large ones was summed
  of terms as large as theirs.
- underflow: the smallest normal number of the arithmetic, for a GPU may flush what is below, and
  the smallest number of the result's type.

Seen on an H200, where each multiply, exp2 and rsqrt rounds in its own way: the kernels of all
eight tasks, at every size, use at most half of what this allows.

n is not told to us. The longest dimension of a floating-point argument, or the number of its
elements for each element of the result, whichever is more, is taken for it: its root counts.
"""
import math

import torch

from . import compare

OWN = 4                 # times the reference's own error
LEAST, MOST = 32, 1024  # of c
_SINGLE, _DOUBLE = torch.float32, torch.float64
SINGLE, DOUBLE = 2.0**-24, 2.0**-53  # their unit roundoffs
DOUBTFUL = 16           # in u: further off itself, the reference is another function in float64


class Measure:
    """Of one tensor or number in the result: what is true, and by how much one may be off it."""

    def __init__(self, truth, allowed, exact, own_abs, own_rel):
        self.truth = truth        # float64 (or complex128)
        self.allowed = allowed    # float64
        self.exact = exact        # False: truth is the reference's own result
        self.own_abs = own_abs    # the reference's largest errors
        self.own_rel = own_rel


class Unfounded(ValueError):
    """The reference is further off its own float64 result than rounding explains."""


def terms(args, results):
    """n, as above, of results elements made of args."""
    floats = [a for a in args if isinstance(a, torch.Tensor) and a.is_floating_point() and a.numel()]
    return max([1] + [max(*a.shape, 1, a.numel() // max(results, 1)) for a in floats])


def arithmetic(args, dtype):
    """The unit roundoff of what was asked to be computed in."""
    wide = (torch.float64, torch.complex128)
    inputs = any(isinstance(a, torch.Tensor) and a.dtype in wide for a in args)
    return DOUBLE if inputs or dtype in wide else SINGLE


def _sizes(truth):
    """|t|, and s."""
    size = truth.abs()
    size = torch.where(size.isfinite(), size, 0)
    mean = size.mean(dim=-1, keepdim=True) if size.dim() else size
    return size, size + mean


def _largest(x):
    return float(torch.where(x.isfinite(), x, 0).max()) if x.numel() else 0.0


def _measure(want, truth, args, dtype):
    """The Measure of a tensor in float64 that was computed as dtype."""
    info, w = torch.finfo(dtype), arithmetic(args, dtype)
    u = info.eps / 2
    exact = truth is not None
    truth = torch.where(want.isfinite() & truth.isfinite(), truth, want) if exact else want
    size, s = _sizes(truth)
    underflow = info.smallest_normal * info.eps + torch.finfo(_SINGLE if w == SINGLE else _DOUBLE).tiny
    off = (want - truth).abs()
    e = _largest((off - underflow).clamp_min(0) / s)
    if e > max(DOUBTFUL * u, MOST * w):
        raise Unfounded(f"is {e:.1e} relative off the same in float64, more than rounding explains")
    if not exact:
        e = u  # as if it had been rounded once
    c = min(max(LEAST, 4 * math.sqrt(terms(args, want.numel()))), MOST)
    allowed = torch.maximum(OWN * e * s, 2 * u * size + c * w * s) + underflow
    return Measure(truth, allowed, exact, _largest(off), _largest(off / size))


def _as_wide(value):
    """A leaf in float64 or complex128, or None when it is no floating-point number."""
    if isinstance(value, float):
        return torch.tensor(value, dtype=_DOUBLE)
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.double()
    if isinstance(value, torch.Tensor) and value.is_complex():
        return value.to(torch.complex128)
    return None


def _leaf(want, truth, args, stated):
    wide = _as_wide(want)
    if wide is None:
        return None
    truth = _as_wide(truth)
    if truth is not None and (truth.shape, truth.dtype) != (wide.shape, wide.dtype):
        truth = None
    if stated and truth is None:
        return None
    if isinstance(want, torch.Tensor):
        dtype = want.dtype
    else:
        dtype = _SINGLE if arithmetic(args, None) == SINGLE else _DOUBLE
    try:
        return _measure(wide, truth, args, dtype)
    except Unfounded:
        if stated:
            return None
        raise


def measures(want, truth, args, stated):
    """A Measure or None for each leaf of want, in the order of compare.leaves().

    truth is what the reference returned in float64, or None. Where the task states a tolerance
    only what is really known is of use; where it states none, Unfounded may be raised.
    """
    with torch._C.DisableTorchFunction():
        leaves = [w for _, w, _ in compare.leaves(want, want, "")]
        truths = [t for t, _, _ in compare.leaves(truth, want, "")]
        if len(truths) != len(leaves):  # it has another structure
            truths = [None] * len(leaves)
        return [_leaf(w, t, args, stated) for w, t in zip(leaves, truths)]
