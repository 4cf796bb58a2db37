"""The candidate's role: runs the entry on inputs that came in, and hands raw results out.

There is no reference here, no expected value and no comparison.
"""
import os
import sys

import torch

from . import channel, launches, loader, module, pretend, suite, timing, touched, tuning, wire, witness, work


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


def _call(case, entry, counting, tensors, view, device, out, changes):
    """What is to be said of it."""
    args = wire.unpack(case["inputs"], view, device)
    tensors.start(args)
    with counting, tensors.reads:
        result = entry(*args)
    if device != "cpu":
        torch.cuda.synchronize()
    with torch._C.DisableTorchFunction():
        header = wire.pack(result, out.add)
        made = tensors.leave(result, lambda t: wire.pack(t, out.add))
        if case["kind"] == "time":  # large: only what must have changed goes back
            args = [a if i in changes.get(case["name"], ()) else None for i, a in enumerate(args)]
        after = wire.pack(args, out.add)
    return {"case": case["name"], "result": header, "args": after, **made}


def _called(ch, request, counting, tensors, device):
    """The harnesses whose entry is called case by case: a function, or a module made for each."""
    stage = "import"
    out = channel.Writer(channel.OUTPUTS_FD)
    name = None
    try:
        loaded = loader.load(request["source"], "candidate", loader.SOURCE)
        entry = entry_of(loaded, request, device)
        ch.send(imported=True)
        stage, done = "call", {}
        for number, case in enumerate(request["cases"]):
            name = case["name"]
            ch.send(**done, next=number)  # its inputs come now, so that nobody looks at those to come
            ch.receive()
            view = channel.private_view(channel.INPUTS_FD)
            done = _call(case, entry(case, view), counting, tensors, view, device, out, request["changes"])
        ch.send(**done)
    except BaseException as e:
        ch.send(error=loader.describe(e), stage=stage, case=name)


def _timed(ch, request, counting, device, tell):
    """The same entry once more, in a process of its own, called as often as the keeper's clock asks."""
    stage, view = "import", None

    def inputs(number, case):
        nonlocal view
        ch.send(next=number)
        ch.receive()
        view = channel.private_view(channel.INPUTS_FD)
        return wire.draws(case, view, device)

    def make(case, name):
        call = entry(case, view)

        def counted(*args):  # as it was when the call was checked
            with counting:
                return call(*args)
        return counted

    try:
        timer = timing.Timer(tell, request["cases"], make, inputs, channel.OUTPUTS_FD, request["flush_bytes"],
                             device)
        del tell
        timer.prepare()
        witness.close_tracing()
        loaded = loader.load(request["source"], "candidate", loader.SOURCE)
        entry = entry_of(loaded, request, device)
        ch.send(imported=True)
        stage = "call"
        while (message := ch.receive()) is not None:
            timer.answer(message)
    except BaseException as e:
        ch.send(error=loader.describe(e), stage=stage)


def run(ch, request):
    sys.path.insert(0, os.getcwd())
    log = launches.Log()
    device = request["device"]
    pretend.prepare(request)
    suites = request["harness"] in suite.HARNESSES
    if device != "cpu":
        tuning.prepare(timed=not suites)
    teller = launches.watch(log, request["source"] + request.get("tests", ""))
    told = 0 if suites else 1 if device != "cpu" else len(witness.FIGURES)
    seen = ch.hand_to(lambda fd, mark: witness.Witness(fd, mark, teller, told))
    log.begin, log.end = seen.begin, seen.end
    if told > 1:
        work.see_kernels(seen.count)
    witness.close_collector()
    if suites:
        suite.run(ch, request)
    elif request.get("timing"):
        _timed(ch, request, work.Torch(seen.count), device, seen.give_up_times())
    else:
        tensors = touched.Touched()
        log.see = tensors.launch
        _called(ch, request, work.Torch(seen.count, tensors), tensors, device)
    seen.finish()
