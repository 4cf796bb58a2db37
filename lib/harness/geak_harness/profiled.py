"""What a profiler runs: the candidate's entry, twice, in a process that the profiler started itself.

The first call compiles and tunes; of the second the counters are read. There is no reference here,
and nothing that is printed or returned is looked at.
"""
import json
import os

import torch

from . import candidate, channel, loader, pretend, targets, wire

REQUEST = "profiled.json"  # in the folder in which both run


def _call(entry, case, path, device):
    view = channel.private_view(os.open(path, os.O_RDONLY))
    args = wire.unpack(case["inputs"], view, device)
    entry(case, view)(*args)
    if device != "cpu":
        torch.cuda.synchronize()


def main():
    with open(REQUEST, encoding="utf-8") as f:
        request = json.load(f)
    device, case = request["device"], request["case"]
    if device == "cpu":
        from . import interpreter  # only here, as in boot.py
        interpreter.prepare()
        pretend.install(targets.parse(request["targets"][0]))
    loaded = loader.load(request["source"], "candidate", loader.SOURCE)
    entry = candidate.entry_of(loaded, request, device)
    _call(entry, case, request["inputs"], device)
    # ncu's range; rocprofv3 has none that every version knows, and is asked for all launches.
    ranged = device != "cpu" and torch.version.hip is None
    if ranged:
        torch.cuda.cudart().cudaProfilerStart()
    _call(entry, case, request["inputs"], device)
    if ranged:
        torch.cuda.cudart().cudaProfilerStop()
