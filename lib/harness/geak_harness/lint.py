"""The lint's role: gives a task's own checker wrong answers, and tells which of them it takes.

A case is one of the task's or, where tests are run, an entry of what they leave. An answer is
wrong in every case at once, as a candidate would be, and it is accepted when the checker takes
it in each case where it is not, by chance, the right one.
"""
import contextlib
import time

import torch

from . import answers, called, channel, compare, launches, loader, pretend, suite

NO_TIME = "the time was over"
NO_CASE = "no result of a kernel is compared"
# Those that a kernel can leave in memory that is not its own to choose.
IN_KERNEL = {**answers.PLAIN, "one_changed": answers.one_changed,
             "half_zero": lambda leaf: answers.half(leaf, None)}
for _name in ("dtype", "empty"):
    del IN_KERNEL[_name]


class Case:
    """The right answer of one case, all that wrong ones are made from, and how they are checked.

    An answer is (result, {number: argument}) with those arguments that the reference writes to.
    """

    def __init__(self, name, right, args, stale):
        self.name, self.right, self.args, self.stale = name, right, args, stale

    def check(self, answer):
        raise NotImplementedError

    def takes(self, answer):
        """True or False; None when the answer is the right one, to the bit."""
        return None if _same(answer, self.right) else self.check(answer)

    def size(self):
        """How many numbers the answer has."""
        return sum(n.numel() if isinstance(n, torch.Tensor) else 1 for n in answers.leaves(self.right))


def _same(a, b):
    return compare.compare(list(a), list(b), compare.EXACT, "")["ok"]


# -- wrong answers of a case: a list of variants, each a function of the case

def _plain(make):
    return lambda case: answers.each(make, case.right)


def _none(case):
    """Nothing is returned, and nothing written."""
    return None, {i: case.args[i] for i in case.right[1]}


def _stale(case):
    if case.stale is None:
        raise answers.Unfit("there is no answer for another seed")
    return case.stale


def _half(with_stale):
    def make(case):
        rest = iter(answers.leaves(_stale(case)) if with_stale else ())
        return answers.each(lambda leaf: answers.half(leaf, next(rest, None) if with_stale else None), case.right)
    return make


def _nth(n, make):
    """A variant in which only the nth leaf is wrong."""
    def one(case):
        count = iter(range(1 << 30))
        if n >= len(answers.leaves(case.right)):
            raise answers.Unfit("it has fewer parts")
        return answers.each(lambda leaf: make(leaf) if next(count) == n else leaf, case.right)
    return one


def _fits(case, n):
    given = answers.leaves(case.args)
    return n < len(given) and isinstance(given[n], torch.Tensor) and any(
        isinstance(leaf, torch.Tensor) and leaf.numel() == given[n].numel() for leaf in answers.leaves(case.right))


def _copy(n):
    """The nth argument's elements, and nothing where it has not the answer's size."""
    def make(case):
        if not _fits(case, n):
            return _none(case)
        source = answers.leaves(case.args)[n]
        return answers.each(lambda leaf: answers.copied(leaf, source), case.right)
    return make


def _most(cases, part):
    return max((len(answers.leaves(part(c))) for c in cases), default=0)


def variants(cases):
    """{answer: its variants}"""
    out = {name: [_plain(make)] for name, make in answers.PLAIN.items()}
    out["none"] = [_none]
    out["stale"] = [_stale]
    out["half_zero"], out["half_stale"] = [_half(False)], [_half(True)]
    out["one_changed"] = [_nth(n, answers.one_changed) for n in range(_most(cases, lambda c: c.right))]
    out["copy"] = [_copy(n) for n in range(_most(cases, lambda c: c.args)) if any(_fits(c, n) for c in cases)]
    return out


RANK = ("skipped", "refused", "weak", "accepted")  # of two variants the better cheat counts


def _try(cases, make):
    """What became of one variant: the outcome, why it was skipped, the cases that took it, of how many."""
    took, refused, why = [], 0, "it is the right answer in every case" if cases else NO_CASE
    for case in cases:
        try:
            taken = case.takes(make(case))
        except answers.Unfit as e:
            why = str(e)
            continue
        if taken:
            took.append(case)
        refused += taken is False
    of = len(took) + refused
    if refused:  # one number alone may be near by chance
        took = [c for c in took if c.size() > 1]
    if not took:
        return {"outcome": "refused"} if refused else {"outcome": "skipped", "why": why}
    return {"outcome": "weak" if refused else "accepted", "cases": [c.name for c in took], "of": of}


def _best(tried):
    return max(tried, key=lambda t: RANK.index(t["outcome"]),
               default={"outcome": "skipped", "why": "no argument is of its size"})


# -- faults that need no wrong answer to be seen

def _constant(case):
    numbers = [leaf for leaf in answers.leaves(case.right) if isinstance(leaf, torch.Tensor) and leaf.numel() > 1]
    return bool(numbers) and all(bool(((n == n.reshape(-1)[0]) | n.isnan()).all()) for n in numbers)


def _all(cases, holds):
    return bool(cases) and all(map(holds, cases))


def faults(cases):
    """The kinds of what every case shows."""
    with torch._C.DisableTorchFunction():
        full = [c for c in cases if c.size()]
        if cases and not full:
            yield "empty"
        if _all([c for c in full if c.stale is not None],
                lambda c: _same(c.stale, c.right)):
            yield "fixed"
        if _all([c for c in full if c.size() > 1], _constant):
            yield "constant"


# -- the harnesses whose entry is called case by case

class _Called(Case):
    """A call of the entry. Its answer has the arguments that are written to beside the result."""

    def __init__(self, call, other, device):
        written = {i: now for i, (_, now, _) in enumerate(call.args) if now is not None}
        stale = other and (other.want, {i: now for i, (_, now, _) in enumerate(other.args) if i in written})
        super().__init__(call.name, (call.want, written), call.inputs(device), stale)
        self._call = call

    def check(self, answer):
        result, written = answer
        call = self._call
        ok = compare.compare(result, call.want, call.limits, "result", call.measures)["ok"]
        after = [written.get(i, was) for i, (was, _, _) in enumerate(call.args)]
        return ok and called.check_arguments(after, call) is None


def _draws(request, seed, add):
    """The first call of each case by its name, answered by the reference."""
    calls = called.Calls({**request, "seed": request[seed], "seeds": 1}, add)
    calls.expect()
    return calls, {c.name: c for c in calls.calls if c.name == c.case["name"]}


def _called(ch, request):
    add = channel.Writer(channel.INPUTS_FD).add
    calls, first = _draws(request, "seed", add)
    _, others = _draws(request, "other_seed", add)
    if any(map(calls.differs_from_itself, first.values())):
        ch.send(fault="unstable")
    return [_Called(call, others.get(name), request["device"]) for name, call in first.items()]


# -- the harnesses of suites

class _Entry(Case):
    """A named entry of what the tests leave; it has no arguments that are known."""

    def __init__(self, name, value, other, tolerance):
        super().__init__(name, (value, {}), [], other and (other.get(name), {}))
        self._tolerance = tolerance

    def check(self, answer):
        return compare.compare(answer[0], self.right[0], self._tolerance, self.name)["ok"]


class _Runs:
    """Runs of a suite's tests, as many as there is time for."""

    def __init__(self, request):
        self.request = request
        self.end = time.monotonic() + request["seconds"]
        self.longest = 0.0

    def entries(self, file, seed="seed", how=contextlib.nullcontext()):
        """What the tests leave."""
        start = time.monotonic()
        try:
            with how:
                return suite.reference({**self.request, "seed": self.request[seed]}, file)
        finally:
            self.longest = max(self.longest, time.monotonic() - start)

    def wrong(self, file, how):
        """The same with kernels that do wrong: {} when the tests cannot bear it."""
        try:
            return self.entries(file, "seed", how)
        except Exception:
            return {}

    def have_time(self):
        return time.monotonic() + 1.2 * self.longest < self.end


def _no_launch(right, free):
    if right.keys() == free:
        return {"outcome": "accepted", "cases": sorted(free), "of": len(free)}
    return {"outcome": "refused"}


def _suite(ch, request, runs):
    right = runs.right = runs.entries("reference")
    tolerance = request.get("tolerance") or {}

    def agreeing(entries):
        return {n for n in entries if n in right
                and compare.compare(entries[n], right[n], tolerance, n)["ok"]}

    # What is there without any work. (All NaN is what is left in memory that nothing wrote to.)
    free = {n for n in agreeing(runs.wrong("idle", launches.idle())) if not _all_nan(right[n])}
    ch.send(answer="no_launch", **_no_launch(right, free))
    other = runs.entries("other", "other_seed") if runs.have_time() else None
    unstable = right.keys() - agreeing(runs.entries("again")) if runs.have_time() else set()
    if unstable == right.keys():
        raise ValueError("two runs of the reference agree in no entry, so nothing can be compared with it")
    if unstable:
        ch.send(fault="unstable")
    return [_Entry(n, v, other, tolerance)
            for n, v in right.items() if n not in unstable | free and answers.leaves(v)]


def _all_nan(value):
    tensors = [n for n in answers.leaves(value) if isinstance(n, torch.Tensor)]
    return bool(tensors) and all(bool(n.isnan().all()) for n in tensors)


def _spoilt(make):
    """What a launch has written is then made wrong by make, a function of one tensor."""
    def launch(run, kernel, *args, **kwargs):
        tensors = [a for a in [*args, *kwargs.values()] if isinstance(a, torch.Tensor)]
        with torch._C.DisableTorchFunction():
            before = [t.clone() for t in tensors]
        run(kernel, *args, **kwargs)
        with torch._C.DisableTorchFunction():
            for t, b in zip(tensors, before):
                if compare.same_bits(t, b, "") is not None:
                    t.copy_(answers.each(make, t))

    return launches.replaced(launch)


def _by_tests(runs, name, best):
    """The outcome for an answer that the entries let pass, after the tests' own assertions have
    seen a kernel that leaves it."""
    make = IN_KERNEL.get(name)
    if best["outcome"] != "accepted" or make is None:
        return best
    if not runs.have_time():
        return {"outcome": "skipped", "why": NO_TIME}
    entries = runs.wrong(f"wrong_{name}", _spoilt(make))
    told = any(entries.get(k) != v for k, v in runs.right.items() if k.startswith(suite.OUTCOME))
    return {"outcome": "refused"} if told else best


def _lint(ch, request):
    runs = _Runs(request)
    in_suite = request["harness"] in suite.HARNESSES
    cases = _suite(ch, request, runs) if in_suite else _called(ch, request)
    for case in cases:
        if not case.check(case.right):
            raise ValueError(f"case {case.name}: the reference's own result is refused; nothing can be right")
    ch.send(cases=len(cases))
    for fault in faults(cases):
        ch.send(fault=fault)
    for name, makers in variants(cases).items():
        best = _best([_try(cases, make) for make in makers])
        if request["harness"] == "pytest":
            best = _by_tests(runs, name, best)
        ch.send(answer=name, **best)


def run(ch, request):
    pretend.prepare(request)
    try:
        _lint(ch, request)
        ch.send(done=True)
    except BaseException as e:
        ch.send(reference_error=loader.describe(e))
