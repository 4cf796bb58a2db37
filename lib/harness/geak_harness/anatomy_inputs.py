"""Wrong values that the inputs explain: one copied, one left out, one addressed wrongly, too large.

(anatomy_folds.py has what a reduction of a part of them gives.)
"""
import numpy
import torch

from .anatomy_common import FEW, MOSTLY, share_of

MOST = 8


def tensors(inputs):
    """[(name, tensor)] of the first tensors of real numbers among the arguments."""
    return [(f"argument {i}", x) for i, x in enumerate(inputs or ())
            if isinstance(x, torch.Tensor) and x.numel() and not x.is_complex()][:MOST]


def gather(x, coordinates):
    index = tuple(torch.from_numpy(numpy.ascontiguousarray(c)).to(x.device) for c in coordinates)
    return x[index].double().cpu().numpy()


def _here(wrong, x):
    """The values of x that belong to the wrong places, where its shape fits the result's; or None."""
    shape, where = wrong.shape, wrong.where
    lead = len(shape) - x.dim()
    if x.dim() and lead >= 0 and all(n in (1, shape[lead + a]) for a, n in enumerate(x.shape)):
        return gather(x, [c if n > 1 else c * 0 for c, n in zip(where[lead:], x.shape)])
    if x.dim() == 1 and len(x) == shape[0]:  # a number for each row
        return gather(x, where[:1])
    return None


def _varied(values):
    return bool(len(values) >= FEW and (values != values[0]).any() and numpy.isfinite(values).all())


def copied(wrong, args):
    for name, x in args:
        guesses = [(_here(wrong, x), "as it is: the operation is not applied")]
        if x.dim() == 2 and tuple(x.T.shape) == wrong.shape:
            guesses.append((gather(x, wrong.where[::-1]), "transposed, and otherwise untouched"))
        for values, words in guesses:
            if values is not None and _varied(values) and share_of(wrong.g == values) >= MOSTLY:
                return [dict(name="equals-input", argument=name,
                             words=f"The wrong values are {name} {words}.")]
    return []


LEFT_OUT = (
    ("argument-missing", numpy.subtract, "not added, or subtracted once more"),
    ("argument-twice", numpy.add, "added twice, or not subtracted"),
    ("argument-missing", numpy.divide, "not multiplied with, or divided by once more"),
    ("argument-twice", numpy.multiply, "multiplied with twice, or not divided by"),
)


def left_out(wrong, args):
    for name, x in args:
        values = _here(wrong, x)
        if values is None or not _varied(values) or (values == wrong.w).all():
            continue
        for kind, undo, words in LEFT_OUT:
            share = share_of(wrong.fits(undo(wrong.w, values)))
            if share >= MOSTLY:
                return [dict(name=kind, argument=name, share=share, words=f"As if {name} were {words}.")]
    return []


def other_axis(wrong, args):
    """A vector that belongs to the last axis, taken by the index of another."""
    for name, x in args:
        if x.dim() != 1 or len(wrong.shape) < 2 or len(x) != wrong.shape[-1] or len(wrong.g) < FEW:
            continue
        for axis in range(len(wrong.shape) - 1):
            inside = wrong.where[axis] < len(x)
            if inside.mean() < 0.5:
                continue
            due, got = (gather(x, [numpy.where(inside, wrong.where[a], 0)]) for a in (-1, axis))
            guesses = (wrong.w - due + got, wrong.w / due * got)
            if any(share_of(wrong.fits(guess)[inside]) >= MOSTLY for guess in guesses):
                return [dict(name="argument-other-axis", argument=name, axis=axis,
                             words=f"{name} is taken by the index of axis {axis}, not of the last.")]
    return []


def as_contiguous(wrong, args):
    """An input with gaps between its rows, addressed as if it had none."""
    for name, x in args:
        if x.dim() != 2 or tuple(x.shape) != wrong.shape or len(wrong.g) < FEW:
            continue
        gap, n = x.stride(0), x.shape[1]
        if x.stride(1) != 1 or gap <= n:
            continue
        row, column = numpy.divmod(wrong.sample, gap)  # of what stands where it would be without gaps
        inside = column < n
        if inside.mean() < 0.25:
            continue
        guess = wrong.want_at(numpy.where(inside, row * n + column, 0))
        if share_of(wrong.fits(guess)[inside]) >= MOSTLY:
            return [dict(name="wrong-stride", argument=name, stride=n, expected_stride=gap,
                         words=f"{name} has rows {gap} apart, read as if {n}: pass its stride(0).")]
    return []


EXP_LARGEST = 88.7  # exp of more is infinite in float32


def overflow(wrong, args):
    """Inputs too large for an exponential, where the result is not finite."""
    rows = numpy.unique(wrong.where[0][:64])
    for name, x in args:
        if not x.is_floating_point() or x.dim() == 0 or x.shape[0] != wrong.shape[0]:
            continue
        values = x[torch.from_numpy(rows).to(x.device)].double()
        values = values[values.isfinite()]
        largest = float(values.max()) if len(values) else 0.0
        if largest > EXP_LARGEST:
            return [dict(name="overflow", argument=name, largest=largest,
                         words=f"{name} is up to {largest:.4g} there: exp overflows, subtract the maximum.")]
    return []
