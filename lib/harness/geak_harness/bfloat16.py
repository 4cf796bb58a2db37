"""Floating-point types that numpy lacks, in Triton's interpreter.

It keeps blocks of bfloat16 as their bits, in uint16, and computes with these as if they were whole
numbers. Here they are widened to float32 before an operation and rounded after it, to nearest even, as
a compiled kernel does. A cast to a shorter type is rounded, too, where the interpreter cuts off, or
loses what rounding carries into the exponent; one to float8 saturates, as a GPU's does.
"""
import functools

import numpy as np
import torch
import triton.language as tl
from triton.runtime import interpreter

_BITS = np.dtype(np.uint16)
_SHORTER = {tl.bfloat16: torch.bfloat16, tl.float8e4nv: torch.float8_e4m3fn, tl.float8e5: torch.float8_e5m2}


def _rounded(data, dtype):
    """The bytes of float32 numbers in one of those types."""
    with torch._C.DisableTorchFunction(), torch._C._DisableTorchDispatch():
        if dtype.itemsize == 1:
            largest = torch.finfo(dtype).max
            data = np.clip(data, -largest, largest)
        return torch.from_numpy(np.ascontiguousarray(data)).to(dtype).view(torch.uint8).numpy()


def _is_short(h):
    return h.data.dtype is _BITS and h.dtype.scalar == tl.bfloat16


def _wide(h):
    if not _is_short(h):
        return h
    return interpreter.TensorHandle((h.data.astype(np.uint32) << 16).view(np.float32), tl.float32)


def _short(data):
    bits = _rounded(data.astype(np.float32), torch.bfloat16).view(_BITS)
    return interpreter.TensorHandle(bits.reshape(data.shape), tl.bfloat16)


def _arithmetic(builder, name, operands):
    """The method computes with the first of its arguments, so many of them."""
    method = getattr(builder, name)

    @functools.wraps(method)
    def widened(self, *args):
        if not any(map(_is_short, args[:operands])):
            return method(self, *args)
        made = method(self, *map(_wide, args[:operands]), *args[operands:])
        return made if made.data.dtype == bool else _short(made.data)  # what was compared is no number

    setattr(builder, name, widened)


def _products(builder):
    dot = builder.create_dot

    @functools.wraps(dot)
    def widened(self, a, b, *rest):
        return dot(self, _wide(a), _wide(b), *rest)

    builder.create_dot = widened


def _casts(builder):
    cast, convert = builder.cast_impl, interpreter._convert_float

    @functools.wraps(cast)
    def casting(self, src, dst_type):
        if dst_type.scalar == tl.bfloat16 and src.dtype.scalar not in (tl.bfloat16, tl.float32):
            return _short(src.data)
        return cast(self, src, dst_type)

    @functools.wraps(convert)
    def converting(data, src, dst, rounding):
        short = _SHORTER.get(dst.scalar)
        if short is None or src.scalar != tl.float32 or rounding == interpreter._ir.ROUNDING_MODE.RTZ:
            return convert(data, src, dst, rounding)
        return _rounded(data, short).view(np.uint16 if short.itemsize == 2 else np.uint8).reshape(data.shape)

    builder.cast_impl, interpreter._convert_float = casting, converting


def install():
    """Called once in the zygote, before what counts and guards the interpreter's work."""
    builder = interpreter.InterpreterBuilder
    for name, operands in (("binary_op", 2), ("unary_op", 1), ("create_fma", 3)):
        _arithmetic(builder, name, operands)
    _products(builder)
    _casts(builder)
    builder.get_bf16 = lambda self, value: _short(np.array([value], dtype=np.float32))
