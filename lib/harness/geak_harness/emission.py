"""A kernel's IR from Triton's front end, without what is made again and again, or for nobody.

Of most specialisations it only counts that the front end takes them. Their IR is not printed, nor
noted in it where in the source an operation stands, which is a good part of the front end's work.
Triton's own library is parsed once, before the fork, and a text that is compiled for several
specialisations once in all. What the front end accepts, and what it says, stays the same.
"""
import contextlib
import os
import sys
import tempfile

import triton.language as tl
from triton._C.libtriton import ir
from triton.compiler import ASTSource, CompilationError, code_generator, make_backend
from triton.runtime.jit import JITFunction

from . import loader, shortcuts, targets

_context = None


def prepare():
    """Called once in the zygote: an MLIR context is dear to make, and every child has its own copy."""
    global _context
    _context = ir.context()
    ir.load_dialects(_context)
    for name in targets.EXAMPLES:
        with contextlib.suppress(RuntimeError):  # boot.py tells of a backend that is not there
            make_backend(targets.parse(name)).load_dialects(_context)
    shortcuts.install_language(code_generator)
    _parse_once()


def _parse_once():
    """One tree of each text; the code generator changes none."""
    parse, trees = JITFunction.parse, {}

    def parsed(self):
        if self.src not in trees:
            trees[self.src] = parse(self)
        return trees[self.src]

    JITFunction.parse = parsed
    for module in (tl.standard, tl.random):
        for function in vars(module).values():
            if isinstance(function, JITFunction):
                function.parse()


_REDUCES = """
import triton
import triton.language as tl
@triton.jit
def reduces(x, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(x, tl.max(v, axis=0) / tl.sum(v, axis=0))
"""
LEARNED = range(13)  # powers of two: how many values are reduced


def learn(target):
    """Called in the zygote, last: what most kernels take from the library is looked through before the fork."""
    with tempfile.TemporaryDirectory() as scratch:
        kernel = loader.load(_REDUCES, "reduces", os.path.join(scratch, "reduces.py")).reduces
    emitter = Emitter(None)
    emitter.read = False
    for power in LEARNED:
        emitter(ASTSource(kernel, {"x": "*fp32", "B": "constexpr"}, {(1,): 2 ** power}), target)
    del sys.modules["reduces"]


_accepted = {}  # functions of the library, by types and target: what such a function gives


def _visit(self, node):
    """The code generator's, but for locations."""
    if node is None:
        return None
    above, self.cur_node = self.cur_node, node
    try:
        result = getattr(self, "visit_" + type(node).__name__, self.generic_visit)(node)
    except CompilationError:
        raise
    except Exception as e:
        raise CompilationError(self.jit_fn.src, self.cur_node, repr(e)) from None
    self.cur_node = above
    return result


def _define(define, target):
    """The code generator's, but that a function of the library is taken once; then it is only declared."""
    def defining(self, node):
        if self.is_kernel or not self.jit_fn.__module__.startswith("triton.language."):
            return define(self, node)
        key = id(self.jit_fn), self.function_name, target
        if key not in _accepted:
            define(self, node)
            _accepted[key] = self.jit_fn, self.ret_type, self.prototype.ret_types
            return None
        _, self.ret_type, self.prototype.ret_types = _accepted[key]
        self.fn = self.builder.get_or_insert_function(
            self.module, self.function_name, self.prototype.serialize(self.builder), "private", self.noinline)
        return self.module.push_back(self.fn)
    return defining


@contextlib.contextmanager
def _unread(target):
    """For IR that nobody reads. Errors still say where they are, since they look at the tree."""
    generator = code_generator.CodeGenerator
    instead = {"visit": _visit, "visit_FunctionDef": _define(generator.visit_FunctionDef, target),
               "_maybe_set_loc_to_name": lambda *args: None}
    real = {name: getattr(generator, name) for name in instead}
    for name, method in instead.items():
        setattr(generator, name, method)
    try:
        yield
    finally:
        for name, method in real.items():
            setattr(generator, name, method)


def _question(source, target, options):
    """What the front end looks at: types and constants, not how arguments are aligned. None where
    a constant is an object, which may change."""
    constants = [(path, type(v), v) for path, v in source.constants.items()]
    if all(kind in (int, float, bool, str, type(None)) for _, kind, _ in constants):
        return id(source.fn), target, repr(options), tuple(source.signature.items()), tuple(constants)
    return None


class Emitter:
    """Stands in for triton.compile(): what goes in there comes out as IR, and no further."""

    def __init__(self, out):
        self._out = out
        self._taken = set()
        self.read = True     # whether anybody is going to read the IR
        self.emitted = None  # what to say of it

    def __call__(self, source, target=None, options=None, _env_vars=None):
        backend = make_backend(target)
        options = backend.parse_options(dict(options or {}))
        question = _question(source, target, options)
        if self.read or question is None or question not in self._taken:
            with contextlib.nullcontext() if self.read else _unread(target):
                module = source.make_ir(target, options, backend.get_codegen_implementation(options),
                                        backend.get_module_map(), _context)
        self._taken.add(question)
        self.emitted = {}
        if self.read:
            text = str(module).encode()
            self.emitted = {"at": self._out.add(text), "size": len(text), "options": vars(options)}
