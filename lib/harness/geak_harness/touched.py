"""Which of a call's tensors a kernel may have made.

What torch computes is counted, but an entry may compute where nobody counts, and do otherwise in the
run in which launches do nothing (handed.py). So the call that is checked is looked at, too: a launch
has touched the memory that it was given, and so has what torch then makes of that. What a launch is
given untouched, what torch then mixes with what is touched, and what is returned so, no kernel has
made. Arguments of the entry's are left out: the oracle does not ask about calls in which the reference
writes to them.

Where it cannot be told what a kernel has made, nothing is claimed: when one was given an address in a
number, and of a result when the host has read what a kernel made. But who reads on the host as much as
half of what the arguments hold, in numbers that no kernel made, computes there.
"""
import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.overrides import TorchFunctionMode

from . import handed, witness

TENSORS_MAX = 32   # in a call
BYTES_MAX = 1 << 26
ADDRESS = 1 << 32  # an integer from here on may be one
TABLE = 4096       # elements of a tensor of such, at most
HOST_SHARE = 0.5   # of the arguments' elements, read on the host
READS = {torch.Tensor.numpy, torch.Tensor.tolist, torch.Tensor.__array__, torch.Tensor.__dlpack__}


def _tensors(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for v in value:
            yield from _tensors(v)
    elif isinstance(getattr(value, "base", None), torch.Tensor):  # of a descriptor
        yield value.base


def _place(t):
    """Where its memory begins, or 0 where it has none of its own."""
    try:
        return t.untyped_storage().data_ptr()
    except (RuntimeError, NotImplementedError):  # sparse, say, or torch.func's
        return 0


def _holds_address(value):
    """Of a tensor this waits for the device, which cannot be where launches are recorded in a graph."""
    if isinstance(value, int):
        return value >= ADDRESS
    return isinstance(value, torch.Tensor) and value.dtype in (torch.int64, torch.uint64) \
        and 0 < value.numel() <= TABLE and not torch.cuda.is_current_stream_capturing() \
        and bool((value.to(torch.int64).abs() >= ADDRESS).any())


class _Reads(TorchFunctionMode):
    def __init__(self, read):
        super().__init__()
        self._read = read

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func in READS:
            self._read(args[0])
        return func(*args, **(kwargs or {}))


class Touched:
    """Functions that share what was seen, as a witness's do.

    start(args)            a call of the entry begins
    launch(values)         a kernel is about to be given them
    before(args, kwargs)   torch is about to compute; whether with what is touched: then
    after(func, args, kwargs, out)   it has
    reads                  a context in which it is noticed that the host reads a tensor
    leave(result, pack)    what the oracle is to know of the call
    """

    def __init__(self):
        memory, arguments, given, blind, read = {}, set(), [], [], []
        elements = [0, 0]  # of the arguments; of what the host read without a kernel

        def is_touched(t):
            ref = memory.get(_place(t))  # of memory that was let go since, another may have the place
            return ref is not None and not ref.expired()

        def touch(t):
            place = _place(t)
            if place and place not in arguments:
                memory[place] = StorageWeakRef(t.untyped_storage())

        def remember(t):
            """One that may turn out to be the answer."""
            if blind or _place(t) in arguments or is_touched(t) or not handed.is_looked_at(t):
                return
            room = len(given) < TENSORS_MAX and sum(g.nbytes for g in given) + t.nbytes <= BYTES_MAX
            if room and not torch.cuda.is_current_stream_capturing():
                given.append(t.detach().clone())

        def start(args):
            for of_last in (arguments, given, blind, read):
                of_last.clear()
            with torch._C.DisableTorchFunction():
                arguments.update(map(_place, _tensors(args)))
                elements[:] = sum(t.numel() for t in _tensors(args)), 0
            for place in arguments:
                memory.pop(place, None)

        def launch(values):
            with torch._C.DisableTorchFunction():
                tensors = list(_tensors(values))
                own = [t for t in tensors if _place(t) not in arguments]
                if any(map(_holds_address, (*own, *(v for v in values if isinstance(v, int))))):
                    blind.append(True)
                for t in own:
                    remember(t)
                for t in tensors:
                    touch(t)

        def before(args, kwargs):
            with torch._C.DisableTorchFunction():
                inside = list(_tensors((args, kwargs)))
                if not any(map(is_touched, inside)):
                    return False
                for t in inside:
                    remember(t)
                return True

        def after(func, args, kwargs, out):
            with torch._C.DisableTorchFunction():
                if func.overloadpacket.__name__ == "_local_scalar_dense":
                    read.append(True)
                for t in _tensors((out, args, kwargs) if func._schema.is_mutable else out):
                    touch(t)

        def note_read(t):
            with torch._C.DisableTorchFunction():
                if is_touched(t):
                    read.append(True)
                elif t.numel() >= handed.TRIVIAL:
                    elements[1] += t.numel()

        def leave(result, pack):
            large = [t for t in _tensors(result) if t.numel() >= handed.TRIVIAL]
            untouched = bool(large) and not blind and not read and all(map(_place, large)) \
                and not any(map(is_touched, large))
            if large and elements[1] >= HOST_SHARE * elements[0] > 0:
                untouched = True
            return {"given": [pack(t) for t in given], "untouched": untouched}

        self.start, self.launch = witness.opaque(start), witness.opaque(launch)
        self.before, self.after = witness.opaque(before), witness.opaque(after)
        self.leave = witness.opaque(leave)
        self.reads = _Reads(witness.opaque(note_read))
