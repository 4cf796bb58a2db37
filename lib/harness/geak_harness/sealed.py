"""The steps round a timed call, out of reach of the code that is timed.

A candidate shares its process with what takes its time. It can look along its stack and into every
module, replace what it finds, and have code of its own run whenever torch, Python or the harness
calls something of that name. So what counts is done here:

 - in functions that can be called but not looked into (witness.opaque), which share what they know;
 - of modules loaded once more for this alone, whose own functions and builtins nobody else has;
 - with C functions that were fetched before any of the candidate's code was there;
 - while torch's modes of Python's, and the collector with its finalizers, are off;
 - and never while the candidate's code runs: then no frame of these is on the stack. What calls
   them in between is timing.py, or whoever likes; that they were called out of turn is itself a
   finding.

Nothing here may look up a name or a method that somebody could have replaced, nor take for a number
or a list what only behaves like one.
"""
import _signal
import _thread
import gc
import os
import sys
from _json import encode_basestring_ascii

import torch

LEAD_S = 1e-4      # for which the device is kept busy at first, while the host queues a call,
LEAD_MAX_S = 2e-3  # and at most
EMPTY = 21         # windows with nothing but an empty kernel in them
ALIGN = 256        # as channel.ALIGN
DTYPES = {d: str(d).removeprefix("torch.") for d in vars(torch).values() if isinstance(d, torch.dtype)}


def _make_keep():
    """What copies a result on the stream that the call was made on. What might do its work only now,
    a tensor of a type of somebody's own, say, or a name that computes, is not taken."""
    base = torch._C.TensorBase
    detach, clone, tensor, parameter = base.detach, base.clone, torch.Tensor, torch.nn.Parameter
    plain, kind, dtype, generic = (type(None), bool, int, float, str), type, torch.dtype, None
    if "numpy" in sys.modules:
        generic = [t for t in sys.modules["numpy"].sctypeDict.values()]

    def keep(value):
        its = kind(value)
        if its is tensor or its is parameter:
            return clone(detach(value))
        if its is list or its is tuple:
            return its([keep(v) for v in value])
        if its is dict:
            if any([kind(k) is not str for k in value]):
                raise TypeError("a result whose keys are no strings cannot be taken")
            return {k: keep(v) for k, v in value.items()}
        if its is dtype or any([its is t for t in plain]):
            return value
        if generic and any([its is t for t in generic]):
            return keep(value.item())
        raise TypeError("a result that is made of plain tensors, numbers and strings was expected")

    return keep


def _make_pack(fd):
    """As wire.pack and channel.Writer, JSON at once."""
    base, pwrite, text = torch._C.TensorBase, os.pwrite, encode_basestring_ascii
    size, strides, offset, numel, element_size = base.size, base.stride, base.storage_offset, base.numel, \
        base.element_size
    as_strided, contiguous, view, cpu, numpy = base.as_strided, base.contiguous, base.view, base.cpu, base.numpy
    conj, neg, plain_of, dtype = torch.resolve_conj, torch.resolve_neg, torch._C.TensorBase.is_conj, \
        base.dtype.__get__
    layout, strided, byte, names, align = base.layout.__get__, torch.strided, torch.uint8, dict(DTYPES), ALIGN
    tensor, parameter, end = torch.Tensor, torch.nn.Parameter, [0]

    def add(data, lead):
        start = -(-end[0] // align) * align
        data = memoryview(data).cast("B")
        end[0] = start + lead + len(data)
        while data:
            data = data[pwrite(fd, data, end[0] - len(data)):]
        return start

    def pack_tensor(t):
        if layout(t) is not strided or dtype(t) not in names:
            raise TypeError("a dense tensor of a usual type was expected")
        shape, stride = size(t), strides(t)
        extent = 1 + sum([(n - 1) * s for n, s in zip(shape, stride)]) if numel(t) else 0
        lead = offset(t) * element_size(t) % align if extent else 0
        at, count = 0, 0
        if extent:
            raw = view(contiguous(as_strided(t, (extent,), (1,), offset(t))), byte)
            count = numel(raw)
            at = add(numpy(cpu(raw)), lead)
        return (f'{{"t":"tensor","dtype":"{names[dtype(t)]}","shape":{list(shape)},"stride":{list(stride)},'
                f'"at":{at},"lead":{lead},"bytes":{lead + count}}}')

    def pack(value):
        its = type(value)
        if its is tensor or its is parameter:
            return pack_tensor(conj(neg(value)) if plain_of(value) else value)
        if its is list or its is tuple:
            return f'{{"t":"{"list" if its is list else "tuple"}","v":[{",".join([pack(v) for v in value])}]}}'
        if its is dict:
            pairs = [f"[{text(k)},{pack(v)}]" for k, v in value.items()]
            return f'{{"t":"dict","v":[{",".join(pairs)}]}}'
        if value is None or its is bool:
            return f'{{"t":"plain","v":{"null" if value is None else "true" if value else "false"}}}'
        if its is int:
            return f'{{"t":"int","v":"{value}"}}'
        if its is float:
            return f'{{"t":"float","v":"{float.hex(value)}"}}'
        if its is str:
            return f'{{"t":"plain","v":{text(value)}}}'
        return f'{{"t":"dtype","v":"{names[value]}"}}'

    return pack


def _make_meddled():
    """What has been put where it would run between the steps, in words, or None."""
    getsignal, signals = _signal.getsignal, sorted(_signal.valid_signals())
    handlers, default = {s: _signal.getsignal(s) for s in signals}, (0, 1)
    callbacks, known = gc.callbacks, list(gc.callbacks)
    modes = torch._C._len_torch_dispatch_stack

    def meddled():
        if modes():
            return "a mode of torch's that stayed on"
        if len(callbacks) != len(known) or any([a is not b for a, b in zip(callbacks, known)]):
            return "a callback of the collector's"
        if any([getsignal(s) is not handlers[s] and getsignal(s) not in default for s in signals]):
            return "a signal's handler"
        return None

    return meddled


def _shut(step, opaque):
    """The step, hidden; and no exception of it brings its frame out."""
    step = opaque(step)

    def call(*args):
        try:
            return step(*args)
        except Exception as e:
            error = type(e)(str(e))
        raise error

    return opaque(call)


def make(clock, contents, tell, opaque, outputs=None, trusted=False):
    """The steps by name. clock: of clock.py; contents: fresh.make(); tell(text): says a JSON object to
    the keeper; opaque: witness.opaque; outputs: the file that given results are written to; trusted:
    what is timed is the task's own, and may start threads (torch.compile does) or see to signals.

    settle(draws, whole, count, changes)   places for so many calls, and which arguments they write to
    ready()           the cost of an empty window, to the keeper
    open(count, call, name, turn)   a block begins; its contents are drawn from a seed that nobody hears
                      before its end
    before()          everything up to the call: its arguments
    after(value)      what it returned
    close()           the block's times, to the keeper
    give(number)      what a call of the last block made of its inputs, to the keeper
    rest(told)        lets go of all of it
    """
    record, elapsed, event, wait = clock.record, clock.elapsed, clock.event, clock.wait
    flush, spin, reached, replaced = clock.flush, clock.spin, clock.reached, clock.replaced
    lead_first, lead_most = LEAD_S, LEAD_MAX_S
    place, begin, finish = contents
    keep, pack, meddled = _make_keep(), _make_pack(outputs), (lambda: None) if trusted else _make_meddled()
    no_function, no_dispatch = torch._C.DisableTorchFunction, torch._C._DisableTorchDispatch
    collector_off, random, empty_windows = gc.disable, os.urandom, EMPTY
    threads, threads_most = _thread._count, float("inf") if trusted else _thread._count()
    leads = {}  # for each name, seconds
    places, events, made, changed, found = [], [], [], [], []
    seed, count, real, name, turn, at, inside = "", 0, False, "", 0, 0, False

    def plain(*values):
        """Whatever else stands for a number may have code of its own run in here."""
        for value in values:
            if type(value) is not int:
                raise TypeError("a plain number was expected")

    def settle(draws, whole, number, changes):
        collector_off()
        if type(draws) is not list or type(changes) is not list:
            raise TypeError("a plain list was expected")
        plain(number, *changes)
        with no_function(), no_dispatch():
            places.extend([place(draws, whole is True) for _ in range(number)])
        changed[:] = changes
        leads.clear()

    def begin_block(number, calls):
        nonlocal seed, count, real, at, inside
        if inside or at < count:
            found.append("the order of the steps")
        events.clear()
        made.clear()
        seed, count, real, at, inside = random(16).hex(), number, calls, 0, False

    def open_(number, calls, as_, turn_):
        nonlocal name, turn
        collector_off()
        plain(number, turn_)
        begin_block(number, calls is True)
        name, turn = as_ if type(as_) is str else "", turn_

    def before():
        nonlocal inside
        collector_off()
        if inside or at >= count:
            found.append("the order of the steps")
            return ()
        with no_function(), no_dispatch():
            args, tensors = places[at]
            last = begin(tensors, seed, at)
            pair = event(), event()
            flush()
            spin(leads.get(name, lead_first))
            finish(last)
        events.append(pair)
        inside = True
        record(pair[0])
        return args

    def after(value):
        nonlocal inside, at
        if not inside:
            found.append("the order of the steps")
            return
        record(events[at][1])
        late = reached(events[at][0])
        collector_off()
        if what := meddled():
            found.append(what)
        if threads() > threads_most:
            raise RuntimeError("a thread outlives the call that started it, and would run while others are "
                               "timed; join it")
        if real:
            # A device that is through before all is queued waits within the window: of 100 calls, one.
            lead = leads.get(name, lead_first)
            leads[name] = min(lead * 1.1 + 5e-6, lead_most) if late else lead * 0.999
            with no_function(), no_dispatch():
                made.append((keep(value), [keep(places[at][0][i]) for i in changed]))
        inside, at = False, at + 1

    def close():
        wait()
        if inside or at < count:
            found.append("the order of the steps")
        if what := replaced():
            found.append(what)
        times = [elapsed(a, b) for a, b in events]
        said = f',"replaced":"{found[0]}"' if found else ""
        tell(f'{{"turn":{turn},"call":{"true" if real else "false"},"seed":"{seed}","block":{times}{said}}}')

    def ready():
        nonlocal name
        times, name = [], ()  # nothing that has been called
        for _ in range(empty_windows):
            begin_block(1, False)
            before()
            after(None)
            wait()
            times.append(elapsed(*events[0]))
        tell(f'{{"prepared":true,"empty_ms":{sorted(times)[empty_windows // 2]}}}')

    def give(number):
        collector_off()
        plain(number)
        with no_function(), no_dispatch():
            result, now_changed = made[number]
            now_changed = dict(zip(changed, now_changed))
            args = [now_changed.get(i) for i in range(len(places[number][0]))]
            tell(f'{{"result":{pack(result)},"args":{pack(args)}}}')

    def rest(told=True):
        places.clear()
        made.clear()
        if told is True:
            tell('{"rests":true}')

    steps = {"settle": settle, "ready": ready, "open": open_, "before": before, "after": after,
             "close": close, "give": give, "rest": rest}
    return {name: _shut(step, opaque) for name, step in steps.items()}
