"""The probe's role: which GPUs are here, how fast one copies memory and whether it still works, asked
in a child so that no zygote ever has a context."""
import statistics

import torch

from . import gpus, loader


def _address(p):
    """Where it is on the bus, as the vendors' management libraries know it; None of an old torch."""
    try:
        return f"{p.pci_domain_id:04x}:{p.pci_bus_id:02x}:{p.pci_device_id:02x}.0"
    except AttributeError:
        return None


WARM_UP, SAMPLES = 3, 11
COPY_MAX = 1 << 30  # bytes: four times the largest last-level cache


def copy_gbs():
    """Bytes read and written a second, in units of 10^9: what a kernel that only moves data can hope for."""
    size = min(COPY_MAX, torch.cuda.mem_get_info()[0] // 4)
    a, b = (torch.zeros(size, dtype=torch.uint8, device="cuda") for _ in "12")
    spans = []
    for _ in range(WARM_UP + SAMPLES):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in "12")
        start.record()
        b.copy_(a)
        end.record()
        spans.append((start, end))
    torch.cuda.synchronize()
    ms = statistics.median(start.elapsed_time(end) for start, end in spans[WARM_UP:])
    return 2 * size / ms / 1e6


def _who():
    p = torch.cuda.get_device_properties(0)
    amd = torch.version.hip is not None
    target = p.gcnArchName.split(":")[0] if amd else f"sm_{p.major}{p.minor}"
    return dict(device=p.name, target=target, pci=_address(p), compute_units=p.multi_processor_count,
                memory_bytes=p.total_memory, clock_mhz=getattr(p, "clock_rate", 0) // 1000)


def _works(request):
    """It adds a few numbers. One whose memory others have filled is no worse for that."""
    try:
        gpus.meet(request)
        numbers = torch.arange(1024, device="cpu" if "pretence" in request else "cuda")
        return (numbers + numbers).sum().item() == 1023 * 1024
    except RuntimeError as e:
        if "out of memory" not in str(e):
            raise
        return True


_ANSWERS = {
    "count": lambda request: dict(count=torch.cuda.device_count()),
    "who": lambda request: _who(),
    "copy": lambda request: dict(copy_gbs=copy_gbs()),
    "works": lambda request: dict(works=_works(request)),
}


def run(ch, request):
    try:
        ch.send(**_ANSWERS[request["what"]](request))
    except BaseException as e:
        ch.send(error=loader.describe(e))
