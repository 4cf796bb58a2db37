"""The front end's role: the launches that were seen, as Triton's IR for every target; and
the entry once more, with launches that do nothing.

Triton is asked through the kernel's own warm-up, with a driver that names the target, so
signature, constants, alignment and options are those that a launch there would have. What
is made of the IR is the builder's business, where no code of the candidate's runs.
"""
import functools

import torch
import triton
import triton.language as tl
from triton.runtime.jit import JITFunction, MockTensor

from . import candidate, channel, emission, handed, launches, loader, pretend, suite, targets, wire


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
    if kind == "function" and (v, h["line"]) in functions:
        return functions[v, h["line"]]
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
        functions[fn.__qualname__, launches.line_of(fn)] = self

    JITFunction.__init__ = collecting


def _emit(kernel, launch, depth, functions, emitter):
    args = {k: _decode(h, functions) for k, h, _ in launch["args"]}
    options = {k: _decode(h, functions) for k, h in launch["options"].items()}
    kernel.device_caches.clear()  # or Triton would take another target's result
    emitter.depth, emitter.emitted = depth, None
    kernel.warmup(grid=(1,), **args, **options)
    if emitter.emitted is None:
        raise Unbuildable("Triton did not compile this kernel, nor refuse to")
    return emitter.emitted


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
    words = [f"{k}={word(h)}" for k, h, _ in launch["args"]]
    words += [f"{k}={word(h)}" for k, h in launch["options"].items()]
    return ", ".join(words)[:500]


def _emit_planned(ch, planned, request, functions, emitter):
    """One entry of the plan. False when its kernel is not there (yet)."""
    of, entry = planned
    launch = request["launches"][entry["launch"]]
    kernel = functions.get((launch["qualname"], launch["line"]))
    if kernel is None:
        return False
    target = targets.parse(entry["target"])
    triton.runtime.driver.active.get_current_target = lambda: target
    words = _describe(launch)
    try:
        ch.send(of=of, specialization=words, **_emit(kernel, launch, entry["depth"], functions, emitter))
    except Unbuildable as e:
        ch.send(of=of, specialization=words, skipped=str(e))
    except BaseException as e:  # heuristics are the candidate's code and may raise anything
        ch.send(of=of, specialization=words, failed=loader.describe(e))
    return True


def _ablate_called(request, module, out, seen):
    entry = candidate.entry_of(module, request, "cpu")
    for case in request["cases"]:
        if case["kind"] == "time":
            continue
        view = channel.private_view(channel.INPUTS_FD)
        args = wire.unpack(case["inputs"], view)
        seen.start(args)
        try:
            result = entry(case, view)(*args)
            with torch._C.DisableTorchFunction():
                left = {"result": wire.pack(result, out.add), "args": wire.pack(args, out.add)}
        except Exception:  # without what its kernels would have written it cannot go on
            left = {"failed": True}
        with torch._C.DisableTorchFunction():
            yield case["name"], {**left, "handed": seen.pack(out.add)}


def _ablate(ch, request, module):
    """The entry's results when its launches do nothing, poison where nothing was written."""
    out = channel.Writer(channel.OUTPUTS_FD)
    seen = handed.Handed()
    with launches.idle(seen.see):
        if request["harness"] not in suite.HARNESSES:
            results = _ablate_called(request, module, out, seen)
        elif "tests" in request:
            results = suite.ablated(request, out)
        else:
            return
        for name, result in results:
            ch.keep(ablated=name, **result)


def run(ch, request):
    functions = {}
    pretend.install(targets.parse(request["targets"][0]))
    _collect(functions)
    emitter = emission.Emitter(channel.Writer(channel.EXTRA_FD))
    try:
        with launches.idle():  # a module that launches kernels while it is loaded has had its run
            source = request["source"]
            if request["harness"] in suite.HARNESSES:
                source = suite.strip_tests(source)
            module = loader.load(source, "candidate", loader.SOURCE)
        if not request["launches"]:
            _check_names(functions)  # a launched kernel is compiled; of others a slip may be dead code
    except BaseException as e:  # also SystemExit: whatever a module does while it is loaded
        ch.send(error=loader.describe(e), stage="import")
        return
    compile_for_real, triton.compiler.compile = triton.compiler.compile, emitter
    left = [p for p in enumerate(request["plan"])
            if not _emit_planned(ch, p, request, functions, emitter)]
    triton.compiler.compile = compile_for_real
    if not left:
        ch.send(emitted=True)
    try:
        _ablate(ch, request, module)
    except BaseException:  # as good as a failure in every case: nothing is claimed for it
        pass
    if left:
        _emit_late(ch, left, request, functions, emitter)
    ch.send(done=True)


def _emit_late(ch, left, request, functions, emitter):
    """Kernels that were made while the entry ran, not when the module was loaded."""
    triton.compiler.compile = emitter
    for planned in left:
        if not _emit_planned(ch, planned, request, functions, emitter):
            launch = request["launches"][planned[1]["launch"]]
            ch.send(of=planned[0], specialization=_describe(launch),
                    skipped="the kernel is made while the entry runs, and was not made when it ran "
                            "once more; define it at the top of the file to see its figures")
    ch.send(emitted=True)
