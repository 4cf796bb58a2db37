"""Where Triton's interpreter takes a kernel's Python otherwise than Triton's compiler does.

The compiler is right: what it accepts runs here too, and means the same.

 - `a and b`, `a or b`, `not a` of blocks work element by element; to Python a block is true.
 - A builtin may have been imported by its name, and a constexpr be annotated by a string.
 - A float that is passed to a kernel is a float32 there, not a constant of the source.
 - A grid may be a list; a function of it gets what was passed, not what it is converted to.
"""
import ast
import functools

import numpy as np
import triton.language as tl
from triton.runtime import interpreter

from . import launches


def interpreted(builtin):
    """A builtin of Triton's as the interpreter can call it."""

    @functools.wraps(builtin)
    def call(*args, **kwargs):
        kwargs["_semantic"] = interpreter.interpreter_semantic
        return builtin(*args, **kwargs)

    for name in ("__triton_builtin__", "__wrapped__"):  # copied by wraps(): to Triton it is none
        call.__dict__.pop(name, None)
    return call


def _is_block(value):
    return isinstance(value, tl.tensor) and value.type.is_block()


def _logic(conjunction, *parts):
    """`and` (or `or`) of parts, each a function, as the compiler understands it."""
    value = parts[0]()
    for part in parts[1:]:
        if _is_block(value):
            value = value.logical_and(part()) if conjunction else value.logical_or(part())
        elif bool(value) == conjunction:
            value = part()
        else:
            return value
    return value


def _negation(value):
    return value.__not__() if _is_block(value) else not value


class _Logic(ast.NodeTransformer):
    def _call(self, node, name, args):
        return ast.copy_location(ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=args, keywords=[]), node)

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        none = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        parts = [ast.copy_location(ast.Lambda(args=none, body=v), v) for v in node.values]
        return self._call(node, "geak_logic", [ast.Constant(isinstance(node.op, ast.And)), *parts])

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            return self._call(node, "geak_negation", [node.operand])
        return node


class _Transformer(interpreter.ASTTransformer):
    def visit_Module(self, node):
        return self.generic_visit(_Logic().visit(node))


def _rewrite_names(twins):
    rewrite = interpreter.InterpretedFunction.rewrite

    @functools.wraps(rewrite)
    def rewriting(self):
        if self.fn not in self.rewritten_fn:
            names = self.fn.__globals__
            for name, value in list(names.items()):
                if id(value) in twins:
                    names[name] = twins[id(value)]
        return rewrite(self)

    interpreter.InterpretedFunction.rewrite = rewriting


def _grids():
    run = interpreter.InterpretedFunction.run

    @functools.wraps(run)
    def running(self, *args, grid, warmup, **kwargs):
        grid = grid if warmup else launches.sizes(self.fn, grid, args, kwargs)
        return run(self, *args, grid=grid, warmup=warmup, **kwargs)

    interpreter.InterpretedFunction.run = running


def _constants():
    init = interpreter.GridExecutor.__init__

    @functools.wraps(init)
    def executor(self, fn, arg_names, *args, **kwargs):
        init(self, fn, arg_names, *args, **kwargs)
        self.constexprs += [k for k, v in fn.__annotations__.items()
                            if isinstance(v, str) and "constexpr" in v and k not in self.constexprs]

    interpreter.GridExecutor.__init__ = executor


def _floats():
    convert = interpreter._implicit_cvt

    @functools.wraps(convert)
    def converting(arg):
        if isinstance(arg, float):
            handle = interpreter.TensorHandle(np.array([arg], dtype=np.float32), tl.float32)
            return tl.tensor(handle, tl.float32)
        return convert(arg)

    interpreter._implicit_cvt = converting


def install(twins):
    """Called once in the zygote; twins[id(builtin)] stands for a builtin that a kernel's file imported."""
    # A rewritten kernel finds what this module's name space holds, as it does Triton's own.
    interpreter.geak_logic, interpreter.geak_negation = _logic, _negation
    interpreter.FunctionRewriter.ast_transformer = _Transformer()
    _rewrite_names(twins)
    _grids()
    _constants()
    _floats()
