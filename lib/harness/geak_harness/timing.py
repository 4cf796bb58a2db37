"""Times calls of one entry as the keeper asks for it, block by block.

The keeper has the candidate and what it is held against take turns, each in a process of its
own, and holds what they say against its own clock. Each of them answers:

    {"time": CASE, "as": NAME}                   get ready: inputs in place, warm
    {"block": N, "seed": S, "call": true}        N calls: how long each took
    {"give": I}                                  what call I of that block made of its inputs
    {"rest": true}                               that was all for now

Before each call the contents are renewed (fresh.py) and the cache is flushed, then the device is
kept busy for as long as the host takes to queue the call: so that what is between the two
events is the device's work, and the host's only where the entry waits for the device itself.
With "call" false all is done but the call.

A candidate's process has this loop too. What it is made of is held in functions that can be
called but not looked into (witness.py), and came there before any of the candidate's code.
"""
import time

import torch

from . import fresh, wire, witness

FLUSH_LEAST = 1 << 27     # bytes
SPIN_MAX_S = 2e-3         # that the device is kept busy at most
WARM_UP = 3               # calls, the first of which may compile
EMPTY = 21                # windows with nothing but an empty kernel in them


class _HostClock:
    """Where there is no device: for the tests of what stands around it."""

    replaced = staticmethod(lambda: None)

    def __init__(self):
        self._now = time.perf_counter

    def event(self):
        return [0.0]

    def record(self, event):
        event[0] = self._now()

    def elapsed(self, a, b):
        return (b[0] - a[0]) * 1e3

    def wait(self):
        pass

    def flush(self):
        pass

    def spin(self, seconds):
        pass


class _DeviceClock:
    """CUDA's or HIP's events, and what keeps the device busy, straight from torch's C functions."""

    def __init__(self, flush_bytes):
        bindings = torch._C
        self._event, self._stream_type = bindings._CudaEventBase, bindings._CudaStreamBase
        self._record, self._elapsed = self._event.record, self._event.elapsed_time
        self._current, self._sleep = bindings._cuda_getCurrentStream, bindings._cuda_sleep
        self.wait = bindings._cuda_synchronize
        device = torch.cuda.get_device_properties(0)
        size = max(FLUSH_LEAST, flush_bytes, 2 * device.L2_cache_size)
        self._waste = torch.empty(size, dtype=torch.uint8, device="cuda")
        self._zero = bindings.TensorBase.zero_
        # What a second of _sleep is: its cycles are not those of any clock that is told.
        a, b = self.event(), self.event()
        for cycles in (1000, 1_000_000):
            self.record(a)
            self._sleep(cycles)
            self.record(b)
            self.wait()
        self._cycles = 1_000_000 / (self.elapsed(a, b) * 1e-3)

        self._named = {name: getattr(torch.cuda.Event, name) for name in ("record", "elapsed_time", "synchronize")}

    def replaced(self):
        """The name of what somebody has put into the place of torch's own, or None: it is of no use
        here, but who would do so?"""
        return next((f"torch.cuda.Event.{n}" for n, f in self._named.items()
                     if getattr(torch.cuda.Event, n, None) is not f), None)

    def event(self):
        return self._event(enable_timing=True)

    def record(self, event):
        stream, device, kind = self._current(0)
        self._record(event, self._stream_type(stream_id=stream, device_index=device, device_type=kind))

    def elapsed(self, a, b):
        return self._elapsed(a, b)

    def flush(self):
        self._zero(self._waste)

    def spin(self, seconds):
        self._sleep(int(seconds * self._cycles))


def _make_keep():
    """What copies a result on the stream that the call was made on. A tensor of a type of
    somebody's own, which might do its work now, stays what it is, and cannot travel."""
    plain, detach, clone = (torch.Tensor, torch.nn.Parameter), torch._C.TensorBase.detach, torch._C.TensorBase.clone
    kind, lists = type, (list, tuple)

    def keep(value):
        if kind(value) in plain:
            return clone(detach(value))
        if kind(value) in lists:
            return [keep(v) for v in value]
        if kind(value) is dict:
            return {k: keep(v) for k, v in value.items()}
        return value

    return keep


def _make_block(clock, now=time.perf_counter):
    """The loop itself, closed to what it calls."""
    record, elapsed, event = clock.record, clock.elapsed, clock.event
    flush, spin, wait, keep, limit = clock.flush, clock.spin, clock.wait, _make_keep(), SPIN_MAX_S
    busy = {}  # for each entry, seconds that the host takes for a call

    def block(entry, places, seed, count, real):
        """(milliseconds of each call, what each returned); as many places as calls, or more."""
        events, made = [], []
        for i in range(count):
            place = places[i]
            place.begin(seed, i)
            start, end, result = event(), event(), None
            flush()
            spin(min(1.5 * busy.get(entry, 0) + 2e-5, limit))
            place.finish()
            before = now()
            record(start)
            if real:
                result = entry(*place.args)
            record(end)
            host = now() - before
            if real:
                # What a call waits for itself is no reason to have the device wait still longer.
                busy[entry] = min(host, busy.get(entry, host) * 1.1)
                made.append(keep(result))
            events.append((start, end))
        wait()
        return [elapsed(a, b) for a, b in events], made

    return block


class Timer:
    """The answers. cases: as the keeper knows them; make(case, as): the entry; args(case): its inputs."""

    def __init__(self, ch, cases, make, args, out, flush_bytes=0, device="cuda"):
        self._ch, self._cases, self._make, self._args, self._out = ch, cases, make, args, out
        self._device, self._flush_bytes = device, flush_bytes
        self._clock = self._block = None
        self._case, self._entries, self._changes = None, {}, ()
        self._places, self._made, self._seed = (), (), None

    def answer(self, message):
        """Whether it was a question for a timer."""
        with torch._C.DisableTorchFunction():
            if "time" in message:
                self._get_ready(message)
            elif "block" in message:
                self._run(message)
            elif "give" in message:
                self._give(message["give"])
            elif "rest" in message:
                self._case, self._entries, self._places, self._made = None, {}, (), ()
                self._ch.send(rests=True)
            else:
                return False
        return True

    def prepare(self):
        """Called before there is any code of a candidate's."""
        if self._clock is None:
            self._clock = _HostClock() if self._device == "cpu" else _DeviceClock(self._flush_bytes)
            self._block = witness.opaque(_make_block(self._clock))

    def _get_ready(self, message):
        self.prepare()
        case = self._cases[message["time"]]
        if case is not self._case:
            self._made = self._places = ()  # before others take their room
            self._case, self._entries, self._changes = case, {}, message.get("changes") or ()
            args = self._args(message["time"], case)
            self._places = [fresh.Inputs(args) for _ in range(message["places"])]
        name = message.get("as")
        if name not in self._entries:
            self._entries[name] = self._make(case, name)
        for i in range(WARM_UP):
            self._block(self._entries[name], self._places, f"warm {i}", 1, True)
        empty = sorted(self._block(None, self._places, f"empty {i}", 1, False)[0][0] for i in range(EMPTY))
        self._ch.send(prepared=case["name"], empty_ms=empty[EMPTY // 2])

    def _run(self, message):
        self._made, self._seed = (), message["seed"]
        entry = self._entries.get(message.get("as"))
        times, self._made = self._block(entry, self._places, self._seed, message["block"], message["call"])
        self._ch.send(block=times, replaced=self._clock.replaced())

    def _give(self, number):
        after = [a if i in self._changes else None for i, a in enumerate(self._places[number].args)]
        self._ch.send(case=self._case["name"], timed=[self._seed, number],
                      result=wire.pack(self._made[number], self._out.add),
                      args=wire.pack(after, self._out.add))
