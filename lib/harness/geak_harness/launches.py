"""Which kernels were launched, and with what: seen from outside the candidate's code.

A launch is written down by its arguments' types and values, so that the compiler's
process can ask Triton for the very same specialisation on any architecture.
"""
import collections
import functools
import math

import torch
import triton
import triton.language as tl
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

MAX_DISTINCT = 64


def encode(value, depth=0):
    """An argument as plain JSON; tensors by dtype, shape, strides and alignment."""
    if isinstance(value, torch.Tensor):
        return {"t": "tensor", "dtype": str(value.dtype).removeprefix("torch."),
                "shape": list(value.shape), "stride": list(value.stride()),
                "aligned": value.data_ptr() % 16 == 0}
    if value is None or isinstance(value, (bool, str)):
        return {"t": "plain", "v": value}
    if isinstance(value, int):
        return {"t": "int", "v": str(int(value))}
    if isinstance(value, float):
        return {"t": "float", "v": value.hex()}
    if isinstance(value, tl.dtype):
        return {"t": "tl", "v": value.name}
    if isinstance(value, torch.dtype):
        return {"t": "dtype", "v": str(value).removeprefix("torch.")}
    if isinstance(value, tl.constexpr):
        return {"t": "constexpr", "v": encode(value.value, depth + 1)}
    if isinstance(value, (list, tuple)) and depth < 8:
        return {"t": "tuple", "v": [encode(v, depth + 1) for v in value]}
    fn = getattr(value, "fn", value)
    if callable(fn) and hasattr(fn, "__qualname__"):
        return {"t": "function", "v": fn.__qualname__}
    if type(value).__name__ == "TensorDescriptor":
        return {"t": "descriptor", "v": [encode(value.base), encode(list(value.shape), depth + 1),
                                         encode(list(value.strides), depth + 1),
                                         encode(list(value.block_shape), depth + 1)]}
    return {"t": "opaque", "v": type(value).__name__}


def _is_constant(fn, name):
    return "constexpr" in str(fn.__annotations__.get(name, ""))


def _kind(argument):
    """What of an argument Triton compiles for: another number may be the same kernel."""
    name, h, constant = argument
    if h["t"] == "tensor":
        return name, h["dtype"], h["aligned"]
    if h["t"] == "int" and not constant:
        n = int(h["v"])
        return name, n == 1, n % 16 == 0, abs(n) < 1 << 31
    return name, "float" if h["t"] == "float" and not constant else repr(h)


def _specialization(launch):
    return [launch["qualname"], launch["line"], launch["tuned"], [_kind(a) for a in launch["args"]]]


class Log:
    """The distinct launches of a process; total counts those that came to their end."""

    def __init__(self):
        self.total = 0
        self.tuning = 0  # depth of autotuned launches that we are inside of
        self._seen = {}
        self._reported = 0

    def add(self, fn, args, kwargs, grid):
        """Writes a launch down; says whether it has any program to run."""
        names = list(fn.__code__.co_varnames[:fn.__code__.co_argcount])
        bound = dict(zip(names, args))
        bound.update((k, v) for k, v in kwargs.items() if k in names)
        if callable(grid):
            grid = grid(bound)
        options = {k: encode(v) for k, v in kwargs.items() if k not in names and v is not None}
        launch = {"kernel": fn.__name__, "qualname": fn.__qualname__, "line": fn.__code__.co_firstlineno,
                  "args": [[k, encode(v), _is_constant(fn, k)] for k, v in bound.items()],
                  "options": options,
                  "tuned": self.tuning > 0}
        grid = [int(g) for g in (grid if isinstance(grid, (list, tuple)) else (grid,))]
        key = repr([_specialization(launch), launch["options"]])
        if key in self._seen:
            self._seen[key]["count"] += 1
        elif len(self._seen) < MAX_DISTINCT or self._make_room(launch):
            self._seen[key] = dict(launch, grid=grid, count=1)
        return math.prod(grid) > 0

    def _make_room(self, launch):
        """No kernel is left out because others were launched in many ways."""
        kernels = [(s["qualname"], s["line"]) for s in self._seen.values()]
        common, times = collections.Counter(kernels).most_common(1)[0]
        if (launch["qualname"], launch["line"]) in kernels or times == 1:
            return False
        del self._seen[[k for k, of in zip(self._seen, kernels) if of == common][-1]]
        return True

    def all(self):
        return list(self._seen.values())


def watch(log):
    """From now on every launch in this process is written to log."""
    if triton.knobs.runtime.interpret:
        from triton.runtime.interpreter import InterpretedFunction as Kernel
    else:
        Kernel = JITFunction
    run = Kernel.run
    tune = Autotuner.run

    @functools.wraps(tune)  # an error message names the function that it was raised in
    def tuned(self, *args, **kwargs):
        log.tuning += 1
        try:
            return tune(self, *args, **kwargs)
        finally:
            log.tuning -= 1

    Autotuner.run = tuned

    @functools.wraps(run)
    def watched(self, *args, grid, warmup, **kwargs):
        works = not warmup and log.add(self.fn, args, kwargs, grid)
        with torch._C.DisableTorchFunction():
            result = run(self, *args, grid=grid, warmup=warmup, **kwargs)
        if works:
            log.total += 1  # only now: one that failed has done no work
        return result

    Kernel.run = watched
