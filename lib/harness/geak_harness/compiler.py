"""The compiler's role: the launches that were seen, compiled for every target.

Triton is asked through the kernel's own warm-up, with a driver that names the target, so
signature, constants, alignment and options are those that a launch there would have.
"""
import contextlib
import functools
import math
import time

import triton
import triton.language as tl
from triton.runtime.jit import JITFunction, MockTensor

from . import channel, loader, pretend, suite, targets, wire


class Unbuildable(Exception):
    """Not the candidate's fault: this launch cannot be asked for again."""


class _Tensor(MockTensor):
    def __init__(self, h):
        super().__init__(wire.DTYPES[h["dtype"]], h["shape"])
        self._stride, self._aligned = h["stride"], h["aligned"]

    def stride(self, i=None):
        return tuple(self._stride) if i is None else self._stride[i]

    def data_ptr(self):
        return 0 if self._aligned else 8

    @property
    def ndim(self):
        return len(self.shape)


def _decode(h, functions):
    kind, v = h["t"], h.get("v")
    if kind == "tensor":
        return _Tensor(h)
    if kind == "plain":
        return v
    if kind == "int":
        return int(v)
    if kind == "float":
        return float.fromhex(v)
    if kind == "tl":
        return tl.dtype(v)
    if kind == "dtype":
        return wire.DTYPES[v]
    if kind == "constexpr":
        return tl.constexpr(_decode(v, functions))
    if kind == "tuple":
        return tuple(_decode(x, functions) for x in v)
    if kind == "function" and v in functions:
        return functions[v]
    if kind == "descriptor":
        from triton.tools.tensor_descriptor import TensorDescriptor
        return TensorDescriptor(*(_decode(x, functions) for x in v))
    raise Unbuildable(f"an argument of type {v} cannot be rebuilt for the compiler")


def _collect(functions):
    """Remembers every jitted function that is made from now on."""
    init = JITFunction.__init__

    @functools.wraps(init)
    def collecting(self, fn, *args, **kwargs):
        init(self, fn, *args, **kwargs)
        functions[fn.__qualname__] = self

    JITFunction.__init__ = collecting


@contextlib.contextmanager
def _no_launches():
    """A module that launches kernels while it is loaded has had its run; here nothing can run."""
    run = JITFunction.run
    JITFunction.run = lambda self, *args, **kwargs: None
    try:
        yield
    finally:
        JITFunction.run = run


def _text(asm, *names):
    for name in names:
        if name in asm:
            return asm[name] if isinstance(asm[name], bytes) else asm[name].encode()
    return b""


def _compile_one(kernel, launch, functions, out):
    args = {k: _decode(h, functions) for k, h in launch["args"]}
    options = {k: _decode(h, functions) for k, h in launch["options"].items()}
    kernel.device_caches.clear()  # or Triton would hand out another target's result
    start = time.monotonic()
    compiled = kernel.warmup(grid=(1,), **args, **options)
    ms = (time.monotonic() - start) * 1e3
    if hasattr(compiled, "result"):
        compiled = compiled.result()
    asm = compiled.asm
    code = _text(asm, "hsaco", "cubin")
    listing = _text(asm, "amdgcn", "ptx")
    meta = compiled.metadata
    return {"ok": True, "ms": round(ms, 3), "size": len(code), "at": out.add(code),
            "asm_at": out.add(listing), "asm_size": len(listing),
            "shared": int(getattr(meta, "shared", 0)),
            "threads": int(meta.num_warps) * int(meta.target.warp_size)}


def _check_names(functions):
    """Names of triton.language that a kernel uses and that do not exist: told without a launch."""
    import ast
    for jit in functions.values():
        scope = jit.fn.__globals__
        for node in ast.walk(jit.parse()):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) \
                    and scope.get(node.value.id) is tl and not hasattr(tl, node.attr):
                raise AttributeError(f"module 'triton.language' has no attribute '{node.attr}' "
                                     f"(in kernel {jit.fn.__name__})")


def _describe(launch):
    """A specialisation in a few words: types of the arguments, then constants."""
    def word(h):
        if h["t"] == "tensor":
            return "*" + h["dtype"]
        if h["t"] == "float":
            return "float"
        return str(h.get("v"))
    words = [f"{k}={word(h)}" for k, h in launch["args"]]
    words += [f"{k}={word(h)}" for k, h in launch["options"].items()]
    return ", ".join(words)[:500]


def _size(launch):
    """How much a launch works on, to choose the one that stands for its kernel."""
    elements = [math.prod(h["shape"]) for _, h in launch["args"] if h["t"] == "tensor"]
    return sum(elements) + math.prod(launch["grid"])


def _plan(names, launches):
    """Every specialisation for the first target, which decides; for the others each kernel's largest."""
    yield from ((names[0], launch) for launch in launches)
    largest = {}
    for launch in launches:
        best = largest.get(launch["qualname"])
        if best is None or _size(launch) > _size(best):
            largest[launch["qualname"]] = launch
    yield from ((name, launch) for name in names[1:] for launch in largest.values())


def run(ch, request):
    """Compiles request["launches"] for request["targets"]; a message for each, then done."""
    functions = {}
    out = channel.Writer(channel.OUTPUTS_FD)
    names = request["targets"]
    primary = targets.parse(names[0])
    pretend.install(primary, targets.properties(primary))
    _collect(functions)
    try:
        with _no_launches():
            source = request["source"]
            if request["harness"] in suite.HARNESSES:
                source = suite.strip_tests(source)
            loader.load(source, "candidate", "candidate.py")
        if not request["launches"]:
            _check_names(functions)  # a launched kernel is compiled; of others a slip may be dead code
    except BaseException as e:  # also SystemExit: whatever a module does while it is loaded
        ch.send(error=loader.describe(e), stage="import")
        return
    ch.send(kernels=sorted(functions))
    for name, launch in _plan(names, request["launches"]):
        target = targets.parse(name)
        triton.runtime.driver.active.get_current_target = lambda t=target: t
        report = {"target": name, "kernel": launch["kernel"], "specialization": _describe(launch)}
        if launch["tuned"]:
            report["tuned"] = True
        kernel = functions.get(launch["qualname"])
        try:
            if kernel is None:
                raise Unbuildable("the kernel is made while the entry runs, not when the module is "
                                  "loaded; define it at the top of the file to see its figures")
            report.update(_compile_one(kernel, launch, functions, out))
        except Unbuildable as e:
            report["skipped"] = str(e)
        except BaseException as e:  # heuristics are the candidate's code and may raise anything
            report.update(ok=False, error=loader.describe(e))
        ch.send(compiled=report)
    ch.send(done=True)
