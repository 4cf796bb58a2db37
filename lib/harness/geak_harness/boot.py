"""What a zygote imports once, and how its children start on a role.

A zygote must not compute: a pool of threads that was opened before the fork can hang the
child. Importing, and compiling one kernel to wake the compiler, is all that happens here.
"""
import contextlib
import ctypes
import gc
import importlib
import math
import os
import signal
import sys
import tempfile
import traceback

from . import bytecode

gc.disable()  # until all is imported: it would look through what stays anyway, time and again
bytecode.keep_in(os.environ.pop("GEAK_BYTECODE", None))

import numpy.random  # each child would, by itself
import torch
import triton

from . import baseline, builder, candidate, channel, emission, frontend, gpus, lint, loader, oracle, \
    pretend, probe, profiler, targets, versions

torch.set_num_threads(1)

_KERNEL = """
import triton
import triton.language as tl
@triton.jit
def wake(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
    v = tl.exp(v - tl.max(v, axis=0)) / tl.sum(v, axis=0)
    for k in range(0, tl.cdiv(n, B)):
        m = tl.zeros([16, 16], dtype=tl.float32)
        m += tl.dot(m.to(tl.float16), m.to(tl.float16))
        v += tl.sum(tl.sum(m, axis=1), axis=0) + tl.minimum(tl.min(v, axis=0), tl.sigmoid(v))
    v = tl.where(v > 0, tl.sqrt(tl.abs(v)), tl.full([B], 1.0, tl.float32)) + tl.argmax(v, axis=0)
    tl.store(x + i, v.to(x.dtype.element_ty), mask=i < n)
"""


def _in_a_line(error):
    """Whatever the compiler has to say."""
    return (" ".join(str(error).split()) or type(error).__name__)[:1000]


def _complain(what, error):
    print(f"geak-eval: {what}: {_in_a_line(error)}", file=sys.stderr)


@contextlib.contextmanager
def _silence():
    """What a compiler that fails prints of its insides is of use to nobody who did not write it."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def wake_compiler(names, first_decides):
    """One dummy kernel for each backend of the targets, so that a child finds the compiler awake. When
    nothing can be compiled for the target that decides, no kernel is to blame: that is an error."""
    from triton.compiler import ASTSource
    # Results go into folders that end with the process: their keys need not name Triton's own files,
    # which would all be read for it.
    triton.runtime.cache.triton_key = lambda: triton.__version__
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["TRITON_CACHE_DIR"] = scratch
        module = loader.load(_KERNEL, "wake", os.path.join(scratch, "wake.py"))
        signature = {"x": "*fp32", "n": "i32", "B": "constexpr"}
        for name in {targets.parse(name).backend: name for name in reversed(names)}.values():
            source = ASTSource(module.wake, signature, {(2,): 64})
            try:
                with _silence():
                    triton.compile(source, target=targets.parse(name))
            except Exception as e:
                if first_decides and name == names[0]:
                    raise ValueError(f"triton {triton.__version__} cannot compile for {name}, the first of "
                                     f"the targets ({_in_a_line(e)}); see --targets") from None
                _complain(f"triton cannot compile for {name} here", e)
        del sys.modules["wake"]


def _wake_driver():
    """What is needed on a GPU alone.

    torch imports its symbolic shapes in the middle of some operations, to differentiate or to take a
    norm: where no compiled files lie beside the modules, that is three seconds in each child.

    What Triton launches with is a module in C that it has a compiler build, for every cache
    folder: that takes most of a second, and no child has a folder of another's. Built and loaded
    here, the children have it; it opens no device.
    """
    drivers = (("/dev/kfd", "amd", "HIPUtils"), ("/dev/nvidiactl", "nvidia", "CudaUtils"))
    for node, backend, name in drivers:
        if not os.path.exists(node):
            continue
        importlib.import_module("torch.fx.experimental.symbolic_shapes")
        try:
            utils = getattr(importlib.import_module(f"triton.backends.{backend}.driver"), name)
            with tempfile.TemporaryDirectory() as scratch:
                os.environ["TRITON_CACHE_DIR"] = scratch
                utils()                           # there is one only: it makes itself anew each time
            utils.__init__ = lambda self: None
        except Exception as e:
            _complain(f"triton's driver for {node} cannot be built here", e)


def _settle():
    """Takes what is imported out of the collector's sight: a child that looked through it would
    write to every page of it, and so have a copy of each. What is garbage by now stays, a few
    thousand small objects; to find them takes a tenth of the start."""
    bytecode.keep_no_more()
    gc.freeze()
    gc.enable()


def start_interpreter(names=None):
    """Called once in the zygote with Triton's interpreter; the keeper gets the versions.

    names: the targets, with commas between, where the first one's GPU is to be pretended.
    """
    try:
        from . import interpreter  # only here: it is found by what TRITON_INTERPRET makes of triton
        interpreter.prepare()
    except AttributeError as e:
        raise ImportError(f"the interpreter of triton {triton.__version__} is none that geak-eval knows "
                          f"({e}); install triton 3.6 or 3.7") from e
    if names:
        pretend.install(targets.parse(names.split(",")[0]))
    _settle()
    return versions.versions()


def start_compiler(names=None):
    """Called once in the zygote with Triton's compiler; names as above."""
    emission.prepare()
    with gpus.uncounted():
        wake_compiler(names.split(",") if names else targets.EXAMPLES, first_decides=bool(names))
        _wake_driver()
        if "GEAK_COMPILE" in os.environ:
            baseline.import_compiler()
    if names:
        first = targets.parse(names.split(",")[0])
        emission.learn(first)
        pretend.install(first)
    _settle()
    return versions.versions()


ROLES = {"oracle": oracle.run, "candidate": candidate.run, "frontend": frontend.run,
         "builder": builder.run, "probe": probe.run, "lint": lint.run, "profiler": profiler.run}


_prctl = ctypes.CDLL(None).prctl  # found before the fork


def _call_yourself(role):
    """What ps shows: geak-oracle, geak-candidate…"""
    _prctl(15, f"geak-{role}".encode())  # PR_SET_NAME


def _wait(ch, request):
    """A spare's part, see domain/spare.h: the request that comes when it is needed, or None.

    The lock of a turn on the GPU lies at INPUTS_FD, where the first piece of memory will be: the turn
    lasts until it is warm, or ended by the alarm.
    """
    signal.alarm(math.ceil(request["patience"]))
    gpus.warm_up(request)
    os.dup2(channel.EXTRA_FD, channel.INPUTS_FD)
    signal.alarm(0)
    ch.send(warm=True)
    ch.take_memory()
    return ch.receive()


def child():
    """Called in a fork of a zygote: one request, one role, then the process ends."""
    ch = channel.Channel()
    request = ch.receive()
    if request is None:
        return
    _call_yourself(request["role"])
    folder = os.getcwd()  # the box has put us there
    for name in ("HOME", "TMPDIR"):
        os.environ[name] = folder
    os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "triton")
    tempfile.tempdir = None
    numpy.random.seed(int.from_bytes(os.urandom(4), sys.byteorder))  # not as in all other children
    try:
        gpus.choose(request)
        if request["role"] == "spare":
            request = _wait(ch, request)
            if request is None:
                return
            _call_yourself(request["role"])
        ROLES[request["role"]](ch, request)
    except BaseException:  # a SystemExit, say, would have CPython end the process by itself
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
