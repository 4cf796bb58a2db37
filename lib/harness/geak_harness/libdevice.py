"""libdevice in the interpreter: what CUDA's and ROCm's libraries of functions compute, by numpy.

Triton knows them as external symbols (__nv_tanhf, __ocml_tanh_f32); its interpreter knows none.
A float is computed in double precision and rounded once, so the result is as good as a GPU's.
"""
import importlib
import math
import re

import numpy as np
import torch
import triton.language as tl
from triton.runtime import interpreter


def _special(name):
    """A function of torch.special, for what numpy lacks."""
    function = getattr(torch.special, name)

    def call(*args):
        tensors = [torch.from_numpy(np.array(a, dtype=np.float64)) for a in args]
        with torch._C.DisableTorchFunction():
            return function(*tensors).numpy()
    return call


def _half_away(x):
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def _clz(x):
    bits = x.dtype.itemsize * 8
    return np.vectorize(lambda v: bits - (int(v) & ((1 << bits) - 1)).bit_length(), otypes=[np.int32])(x)


def _brev(x):
    bits = x.dtype.itemsize * 8
    return np.vectorize(lambda v: int(f"{int(v) & ((1 << bits) - 1):0{bits}b}"[::-1], 2),
                        otypes=[np.uint64])(x)


def _popc(x):
    bits = x.dtype.itemsize * 8
    return np.vectorize(lambda v: (int(v) & ((1 << bits) - 1)).bit_count(), otypes=[np.int32])(x)


_SAME = ("acos acosh asin asinh atan atanh cbrt ceil copysign cos cosh exp exp2 expm1 fabs floor fmod "
         "hypot isfinite isinf isnan ldexp log log10 log1p log2 nextafter rint signbit sin sinh sqrt tan "
         "tanh trunc")
_FUNCTIONS = {name: getattr(np, {"acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh",
                                 "atan": "arctan", "atanh": "arctanh"}.get(name, name))
              for name in _SAME.split()}
_FUNCTIONS.update(
    abs=np.abs, iabs=np.abs, llabs=np.abs, atan2=np.arctan2, pow=np.power, powi=np.power, pown=np.power,
    finite=np.isfinite, rsqrt=lambda x: 1 / np.sqrt(x), rcbrt=lambda x: 1 / np.cbrt(x), rcp=lambda x: 1 / x,
    fma=lambda x, y, z: x * y + z, add=np.add, sub=np.subtract, mul=np.multiply, div=np.divide,
    fdivide=np.divide, fdim=lambda x, y: np.maximum(x - y, 0), saturate=lambda x: np.clip(x, 0, 1),
    exp10=lambda x: np.power(10.0, x), cospi=lambda x: np.cos(math.pi * x),
    sinpi=lambda x: np.sin(math.pi * x), rhypot=lambda x, y: 1 / np.hypot(x, y), nearbyint=np.rint,
    llrint=np.rint, round=_half_away, llround=_half_away, scalbn=np.ldexp, remainder=np.vectorize(math.remainder),
    logb=lambda x: np.floor(np.log2(np.abs(x))), ilogb=lambda x: np.floor(np.log2(np.abs(x))),
    erf=_special("erf"), erfc=_special("erfc"), erfcx=_special("erfcx"), erfinv=_special("erfinv"),
    lgamma=_special("gammaln"), normcdf=_special("ndtr"), normcdfinv=_special("ndtri"),
    cyl_bessel_i0=_special("i0"), cyl_bessel_i1=_special("i1"), i0=_special("i0"), i1=_special("i1"),
    j0=_special("bessel_j0"), j1=_special("bessel_j1"), y0=_special("bessel_y0"), y1=_special("bessel_y1"),
    tgamma=np.vectorize(math.gamma, otypes=[np.float64]), clz=_clz, brev=_brev, popc=_popc)


def _name_of(symbol):
    """The name in _FUNCTIONS of what an external symbol computes, or None."""
    name = re.sub(r"^__(nv|ocml|triton_hip)_", "", symbol)
    name = re.sub(r"^fast_|_f(32|64)$|_r[nzdu]$", "", name)
    name = re.sub(r"^fast_|_r[nzdu]$", "", name)
    for candidate in (name, name[:-1] if name[-1] in "fd" else "", name[:-2] if name.endswith("ll") else "",
                      name[1:] if name[0] in "fd" else ""):
        if candidate in _FUNCTIONS:
            return candidate
    return None


_BITS = re.compile(r"__nv_(float|double|int|uint|longlong)_as_(float|double|int|uint|longlong)")
_NUMBERS = re.compile(r"__nv_(?:float|double|u?int|u?ll)2(?:float|double|u?int|u?ll)(?:_r([nzdu]))?")
_ROUND = {"n": np.rint, "z": np.trunc, "d": np.floor, "u": np.ceil}


def _extern(self, library, path, symbol, args, ret_type, is_pure):
    """Stands for InterpreterBuilder.create_extern_elementwise."""
    dtype = interpreter._get_np_dtype(ret_type)
    values = [a.data for a in args]
    if _BITS.fullmatch(symbol):
        return interpreter.TensorHandle(values[0].view(dtype), ret_type.scalar)
    numbers = _NUMBERS.fullmatch(symbol)
    if numbers:
        whole = numbers.group(1) and dtype.kind in "iu" and values[0].dtype.kind == "f"
        value = _ROUND[numbers.group(1)](values[0]) if whole else values[0]
        return interpreter.TensorHandle(value.astype(dtype), ret_type.scalar)
    name = _name_of(symbol)
    if name is None:
        raise NotImplementedError(f"{symbol} of the GPU's library has no equal in Triton's interpreter: "
                                  "this kernel needs a GPU (geak-eval --device=gpu)")
    values = [v.astype(np.float64) if v.dtype.kind == "f" else v for v in values]
    result = np.asarray(_FUNCTIONS[name](*values))
    return interpreter.TensorHandle(result.astype(dtype), ret_type.scalar)


def _assembly(self, *args):
    raise NotImplementedError("inline assembly cannot run in Triton's interpreter: this kernel needs a GPU "
                              "(geak-eval --device=gpu)")


_LIBRARIES = {}


def install(interpreted):
    """Called once in the zygote; interpreted(builtin) is the builtin's twin for the interpreter."""
    builder = interpreter.InterpreterBuilder
    builder.create_extern_elementwise, builder.create_inline_asm = _extern, _assembly
    for backend in ("cuda", "hip"):
        _LIBRARIES[backend] = library = importlib.import_module(f"triton.language.extra.{backend}.libdevice")
        for name, member in list(vars(library).items()):
            if tl.core.is_builtin(member):
                setattr(library, name, interpreted(member))


def choose(backend):
    """The compiler puts the target's functions in the place of triton.language.extra.libdevice's stubs."""
    stubs = importlib.import_module("triton.language.extra.libdevice")
    for library in (_LIBRARIES["cuda"], _LIBRARIES[backend]):  # the target's own last: it wins
        for name in vars(stubs):
            if callable(getattr(library, name, None)) and not name.startswith("_"):
                setattr(stubs, name, getattr(library, name))
