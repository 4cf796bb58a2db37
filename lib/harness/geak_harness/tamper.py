"""Kernels that do not do their work, for the lint: while one of these is in force, every launch
does nothing, or leaves something wrong in what it wrote to.
"""
import contextlib

import torch
import triton

from . import answers, called, compare


def _kernel_type():
    if triton.knobs.runtime.interpret:
        from triton.runtime.interpreter import InterpretedFunction
        return InterpretedFunction
    return triton.runtime.jit.JITFunction


@contextlib.contextmanager
def _launching(run):
    kernel = _kernel_type()
    real = kernel.run
    kernel.run = lambda self, *args, **kwargs: run(real, self, *args, **kwargs)
    try:
        yield
    finally:
        kernel.run = real


@contextlib.contextmanager
def idle():
    """Launches do nothing, and memory that is not yet written to holds NaN and not, by chance,
    what an earlier run left there."""
    def nothing(real, self, *args, **kwargs):
        return None

    with _launching(nothing):
        torch.use_deterministic_algorithms(True, warn_only=True)
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(False)


def wrong(make):
    """What a launch has written is then made wrong by make, a function of one tensor."""
    def spoil(real, self, *args, **kwargs):
        tensors = [a for a in [*args, *kwargs.values()] if isinstance(a, torch.Tensor)]
        with torch._C.DisableTorchFunction():
            before = [t.clone() for t in tensors]
        out = real(self, *args, **kwargs)
        with torch._C.DisableTorchFunction():
            for t, b in zip(tensors, before):
                if not compare.compare(t, b, called.EXACT, "")["ok"]:
                    t.copy_(answers.each(make, t))
        return out

    return _launching(spoil)
