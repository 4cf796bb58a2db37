"""How much of the work was done where: by kernels that the interpreter ran, and by torch.

A kernel that was launched may have done nothing of any use. What it moved and computed is
counted as it is interpreted: bytes of unmasked loads and stores, and operations on floating
point values, an element each (two for each product of a matrix multiplication). Integers are
not counted, since addresses are made of them. Beside it stands what torch computed in
floating point; to allocate, view, copy, cast, fill and pad is no computing.

Each figure errs on the candidate's side: lanes that are masked away count as operations.
"""
import numpy
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from . import witness

MOVES = frozenset("""
    _to_copy clone copy copy_ contiguous detach alias lift_fresh lift_fresh_copy
    empty empty_like empty_strided new_empty new_empty_strided full full_like new_full fill fill_
    zeros zeros_like new_zeros zero zero_ ones ones_like new_ones scalar_tensor arange
    cat stack constant_pad_nd pad repeat repeat_interleave roll flip tril triu
    index index_select gather take slice_scatter select_scatter as_strided_scatter
    index_put index_put_ _index_put_impl_ masked_fill masked_fill_ where scatter scatter_
    resize_ set_ _local_scalar_dense equal is_same_size _reshape_copy
    rand rand_like randn randn_like normal_ uniform_ randint randint_like bernoulli_
""".split())


# Operations an element of what torch does in one call; of everything else one.
SEVERAL = {
    "_softmax": 5, "_safe_softmax": 5, "_masked_softmax": 5, "_log_softmax": 5, "logsumexp": 4, "softplus": 4, "sigmoid": 4, "silu": 4, "mish": 8,
    "gelu": 8, "tanh": 5, "elu": 4, "native_layer_norm": 6, "native_group_norm": 6, "native_batch_norm": 6,
    "_fused_rms_norm": 4, "var": 3, "std": 3, "var_mean": 4, "linalg_vector_norm": 2, "dot": 2,
}


def _product(a, b):
    """Of two matrices; of a sparse one what it keeps counts."""
    if b.layout != torch.strided:
        return 2 * b._nnz() * a.shape[-2]
    return 2 * (a.numel() if a.layout == torch.strided else a._nnz()) * b.shape[-1]


def _trilinear(*args):
    shapes = [list(t.shape) for t in args[:3]]
    for shape, expanded in zip(shapes, args[3:6]):
        for dim in sorted(expanded):
            shape.insert(dim, 1)
    return 2 * torch.broadcast_shapes(*shapes).numel()


def _bags(weights, indices, *rest):
    return 2 * indices.numel() * weights.shape[-1]


# Products that torch's own counter does not know, by their arguments.
PRODUCTS = {
    "mv": lambda a, v: 2 * a.numel(), "addmv": lambda y, a, v: 2 * a.numel(),
    "addbmm": lambda y, a, b: _product(a, b), "_sparse_addmm": lambda y, a, b: _product(a, b),
    "_trilinear": _trilinear, "_cdist_forward": lambda a, b, *rest: 3 * a.numel() * b.shape[-2],
    "_embedding_bag": _bags, "_embedding_bag_forward_only": _bags,
}

# Those that it takes for dense.
SPARSE = {"mm": _product, "addmm": lambda y, a, b: _product(a, b)}


class Torch(TorchDispatchMode):
    """A context in which what torch computes is counted, by a witness's count(), and shown to a Touched."""

    @classmethod
    def _should_skip_dynamo(cls):
        """torch would import its compiler, for a second in every candidate's process."""
        return False

    def __init__(self, count, tensors=None):
        super().__init__()
        self._count, self._tensors = count, tensors

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        mixed = self._tensors and self._tensors.before(args, kwargs)
        out = func(*args, **kwargs)
        if mixed:
            self._tensors.after(func, args, kwargs, out)
        name = func.overloadpacket.__name__
        if func.namespace == "aten" and not func.is_view and name not in MOVES:
            self._count(_operations(func, name, args, kwargs, out), 0, 0, 0)
        return out


def _operations(func, name, args, kwargs, out):
    name = name.rstrip("_") if name.rstrip("_") in SEVERAL else name
    formula, product = flop_registry.get(func.overloadpacket), PRODUCTS.get(name)
    if formula and any(isinstance(a, torch.Tensor) and a.layout != torch.strided for a in args):
        formula, product = None, SPARSE.get(name)
    if product:
        return int(product(*args))
    if formula:
        return int(formula(*args, **kwargs, out_val=out))
    return SEVERAL.get(name, 1) * _elements(args, out)


def _elements(args, out):
    """Of the largest tensor that a floating-point operation took or gave; 0 for other operations."""
    tensors = [t for t in (*args, *(out if isinstance(out, (list, tuple)) else (out,)))
               if isinstance(t, torch.Tensor)]
    if not any(t.is_floating_point() or t.is_complex() for t in tensors):
        return 0
    return max(t.numel() for t in tensors)


def _before(cls, name, count):
    """Has count(*args) called before each call of a method."""
    method, count = getattr(cls, name), witness.opaque(count)

    def counted(self, *args, **kwargs):
        count(*args)
        return method(self, *args, **kwargs)

    setattr(cls, name, witness.opaque(counted))


def see_kernels(count_work):
    """From now on what the interpreter's kernels move and compute is counted."""
    from triton.runtime import interpreter

    def load(ptrs, mask, *rest):
        count_work(0, _moved(ptrs, mask), 0, 0)

    def store(ptrs, value, mask, *rest):
        count_work(0, 0, _moved(ptrs, mask), 0)

    def atomic(op, ptr, value, mask, *rest):
        count_work(0, 0, _moved(ptr, mask), ptr.data.size)

    def operation(value, *rest):
        if value.dtype.scalar.is_floating():
            count_work(0, 0, 0, max(value.data.size, *(v.data.size for v in rest if hasattr(v, "data")), 1))

    def selection(condition, left, right, *rest):
        operation(right)

    def library(name, path, symbol, args, *rest):
        for value in args[:1]:  # an exponential or more, in one call
            count_work(0, 0, 0, 4 * value.data.size)

    def dot(a, b, *rest):
        count_work(0, 0, 0, 2 * a.data.size * b.data.shape[-1])

    def reduction(values):
        for value in values if isinstance(values, tuple) else (values,):
            count_work(0, 0, 0, value.handle.data.size)

    builder = interpreter.InterpreterBuilder
    for name, count in (("create_masked_load", load), ("create_masked_store", store),
                        ("create_atomic_rmw", atomic), ("binary_op", operation),
                        ("unary_op", operation), ("create_fma", operation),
                        ("ternary_op", selection), ("create_erf", operation),
                        ("create_fabs", operation), ("create_rsqrt", operation), ("create_dot", dot),
                        ("create_extern_elementwise", library)):
        _before(builder, name, count)
    for cls in (interpreter.ReduceOps, interpreter.ScanOps):
        _before(cls, "apply_impl", reduction)


def _moved(ptrs, mask):
    width = max(1, ptrs.get_element_ty().primitive_bitwidth // 8)
    # A block pointer's mask is an array, and its data a view of its memory.
    return int(numpy.count_nonzero(numpy.asarray(mask.data))) * width
