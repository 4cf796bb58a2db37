"""The anatomy of a wrong answer: where the wrong values lie and what they look like.

A model repairs what it can see. "4096 of 65536 values are wrong" says little; "wrong only in
columns 768 to 999, the last partial tile of 256" says where to look. Each pattern is

    {"kind": "location" or "value", "name": ..., "words": one sentence, and numbers of its own}

the most telling first, the sentence short enough for a line of a terminal. Nothing here decides
anything: the verdict stands before it is called, and a fault in here costs the patterns only.
"""
import math

import numpy
import torch

from . import anatomy_folds, anatomy_inputs, anatomy_location, anatomy_values, wire

MOST = 6            # patterns of one mismatch
WINDOW = 1 << 20    # elements looked at one by one, from the first wrong one on
SAMPLE = 2048       # wrong elements that a guess is tried on


class Wrong:
    """The wrong elements of one result: exact counts and bounds, and a sample of the values."""

    def __init__(self, got, want, bad, bound, dtype, args):
        self.shape = tuple(bad.shape) or (1,)
        self.dtype = dtype
        self.total = bad.numel()
        bad = bad.reshape(self.shape)
        flat = bad.reshape(-1)
        self.count = int(flat.sum())
        self.first = int(flat.to(torch.uint8).argmax())
        self.last = self.total - 1 - int(flat.flip(0).to(torch.uint8).argmax())
        self.profiles = _profiles(bad)
        self.good_profiles = _profiles(~bad) if 0 < self.total - self.count else self.profiles
        # Of a very large tensor a window: rows next to each other, so that periods can be seen.
        row = self.shape[-1]
        self.start = self.first // row * row if self.total > WINDOW else 0
        window = flat[self.start:self.start + WINDOW]
        self.window = len(window)
        self.marks = window.cpu().numpy()
        self.at = numpy.flatnonzero(self.marks) + self.start
        pick = self.at
        if len(pick) > SAMPLE:  # at random, always alike: even steps would hide periods
            pick = pick[numpy.random.default_rng(0).integers(0, len(pick), SAMPLE)]
        self.got_flat, self.want_flat = got.reshape(-1), want.reshape(-1)
        self.sample = pick
        self.g, self.w = self.got_at(pick), self.want_at(pick)
        self.strides = [math.prod(self.shape[axis + 1:]) for axis in range(len(self.shape))]
        self.where = numpy.unravel_index(pick, self.shape)
        self.bound = take(bound.expand(self.shape).reshape(-1), pick) if bound.dim() else \
            numpy.full(len(pick), float(bound))
        self.other_sizes = {n for _, x in args for n in x.shape}
        self.eps = torch.finfo(dtype).eps if dtype.is_floating_point or dtype.is_complex else 0.0

    def got_at(self, index):
        return take(self.got_flat, index)

    def want_at(self, index):
        return take(self.want_flat, index)

    def fits(self, guess, some=slice(None)):
        """Which of the sampled values the guess explains: it is as near the value got as a right
        one must be, and not just because that is far: 95 % of the deviation must be gone, or, of
        one that is a few units of rounding, three quarters."""
        g, w, bound = self.g[some], self.w[some], self.bound[some]
        off = numpy.abs(g - w)
        allowed = numpy.maximum(numpy.minimum(bound, 0.05 * off),
                                numpy.minimum(4 * self.eps * numpy.abs(guess), 0.25 * off))
        allowed[~numpy.isfinite(allowed)] = 0
        return (numpy.abs(g - guess) <= allowed) & numpy.isfinite(guess)


def take(flat, index):
    """flat[index] as doubles on the CPU."""
    return flat[torch.from_numpy(index).to(flat.device)].double().cpu().numpy()


def _profiles(mask):
    """For each axis, at which of its indices the mask holds anywhere."""
    on_cpu = mask.device.type == "cpu"
    mask = mask.numpy() if on_cpu else mask  # numpy's any() is the faster one there
    out = []
    for axis in range(mask.ndim):
        others = tuple(i for i in range(mask.ndim) if i != axis)
        marks = mask.any(others) if others else mask
        out.append(marks if on_cpu else marks.cpu().numpy())
    return out


def _plain(value):
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, numpy.integer)):
        return int(value)
    if isinstance(value, (float, numpy.floating)):
        return float(f"{value:.9g}") if math.isfinite(value) else str(value)
    return [_plain(v) for v in value]


def _from_inputs(wrong, args, known):
    found = anatomy_inputs.overflow(wrong, args) if known & {"nan", "infinite"} else []
    if known & {"all-zero", "nan", "unwritten", "wrapped", "rounded", "shifted", "transposed"}:
        return found
    return found + (anatomy_inputs.copied(wrong, args) or anatomy_inputs.as_contiguous(wrong, args)
                    or anatomy_folds.find(wrong, args) or anatomy_inputs.left_out(wrong, args)
                    or anatomy_inputs.other_axis(wrong, args))


def _find(got, want, bad, bound, dtype, inputs):
    args = anatomy_inputs.tensors(inputs)
    wrong = Wrong(got, want, bad, bound, dtype, args)
    with numpy.errstate(all="ignore"):
        places = anatomy_location.find(wrong)
        values = anatomy_values.find(wrong)
        values += _from_inputs(wrong, args, {v["name"] for v in values})
    if values and [p["name"] for p in places] == ["scattered"]:
        places[0]["words"] = "Which values are wrong does not hang on their place."
    # What explains every value comes before what explains many.
    values.sort(key=lambda p: -round(p.get("share", 1.0), 1))
    found = [{"kind": "location", **p} for p in places[:3]]
    found += [{"kind": "value", **p} for p in values]
    return [{k: _plain(v) for k, v in p.items() if (k, v) != ("share", 1)} for p in found[:MOST]]


def _form(got, want, right):
    if got.dtype != want.dtype:
        if got.shape == want.shape and right(got.to(want.dtype)):
            kept, asked = (wire.dtype_name(t.dtype) for t in (got, want))
            return dict(name="wrong-dtype", words=f"The values are right, but {kept} and not {asked}.")
    elif got.numel() == want.numel() and right(got.reshape(want.shape)):
        return dict(name="wrong-shape", words="The values are right, only the shape is another.")
    elif got.dim() == want.dim() >= 2 and got.mT.shape == want.shape and right(got.mT):
        return dict(name="transposed", words="The values are right, the last two axes exchanged.")
    elif got.dim() == want.dim() and all(a >= b for a, b in zip(got.shape, want.shape)):
        if right(got[tuple(slice(n) for n in want.shape)]):
            return dict(name="padded",
                        words="The values are right, but more than asked for: a size rounded up to a block?")
    return None


def form(got, want, right):
    """The patterns of a result of another dtype or shape; right(tensor) tells whether it would do."""
    try:
        found = _form(got, want, right) if got.numel() <= WINDOW else None
        return [{"kind": "value", **found}] if found else []
    except Exception:
        return []


def among(check, seen):
    """The check of the first wrong one of several results, told with how the others are."""
    wrong = [path for path, ok in seen if not ok]
    rest = check.get("explain")
    if len(wrong) < len(seen) and rest:
        found = {"kind": "location", "name": "one-output",
                 "words": f"Wrong of {len(seen)} results: {', '.join(wrong[:4])}; the others are right."}
        check["explain"] = lambda inputs: [found, *rest(inputs)][:MOST]
    return check


def patterns(got, want, bad, bound, dtype, inputs=()):
    """The patterns of a mismatch.

    got, want: tensors of one shape; bad: where they disagree; bound: how far off a value may be;
    dtype: of the result itself.
    """
    try:
        return _find(got, want, bad, bound, dtype, inputs)
    except Exception:  # a missing explanation, not a missing verdict
        return []
