"""The oracle's role: makes the inputs, runs the reference, compares. It never sees the
candidate's code, only the bytes that came out of it.
"""
import zlib

import torch

from . import channel, compare, loader, module, pretend, share, suite, targets, timing, wire


EXACT = {"atol": 0, "rtol": 0, "equal_nan": True}


def _generator(seed, name):
    """One stream of random numbers a case, all from the secret seed."""
    real = getattr(torch.Generator, "real", torch.Generator)
    return real().manual_seed((int(seed) ^ zlib.crc32(name.encode())) & (2**63 - 1))


class _Function:
    """The harness function: reference(), called on what inputs() makes."""

    def __init__(self, request):
        self._module = loader.load(request["reference"], "reference", "reference.py")
        self._seed = request["seed"]

    def case(self, case, add):
        """The case as the candidate's process gets it."""
        args = self._module.inputs(dict(case["params"]), _generator(self._seed, case["name"]))
        if not isinstance(args, (list, tuple)):
            raise TypeError("inputs() must return a tuple or a list of positional arguments")
        return {"inputs": wire.pack(list(args), add)}

    def entry(self, case, device):
        return self._module.reference

    def again(self, case, device):
        return None  # a function of its arguments: what it returned is what it returns

    def baseline(self, entry):
        return getattr(self._module, "baseline", entry)


def _called(ch, request):
    """The harnesses whose entry is called case by case."""
    out = channel.Writer(channel.INPUTS_FD)
    reference = (module.Reference if request["harness"] == "module" else _Function)(request)
    cases = [{"name": c["name"], "kind": c.get("kind", "check"), **reference.case(c, out.add)}
             for c in request["cases"]]
    ch.send(ready=cases)
    view = channel.private_view(channel.INPUTS_FD)
    expected = {}
    device = request["device"]
    for case in cases:
        args = wire.unpack(case["inputs"], view, device)
        entry = reference.entry(case, device)
        result = entry(*args)
        fresh = wire.unpack(case["inputs"], channel.private_view(channel.INPUTS_FD), device)
        expected[case["name"]] = (_snapshot(result), (fresh, _snapshot(args)))
        if device != "cpu" and case["kind"] == "time":
            baseline = reference.baseline(entry)
            ch.send(base=case["name"], ms=timing.event_median(lambda: baseline(*args)))
    ch.send(reference_ran=True)

    def again(names):
        found = {}
        for case in cases:
            entry = reference.again(case, device) if case["name"] in names else None
            if entry:
                args = wire.unpack(case["inputs"], channel.private_view(channel.INPUTS_FD), device)
                found[case["name"]] = entry(*args)
        return found

    return expected, again


def _snapshot(value):
    """A copy that later calls do not change; it stays on its device, where comparing is fast."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, (list, tuple)):
        return type(value)(_snapshot(v) for v in value)
    if isinstance(value, dict):
        return {k: _snapshot(v) for k, v in value.items()}
    return value


def _check_arguments(got, want, tolerance):
    """What the reference left alone must be untouched; what it wrote to, within tolerance."""
    fresh, now = want
    for i, (g, w) in enumerate(zip(got, now)):
        path = f"argument {i} after the call"
        left_alone = compare.compare(w, fresh[i], EXACT, path)["ok"]
        check = compare.compare(g, w, EXACT if left_alone else {**tolerance, "equal_nan": True}, path)
        if not check["ok"]:
            return check
    return None


def _check_case(name, reply, expected, view, device, tolerance):
    if reply is None:
        return {"case": name, "ok": False, "error": f"there is no result named {name}"}
    want, want_args = expected[name]
    try:  # whatever is wrong with these headers is the candidate's doing
        got = wire.unpack(reply["result"], view, device)
        got_args = wire.unpack(reply["args"], view, device)
    except Exception as e:
        return {"case": name, "ok": False, "error": f"the result cannot be read: {e}"}
    check = compare.compare(got, want, tolerance, "result")
    if check["ok"] and want_args is not None:
        check = _check_arguments(got_args, want_args, tolerance) or check
    return {"case": name, **check}


def _disagrees_with_itself(expected, found, tolerance):
    """The entries in which a second run of the reference, found, differs from the first."""
    return {name for name, value in found.items()
            if not compare.compare(value, expected[name][0], tolerance, name)["ok"]}


def _compare(ch, request, reply, expected, again):
    given = {r["case"]: r for r in reply["results"]}
    # Of a candidate that ended early, what it did not come to is not wrong, only absent.
    names = [n for n in expected if n in given or reply["complete"]]
    try:
        view = channel.private_view(channel.OUTPUTS_FD)
    except (OSError, ValueError):  # a file longer than memory: then nothing in it can be read
        view = bytearray()
    device = "cpu" if request["harness"] in suite.HARNESSES else request["device"]
    tolerance = request.get("tolerance") or {}
    own = {c["name"]: c.get("tolerance") or {} for c in request.get("cases") or []}
    checks = {n: _check_case(n, given.get(n), expected, view, device, {**tolerance, **own.get(n, {})})
              for n in names}
    failed = [n for n in checks if not checks[n]["ok"]]
    unstable = _disagrees_with_itself(expected, again(failed), tolerance) if failed else set()
    for name, check in checks.items():
        if name in unstable:
            check = {"case": name, "ok": None, "skipped": "two runs of the reference differ here"}
        ch.send(check=check)
    if checks and len(unstable) == len(checks):
        raise ValueError("two runs of the reference agree in no entry, so nothing can be compared with it")


def _tell_share(ch, request, reply, expected):
    """The share of the results' elements that were not right when the launches did nothing."""
    try:
        view = channel.private_view(channel.EXTRA_FD)
    except (OSError, ValueError):
        view = bytearray()
    given = {r["ablated"]: r for r in reply["ablated"]}
    tolerance = {**compare.DEFAULT, **(request.get("tolerance") or {})}
    wrong = total = 0
    with torch._C.DisableTorchFunction():
        for name in (n for n in expected if n in given):
            want, want_args = expected[name]
            try:
                got, args = (wire.unpack(given[name][k], view) for k in ("result", "args"))
            except Exception:  # it failed, or what it sent cannot be read
                got = args = None
            counts = [share.count(got, want, tolerance)]
            if want_args is not None:
                counts.append(share.count_arguments(args, *want_args, tolerance))
            wrong += sum(c[0] for c in counts)
            total += sum(c[1] for c in counts)
    if total:
        ch.send(own_share=wrong / total)


def run(ch, request):
    if request["device"] == "cpu":
        target = targets.parse(request["targets"][0])
        pretend.install(target, targets.properties(target))
    try:
        if request["harness"] in suite.HARNESSES:
            expected, again = suite.expect(ch, request)
        else:
            expected, again = _called(ch, request)
        while (reply := ch.receive()) is not None:
            _compare(ch, request, reply, expected, again)
            if "ablated" in reply:
                _tell_share(ch, request, reply, expected)
            ch.send(done=True)
    except BaseException as e:
        ch.send(reference_error=loader.describe(e))
