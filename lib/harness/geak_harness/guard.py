"""Loads and stores of interpreted kernels are held to the tensors that they start from.

On a GPU an access past the end of a tensor is silent as a rule; in the interpreter it goes to
the judge's own heap. So every pointer remembers the argument it was computed from, and

 - a store outside of that argument's memory, or an atomic one, is an error that says which
   kernel, argument and index: nobody would find it in a corrupted heap;
 - a load there is no error, since kernels exist that never use what they read so, but what it
   brings is poison. A result that depends on it is wrong.

Pointers made of plain integers, as in a table of addresses, are not checked.
"""
import functools
import sys

import numpy
import triton.language as tl
from triton.runtime import interpreter
from triton.runtime.jit import TensorWrapper

from . import poison, wire

_Handle, _Builder = interpreter.TensorHandle, interpreter.InterpreterBuilder
_lowest, _highest = numpy.minimum.reduce, numpy.maximum.reduce
_CARRY = ("create_addptr", "create_splat", "create_broadcast", "create_expand_dims", "create_reshape",
          "create_trans", "create_bitcast", "create_unsplat")


class OutOfBounds(IndexError):
    """A store to where the argument is not."""


class _Memory:
    """The memory of a kernel's argument: a tensor's whole storage, of which it may be a view."""

    def __init__(self, handle, tensor):
        storage = tensor.untyped_storage()
        self.handle, self.tensor = handle, tensor
        self.start = storage.data_ptr()
        self.end = self.start + storage.nbytes()


def _remember_arguments():
    convert = interpreter._implicit_cvt

    @functools.wraps(convert)
    def remembering(arg):
        converted = convert(arg)
        tensor = arg.base if isinstance(arg, TensorWrapper) else arg
        if hasattr(tensor, "untyped_storage"):
            converted.handle.memory = _Memory(converted.handle, tensor)
        return converted

    interpreter._implicit_cvt = remembering


def _carry(name):
    """What is computed from a pointer points into the same memory."""
    make = getattr(_Builder, name)

    @functools.wraps(make)
    def carrying(self, *args):
        # The pointer is the first argument that is a handle; create_splat has its type before it.
        made = make(self, *args)
        memory = args[0].memory if isinstance(args[0], _Handle) else getattr(args[1], "memory", None)
        if memory is not None:
            made.memory = memory
        return made

    setattr(_Builder, name, carrying)


def _carry_blocks(kind):
    materialize = kind.materialize_pointers

    @functools.wraps(materialize)
    def carrying(self, *args):
        pointers, masks = materialize(self, *args)
        pointers.memory = self.base.memory
        return pointers, masks

    kind.materialize_pointers = carrying


def _outside(pointers, mask):
    """Which lanes access what lies outside, or None; cheap where, as nearly always, none does."""
    memory, data = pointers.memory, pointers.data
    if memory is None or not data.size:
        return None
    size = max(1, pointers.get_element_ty().primitive_bitwidth // 8)
    start, last = memory.start, memory.end - size
    if _lowest(data, axis=None) >= start and _highest(data, axis=None) <= last:
        return None
    # Below the start of all addresses or above the last: the mask may say that it is not meant.
    lanes = (data < start) | (data > max(last, 0)) if last >= start else numpy.ones(data.shape, bool)
    lanes &= numpy.broadcast_to(mask.data, data.shape).astype(bool)
    return lanes if lanes.any() else None


def _running():
    """The launch that we are inside of: its GridExecutor, and the arguments by name."""
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code is interpreter.GridExecutor.__call__.__code__:
            return frame.f_locals.get("self"), frame.f_locals.get("args", {})
        frame = frame.f_back
    return None, {}


def _holder(value, memory):
    """Whether an argument, also a descriptor or a tuple of them, is or holds this memory."""
    if isinstance(value, tuple):
        return any(_holder(v, memory) for v in value)
    handle = getattr(value, "handle", None)
    return memory.handle in (handle, getattr(handle, "base", None)) if handle is not None else False


def _sentence(what, pointers, lanes):
    memory = pointers.memory
    executor, args = _running()
    kernel = getattr(getattr(executor, "fn", None), "__name__", "?")
    name = next((k for k, v in args.items() if _holder(v, memory)), "?")
    size = max(1, pointers.get_element_ty().primitive_bitwidth // 8)
    first = int(pointers.data[lanes].reshape(-1)[0])
    index = (first - memory.tensor.data_ptr()) // size
    end = (memory.end - memory.tensor.data_ptr()) // size
    shape = "x".join(map(str, memory.tensor.shape)) or "one value"
    dtype = wire.dtype_name(memory.tensor.dtype)
    where = f"at element {index}, where its memory ends at element {end}" if index >= 0 else \
            f"at element {index}, before its start"
    many = int(lanes.sum())
    more = f", and so do {many - 1} more of its {lanes.size} lanes" if many > 1 else ""
    return f"kernel {kernel} {what} out of bounds of argument {name} ({shape}, {dtype}): {where}, in " \
           f"program {interpreter.interpreter_builder.grid_idx}{more}"


def _refuse(what, pointers, mask):
    lanes = _outside(pointers, mask)
    if lanes is not None:
        raise OutOfBounds(_sentence(what, pointers, lanes))


def _tell(pointers, lanes):
    """Once for each kernel and argument, into the log."""
    sentence = _sentence("loads", pointers, lanes)
    if sentence.split(":")[0] not in (s.split(":")[0] for s in poison.told):
        poison.told.append(sentence)
        print(f"geak-eval: {sentence}; what it reads there is not defined", file=sys.stderr)


def _guard_memory():
    load, store = _Builder.create_masked_load, _Builder.create_masked_store
    rmw, cas = _Builder.create_atomic_rmw, _Builder.create_atomic_cas

    @functools.wraps(load)
    def guarded_load(self, ptrs, mask, other, *args, **kwargs):
        lanes = _outside(ptrs, mask)
        if lanes is None:
            return load(self, ptrs, mask, other, *args, **kwargs)
        _tell(ptrs, lanes)
        inside = numpy.broadcast_to(mask.data, lanes.shape).astype(bool) & ~lanes
        loaded = load(self, ptrs, _Handle(inside, tl.int1), other, *args, **kwargs)
        loaded.data[lanes] = poison.value(loaded.data.dtype)
        return loaded

    @functools.wraps(store)
    def guarded_store(self, ptrs, value, mask, *args, **kwargs):
        _refuse("stores", ptrs, mask)
        return store(self, ptrs, value, mask, *args, **kwargs)

    @functools.wraps(rmw)
    def guarded_rmw(self, op, ptr, val, mask, *args, **kwargs):
        _refuse("adds atomically", ptr, mask)
        return rmw(self, op, ptr, val, mask, *args, **kwargs)

    @functools.wraps(cas)
    def guarded_cas(self, ptr, *args, **kwargs):
        _refuse("exchanges atomically", ptr, _Handle(numpy.ones(1, bool), tl.int1))
        return cas(self, ptr, *args, **kwargs)

    _Builder.create_masked_load, _Builder.create_masked_store = guarded_load, guarded_store
    _Builder.create_atomic_rmw, _Builder.create_atomic_cas = guarded_rmw, guarded_cas


def install():
    """Called once, before any kernel runs."""
    _Handle.memory = None  # of every handle that is no pointer, or one from nowhere
    _remember_arguments()
    for name in _CARRY:
        _carry(name)
    for kind in (interpreter.BlockPointerHandle, interpreter.TensorDescHandle):
        _carry_blocks(kind)
    _guard_memory()
