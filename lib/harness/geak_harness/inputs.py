"""The inputs of a task's cases: drawn from the secret seed, then made as awkward as the case asks.

`values` says what stands in the floating-point arguments, `layout` how they lie in memory.
What each word means is told in geak-record(5).
"""
import zlib

import torch

GAP = 7          # elements between the rows of a strided matrix
RARE = 1 / 16    # the share of NaNs and infinities


def generator(seed, name, device="cpu"):
    """One stream of random numbers a case, all from the secret seed."""
    real = getattr(torch.Generator, "real", torch.Generator)
    return real(device).manual_seed((int(seed) ^ zlib.crc32(name.encode())) & (2**63 - 1))


def make(module, case, seed, device="cpu"):
    """The positional arguments of a case. What is for timing is large, and drawn where that is
    fast; unless inputs() insists on the CPU."""
    if device != "cpu" and case.get("kind") == "time":
        try:
            with torch.device(device):
                return _make(module, case, generator(seed, case["name"], device))
        except Exception:
            pass  # it is tried once more below, and its error told if it is one
    return _make(module, case, generator(seed, case["name"]))


def _make(module, case, gen):
    args = module.inputs(dict(case["params"]), gen)
    if not isinstance(args, (list, tuple)):
        raise TypeError("inputs() must return a tuple or a list of positional arguments")
    with torch._C.DisableTorchFunction():
        args = [_filled(a, case.get("values") or [], gen) for a in args]
        layout = case.get("layout")
        if not isinstance(layout, list):
            layout = [layout] * len(args)
        return [_laid_out(a, how) for a, how in zip(args, layout + [None] * len(args))]


def _some(x, share, gen):
    """A random choice of elements, one at least."""
    chosen = torch.rand(x.shape, generator=gen, device=gen.device) < share
    if x.numel():
        chosen.view(-1)[int(torch.randint(x.numel(), (1,), generator=gen, device=gen.device))] = True
    return chosen


def _scaled(x, largest):
    size = x.abs().max() if x.numel() else 0
    return x * (largest / size) if size > 0 else x


def _change(x, kind, info, gen):
    if kind == "large":
        return _scaled(x, min(info.max / 2, 2.0**56))
    if kind == "tiny":
        return _scaled(x, 4 * info.smallest_normal)
    if kind == "negative_zero":
        return x.masked_fill(_some(x, 0.5, gen), -0.0)
    if kind == "ties":
        return x.round()
    if kind == "equal":
        return x.reshape(-1)[:1].expand(x.numel()).reshape(x.shape)
    value = {"nan": float("nan"), "inf": float("inf"), "negative_inf": -float("inf")}[kind]
    return x.masked_fill(_some(x, RARE, gen), value)


def _filled(x, kinds, gen):
    """x with other values; in its own memory where that is possible, so that its layout stays."""
    if not kinds or not isinstance(x, torch.Tensor) or not x.is_floating_point():
        return x
    new = x.double()  # float8 knows no arithmetic
    for kind in kinds:
        new = _change(new, kind, torch.finfo(x.dtype), gen)
    new = new.to(x.dtype)
    if 0 in x.stride():  # expanded: its elements share memory
        return new
    return x.copy_(new)


def _filler(dtype):
    """What stands between the elements: something that shows when it is read."""
    if dtype.is_floating_point or dtype.is_complex:
        return float("nan")
    return True if dtype == torch.bool else torch.iinfo(dtype).max


def _laid_out(x, how):
    """x again, elsewhere in a buffer of its own."""
    if how is None or not isinstance(x, torch.Tensor) or x.dim() == 0:
        return x
    if how == "transposed":
        return x.transpose(-1, -2).contiguous().transpose(-1, -2) if x.dim() > 1 else x
    shape = list(x.shape)
    if how == "offset":
        buffer = x.new_full((x.numel() + 1,), _filler(x.dtype))
        view = buffer[1:].view(shape)
    elif x.dim() == 1:
        view = x.new_full((*shape, 2), _filler(x.dtype))[:, 0]
    else:
        buffer = x.new_full((*shape[:-1], shape[-1] + GAP), _filler(x.dtype))
        view = buffer[..., GAP // 2:GAP // 2 + shape[-1]]
    return view.copy_(x)
