"""A plain median of device events. Nothing guards it: it is no ground for a verdict."""
import torch

WARM_UP, REPEAT = 5, 30


def event_median(call):
    """Median time of call() in milliseconds, by events on the current stream."""
    with torch._C.DisableTorchFunction():  # what watches a call that is checked costs time
        return _event_median(call)


def _event_median(call):
    for _ in range(WARM_UP):
        call()
    spans = []
    for _ in range(REPEAT):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        end.record()
        spans.append((start, end))
    torch.cuda.synchronize()
    times = sorted(a.elapsed_time(b) for a, b in spans)
    return times[len(times) // 2]
