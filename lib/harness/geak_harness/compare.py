"""Is this result the reference's, within tolerance? And if not, where and how is it wrong?

With a stated tolerance |got - want| <= atol + rtol * |want|, in float64, where want is the
reference's result; or, if it is known, what that is in float64: to be nearer to the truth than
the reference is no mistake. Without one, the result is measured as tolerance.py tells.
NaN must stand where the reference has NaN (unless the task says equal_nan false: then nowhere),
an infinity where it has the same one, and if the task says signed_zero a zero of the same sign.
Integers, booleans, strings and structure must be equal.
"""
import math

import torch

from . import anatomy, wire

DEFAULT = {"atol": 1e-5, "rtol": 1e-5}
EXACT = {"atol": 0, "rtol": 0, "equal_nan": True}
FIGURES = ("max_abs", "max_rel", "error_ratio", "derived_ratio")


def compare(got, want, tolerance, where, measures=None, inputs=None):
    """{"ok": True, ...} or {"ok": False, "error": sentence, "mismatch": {...}}.

    measures: those of tolerance.measures(), one for each leaf of want.
    inputs: where they are given, if only (), what is wrong is looked at more closely (anatomy.py).
    """
    with torch._C.DisableTorchFunction():  # a pretended device must not reach in here
        check = _compare(got, want, tolerance or {}, where, measures)
        explain = check.pop("explain", None)
        if explain and inputs is not None:
            check["mismatch"] = {**check.get("mismatch", {"where": where}), "patterns": explain(inputs)}
        return check


def _compare(got, want, tolerance, where, measures):
    if measures is None:
        tolerance = {**DEFAULT, **tolerance}
    worst = {"ok": True, "max_abs": 0.0, "max_rel": 0.0}
    first, seen = None, []
    for i, (got_leaf, want_leaf, path) in enumerate(leaves(got, want, where)):
        if isinstance(path, Exception):
            return first or {"ok": False, "error": str(path)}
        measure = measures[i] if measures else None
        if isinstance(want_leaf, torch.Tensor):
            check = _tensors(got_leaf, want_leaf, tolerance, path, measure)
        else:
            check = _scalars(got_leaf, want_leaf, tolerance, path, measure)
        seen.append((path, check["ok"]))
        first = first or (None if check["ok"] else check)
        for k in FIGURES:
            if k in check:
                worst[k] = max(worst.get(k, 0.0), check[k])
    return anatomy.among(first, seen) if first else worst


def close(got, want, tolerance):
    """Where two tensors of one shape agree within a stated tolerance."""
    g, w = (t.to(torch.complex128 if want.is_complex() else torch.float64) for t in (got, want))
    bound = tolerance["atol"] + tolerance["rtol"] * w.abs()
    return ((g - w).abs() <= bound) & w.isfinite() | (g == w) | (g.isnan() & w.isnan())


def leaves(got, want, path):
    """Pairs of leaves; a third element that is an exception says that the structures differ."""
    if isinstance(want, (list, tuple)):
        if not isinstance(got, (list, tuple)) or len(got) != len(want):
            n = len(got) if isinstance(got, (list, tuple)) else None
            found = f"{n} values" if n is not None else f"a {_name(got)}"
            yield None, None, ValueError(f"{path}: {len(want)} values were expected, not {found}")
            return
        for i, (g, w) in enumerate(zip(got, want)):
            yield from leaves(g, w, f"{path}[{i}]")
    elif isinstance(want, dict):
        keys = sorted(map(str, want))  # what came over the wire has strings for keys
        if not isinstance(got, dict) or sorted(map(str, got)) != keys:
            found = str(sorted(map(str, got)))[:200] if isinstance(got, dict) else f"a {_name(got)}"
            yield None, None, ValueError(f"{path}: the keys {keys} were expected, not {found}")
            return
        by_name = {str(k): v for k, v in got.items()}
        for k in want:
            yield from leaves(by_name[str(k)], want[k], f"{path}[{k!r}]")
    elif isinstance(want, torch.Tensor) and not isinstance(got, torch.Tensor):
        yield None, None, ValueError(f"{path}: a tensor was expected, not a {_name(got)}")
    elif not isinstance(want, torch.Tensor) and isinstance(got, (torch.Tensor, list, tuple, dict)):
        yield None, None, ValueError(f"{path}: a {_name(want)} was expected, not a {_name(got)}")
    else:
        yield got, want, path


def _bits(t):
    """The bytes of each element, a row for each."""
    # A dimension of one element may have any stride, and is contiguous; view() would mind it.
    flat = t.contiguous().as_strided((t.numel(),), (1,))
    return flat.view(torch.uint8).reshape(-1, t.dtype.itemsize)


def same_bits(got, want, where, gaps=False):
    """None, or a sentence on where the first differs; gaps: also between the elements of a tensor."""
    with torch._C.DisableTorchFunction():
        for g, w, path in leaves(got, want, where):
            if isinstance(path, Exception):
                return str(path)
            if not isinstance(w, torch.Tensor):
                same = type(g) is type(w) and repr(g) == repr(w)  # NaN is NaN, and -0.0 is not 0.0
            elif (g.dtype, g.shape) != (w.dtype, w.shape) or gaps and g.stride() != w.stride():
                return f"{path}: its type, shape or strides differ"
            elif gaps:
                same = torch.equal(wire.memory(g), wire.memory(w))
            else:
                same = torch.equal(_bits(g), _bits(w))
            if not same:
                return _which_differ(g, w, path)
    return None


def _which_differ(g, w, path):
    if not isinstance(w, torch.Tensor):
        return f"{path}: {str(w)[:80]}, then {str(g)[:80]}"
    bad = (_bits(g) != _bits(w)).any(dim=1)
    count = int(bad.sum())
    if not count:
        return f"{path}: what lies between its elements differs"
    flat = int(bad.to(torch.uint8).argmax())
    at = [int(i) for i in torch.unravel_index(torch.tensor(flat), w.shape)] if w.dim() else []
    g, w = _number(g.reshape(-1)[flat]), _number(w.reshape(-1)[flat])
    return f"{path}: {count} of {bad.numel()} values differ, the first at {at}: {_show(w)}, then {_show(g)}"


def same_strides(got, want, where):
    """None, or a sentence; the stride of a dimension of one element means nothing."""
    with torch._C.DisableTorchFunction():
        for g, w, path in leaves(got, want, where):
            if not isinstance(w, torch.Tensor) or w.numel() == 0:
                continue
            kept = [i for i, n in enumerate(w.shape) if n > 1]
            if [g.stride(i) for i in kept] != [w.stride(i) for i in kept]:
                return f"{path}: strides {list(w.stride())} were expected, not {list(g.stride())}"
    return None


def _name(value):
    return "tensor" if isinstance(value, torch.Tensor) else type(value).__name__


def _scalars(got, want, tolerance, path, measure):
    if isinstance(want, float) and type(got) in (int, float):
        try:
            got_t = torch.tensor(float(got), dtype=torch.float64)
        except OverflowError:  # a whole number beyond every float
            got_t = torch.tensor(math.inf, dtype=torch.float64)
        return _tensors(got_t, torch.tensor(want, dtype=torch.float64), tolerance, path, measure)
    if type(got) is type(want) and got == want:
        return {"ok": True}
    return {"ok": False, "error": f"{path}: {str(want)[:80]} was expected, not {str(got)[:80]}"}


def _tensors(got, want, tolerance, path, measure):
    got = got.to(want.device)  # where it lies says nothing
    if got.dtype != want.dtype or got.shape != want.shape:
        return _other_form(got, want, tolerance, path, measure)
    if want.numel() == 0:
        return {"ok": True, "max_abs": 0.0, "max_rel": 0.0}
    if want.is_floating_point() or want.is_complex():
        return _floats(got, want, tolerance, path, measure)
    # Equal or not is asked of the integers themselves: a double holds them up to 2^53 only.
    diff = (got.double() - want.double()).abs()
    return _verdict(got != want, got, want, diff, path, torch.zeros(()), want.dtype)


def _other_form(got, want, tolerance, path, measure):
    what = "dtype" if got.dtype != want.dtype else "shape"
    expected, found = (wire.dtype_name(t.dtype) if what == "dtype" else list(t.shape) for t in (want, got))

    def right(g):
        return _tensors(g, want, tolerance, path, measure)["ok"]

    return {"ok": False, "error": f"{path}: {what} {expected} was expected, not {found}",
            "explain": lambda inputs: anatomy.form(got, want, right)}


def _parts(t):
    """In float64; of complex numbers both parts, in a dimension of their own."""
    return torch.view_as_real(t.resolve_conj()).double() if t.is_complex() else t.double()


def _floats(got, want, tolerance, path, measure):
    g, w = _parts(got), _parts(want)
    error = diff = (g - w).abs()
    stated = "atol" in tolerance
    truth_error = (g - _parts(measure.truth)).abs() if measure else None
    if stated:
        size = want.to(torch.complex128).abs() if want.is_complex() else w.abs()
        bound = tolerance["atol"] + tolerance["rtol"] * size
        error = torch.minimum(diff, truth_error) if measure else diff
    else:
        bound, error = measure.allowed, truth_error
    if want.is_complex():  # each part within what the whole number's size allows
        bound = bound.unsqueeze(-1)
    equal = g == w
    if tolerance.get("signed_zero"):
        equal &= g.signbit() == w.signbit()
        error = torch.where((w == 0) & ~equal, math.inf, error)
    nan_ok = tolerance.get("equal_nan", True)
    close = (error <= bound) & w.isfinite() | equal | (g.isnan() & w.isnan() & nan_ok)
    out = _verdict(~close, g, w, diff, path, bound, want.dtype)
    _add_ratio(out, "error_ratio", torch.where(equal, 0, error), bound)
    if stated and measure:
        allowed = measure.allowed.unsqueeze(-1) if want.is_complex() else measure.allowed
        _add_ratio(out, "derived_ratio", torch.where(equal, 0, truth_error), allowed)
    return out


def _add_ratio(out, key, error, bound):
    """Where nothing is allowed there is no ratio either."""
    ratio = error / bound
    sane = ratio.isfinite()
    if bool(sane.any()):
        out[key] = float(f"{float(torch.where(sane, ratio, 0).max()):.3g}")


def _number(x):
    """A number as JSON can carry it."""
    x = x.item()
    if isinstance(x, int):
        return int(x)
    return x if math.isfinite(x) else str(x)


def _show(x):
    return f"{x:.6g}" if isinstance(x, float) else str(x)


def _verdict(bad, g, w, diff, path, bound, dtype):
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
                         "nan": int((g.isnan() & bad).sum()), "zero": int(((g == 0) & bad).sum())},
               explain=lambda inputs: anatomy.patterns(g, w, bad, bound, dtype, inputs))
    return out
