"""Is this result the reference's, within tolerance? And if not, where and how is it wrong?

|got - want| <= atol + rtol * |want|, in float64. NaN must stand where the reference has NaN
(unless the task says equal_nan false: then nowhere), an infinity where it has the same one.
Integers, booleans, strings and structure must be equal.
"""
import math

import torch

DEFAULT = {"atol": 1e-5, "rtol": 1e-5}


def compare(got, want, tolerance, where):
    """{"ok": True, ...} or {"ok": False, "error": sentence, "mismatch": {...}}."""
    with torch._C.DisableTorchFunction():  # a pretended device must not reach in here
        return _compare(got, want, tolerance, where)


def _compare(got, want, tolerance, where):
    tolerance = {**DEFAULT, **(tolerance or {})}
    worst = {"ok": True, "max_abs": 0.0, "max_rel": 0.0}
    for got_leaf, want_leaf, path in _leaves(got, want, where):
        if isinstance(path, Exception):
            return {"ok": False, "error": str(path)}
        if isinstance(want_leaf, torch.Tensor):
            check = _tensors(got_leaf, want_leaf, tolerance, path)
        else:
            check = _scalars(got_leaf, want_leaf, tolerance, path)
        if not check["ok"]:
            return check
        for k in ("max_abs", "max_rel"):
            worst[k] = max(worst[k], check.get(k, 0.0))
    return worst


def _leaves(got, want, path):
    """Pairs of leaves; a third element that is an exception says that the structures differ."""
    if isinstance(want, (list, tuple)):
        if not isinstance(got, (list, tuple)) or len(got) != len(want):
            n = len(got) if isinstance(got, (list, tuple)) else None
            found = f"{n} values" if n is not None else f"a {_name(got)}"
            yield None, None, ValueError(f"{path}: {len(want)} values were expected, not {found}")
            return
        for i, (g, w) in enumerate(zip(got, want)):
            yield from _leaves(g, w, f"{path}[{i}]")
    elif isinstance(want, dict):
        keys = sorted(map(str, want))  # what came over the wire has strings for keys
        if not isinstance(got, dict) or sorted(map(str, got)) != keys:
            found = str(sorted(map(str, got)))[:200] if isinstance(got, dict) else f"a {_name(got)}"
            yield None, None, ValueError(f"{path}: the keys {keys} were expected, not {found}")
            return
        by_name = {str(k): v for k, v in got.items()}
        for k in want:
            yield from _leaves(by_name[str(k)], want[k], f"{path}[{k!r}]")
    elif isinstance(want, torch.Tensor) and not isinstance(got, torch.Tensor):
        yield None, None, ValueError(f"{path}: a tensor was expected, not a {_name(got)}")
    elif not isinstance(want, torch.Tensor) and isinstance(got, (torch.Tensor, list, tuple, dict)):
        yield None, None, ValueError(f"{path}: a {_name(want)} was expected, not a {_name(got)}")
    else:
        yield got, want, path


def _name(value):
    return "tensor" if isinstance(value, torch.Tensor) else type(value).__name__


def _scalars(got, want, tolerance, path):
    if isinstance(want, float) and type(got) in (int, float):
        try:
            got_t = torch.tensor(float(got), dtype=torch.float64)
        except OverflowError:  # a whole number beyond every float
            got_t = torch.tensor(math.inf, dtype=torch.float64)
        return _tensors(got_t, torch.tensor(want, dtype=torch.float64), tolerance, path)
    if type(got) is type(want) and got == want:
        return {"ok": True}
    return {"ok": False, "error": f"{path}: {str(want)[:80]} was expected, not {str(got)[:80]}"}


def _tensors(got, want, tolerance, path):
    if got.dtype != want.dtype:
        return {"ok": False, "error": f"{path}: dtype {_dtype(want)} was expected, not {_dtype(got)}"}
    if got.shape != want.shape:
        return {"ok": False, "error": f"{path}: shape {list(want.shape)} was expected, not {list(got.shape)}"}
    if want.numel() == 0:
        return {"ok": True, "max_abs": 0.0, "max_rel": 0.0}
    if not (want.is_floating_point() or want.is_complex()):
        # Equal or not is asked of the integers themselves: a double holds them up to 2^53 only.
        return _verdict(got != want, got, want, (got.double() - want.double()).abs(), path)
    size = want.to(torch.complex128).abs() if want.is_complex() else want.double().abs()
    if want.is_complex():  # both parts, each within what the whole number's size allows
        got, want = (torch.view_as_real(t.resolve_conj()) for t in (got, want))
        size = size.unsqueeze(-1)
    g, w = got.double(), want.double()
    bound = tolerance["atol"] + tolerance["rtol"] * size
    diff = (g - w).abs()
    nan_ok = tolerance.get("equal_nan", True)
    close = (diff <= bound) & w.isfinite() | (g == w) | (g.isnan() & w.isnan() & nan_ok)
    return _verdict(~close, g, w, diff, path)


def _dtype(t):
    return str(t.dtype).removeprefix("torch.")


def _number(x):
    """A number as JSON can carry it."""
    x = x.item()
    if isinstance(x, int):
        return int(x)
    return x if math.isfinite(x) else str(x)


def _show(x):
    return f"{x:.6g}" if isinstance(x, float) else str(x)


def _verdict(bad, g, w, diff, path):
    finite = torch.where(diff.isfinite(), diff, torch.zeros_like(diff))
    size = w.double().abs()
    scale = size.clamp_min(torch.finfo(torch.float64).tiny)
    sane = size.isfinite() & (size != 0)
    rel = torch.where(sane & diff.isfinite(), diff / scale, torch.zeros_like(diff))
    out = {"ok": True, "max_abs": float(finite.max()), "max_rel": float(rel.max())}
    count = int(bad.sum())
    if count == 0:
        return out
    flat = int(bad.reshape(-1).to(torch.uint8).argmax())
    first = [int(i) for i in torch.unravel_index(torch.tensor(flat), bad.shape)] if bad.dim() else []
    got_v, want_v = _number(g.reshape(-1)[flat]), _number(w.reshape(-1)[flat])
    out.update(ok=False,
               error=f"{path}: {count} of {bad.numel()} values are wrong, the first at {first}: "
                     f"{_show(want_v)} was expected, not {_show(got_v)}",
               mismatch={"where": path, "count": count, "total": bad.numel(), "shape": list(bad.shape),
                         "first_index": first, "got": got_v, "expected": want_v,
                         "nan": int((g.isnan() & bad).sum()), "zero": int(((g == 0) & bad).sum())})
    return out
