"""A kernel's IR from Triton's front end, without what is made again and again, or for nobody.

Of most specialisations it only counts that the front end takes them. Their IR is not printed, nor
noted in it where in the source an operation stands, which is a good part of the front end's work.
Triton's own library is parsed once, before the fork, and a text that is compiled for several
specialisations once in all. What the front end accepts, and what it says, stays the same.
"""
import contextlib

import triton.language as tl
from triton._C.libtriton import ir
from triton.compiler import CompilationError, code_generator, make_backend
from triton.runtime.jit import JITFunction

from . import shortcuts, targets

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


@contextlib.contextmanager
def unlocated():
    """Within it nothing notes where an operation comes from; errors still say it, since they look at the tree."""
    generator = code_generator.CodeGenerator
    visit, name = generator.visit, generator._maybe_set_loc_to_name

    def visiting(self, node):
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

    generator.visit, generator._maybe_set_loc_to_name = visiting, lambda *args: None
    try:
        yield
    finally:
        generator.visit, generator._maybe_set_loc_to_name = visit, name


class Emitter:
    """Stands in for triton.compile(): what goes in there comes out as IR, and no further."""

    def __init__(self, out):
        self._out = out
        self.read = True     # whether anybody is going to read the IR
        self.emitted = None  # what to say of it

    def __call__(self, source, target=None, options=None, _env_vars=None):
        backend = make_backend(target)
        options = backend.parse_options(dict(options or {}))
        with contextlib.nullcontext() if self.read else unlocated():
            module = source.make_ir(target, options, backend.get_codegen_implementation(options),
                                    backend.get_module_map(), _context)
        self.emitted = {}
        if self.read:
            text = str(module).encode()
            self.emitted = {"at": self._out.add(text), "size": len(text), "options": vars(options)}
