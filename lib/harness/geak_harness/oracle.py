"""The oracle's role: makes the inputs, runs the reference, compares. It never sees the
candidate's code, only the bytes that came out of it.
"""
import zlib

import torch

from . import channel, compare, loader, pretend, suite, targets, wire


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
        cases.append({"name": case["name"], "inputs": wire.pack(args, out.add)})
    ch.send(ready=cases)
    view = channel.private_view(channel.INPUTS_FD)
    expected = {}
    device = request["device"]
    for case in cases:
        args = wire.unpack(case["inputs"], view, device)
        result = module.reference(*args)
        fresh = wire.unpack(case["inputs"], channel.private_view(channel.INPUTS_FD))
        expected[case["name"]] = (_to_cpu(result), (fresh, _to_cpu(args)))
    ch.send(expected=True)
    return expected


def _to_cpu(value):
    if isinstance(value, torch.Tensor):
        return value.detach().cpu()
    if isinstance(value, (list, tuple)):
        return type(value)(_to_cpu(v) for v in value)
    if isinstance(value, dict):
        return {k: _to_cpu(v) for k, v in value.items()}
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


def _check_case(name, reply, expected, view, tolerance):
    if reply is None:
        return {"case": name, "ok": False, "error": "there is no such result"}
    want, want_args = expected[name]
    try:
        got = wire.unpack(reply["result"], view)
        got_args = wire.unpack(reply["args"], view)
    except (wire.WireError, KeyError, TypeError, ValueError) as e:
        return {"case": name, "ok": False, "error": f"the result cannot be read: {e}"}
    check = compare.compare(got, want, tolerance, "result")
    if check["ok"] and want_args is not None:
        check = _check_arguments(got_args, want_args, tolerance) or check
    return {"case": name, **check}


def run(ch, request):
    if request["device"] == "cpu":
        target = targets.parse(request["targets"][0])
        pretend.install(target, targets.properties(target))
    try:
        if request["harness"] == "function":
            expected = _function(ch, request)
        else:
            expected = suite.expect(ch, request)
    except BaseException as e:
        ch.send(reference_error=loader.describe(e))
        return
    reply = ch.receive()
    if reply is None:
        return
    view = channel.private_view(channel.OUTPUTS_FD)
    with torch._C.DisableTorchFunction():
        given = {r["case"]: r for r in reply["results"]}
        tolerance = request.get("tolerance") or {}
        own = {c["name"]: c.get("tolerance") or {} for c in request.get("cases") or []}
        for name in expected:
            ch.send(check=_check_case(name, given.get(name), expected, view,
                                      {**tolerance, **own.get(name, {})}))
    ch.send(done=True)
