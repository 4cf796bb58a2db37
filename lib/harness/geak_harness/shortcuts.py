"""Shorter ways to what Triton's interpreter computes, with the same bits at their end.

A program of a kernel makes hundreds of small objects, and most of its time goes into them:
types by shape, tensors' shapes, calls through layers of wrappers. They are made once.
"""
import dataclasses
import functools

import numpy as np
import triton.language as tl
from triton.language.semantic import TritonSemantic
from triton.runtime import interpreter

core = tl.core


def remember(function):
    """The function of a Triton type, answered from memory: a type's name says all of it."""
    known = {}

    @functools.wraps(function)
    def remembered(dtype):
        try:
            return known[dtype.name]
        except KeyError:
            return known.setdefault(dtype.name, function(dtype))
    return remembered


def _unwrap(*modules):
    """Most of what is asked for its value is a number or a constexpr: those first. modules: who asks."""
    unwrap, plain = core._unwrap_if_constexpr, {int, float, bool, str, type(None), core.dtype, core.tensor}

    def quick(o):
        kind = type(o)
        if kind is core.constexpr:
            return o.value
        return o if kind in plain else unwrap(o)

    for module in (core, *modules):
        module._unwrap_if_constexpr = quick


def _block_types():
    """A block's type by its element's type and shape: what is slow about it is its name."""
    init = core.block_type.__init__
    known = {}

    def quick(self, element_ty, shape):
        sizes = shape.values if isinstance(shape, core.tuple) else shape
        key = (element_ty.name, *sizes)
        try:
            self.shape, self.numel, self.name = known[key]
            self.element_ty = element_ty
        except (KeyError, TypeError):
            init(self, element_ty, shape)
            if all(type(size) is int for size in sizes):
                known[key] = self.shape, self.numel, self.name

    core.block_type.__init__ = quick


def _tensors():
    """A tensor's shape is a tuple of constexprs, the same for every tensor of that shape."""
    init = core.tensor.__init__
    known = {}

    def quick(self, handle, type):
        key = tuple(type.shape.values) if type.is_block() else ()
        try:
            self.shape, self.numel = known[key]
            self.handle, self.type, self.dtype = handle, type, type.scalar
        except KeyError:
            init(self, handle, type)
            known[key] = self.shape, self.numel

    core.tensor.__init__ = quick


def _same_shapes():
    """Blocks of one shape, as most operands are, stay as they are."""
    broadcast = TritonSemantic.broadcast_impl_value

    @functools.wraps(broadcast)
    def quick(self, lhs, rhs):
        left, right = lhs.type, rhs.type
        if left.is_block() and right.is_block() and left.shape.values == right.shape.values:
            return lhs, rhs
        return broadcast(self, lhs, rhs)

    TritonSemantic.broadcast_impl_value = quick


def _products():
    """numpy multiplies large float16 matrices by a loop of its own unless they are converted before."""
    dot = interpreter.InterpreterBuilder.create_dot

    def widened(handle, dtype):
        if handle.data.dtype == np.float16 and dtype == np.float32:
            return interpreter.TensorHandle(handle.data.astype(dtype), tl.float32)
        return handle

    @functools.wraps(dot)
    def quick(self, a, b, d, *args):
        return dot(self, widened(a, d.data.dtype), widened(b, d.data.dtype), d, *args)

    interpreter.InterpreterBuilder.create_dot = quick


def twin(builtin):
    """A builtin of Triton's as the interpreter calls it, without the wrappers in between."""
    function = getattr(builtin, "__wrapped__", builtin)
    semantic = interpreter.interpreter_semantic

    def call(*args, **kwargs):
        kwargs["_semantic"] = semantic
        return function(*args, **kwargs)

    return call


def install_language(*users):
    """What the interpreter and the compiler have in common; users: modules with a name of their own for it."""
    _unwrap(*users)
    _block_types()
    _tensors()
    _same_shapes()


def install():
    """Called once in the zygote with the interpreter, each where what it replaces is there."""
    options = interpreter.interpreter_builder.options
    if options.sanitize_overflow and not options.debug:
        # A check of every addition of integers, thrown away at its end unless in debug mode.
        interpreter.interpreter_builder.options = dataclasses.replace(options, sanitize_overflow=False)
    interpreter._get_np_dtype = remember(interpreter._get_np_dtype)
    install_language()
    _products()
