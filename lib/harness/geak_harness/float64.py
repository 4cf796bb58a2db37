"""The reference once more in float64, to know how far off it is itself.

Its source stays as it is. The floating-point arguments are raised, and while it runs every
conversion to a shorter floating-point type is one to float64 instead. Conversions to float8
and to integers are part of what the operator does, and stay.
"""
import torch
from torch.overrides import TorchFunctionMode

RAISED = {torch.float16: torch.float64, torch.bfloat16: torch.float64, torch.float32: torch.float64,
          torch.complex32: torch.complex128, torch.complex64: torch.complex128}
FLOAT8 = (torch.float8_e4m3fn, torch.float8_e4m3fnuz, torch.float8_e5m2, torch.float8_e5m2fnuz)
_CASTS = {torch.Tensor.float, torch.Tensor.half, torch.Tensor.bfloat16}


class _Raise(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func in _CASTS:
            return args[0].double()
        args = [RAISED.get(a, a) if isinstance(a, torch.dtype) else a for a in args]
        kwargs = {k: RAISED.get(v, v) if isinstance(v, torch.dtype) else v
                  for k, v in (kwargs or {}).items()}
        return func(*args, **kwargs)


def _raise(value):
    """A copy: the reference may write to its arguments."""
    if not isinstance(value, torch.Tensor):
        return value
    dtype = torch.float64 if value.dtype in FLOAT8 else RAISED.get(value.dtype, value.dtype)
    return value.to(dtype, copy=True)


def run(function, args):
    """What function(*args) returns in float64, and its arguments afterwards.

    Nothing but None where it cannot be run so: it insists on a type, say.
    """
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        raised = [_raise(a) for a in args]
        with _Raise():
            return function(*raised), raised
    except Exception:
        return None, [None] * len(args)
    finally:
        torch.set_default_dtype(usual)
