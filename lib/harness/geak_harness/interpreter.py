"""Triton's interpreter without what it does again and again.

Every launch, and every call of a device function such as tl.sum or tl.cdiv, has Triton look
through the whole of triton.language for what to replace with its interpreted twin: a
millisecond or two, several times a program. Here that is found out once, before the fork,
and replaced once a launch. What a kernel computes stays the same to the bit.

The patches are of Triton 3.6 and 3.7; boot.py says so where they do not fit.
"""
import os
import sys
import tempfile
import types

import torch
import triton.language as tl
from triton.runtime import interpreter

from . import bfloat16, dialect, guard, libdevice, loader, poison, shortcuts, work

_MISSING = interpreter._MISSING


def _index(tensor):
    """Of a loop's bound: numpy 2.4 no longer converts an array of one element, as Triton 3.6 asks it to."""
    return int(tensor.handle.data.item())


def _explained(to_ir):
    """Of float8 as an MI300 has it (fp8e4b8, fp8e5b16) the interpreter says but that it fails."""
    def explained(self, builder):
        try:
            return to_ir(self, builder)
        except ValueError:
            raise NotImplementedError(f"Triton's interpreter has no type {self}: this kernel needs a GPU "
                                      "(geak-eval --device=gpu)") from None
    return explained


class _Replacements:
    """What Triton's own _patch_lang() replaces, as (object, name, original, twin)."""

    def __init__(self):
        def sample():
            pass

        fn = types.FunctionType(sample.__code__, {"tl": tl, "core": tl.core})
        scope = interpreter._patch_lang(fn)
        first, last = {}, {}
        for obj, name, original in scope._changes:
            first.setdefault((id(obj), name), original)
            twin = shortcuts.twin(original) if tl.core.is_builtin(original) else vars(obj)[name]
            if (obj, name) == (tl.dtype, "to_ir"):
                twin = _explained(twin)
            elif name == "__index__":
                twin = _index
            last[id(obj), name] = obj, name, twin
        scope.restore()
        changes = [(obj, name, first[key], twin) for key, (obj, name, twin) in last.items()]
        self._changes = [c for c in changes if not isinstance(c[0], type)]
        self._made = []
        # The twin of every function, by the function's id.
        self.twins = {id(original): twin for _, _, original, twin in changes if callable(original)}
        # Triton's tensors and types are met in kernels alone. They stay replaced: to change a
        # class has Python look up again all that was found in it.
        for obj, name, _, twin in changes:
            if isinstance(obj, type):
                setattr(obj, name, twin)

    def patch(self, fn):
        """Stands for _patch_lang(): nothing to do inside of a launch, where all is replaced."""
        if self._made:
            return _NoScope
        for obj, name, original, twin in self._changes:
            if getattr(obj, name, _MISSING) is original:  # not what the source itself put there
                setattr(obj, name, twin)
                self._made.append((obj, name, original))
        return self

    def restore(self):
        for obj, name, original in self._made:
            if original is _MISSING:
                delattr(obj, name)
            else:
                setattr(obj, name, original)
        self._made.clear()


class _NoScope:
    @staticmethod
    def restore():
        pass


def _rewrite_library():
    """Triton rewrites a device function when it is first called; those of its own library are known."""
    for module in (tl.standard, tl.random):
        for fn in list(vars(module).values()):
            if isinstance(fn, interpreter.InterpretedFunction):
                fn.rewrite()


_KERNEL = """
import triton
import triton.language as tl
@triton.jit
def wake(x, n, B: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
    v = tl.where(i < n, v, float("-inf"))
    v = tl.exp(v - tl.max(v, axis=0)) / tl.cdiv(n, B)
    tl.store(x + i, v / tl.sum(v, axis=0), mask=i < n)
"""


def _wake():
    """Runs a kernel once, for all that Python does the first time that it does it."""
    with tempfile.TemporaryDirectory() as scratch:
        module = loader.load(_KERNEL, "wake", os.path.join(scratch, "wake.py"))
        module.wake[(1,)](torch.zeros(16), 16, B=16)  # what memory held might make numpy warn
        del sys.modules["wake"]


def _wake_torch():
    """What torch looks up the first time that it makes a tensor under a mode, for each way to make one."""
    with work.Torch(lambda *counts: None):
        x = torch.empty(4, 4)
        made = torch.empty_like(x), x.new_empty(4), torch.zeros(4), torch.zeros_like(x), torch.empty_strided((4,), (1,))
        for y in made:
            poison.fill(y)
        torch.equal(x.clone(), x.contiguous())


def prepare():
    """Called once in the zygote; computes nothing, so that no pool of threads is opened."""
    replacements = _Replacements()
    interpreter._patch_lang = replacements.patch
    dialect.install(replacements.twins)
    libdevice.install(dialect.interpreted)
    bfloat16.install()
    _rewrite_library()
    # Tensors on a GPU are copied to the CPU and back; those on the CPU onto themselves, and what
    # only has a data_ptr(), as the compiler asks for, has no storage to be copied.
    interpreter.GridExecutor._init_args_hst = lambda self, args, kwargs: (list(args), kwargs)
    interpreter.GridExecutor._restore_args_dev = lambda self, *args: None
    shortcuts.install()
    guard.install()
    _wake()
    _wake_torch()
