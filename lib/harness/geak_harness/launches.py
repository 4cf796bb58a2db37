"""Which kernels were launched, and with what: seen from outside the candidate's code.

A launch is written down by its arguments' types and values, so that the compiler's
process can ask Triton for the very same specialisation on any architecture.
"""
import contextlib
import functools
import inspect
import json
import math
import os
import textwrap

import torch
import triton
import triton.language as tl
from triton.runtime.autotuner import Autotuner
from triton.runtime.interpreter import FunctionRewriter
from triton.runtime.jit import JITFunction, TensorWrapper

from . import wire, witness

_TORCH_NAMES = {"fp8e5": "float8_e5m2", "fp8e4nv": "float8_e4m3fn", "fp8e5b16": "float8_e5m2fnuz",
                "fp8e4b8": "float8_e4m3fnuz", "int1": "bool", "bf16": "bfloat16", "fp16": "float16",
                "fp32": "float32", "fp64": "float64"}
_PLAIN = frozenset((int, bool, float, str, type(None)))
_PACKAGES = os.path.dirname(os.path.dirname(os.path.realpath(triton.__file__)))


def _as_torch(dtype):
    """torch's name of a type of either, or None where torch has no such type."""
    name = dtype.name if isinstance(dtype, tl.dtype) else wire.dtype_name(dtype)
    name = _TORCH_NAMES.get(name, name)
    return name if hasattr(torch, name) else None


def encode(value, depth=0):
    """An argument as plain JSON; tensors by dtype, shape, strides and alignment."""
    if isinstance(value, torch.Tensor):
        return {"t": "tensor", "dtype": wire.dtype_name(value.dtype),
                "shape": list(value.shape), "stride": list(value.stride()),
                "aligned": value.data_ptr() % 16 == 0}
    if isinstance(value, TensorWrapper) and _as_torch(value.dtype):  # of triton.reinterpret()
        return {**encode(value.base), "dtype": _as_torch(value.dtype)}
    if value is None or isinstance(value, (bool, str)):
        return {"t": "plain", "v": value}
    if isinstance(value, int):
        return {"t": "int", "v": str(int(value))}
    if isinstance(value, float):
        return {"t": "float", "v": value.hex()}
    if isinstance(value, tl.dtype):
        return {"t": "tl", "v": value.name}
    if isinstance(value, torch.dtype):
        return {"t": "dtype", "v": wire.dtype_name(value)}
    if isinstance(value, tl.constexpr):
        return {"t": "constexpr", "v": encode(value.value, depth + 1)}
    if isinstance(value, (list, tuple)) and depth < 8:
        return {"t": "tuple", "v": [encode(v, depth + 1) for v in value]}
    fn = getattr(value, "fn", value)
    if callable(fn) and hasattr(fn, "__qualname__"):
        return {"t": "function", "v": fn.__qualname__, "line": line_of(fn)}
    if type(value).__name__ == "TensorDescriptor":
        return {"t": "descriptor", "v": [encode(value.base), encode(list(value.shape), depth + 1),
                                         encode(list(value.strides), depth + 1),
                                         encode(list(value.block_shape), depth + 1)]}
    return {"t": "opaque", "v": type(value).__name__}


def line_of(fn):
    """Where a function begins; there may be two of one name in a file."""
    return fn.__code__.co_firstlineno if hasattr(fn, "__code__") else 0


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


def _bound(fn, args, kwargs):
    names = _parameters(fn)
    bound = dict(zip(names, args))
    bound.update((k, v) for k, v in kwargs.items() if k in names)
    return bound


def _parameters(fn):
    return fn.__code__.co_varnames[:fn.__code__.co_argcount]


def sizes(fn, grid, args, kwargs):
    """The grid as Triton's compiled kernels have it: a function of it gets the arguments as they
    are passed, those that the kernel gives by default among them."""
    if callable(grid):
        defaults = fn.__defaults__ or ()
        given = zip(reversed(_parameters(fn)), reversed(defaults))
        grid = grid({**dict(given), **_bound(fn, args, kwargs)})
    return tuple(grid) if isinstance(grid, list) else grid


def _written_down(fn, bound, kwargs, grid, tuned):
    """(kernel, key, text) for the witness."""
    options = {k: encode(v) for k, v in kwargs.items() if k not in bound and v is not None}
    launch = {"kernel": fn.__name__, "qualname": fn.__qualname__, "line": line_of(fn),
              "args": [[k, encode(v), _is_constant(fn, k)] for k, v in bound.items()],
              "options": options, "tuned": tuned}
    key = repr([_specialization(launch), options])
    text = json.dumps(dict(launch, grid=grid), default=str, ensure_ascii=False).replace("\\u0000", "\ufffd")
    return f"{fn.__qualname__}:{line_of(fn)}", key, text


def _at_a_glance(fn, bound, kwargs, grid, tuned):
    """Equal for launches that are written down alike; None where only writing down would tell."""
    seen = [fn, tuned, *grid]
    for name, value in (*bound.items(), *kwargs.items()):
        kind = type(value)
        if kind is torch.Tensor:
            seen += name, value.dtype, value.shape, value.stride(), value.data_ptr() % 16
        elif kind in _PLAIN:
            seen += name, kind, value
        else:
            return None
    return tuple(seen)


class Log:
    """Has every launch of this process told to a witness, once watch() has been called, and before it
    what it is given shown to see()."""

    def __init__(self):
        self.tuning = 0  # depth of autotuned launches that we are inside of
        self.begin = self.end = None  # the witness's
        self.see = None


def _kernel_type():
    if triton.knobs.runtime.interpret:
        from triton.runtime.interpreter import InterpretedFunction
        return InterpretedFunction
    return JITFunction


@contextlib.contextmanager
def replaced(launch):
    """Within it launch(run, kernel, *args, **kwargs) stands for every launch, run for the real one."""
    kernel = _kernel_type()
    run = kernel.run
    kernel.run = lambda self, *args, **kwargs: launch(run, self, *args, **kwargs)
    try:
        yield
    finally:
        kernel.run = run


def idle(see=lambda *args, **kwargs: None):
    """Launches do nothing but show what they are given: what is right even so is not the kernels' work."""
    return replaced(lambda run, kernel, *args, **kwargs: see(*args, **kwargs))


def _lines(text):
    return "\n".join(text.splitlines())


def _installed_text(fn):
    """The text of the installed package that a kernel says it is of, as it lies on the disk."""
    path = os.path.realpath(fn.__code__.co_filename)
    if not path.startswith(_PACKAGES + os.sep):
        return ""
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def _not_sent(fn):
    return RuntimeError(f"the text of kernel {fn.__name__} is not in the source that was sent: it was "
                        "changed, or made while it ran")


def _checked_text(fn, source, known):
    """A function's lines, and the first one's number.

    Triton reads them from where the function's code says that they are, once they are needed: that
    must be what came in, or what is installed. Without any, its interpreter would run the code.
    """
    if fn not in known:
        try:
            lines, first = inspect.getsourcelines(fn)
        except Exception as e:  # a file that is gone, or in no known encoding
            raise RuntimeError(f"the text of kernel {fn.__name__} cannot be read: {e}") from None
        text = _lines("".join(lines))
        if text not in _lines(source) and text not in _lines(_installed_text(fn)):
            raise _not_sent(fn)
        known[fn] = lines, first
    return known[fn]


class _Rewriter(FunctionRewriter):
    """Takes the lines that were looked at: to read them again costs time, and they may be others then."""

    def __init__(self, fn, lines, first, **kwargs):
        super().__init__(fn, **kwargs)
        self._lines, self._first = lines, first

    def rewrite_ast(self):
        head = next(i for i, line in enumerate(self._lines) if line.strip().startswith("def "))
        self.filename, self.def_file_lineno = self.fn.__code__.co_filename, self._first + head
        self.def_lineno = self._find_def(self._lines)
        return self._compile_and_exec(self._transform_ast(self._prepare_source(self._lines)))


def _rewriting(kernel, source, known):
    """What the interpreter runs for a function: made of its text, and out of the candidate's reach."""
    rewrite = kernel.rewrite
    made = dict(kernel.rewritten_fn)  # the library's, from before the candidate was there

    @functools.wraps(rewrite)
    def rewriting(self):
        if self.fn not in made:
            text = _checked_text(self.fn, source, known)
            self.rewritten_fn.pop(self.fn, None)
            self.rewriter = _Rewriter(self.fn, *text, **self.kwargs)
            made[self.fn] = rewrite(self)
        return made[self.fn]
    return rewriting


def _parsing(parse, source, known):
    """What the compiler gets of a function, also of one that a kernel calls: Triton has read that when
    the function was made, and it may have been put there for this alone, or changed since."""

    def parsing(self):
        lines, _ = _checked_text(self.fn, source, known)
        if not textwrap.dedent("".join(lines)).endswith(self.src):
            raise _not_sent(self.fn)
        return parse(self)
    return witness.opaque(parsing)


def watch(log, source):
    """From now on launches are told of; returns the code that tells of them."""
    known, written = {}, {}
    kernel = _kernel_type()
    run = kernel.run
    tune = Autotuner.run

    @functools.wraps(tune)  # an error message names the function that it was raised in
    def tuned(self, *args, **kwargs):
        log.tuning += 1
        try:
            return tune(self, *args, **kwargs)
        finally:
            log.tuning -= 1

    Autotuner.run = tuned

    if hasattr(kernel, "rewrite"):  # the interpreter's, for what a kernel calls, too
        kernel.rewrite = _rewriting(kernel, source, known)
    else:
        kernel.parse = _parsing(kernel.parse, source, known)

    def write_down(*launch):
        """Once for all that are alike: a tuner launches a kernel hundreds of times, and goes by how long
        that takes."""
        glance = _at_a_glance(*launch)
        if glance is None:
            return _written_down(*launch)
        if glance not in written:
            written[glance] = _written_down(*launch)
        return written[glance]

    @functools.wraps(run)
    def watched(self, *args, grid, warmup, **kwargs):
        works = False
        if not warmup:
            line = _checked_text(self.fn, source, known)[1]
            grid = sizes(self.fn, grid, args, kwargs)
            shape = [int(n) for n in (grid if isinstance(grid, tuple) else (grid,))]
            works = math.prod(shape) > 0
        with torch._C.DisableTorchFunction():
            if not warmup:
                if log.see:
                    log.see((*args, *kwargs.values()))
                log.begin(*write_down(self.fn, _bound(self.fn, args, kwargs), kwargs, shape, log.tuning > 0))
                if line != line_of(self.fn):  # the grid, say, had it lead to another text of that name
                    raise _not_sent(self.fn)
            result = run(self, *args, grid=grid, warmup=warmup, **kwargs)
        if works:
            log.end()  # only now: one that failed has done no work
        return result

    kernel.run = watched
    return watched.__code__
