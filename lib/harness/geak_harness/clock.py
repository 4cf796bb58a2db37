"""What is between two points of a stream's work, in milliseconds, and what has to be done between two calls.

As sealed.py, which uses it: no name and no method is looked up that somebody could have replaced.
"""
import time

import torch

FLUSH_LEAST = 1 << 27  # bytes


class HostClock:
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

    def reached(self, event):
        return False

    def wait(self):
        pass

    def flush(self):
        pass

    def spin(self, seconds):
        pass


class DeviceClock:
    """CUDA's or HIP's events, and what keeps the device busy, straight from torch's C functions."""

    def __init__(self, flush_bytes):
        bindings = torch._C
        self._event, self._stream_type = bindings._CudaEventBase, bindings._CudaStreamBase
        self._record, self._elapsed, self.reached = self._event.record, self._event.elapsed_time, self._event.query
        self._current, self._sleep = bindings._cuda_getCurrentStream, bindings._cuda_sleep
        self.wait = bindings._cuda_synchronize
        device = torch.cuda.get_device_properties(0)
        size = max(FLUSH_LEAST, flush_bytes, 2 * device.L2_cache_size)
        # Read, not written: what the cache has to write back first would be the next kernel's to wait for.
        self._waste = torch.zeros(size // 4, dtype=torch.float32, device="cuda")
        self._sum = bindings.TensorBase.sum
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
        self._sum(self._waste)

    def spin(self, seconds):
        self._sleep(int(seconds * self._cycles))
