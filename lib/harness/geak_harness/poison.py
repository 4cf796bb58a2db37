"""Memory that nobody has written yet holds poison, so that no old answer can lie in it.

A result that depends on it is the same in every run, and plainly wrong. A second run with
other poison tells which results do depend on it.

Not so in a call that is timed: to fill memory is work on the device, and none of the kernel's.
"""
import contextlib

import numpy
import torch
from torch.overrides import TorchFunctionMode

UNWRITTEN = {torch.empty, torch.empty_like, torch.empty_strided, torch.Tensor.new_empty,
             torch.Tensor.new_empty_strided}

told = []  # sentences on what was read from outside of a kernel's arguments
_other = False
_mode = None


def use_other(other):
    """From now on it is the other poison, or the first one again."""
    global _other
    _other = other


class Poison(TorchFunctionMode):
    """While it is active, on a GPU; where one is only pretended, that mode does the same."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        return fill(result) if func in UNWRITTEN else result


def install():
    """From now on, in all that is called here."""
    global _mode
    _mode = Poison()
    _mode.__enter__()


@contextlib.contextmanager
def suspended():
    """Within it memory is as torch gives it."""
    if _mode is None:
        yield
        return
    _mode.__exit__(None, None, None)
    try:
        yield
    finally:
        _mode.__enter__()


def fill(tensor):
    """NaN, or the largest number, in every element; zeros when it is the other poison.

    With all its bits set it is not the NaN that arithmetic makes: anatomy.py knows it again.
    """
    if tensor.numel() and tensor.device.type != "meta":
        if _other:
            tensor.zero_()
        elif (tensor.is_floating_point() or tensor.is_complex()) and tensor.dtype.itemsize > 1:
            tensor.untyped_storage().fill_(255)
        elif tensor.is_floating_point():
            tensor.fill_(float("nan"))
        elif tensor.dtype != torch.bool:
            tensor.fill_(torch.iinfo(tensor.dtype).max)
    return tensor


def value(dtype):
    """The same for one number of a numpy type; the largest number's bits are a NaN to bfloat16 and float8."""
    if _other:
        return dtype.type(0)
    if dtype.kind == "f":
        return numpy.frombuffer(b"\xff" * dtype.itemsize, dtype)[0]
    return dtype.type(dtype == bool or numpy.iinfo(dtype).max)


def may_be_in(result):
    """Whether a result holds what poison looks like."""
    if isinstance(result, (list, tuple)):
        return any(map(may_be_in, result))
    if isinstance(result, dict):
        return any(map(may_be_in, result.values()))
    if not isinstance(result, torch.Tensor) or result.dtype == torch.bool:
        return False
    if result.is_floating_point() or result.is_complex():
        return bool(result.isnan().any())
    return bool((result == torch.iinfo(result.dtype).max).any())
