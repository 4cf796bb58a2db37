"""The candidate's role: runs the entry on inputs that came in, and hands raw results out.

There is no reference here, no expected value and no comparison.
"""
import os
import sys

import torch

from . import channel, launches, loader, module, poison, pretend, suite, targets, timing, wire, work


def _prepare(request):
    if request["device"] == "cpu":
        target = targets.parse(request["targets"][0])
        pretend.install(target, targets.properties(target))
        return "cpu"
    poison.Poison().__enter__()
    return request["device"]


def entry_of(loaded, request, device):
    """What makes the callable for a case: the entry itself, or a module made for each."""
    makes = request["harness"] == "module"
    name, kind = request["entry"], "class" if makes else "function"
    entry = getattr(loaded, name, None)
    if entry is None:
        raise AttributeError(f"the source defines no {kind} named {name}")
    if not callable(entry):
        raise TypeError(f"{name} is not a {kind} but a {type(entry).__name__}")
    return (lambda case, view: module.instance(entry, case, view, device)) if makes \
        else (lambda case, view: entry)


def _call(ch, case, entry, log, view, device, out, done):
    args = wire.unpack(case["inputs"], view, device)
    done.take()
    with done.torch:
        result = entry(*args)
    did = done.take()
    if device != "cpu":
        torch.cuda.synchronize()
    with torch._C.DisableTorchFunction():
        header = wire.pack(result, out.add)
        after = wire.pack(args, out.add)
    ch.send(case=case["name"], result=header, args=after, launched=log.total, work=did)
    if device != "cpu" and case["kind"] == "time":
        ch.send(timed=case["name"], ms=timing.event_median(lambda: entry(*args)))


def _called(ch, request, log, device):
    """The harnesses whose entry is called case by case: a function, or a module made for each."""
    stage = "import"
    out = channel.Writer(channel.OUTPUTS_FD)
    name = None
    done = work.Work()
    if device == "cpu":
        done.see_kernels()
    try:
        loaded = loader.load(request["source"], "candidate", "candidate.py")
        entry = entry_of(loaded, request, device)
        ch.send(imported=True)
        stage = "call"
        for case in request["cases"]:
            name = case["name"]
            view = channel.private_view(channel.INPUTS_FD)
            _call(ch, case, entry(case, view), log, view, device, out, done)
    except BaseException as e:
        ch.send(error=loader.describe(e), stage=stage, case=name)


def run(ch, request):
    sys.path.insert(0, os.getcwd())
    log = launches.Log()
    device = _prepare(request)
    launches.watch(log)
    if request["harness"] in suite.HARNESSES:
        suite.run(ch, request, log)
    else:
        _called(ch, request, log, device)
    try:
        ch.send(launches=log.all(), launched=log.total)
    except BaseException as e:
        ch.send(error=loader.describe(e), stage="call", case=None)
