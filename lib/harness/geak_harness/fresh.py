"""What a timed call works on: contents that were not there before, and that both sides can tell.

Every call gets the case's inputs with the rows of its floating-point tensors rotated, and a few
rows overwritten by others: drawn from a seed that nobody hears before. The rows come in place
while the cache is not yet flushed, the few in the last moment, on the stream that the call runs
on. So whoever remembers a result by its address, its shape or some of its values remembers a
wrong one; and whoever works on a stream that does not wait for this one reads what is not yet
complete.

Rows stay whole: what a case asks of a row (where a threshold is reached, say) holds for every call.
And tensors with as many rows as each other are rotated alike: a row of one may tell of a row of
another (its mean, its labels). Where rows may not change places (form.py), a call gets one of several
draws as it is.

In a candidate's process this is a part of what cannot be looked into (sealed.py): nothing here may
look up a name or a method that somebody could have replaced.
"""
import hashlib

import torch

FEW = 64             # one row of so many is overwritten
FEW_BYTES = 1 << 18  # at most: what is written last is in the cache when the clock starts


def make():
    """(place, begin, finish), made of torch's own functions as they are now.

    place(draws, whole) is a place for the arguments of one call at a time: (arguments, their tensors);
    begin(tensors, seed, number) does all but the last stroke of call number's contents, finish(tensors)
    that.
    """
    tensor, parameter, base = torch.Tensor, torch.nn.Parameter, torch._C.TensorBase
    empty, sha256 = torch._C._VariableFunctions.empty, hashlib.sha256
    copy, narrow, as_strided = base.copy_, base.narrow, base.as_strided
    size, strides, offset, numel, element_size = base.size, base.stride, base.storage_offset, base.numel, \
        base.element_size
    is_float, dtype, device = base.is_floating_point, base.dtype.__get__, base.device.__get__
    few_of, few_bytes = FEW, FEW_BYTES

    def extent(t):
        return 1 + sum([(n - 1) * s for n, s in zip(size(t), strides(t))]) if numel(t) else 0

    def all_of(t):
        """Its memory, gaps between the elements included: a flat tensor that shares it."""
        return as_strided(t, (extent(t),), (1,), offset(t))

    def copy_of_layout(t):
        """Memory like that of t, with the same strides and the same place in the first 256 bytes."""
        lead = offset(t)
        new = empty(lead + extent(t), dtype=dtype(t), device=device(t))
        return as_strided(new, size(t), strides(t), lead)

    def rows_of(t, whole):
        """(dimension, rows) or None where it stays as it is: no numbers, or elements that share memory."""
        if whole or not is_float(t) or 0 in strides(t) or not numel(t):
            return None
        return next(((d, n) for d, n in enumerate(size(t)) if n > 1), None)

    def walk(value, found):
        """The value with other memory for its tensors; (tensor, that memory) into found."""
        kind = type(value)
        if kind is tensor or kind is parameter:
            new = copy_of_layout(value)
            copy(all_of(new), all_of(value))  # also what lies between its elements
            found.append((value, new))
            return new
        if kind is list or kind is tuple:
            return kind([walk(v, found) for v in value])
        if kind is dict:
            return {k: walk(v, found) for k, v in value.items() if type(k) is str}
        return value

    def gather(value, found):
        kind = type(value)
        if kind is tensor or kind is parameter:
            found.append(value)
        elif kind is list or kind is tuple:
            for v in value:
                gather(v, found)
        elif kind is dict:
            gather(list(value.values()), found)
        return found

    def place(draws, whole):
        found, largest = [], {}
        args = walk(draws[0], found)
        of_draws = [gather(d, []) for d in draws]
        found = [(new, rows_of(t, whole), [of[i] for of in of_draws]) for i, (t, new) in enumerate(found)]
        for new, rows, _ in found:
            if rows:
                n = rows[1]
                largest[n] = max(largest.get(n, 1), numel(new) * element_size(new) // n)
        return args, [(of, new, *rows, max(1, min(rows[1] // few_of, few_bytes // largest[rows[1]])))
                      if rows else (of, new, None, 0, 0) for new, rows, of in found]

    def drawn(seed, number, of):
        return int.from_bytes(sha256(f"{seed}/{number}/{of}".encode()).digest(), "little")

    def moved(seed, number, n, few):
        """(how far rows are rotated, which are copied, and to where), of all tensors with n rows."""
        numbers = drawn(seed, number, n)
        shift, numbers = numbers % n, numbers // n
        return shift, numbers % (n - few + 1), numbers // n % (n - few + 1)

    def begin(tensors, seed, number):
        last = []
        for of, new, dim, n, few in tensors:
            t = of[drawn(seed, number, "draw") % len(of)]
            if dim is None:
                copy(all_of(new), all_of(t))
                continue
            shift, start, to = moved(seed, number, n, few)
            for at, from_, length in ((0, shift, n - shift), (n - shift, 0, shift)):
                if length:
                    copy(narrow(new, dim, at, length), narrow(t, dim, from_, length))
            last.append((narrow(new, dim, to, few), narrow(t, dim, start, few)))
        return last

    def finish(last):
        for to, start in last:
            copy(to, start)

    return place, begin, finish


def renewed(draws, whole, seed, number):
    """What call number with that seed worked on."""
    place, begin, finish = make()
    new, tensors = place(draws, whole)
    finish(begin(tensors, seed, number))
    return new
