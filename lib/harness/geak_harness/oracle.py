"""The oracle's role: makes the inputs, runs the reference, compares. It never sees the
candidate's code, only the bytes that came out of it.
"""
import time

import torch

from . import called, channel, compare, launches, loader, poison, pretend, share, suite, tuning, unsettled, wire


class _Calls(called.Calls):
    """The harnesses whose entry is called case by case."""

    def __init__(self, ch, request):
        super().__init__(request, channel.Writer(channel.INPUTS_FD).add)
        ch.send(ready=self.messages())
        self.expect()
        ch.send(worked=self.operations(), changes=self.changed())
        ch.send(reference_ran=True)

    def own_share(self, ablated):
        return share.of(self.wanted(), ablated, self._request.get("tolerance"))

    def were_handed(self, ablated, given):
        """The answers, to launches that did nothing or, untouched by any kernel, to those that were checked."""
        return self.answered(ablated) or self.answered({n: given[n] for n in self.unchanging() if n in given})

    def are_blind(self):
        """What is returned and what is left in the arguments is compared, and nothing else."""
        return False


RUNS_LEAST = 2    # further ones before an entry is called wrong,
RUNS_MOST = 8     # and of a reference that does not agree with itself
RUNS_SECONDS = 5  # then no more are begun
RESERVED_MAX = 1 << 30  # bytes of the GPU's memory, while there is nothing to do


class _Entries:
    """The suites, whose tests leave named entries."""

    def __init__(self, ch, request):
        self._request = request
        self._tolerance = request.get("tolerance") or {}
        self._expected = suite.expect(ch, request)
        self._doubtful = {n for n, v in self._expected.items() if poison.may_be_in(v)}
        self._further = []  # what the reference left when it ran again
        self._idle = None
        self._unsettled = set()  # names of entries that hang on something else than the candidate

    def timer(self, ch, flush_bytes):
        """Its tests are no calls that could be timed."""
        return None

    def own_share(self, ablated):
        """Numbers come first; but they may be the tests' own, and the work be seen in how those end."""
        wanted = {n: (v, {}, []) for n, v in self._expected.items() if n not in self._unsettled}
        return share.of(wanted, ablated, self._tolerance) \
            or share.of_entries(wanted, ablated, self._tolerance)

    def were_handed(self, ablated, given):
        return False

    def made_by_none(self, untouched):
        return False

    def are_blind(self):
        """Whether its tests leave the same when the reference's own kernels do nothing."""
        if self._idle is None:
            self._idle = _idle_run(self._request)
        return self.own_share({n: (v, {}) for n, v in self._idle.items()}) == 0

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
                got = wire.unpack(reply["result"], view, _where(want))
            except Exception as e:
                return {"case": name, "ok": False, "error": f"the result cannot be read: {e}"}
            check = compare.compare(got, want, self._tolerance, "result", inputs=())
        if name in self._doubtful or not check["ok"]:
            least = 1 if check["ok"] else RUNS_LEAST
            check = self._settled(name, got if reply else None, want, least) or check
        return {"case": name, **check}

    def _settled(self, name, got, want, least):
        """What is to be said of an entry that further runs of the reference give otherwise, if they do.

        What hangs on which of two programs comes last shows in some runs and not in others: if no more is
        wrong than was seen to hang on that, nobody can tell.
        """
        most, check = 0, None
        for i, again in enumerate(self._runs()):
            got, count, settled = unsettled.settle(got, want, again.get(name, object()), self._tolerance)
            most = max(most, count)
            if not settled:
                self._unsettled.add(name)
                return {"ok": None, "skipped": "two runs of the reference differ here"}
            if got is None or (not most and i + 1 == least):
                return None
            check = compare.compare(got, want, self._tolerance, "result", inputs=()) if count else check
            if check and check["ok"]:
                break
        if not check or not most:
            return None
        if not check["ok"] and unsettled.count_wrong(got, want, self._tolerance) <= most:
            self._unsettled.add(name)
            return {"ok": None, "skipped": "runs of the reference differ here in as many values as are wrong"}
        return {**check, "unsettled": most}

    def _runs(self):
        """Those that were made, and then more."""
        start = time.monotonic()
        for i in range(RUNS_MOST):
            if i == len(self._further):
                if i and time.monotonic() - start > RUNS_SECONDS:
                    return
                self._further.append(suite.second_run(self._request))
            yield self._further[i]


def _where(value):
    """The device of its largest tensor."""
    with torch._C.DisableTorchFunction():
        largest = max(share.leaves(value), key=torch.numel, default=None)
        return "cpu" if largest is None else largest.device


def _idle_run(request):
    """The entries that are left when the reference's kernels do nothing; {} where its tests fail then."""
    try:
        with launches.idle():
            return suite.reference(request, "reference_idle")
    except BaseException:  # pytest's own exit, too
        return {}


def _view(fd):
    try:
        return channel.private_view(fd)
    except (OSError, ValueError):  # a file longer than memory: then nothing in it can be read
        return bytearray()


def _let_go(device):
    """Memory that torch keeps for its next use stays away from other processes until it is used."""
    if device != "cpu" and torch.cuda.memory_reserved() > RESERVED_MAX:
        torch.cuda.empty_cache()


def _compare(ch, reply, expected):
    checks = expected.checks(reply, _view(channel.OUTPUTS_FD))
    for check in checks:
        ch.keep(check=check)
    if checks and all(c["ok"] is None for c in checks):
        told = f": its {poison.told[0]}" if poison.told else ""
        raise ValueError("two runs of the reference agree in no entry, so nothing can be compared "
                         f"with it{told}")


def _ablated(reply, view):
    """{name: (result, arguments)} of when the launches did nothing; (None, {}) of what failed then."""
    given = {}
    for r in reply["ablated"]:
        try:
            given[r["ablated"]] = tuple(wire.unpack(r[k], view) for k in ("result", "args"))
        except Exception:  # or what it sent cannot be read
            given[r["ablated"]] = None, {}
    return given


def _handed(replies, name, key, view):
    """{name: what launches were given}."""
    given = {}
    for r in replies:
        try:
            given[r[name]] = [wire.unpack(h, view) for h in r[key]]
        except Exception:  # as above
            given[r[name]] = []
    return given


def _tell_share(ch, reply, expected):
    """The share of the results' elements that were not right when the launches did nothing."""
    view = _view(channel.EXTRA_FD)
    with torch._C.DisableTorchFunction():
        own = expected.own_share(_ablated(reply, view))
        ablated = _handed(reply["ablated"], "ablated", "handed", view)
        given = _handed(reply["results"], "case", "given", _view(channel.OUTPUTS_FD))
        answered = expected.were_handed(ablated, given)
        made_by_none = expected.made_by_none({r["case"]: r.get("untouched") is True for r in reply["results"]})
    if own is not None:
        ch.keep(own_share=own, blind=own == 0 and expected.are_blind(), handed=answered, made_by_none=made_by_none)


def run(ch, request):
    pretend.prepare(request)
    if request["device"] != "cpu":
        tuning.prepare(timed=request["harness"] not in suite.HARNESSES)
    try:
        expected = (_Entries if request["harness"] in suite.HARNESSES else _Calls)(ch, request)
        timer = expected.timer(ch, request["flush_bytes"])
        _let_go(request["device"])
        while (reply := ch.receive()) is not None:
            if timer and timer.answer(reply):
                continue
            _compare(ch, reply, expected)
            if "ablated" in reply:
                _tell_share(ch, reply, expected)
            ch.send(done=True)
            _let_go(request["device"])
    except BaseException as e:
        ch.send(reference_error=loader.describe(e))
