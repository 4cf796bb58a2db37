"""Python values as a JSON header and raw bytes, without pickle: reading never runs code.

A tensor travels as the bytes between its first and its last element, so that strides,
gaps and views of it come out at the other end as they went in; and so does its alignment.
"""
import math

import torch

from . import channel


def dtype_name(dtype):
    """torch.float32 as "float32"."""
    return str(dtype).removeprefix("torch.")


DTYPES = {dtype_name(d): d for d in (
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
    torch.float16, torch.bfloat16, torch.float32, torch.float64,
    torch.complex64, torch.complex128,
    torch.float8_e4m3fn, torch.float8_e4m3fnuz, torch.float8_e5m2, torch.float8_e5m2fnuz,
    torch.uint16, torch.uint32, torch.uint64)}
MAX_NESTING = 16
MAX_ELEMENTS = 1 << 33
MAX_EXPANDED = 1 << 28  # elements that share memory, which whoever copies them cannot know


class WireError(ValueError):
    """A value that cannot travel, or a header that makes no sense."""


def _extent(shape, stride):
    """Elements from the first to one past the last, for non-negative strides."""
    if any(n == 0 for n in shape):
        return 0
    return 1 + sum((n - 1) * s for n, s in zip(shape, stride))


def _pack_tensor(t, add):
    if type(t) not in (torch.Tensor, torch.nn.Parameter):
        raise WireError(f"a plain torch.Tensor was expected, not {type(t).__module__}.{type(t).__name__}")
    t = t.detach()
    if t.layout != torch.strided or t.is_quantized:
        raise WireError(f"a dense tensor was expected, not layout {t.layout}")
    name = dtype_name(t.dtype)
    if name not in DTYPES:
        raise WireError(f"tensors of {t.dtype} are not supported")
    if t.is_conj() or t.is_neg():
        t = t.resolve_conj().resolve_neg()
    if add is None:
        return None
    shape, stride = list(t.shape), list(t.stride())
    raw = memory(t).cpu()
    # As if the storage began at an aligned address, which an allocator's does.
    lead = t.storage_offset() * t.dtype.itemsize % channel.ALIGN if raw.numel() else 0
    if lead:
        raw = torch.nn.functional.pad(raw, (lead, 0))
    return {"t": "tensor", "dtype": name, "shape": shape, "stride": stride,
            "at": add(raw.numpy()), "lead": lead, "bytes": raw.numel()}


def memory(t):
    """The bytes from the first element of t to its last, gaps between them included."""
    flat = t.as_strided((_extent(t.shape, t.stride()),), (1,)).contiguous()
    return flat.view(torch.uint8) if flat.numel() else torch.empty(0, dtype=torch.uint8, device=t.device)


def pack(value, add, depth=0):
    """The header of value; add(bytes) stores bytes and returns their offset.

    With None for add nothing is stored: it is only asked whether the value can travel.
    """
    if depth > MAX_NESTING:
        raise WireError("a result nested deeper than 16 levels")
    if isinstance(value, torch.Tensor):
        return _pack_tensor(value, add)
    if value is None or isinstance(value, (bool, str)):
        return {"t": "plain", "v": value}
    if isinstance(value, int):
        return {"t": "int", "v": str(value)}
    if isinstance(value, float):
        return {"t": "float", "v": value.hex()}
    if isinstance(value, torch.dtype):
        return {"t": "dtype", "v": dtype_name(value)}
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "tuple"
        return {"t": kind, "v": [pack(v, add, depth + 1) for v in value]}
    if isinstance(value, dict):
        return {"t": "dict", "v": [[str(k), pack(v, add, depth + 1)] for k, v in value.items()]}
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        return pack(value.item(), add, depth)
    raise WireError(f"a value of type {type(value).__module__}.{type(value).__name__} "
                    "cannot be compared; return tensors, numbers, strings or containers of them")


def _is_size(n):
    return type(n) is int and 0 <= n < 1 << 63


def _unpack_tensor(h, view, device):
    dtype = DTYPES[h["dtype"]]
    shape, stride = list(h["shape"]), list(h["stride"])
    if len(shape) != len(stride) or len(shape) > 32 or not all(map(_is_size, shape + stride)):
        raise WireError("a tensor header with an impossible shape")
    extent = _extent(shape, stride)
    if extent == 0:
        return torch.empty(0, dtype=dtype, device=device).as_strided(shape, stride)
    at, lead, nbytes = h["at"], h["lead"], h["bytes"]
    if not all(map(_is_size, (at, lead, nbytes))) or at % channel.ALIGN or lead % dtype.itemsize \
            or lead >= channel.ALIGN or extent > MAX_ELEMENTS \
            or nbytes != lead + extent * dtype.itemsize or at + nbytes > len(view):
        raise WireError("a tensor header that does not fit its bytes")
    if math.prod(shape) > max(extent, MAX_EXPANDED):
        raise WireError("a tensor of far more elements than bytes")
    raw = torch.frombuffer(view, dtype=torch.uint8, count=nbytes, offset=at).to(device)
    return raw.view(dtype).as_strided(shape, stride, lead // dtype.itemsize)


def span(h):
    """From where to where the bytes lie of all tensors in headers; (0, 0) when there are none."""
    if isinstance(h, dict) and h.get("t") == "tensor":
        return (h["at"], h["at"] + h["bytes"])
    inner = h.values() if isinstance(h, dict) else h if isinstance(h, list) else ()
    spans = [s for s in map(span, inner) if s != (0, 0)]
    return (min(s[0] for s in spans), max(s[1] for s in spans)) if spans else (0, 0)


def unpack(h, view, device="cpu"):
    """The value of a header; tensors on the CPU share the memory of view."""
    with torch._C.DisableTorchFunction():
        return _unpack(h, view, device, 0)


def _unpack(h, view, device, depth):
    if depth > MAX_NESTING or not isinstance(h, dict):
        raise WireError("a header that makes no sense")
    kind, v = h.get("t"), h.get("v")
    if kind == "tensor":
        return _unpack_tensor(h, view, device)
    if kind == "plain" and (v is None or isinstance(v, (bool, str))):
        return v
    if kind == "int" and isinstance(v, str):
        return int(v)
    if kind == "float" and isinstance(v, str):
        return float.fromhex(v)
    if kind == "dtype":
        return DTYPES[v]
    if kind in ("list", "tuple"):
        items = [_unpack(x, view, device, depth + 1) for x in v]
        return items if kind == "list" else tuple(items)
    if kind == "dict":
        return {str(k): _unpack(x, view, device, depth + 1) for k, x in v}
    raise WireError("a header that makes no sense")


def draws(case, view, device="cpu"):
    """(draws of the arguments, whether a call gets them as they are), of a case as called.py makes it."""
    return [unpack(h, view, device) for h in (case["inputs"], *case.get("others", ()))], case["whole"]
