"""The probe's role: which GPU is here, asked in a child so that no zygote ever has a context."""
import torch

from . import loader


def run(ch, request):
    try:
        p = torch.cuda.get_device_properties(0)
        amd = torch.version.hip is not None
        target = p.gcnArchName.split(":")[0] if amd else f"sm_{p.major}{p.minor}"
        ch.send(device=p.name, target=target)
    except BaseException as e:
        ch.send(error=loader.describe(e))
