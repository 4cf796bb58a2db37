"""Where the reference does not agree with itself, nothing can be asked of a candidate.

Its second run has the same seed and other poison in memory that nobody wrote: what differs
hangs on such memory, on a clock, or on the order of atomic operations. Those values, and no
others, are taken out of the comparison.
"""
import math

import torch

from . import compare


def settle(got, want, again, tolerance):
    """(got, with what was wanted wherever that is unsettled; how many values are; how many are not)."""
    if isinstance(want, torch.Tensor):
        if not isinstance(again, torch.Tensor) or again.shape != want.shape or again.dtype != want.dtype:
            return want, max(want.numel(), 1), 0
        differs = ~compare.close(again, want, {**compare.DEFAULT, **tolerance})
        count = int(differs.sum())
        if count and isinstance(got, torch.Tensor) and got.shape == want.shape and got.dtype == want.dtype:
            got = torch.where(differs, want, got)
        return got, count, want.numel() - count
    if isinstance(want, (list, tuple)):
        return _members(got, want, again, range(len(want)), tolerance)
    if isinstance(want, dict):
        return _members(got, want, again, list(want), tolerance)
    same = compare.compare(again, want, tolerance, "result")["ok"]
    return (got, 0, 1) if same else (want, 1, 0)


def _members(got, want, again, keys, tolerance):
    alike = [type(v) is type(want) and len(v) == len(want)
             and (not isinstance(want, dict) or set(v) == set(want)) for v in (got, again)]
    if not alike[1]:
        return want, 1, 0
    settled = [settle(got[k] if alike[0] else None, want[k], again[k], tolerance) for k in keys]
    if alike[0]:
        members = [s[0] for s in settled]
        got = dict(zip(keys, members)) if isinstance(want, dict) else type(want)(members)
    return got, sum(s[1] for s in settled), sum(s[2] for s in settled)


def count_wrong(got, want, tolerance):
    """How many values differ; infinity where it is not only values."""
    wrong = 0
    for g, w, path in compare.leaves(got, want, ""):
        if isinstance(path, Exception) or not isinstance(w, torch.Tensor):
            same = not isinstance(path, Exception) and compare.compare(g, w, tolerance, "")["ok"]
        elif g.shape != w.shape or g.dtype != w.dtype:
            same = False
        else:
            wrong += int((~compare.close(g, w, {**compare.DEFAULT, **tolerance})).sum())
            continue
        if not same:
            return math.inf
    return wrong
