"""Which GPU a child has: it sees that one alone, as its first.

The vendor's runtime reads what is to be seen from the environment when it is first called, which
no zygote does. So a child can still choose, and nothing that runs in it has to know a number.
"""
import contextlib
import os
import time

import torch


def _visible():
    """The variable that the runtime goes by, and the GPUs that it lists already, or None."""
    if torch.version.hip is None:
        return "CUDA_VISIBLE_DEVICES", os.environ.get("CUDA_VISIBLE_DEVICES")
    # HIP knows CUDA's variable too, and its own comes first.
    return "HIP_VISIBLE_DEVICES", os.environ.get("HIP_VISIBLE_DEVICES", os.environ.get("CUDA_VISIBLE_DEVICES"))


def see_only(number):
    """number: among those that the environment lets be seen, as geak-eval --list-devices has it."""
    name, listed = _visible()
    os.environ[name] = str(number) if listed is None else listed.split(",")[number].strip()
    # torch would have the vendor's management library count them, which locks out all other processes.
    torch.cuda._cached_device_count = 1


@contextlib.contextmanager
def uncounted():
    """Within it torch does not count GPUs, but takes it that there is one. What it imports may ask (its
    compiler, of torch 2.11); and once counted, none can be used in a fork of the process."""
    count = getattr(torch._C, "_cuda_getDeviceCount", None)
    if count is None:  # a torch that knows no GPU
        yield
        return
    torch._C._cuda_getDeviceCount = lambda: 1
    try:
        yield
    finally:
        torch._C._cuda_getDeviceCount = count


def choose(request):
    """Called in a child before anything else is done there."""
    if "gpu" not in request:
        return
    see_only(request["gpu"])
    if not request.get("timing"):
        # Of the queues that a context has by default most stay empty here, and to make them is most of
        # what a process costs the driver, which makes one at a time (on an H200, 14 processes at once:
        # 190 ms each with all of them, 75 with one).
        os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "1")


def warm_up(request):
    """Makes the context, and has its memory at hand."""
    meet(request)
    if request["device"] != "cpu":
        torch.empty(1, device="cuda")
        torch.cuda.synchronize()


def meet(request):
    """For tests of what a GPU does that fails: a GPU that is pretended fares as the request says."""
    how = request.get("pretence")
    if how == "hangs":
        time.sleep(1e6)
    if how == "fails":
        raise RuntimeError("CUDA error: the pretended GPU is lost")
    if how == "full":
        raise RuntimeError("CUDA error: out of memory")
