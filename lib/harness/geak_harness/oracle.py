"""The oracle's role: makes the inputs, runs the reference, compares. It never sees the
candidate's code, only the bytes that came out of it.
"""
import torch

from . import called, channel, compare, loader, poison, pretend, share, suite, targets, unsettled, wire


class _Calls(called.Calls):
    """The harnesses whose entry is called case by case."""

    def __init__(self, ch, request):
        super().__init__(request, channel.Writer(channel.INPUTS_FD).add)
        ch.send(ready=self.messages())
        self.expect(ch)
        ch.send(worked=self.operations())
        ch.send(reference_ran=True)


class _Entries:
    """The suites, whose tests leave named entries."""

    def __init__(self, ch, request):
        self._request = request
        self._tolerance = request.get("tolerance") or {}
        self._expected = suite.expect(ch, request)
        self._doubtful = {n for n, v in self._expected.items() if poison.may_be_in(v)}
        self._again = None

    def wanted(self):
        return {name: (value, {}) for name, value in self._expected.items()}

    def checks(self, reply, view):
        given = {r["case"]: r for r in reply["results"]}
        # Of a candidate that ended early, what it did not come to is not wrong, only absent.
        names = [n for n in self._expected if n in given or reply["complete"]]
        return [self._check(n, given.get(n), view) for n in names]

    def _check(self, name, reply, view):
        want = self._expected[name]
        if reply is None:
            check = {"ok": False, "error": f"there is no result named {name}"}
        else:
            try:  # whatever is wrong with this header is the candidate's doing
                got = wire.unpack(reply["result"], view)
            except Exception as e:
                return {"case": name, "ok": False, "error": f"the result cannot be read: {e}"}
            check = compare.compare(got, want, self._tolerance, "result", inputs=())
        if name in self._doubtful or not check["ok"]:
            check = self._settled(name, got if reply else None, want) or check
        return {"case": name, **check}

    def _settled(self, name, got, want):
        """What is to be said of an entry that a second run of the reference gives otherwise, if it does."""
        if self._again is None:
            self._again = suite.second_run(self._request)
        got, count, settled = unsettled.settle(got, want, self._again.get(name, object()), self._tolerance)
        if not count:
            return None
        if not settled:
            return {"ok": None, "skipped": "two runs of the reference differ here"}
        if got is None:
            return None
        check = compare.compare(got, want, self._tolerance, "result", inputs=())
        return {**check, "unsettled": count}


def _view(fd):
    try:
        return channel.private_view(fd)
    except (OSError, ValueError):  # a file longer than memory: then nothing in it can be read
        return bytearray()


def _compare(ch, reply, expected):
    checks = expected.checks(reply, _view(channel.OUTPUTS_FD))
    for check in checks:
        ch.send(check=check)
    if checks and all(c["ok"] is None for c in checks):
        told = f": its {poison.told[0]}" if poison.told else ""
        raise ValueError("two runs of the reference agree in no entry, so nothing can be compared "
                         f"with it{told}")


def _tell_share(ch, request, reply, wanted):
    """The share of the results' elements that were not right when the launches did nothing."""
    view = _view(channel.EXTRA_FD)
    given = {r["ablated"]: r for r in reply["ablated"]}
    tolerance = {**compare.DEFAULT, **(request.get("tolerance") or {})}
    wrong = total = 0
    with torch._C.DisableTorchFunction():
        for name in (n for n in wanted if n in given):
            want, changed = wanted[name]
            try:
                got, args = (wire.unpack(given[name][k], view) for k in ("result", "args"))
                args = {i: args[i] for i in changed}
            except Exception:  # it failed, or what it sent cannot be read
                got, args = None, {}
            counts = [share.count(got, want, tolerance)]
            for i, (was, now) in changed.items():
                counts.append(share.count_arguments(args.get(i), was, now, tolerance))
            wrong += sum(c[0] for c in counts)
            total += sum(c[1] for c in counts)
    if total:
        ch.send(own_share=wrong / total)


def run(ch, request):
    if request["device"] == "cpu":
        target = targets.parse(request["targets"][0])
        pretend.install(target, targets.properties(target))
    else:
        poison.Poison().__enter__()
    try:
        expected = (_Entries if request["harness"] in suite.HARNESSES else _Calls)(ch, request)
        while (reply := ch.receive()) is not None:
            _compare(ch, reply, expected)
            if "ablated" in reply:
                _tell_share(ch, request, reply, expected.wanted())
            ch.send(done=True)
    except BaseException as e:
        ch.send(reference_error=loader.describe(e))
