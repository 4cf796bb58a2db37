"""The builder's role: machine code from a kernel's IR. It never sees the candidate's source.

What Triton does between its front end and the code object is done here stage by stage,
without its cache: every request is answered from the IR it names and nothing else.
"""
import contextlib
import ctypes
import os
import subprocess
import time

import triton
from triton._C.libtriton import ir, llvm
from triton.compiler import make_backend

from . import channel, loader, targets

IRS_FD = channel.INPUTS_FD
CONTEXT_SERVES = 64  # kernels; then MLIR's context, which only grows, is made anew
HEAP_KEPT = 256 << 20  # bytes
KNOWN_MAX = 256      # answers kept: models write the same kernel under many a comment

try:
    from triton.compiler.compiler import Language
except ImportError:  # where a backend asks for none
    Language = None


class Forged(Exception):
    """The candidate's code had its way with the front end."""


class _Context:
    """An MLIR context is dear to make and may serve many modules."""

    def __init__(self):
        self._made, self._served = None, 0

    def get(self, backend):
        if self._made is None or self._served >= CONTEXT_SERVES:
            self._made, self._served = ir.context(), 0
            ir.load_dialects(self._made)
        backend.load_dialects(self._made)
        self._served += 1
        return self._made


def _tuples(value):
    return tuple(_tuples(v) for v in value) if isinstance(value, list) else value


def _options(backend, said):
    """The options of a launch. Names of files are no business of whoever sent them."""
    chosen = {k: _tuples(v) for k, v in said.items() if k not in ("extern_libs", "arch")}
    return backend.parse_options(chosen)


def _text(results, *names):
    for name in names:
        if name in results:
            return results[name] if isinstance(results[name], bytes) else str(results[name]).encode()
    return b""


def _lower(text, name, target, options, depth, contexts):
    """Every stage's result by name, and what the stages noted on the way."""
    backend = make_backend(target)
    options = _options(backend, options)
    with open("kernel.ttir", "wb") as f:
        f.write(text)
    context = contexts.get(backend)
    module = ir.parse_mlir_module("kernel.ttir", context)
    module.context = context
    if name and name not in module.get_entry_func_name():
        raise Forged(f"the front end gave the code of {module.get_entry_func_name()} for kernel {name}")
    stages, noted = {}, {"hash": "", "target": target, **vars(options)}
    backend.add_stages(stages, options, Language.TRITON if Language else None)
    results = {}
    for name, stage in stages.items():
        module = results[name] = stage(module, noted)
        if depth == "llvm" and name == "llir":
            break
    return results, noted


class _WithoutOptimizer:
    """Lowering alone tells whether a kernel can be lowered; most of the time goes into optimizing."""

    def __enter__(self):
        self._real, llvm.optimize_module = llvm.optimize_module, lambda *args, **kwargs: None

    def __exit__(self, *exc):
        llvm.optimize_module = self._real


def _disassembled(cubin):
    """NVIDIA's machine code in words, by the tool that Triton has with it; nothing where it has none."""
    with open("kernel.cubin", "wb") as f:
        f.write(cubin)
    try:
        command = [triton.knobs.nvidia.nvdisasm.path, "-c", "kernel.cubin"]
        return subprocess.run(command, capture_output=True, check=True).stdout
    except (AttributeError, OSError, RuntimeError, subprocess.CalledProcessError):
        return b""


def _build(text, request, contexts):
    target = targets.parse(request["target"])
    start = time.monotonic()
    if request["depth"] == "llvm":
        with _WithoutOptimizer():
            _lower(text, request.get("kernel"), target, request["options"], "llvm", contexts)
        return {"ms": round((time.monotonic() - start) * 1e3, 3)}, b"", b"", b""
    results, noted = _lower(text, request.get("kernel"), target, request["options"], "object",
                            contexts)
    told = {"ms": round((time.monotonic() - start) * 1e3, 3), "shared": int(noted.get("shared") or 0),
            "threads": int(noted["num_warps"]) * int(target.warp_size)}
    words = _disassembled(results["cubin"]) if request.get("words") and "cubin" in results else b""
    return told, _text(results, "hsaco", "cubin"), _text(results, "amdgcn", "ptx"), words


def _keep_heap():
    """LLVM frees for each kernel what it takes again for the next: glibc need not give it back between."""
    trim_threshold, mmap_threshold = -1, -3  # of <malloc.h>
    with contextlib.suppress(AttributeError):  # another libc has no mallopt()
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(mmap_threshold, 32 << 20)
        mallopt(trim_threshold, HEAP_KEPT)


def run(ch, request):
    """Answers one request after the other, until the keeper has no more."""
    _keep_heap()
    triton.knobs.compilation.disable_line_info = True  # there is no file that a line could be of
    for name in ("translate_to_mir", "dump_sched_dag"):  # AMD's back end makes both for the dump alone
        if hasattr(llvm, name):
            setattr(llvm, name, lambda *args: None)
    contexts, known = _Context(), {}
    while (request := ch.receive()) is not None:
        text = os.pread(IRS_FD, request["size"], request["at"])
        key = (text, request["target"], request["depth"], repr(request["options"]), request.get("kernel"),
               request.get("words"))
        try:
            if key not in known:
                if len(known) >= KNOWN_MAX:
                    known.clear()
                known[key] = _build(text, request, contexts)
            answer, code, listing, words = known[key]
            out = channel.Writer(channel.OUTPUTS_FD)
            ch.send(built={**answer, "at": out.add(code), "size": len(code),
                           "asm_at": out.add(listing), "asm_size": len(listing),
                           "words_at": out.add(words), "words_size": len(words)})
        except Exception as e:
            ch.send(built={"error": loader.describe(e)})
