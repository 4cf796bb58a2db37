"""What a timed call works on: contents that were not there before, and that both sides can tell.

Every call gets the case's inputs with the rows of its floating-point tensors rotated, and a few
rows overwritten by others: drawn from a seed that nobody hears before. The rows come in place
while the cache is not yet flushed, the few in the last moment, on the stream that the call runs
on. So whoever remembers a result by its address, its shape or some of its values remembers a
wrong one; and whoever works on a stream that does not wait for this one reads what is not yet
complete.

Rows stay whole: what a case asks of a row (where a threshold is reached, say) holds for every call.
"""
import random

import torch

FEW = 64             # one row of so many is overwritten
FEW_BYTES = 1 << 18  # at most: what is written last is in the cache when the clock starts


def _copy_of_layout(t):
    """Memory like that of t, with the same strides and the same place in the first 256 bytes."""
    lead = t.storage_offset()
    extent = 1 + sum((n - 1) * s for n, s in zip(t.shape, t.stride())) if t.numel() else 0
    return torch.empty(lead + extent, dtype=t.dtype, device=t.device).as_strided(t.shape, t.stride(), lead)


def _all_of(t):
    """Its memory, gaps between the elements included: a flat tensor that shares it."""
    extent = 1 + sum((n - 1) * s for n, s in zip(t.shape, t.stride())) if t.numel() else 0
    return t.as_strided((extent,), (1,))


class _Tensor:
    """One tensor of the inputs, and the place where a call finds it."""

    def __init__(self, original):
        self._original, self.place = original, _copy_of_layout(original)
        rows = next((d for d, n in enumerate(original.shape) if n > 1), None)
        plain = original.is_floating_point() and 0 not in original.stride() and original.numel()
        self._dim = rows if plain else None
        _all_of(self.place).copy_(_all_of(original))  # also what lies between its elements

    def begin(self, random_):
        """Rotated rows; the few to be overwritten are chosen, and still as they were."""
        if self._dim is None:
            _all_of(self.place).copy_(_all_of(self._original))
            return
        n = self._original.shape[self._dim]
        row = self._original.nbytes // n
        few = max(1, min(n // FEW, FEW_BYTES // max(row, 1)))
        shift, self._from, self._to = random_.randrange(n), *(random_.randrange(n - few + 1) for _ in "12")
        self._few = few
        for to, start, length in ((0, shift, n - shift), (n - shift, 0, shift)):
            if length:
                self.place.narrow(self._dim, to, length).copy_(self._original.narrow(self._dim, start, length))

    def finish(self):
        if self._dim is not None:
            self.place.narrow(self._dim, self._to, self._few).copy_(
                self._original.narrow(self._dim, self._from, self._few))


class Inputs:
    """A place for the arguments of one call at a time."""

    def __init__(self, args):
        self._tensors = []
        self.args = self._placed(args)

    def _placed(self, value):
        if isinstance(value, torch.Tensor):
            self._tensors.append(_Tensor(value))
            return self._tensors[-1].place
        if isinstance(value, (list, tuple)):
            return type(value)(map(self._placed, value))
        if isinstance(value, dict):
            return {k: self._placed(v) for k, v in value.items()}
        return value

    def begin(self, seed, number):
        """All but the last stroke of call number's contents."""
        draw = random.Random(f"{seed}/{number}")
        for t in self._tensors:
            t.begin(draw)

    def finish(self):
        """The last stroke, with which they are complete."""
        for t in self._tensors:
            t.finish()


def renewed(args, seed, number):
    """What call number with that seed worked on."""
    inputs = Inputs(args)
    inputs.begin(seed, number)
    inputs.finish()
    return inputs.args
