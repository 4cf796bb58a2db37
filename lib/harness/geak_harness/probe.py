"""The probe's role: which GPU is here, asked in a child so that no zygote ever has a context."""
import torch

from . import loader


def _address(p):
    """Where it is on the bus, as the vendors' management libraries know it; None of an old torch."""
    try:
        return f"{p.pci_domain_id:04x}:{p.pci_bus_id:02x}:{p.pci_device_id:02x}.0"
    except AttributeError:
        return None


def run(ch, request):
    try:
        p = torch.cuda.get_device_properties(0)
        amd = torch.version.hip is not None
        target = p.gcnArchName.split(":")[0] if amd else f"sm_{p.major}{p.minor}"
        ch.send(device=p.name, target=target, pci=_address(p), compute_units=p.multi_processor_count,
                memory_bytes=p.total_memory, clock_mhz=getattr(p, "clock_rate", 0) // 1000)
    except BaseException as e:
        ch.send(error=loader.describe(e))
