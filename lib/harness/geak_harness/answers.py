"""Wrong answers of the kinds that kernels, and those who wrote them, have tried on judges.

Each is made from the right answer: a tree of tensors and numbers. What is no number in it (a
string, None, a truth value) stays as it is. Where an answer cannot be made it is Unfit, with
the reason; where it happens to be the right one is for the caller to see.
"""
import torch

WIDE = (torch.float32, torch.float64)
OTHER_TYPE = {torch.float32: torch.float64, torch.int64: torch.int32, torch.bool: torch.uint8,
              torch.complex64: torch.complex128, torch.complex128: torch.complex64}


class Unfit(Exception):
    """This answer cannot be made from that result; says why."""


def each(make, value):
    """The tree with make(leaf) for each tensor and number; Unfit if that fits none of them."""
    why, made = [], []

    def walk(v):
        if isinstance(v, (list, tuple)):
            return type(v)(map(walk, v)) if type(v) in (list, tuple) else tuple(map(walk, v))
        if isinstance(v, dict):
            return {k: walk(x) for k, x in v.items()}
        if not is_number(v):
            return v
        try:
            new = make(v) if isinstance(v, torch.Tensor) else _scalar(make, v)
        except (Unfit, RuntimeError, TypeError) as e:  # torch has not every operation for every dtype
            why.append(str(e).split("\n")[0])
            return v
        made.append(True)
        return new

    with torch._C.DisableTorchFunction():  # a pretended device must not reach in here
        out = walk(value)
    if not made:
        raise Unfit(why[0] if why else "there are no numbers in it")
    return out


def _scalar(make, v):
    right = torch.tensor(v, dtype=torch.float64 if isinstance(v, float) else torch.int64)
    new = make(right)
    if new.dtype != right.dtype or new.shape != right.shape:
        raise Unfit("it is a mere number")
    return new.item()


def is_number(v):
    return isinstance(v, (torch.Tensor, float)) or (isinstance(v, int) and not isinstance(v, bool))


def leaves(value):
    """The tensors and numbers of a tree, in the order in which each() comes to them."""
    found = []

    def keep(leaf):
        found.append(leaf)
        return leaf

    try:
        each(keep, value)
    except Unfit:
        pass
    return found


def _filled(leaf, number):
    return torch.full(leaf.shape, number, dtype=torch.float64, device=leaf.device).to(leaf.dtype)


def zeros(leaf):
    return _filled(leaf, 0)


def ones(leaf):
    return _filled(leaf, 1)


def _finite(leaf):
    values = leaf.reshape(-1)
    values = values.to(torch.complex128 if leaf.is_complex() else torch.float64)
    return values[values.isfinite()]


def mean(leaf):
    finite = _finite(leaf)
    value = finite.mean() if finite.numel() else finite.new_zeros(())
    if not (leaf.is_floating_point() or leaf.is_complex()):
        value = value.round()
    return value.to(leaf.dtype).expand(leaf.shape).clone()


def _special(leaf, number):
    if not (leaf.is_floating_point() or leaf.is_complex()):
        raise Unfit(f"a whole number cannot be {number}")
    return _filled(leaf, number)


def nan(leaf):
    return _special(leaf, float("nan"))


def inf(leaf):
    return _special(leaf, float("inf"))


def negated(leaf):
    return ~leaf if leaf.dtype == torch.bool else (-leaf.float()).to(leaf.dtype) if leaf.itemsize == 1 else -leaf


def transposed(leaf):
    if leaf.dim() < 2:
        raise Unfit("it has fewer than two dimensions")
    return leaf.transpose(-1, -2).reshape(leaf.shape)


def shifted(leaf):
    return leaf.reshape(-1).roll(1).reshape(leaf.shape)


def _rounded(leaf, dtype):
    if leaf.dtype not in WIDE:
        raise Unfit("it is no float32")
    return leaf.to(dtype).to(leaf.dtype)


def float16(leaf):
    return _rounded(leaf, torch.float16)


def bfloat16(leaf):
    return _rounded(leaf, torch.bfloat16)


def dtype(leaf):
    """Right values of another type."""
    other = torch.float32 if leaf.is_floating_point() else torch.int64
    return leaf.to(OTHER_TYPE.get(leaf.dtype, other))


def empty(leaf):
    return leaf.new_empty((0,))


def half(leaf, rest):
    """The first half of the rows, and then what rest has (zero if None)."""
    n = leaf.numel()
    if n < 2:
        raise Unfit("it has fewer than two elements")
    if rest is not None and (rest.shape != leaf.shape or rest.dtype != leaf.dtype):
        raise Unfit("another seed gives another shape")
    row = n // leaf.shape[0]
    kept = row * (leaf.shape[0] // 2) if leaf.shape[0] > 1 else n // 2
    out = zeros(leaf).reshape(-1) if rest is None else rest.reshape(-1).clone()
    out[:kept] = leaf.reshape(-1)[:kept]
    return out.reshape(leaf.shape)


def one_changed(leaf):
    """One element, the last one, far off."""
    if not leaf.numel():
        return leaf
    out = leaf.reshape(-1).clone()
    if not (leaf.is_floating_point() or leaf.is_complex()):
        out[-1] = ~out[-1]
    else:
        finite = _finite(leaf).abs()
        far = 10 * (1 + (float(finite.max()) if finite.numel() else 0))
        last = out[-1].to(torch.complex128 if leaf.is_complex() else torch.float64)
        out[-1] = (last + far if last.isfinite() else last.new_zeros(())).to(leaf.dtype)
    return out.reshape(leaf.shape)


def copied(leaf, source):
    """The elements of an argument in place of the answer's."""
    if source.numel() != leaf.numel():
        raise Unfit("no argument is of its size")
    return source.reshape(leaf.shape).to(leaf.dtype)


# Those that need no more than the right answer.
PLAIN = {f.__name__: f for f in (zeros, ones, mean, nan, inf, negated, transposed, shifted,
                                 float16, bfloat16, dtype, empty)}
