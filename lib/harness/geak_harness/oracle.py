"""The oracle's role: makes the inputs, runs the reference, compares. It never sees the
candidate's code, only the bytes that came out of it.
"""
import zlib

import torch

from . import channel, compare, loader, pretend, suite, targets, timing, wire


EXACT = {"atol": 0, "rtol": 0, "equal_nan": True}


def _generator(seed, name):
    """One stream of random numbers a case, all from the secret seed."""
    real = getattr(torch.Generator, "real", torch.Generator)
    return real().manual_seed((int(seed) ^ zlib.crc32(name.encode())) & (2**63 - 1))


def _inputs(module, case, seed):
    args = module.inputs(dict(case["params"]), _generator(seed, case["name"]))
    if not isinstance(args, (list, tuple)):
        raise TypeError("inputs() must return a tuple or a list of positional arguments")
    return list(args)


def _function(ch, request):
    out = channel.Writer(channel.INPUTS_FD)
    module = loader.load(request["reference"], "reference", "reference.py")
    cases = []
    for case in request["cases"]:
        args = _inputs(module, case, request["seed"])
        cases.append({"name": case["name"], "kind": case.get("kind", "check"),
                      "inputs": wire.pack(args, out.add)})
    ch.send(ready=cases)
    view = channel.private_view(channel.INPUTS_FD)
    expected = {}
    device = request["device"]
    for case in cases:
        args = wire.unpack(case["inputs"], view, device)
        result = module.reference(*args)
        fresh = wire.unpack(case["inputs"], channel.private_view(channel.INPUTS_FD), device)
        expected[case["name"]] = (_snapshot(result), (fresh, _snapshot(args)))
        if device != "cpu" and case["kind"] == "time":
            baseline = getattr(module, "baseline", module.reference)
            ch.send(base=case["name"], ms=timing.event_median(lambda: baseline(*args)))
    ch.send(reference_ran=True)
    return expected


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


def _disagrees_with_itself(request, expected, failed):
    """Of the failed entries those in which a second run of the reference differs from the first."""
    again = suite.reference(request, "reference_again")
    tolerance = request.get("tolerance") or {}
    return {name for name in failed
            if name not in again or not compare.compare(again[name], expected[name][0], tolerance, name)["ok"]}


def _compare(ch, request, reply, expected):
    given = {r["case"]: r for r in reply["results"]}
    # Of a candidate that ended early, what it did not come to is not wrong, only absent.
    names = [n for n in expected if n in given or reply["complete"]]
    try:
        view = channel.private_view(channel.OUTPUTS_FD)
    except (OSError, ValueError):  # a file longer than memory: then nothing in it can be read
        view = bytearray()
    device = request["device"] if request["harness"] == "function" else "cpu"
    tolerance = request.get("tolerance") or {}
    own = {c["name"]: c.get("tolerance") or {} for c in request.get("cases") or []}
    checks = {n: _check_case(n, given.get(n), expected, view, device, {**tolerance, **own.get(n, {})})
              for n in names}
    failed = [n for n in checks if not checks[n]["ok"]]
    unstable = set()
    if failed and request["harness"] != "function":
        unstable = _disagrees_with_itself(request, expected, failed)
    for name, check in checks.items():
        if name in unstable:
            check = {"case": name, "ok": None, "skipped": "two runs of the reference differ here"}
        ch.send(check=check)
    if checks and len(unstable) == len(checks):
        raise ValueError("two runs of the reference agree in no entry, so nothing can be compared with it")


def run(ch, request):
    if request["device"] == "cpu":
        target = targets.parse(request["targets"][0])
        pretend.install(target, targets.properties(target))
    try:
        if request["harness"] == "function":
            expected = _function(ch, request)
        else:
            expected = suite.expect(ch, request)
        reply = ch.receive()
        if reply is None:
            return
        _compare(ch, request, reply, expected)
        ch.send(done=True)
    except BaseException as e:
        ch.send(reference_error=loader.describe(e))
