"""A kernel's IR from Triton's front end, without what is made again and again, or for nobody.

Of most specialisations it only counts that the front end takes them. Nobody reads their IR, nor is
noted in it where in the source an operation stands, which is a good part of the front end's work.
Triton's own library is parsed once, before the fork, and a text that is compiled for several
specialisations once in all. What the front end accepts, and what it says, stays the same.
"""
import contextlib
import os
import re
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
    for power in LEARNED:
        emitter(ASTSource(kernel, {"x": "*fp32", "B": "constexpr"}, {(1,): 2 ** power}), target)
    del sys.modules["reduces"]


# Loads, stores, arithmetic and reductions of the usual types are lowered everywhere. These
# hang on types: products of matrices, atomics, other people's code, and the rare types.
_BY_TYPE = re.compile(r"tt\.(dot|atomic|extern|elementwise_inline|descriptor|fp_to_fp|histogram|gather)|f8E")
_CALLED = re.compile(r'tt\.call @"?([^"(]+)')
_accepted = {}  # functions of the library, by types and target: what such a function gives
_target = None  # of what is unread


def _is_plain(text):
    """Nothing in a function, nor in what it calls, that is lowered in another way, or not at all, for
    another type."""
    known = {name for _, name, target in _accepted if target == _target}
    return not _BY_TYPE.search(text) and known.issuperset(_CALLED.findall(text))


class _Unread(code_generator.CodeGenerator):
    """For IR that nobody reads. Errors still say where they are, since they look at the tree."""

    def visit(self, node):
        """Without locations."""
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

    def visit_FunctionDef(self, node):
        """A function of the library is taken once, if it is plain; then it is only declared."""
        key = id(self.jit_fn), self.function_name, _target
        if self.is_kernel or not self.jit_fn.__module__.startswith("triton.language."):
            super().visit_FunctionDef(node)
        elif key not in _accepted:
            super().visit_FunctionDef(node)
            if _is_plain(str(self.fn)):
                _accepted[key] = self.jit_fn, self.ret_type, self.prototype.ret_types
        else:
            _, self.ret_type, self.prototype.ret_types = _accepted[key]
            self.fn = self.builder.get_or_insert_function(
                self.module, self.function_name, self.prototype.serialize(self.builder), "private", self.noinline)
            self.module.push_back(self.fn)

    def _maybe_set_loc_to_name(self, *args):
        pass


@contextlib.contextmanager
def _unread(target):
    global _target
    real, code_generator.CodeGenerator = code_generator.CodeGenerator, _Unread
    _target = target
    try:
        yield
    finally:
        code_generator.CodeGenerator = real


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
        self._by_type = set()  # kernels that not every type is lowered in
        self.depth = "ir"      # how far the IR is to be taken
        self.emitted = None    # what to say of it

    def __call__(self, source, target=None, options=None, _env_vars=None):
        backend = make_backend(target)
        options = backend.parse_options(dict(options or {}))

        question = _question(source, target, options)

        def make():
            return source.make_ir(target, options, backend.get_codegen_implementation(options),
                                  backend.get_module_map(), _context)

        self.emitted = {}
        if not self._takes(make, source, target, question):
            text = str(make()).encode()
            self.emitted = {"at": self._out.add(text), "size": len(text), "options": vars(options)}
        elif self.depth == "llvm":
            self.emitted = {"depth": "ir"}
        self._taken.add(question)

    def _takes(self, make, source, target, question):
        """Whether all is known by the front end's taking it, which it does."""
        if self.depth == "object" or (self.depth == "llvm" and id(source.fn) in self._by_type):
            return False
        if self.depth == "ir" and question is not None and question in self._taken:
            return True
        with _unread(target):
            module = make()
        if self.depth == "llvm" and _BY_TYPE.search(str(module)):
            self._by_type.add(id(source.fn))
            return False
        return True
