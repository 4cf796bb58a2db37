"""The oracle's side of the harnesses whose entry is called case by case: which calls a candidate
has to answer, what a right one answers, and whether this one did.
"""
import math

import torch

from . import (baseline, channel, compare, float64, form, fresh, function, handed, module, share, tolerance, wire,
               work)

WHOLE_DRAWS = 3  # of inputs of which no row may be moved, for timed calls
EXPLAINED = 4  # so many wrong cases are looked at closely: what is wrong with one shows in all
RAISED_MAX = 1 << 22  # input elements; beyond, the reference is not run in float64, which may be slow
TRIVIAL = 32  # a case with fewer input elements is an edge case: it would hardly notice a wrong kernel


class Call:
    """One call of the entry, and what it must give."""

    def __init__(self, case, name, made, limits):
        self.case = case      # the task's
        self.name = name
        self.made = made      # the case as the candidate's process gets it, under the name it was drawn for
        self.limits = limits  # the tolerance
        self.kind = case.get("kind", "check")
        self.again = name != made["name"]  # with the very inputs of the case's first call
        self.timed = None     # (seed, number) of its contents, when it was one of many
        self.want = None      # the result
        self.measures = []    # of it
        self.operations = 0   # in floating point, that torch did for it
        self.args = []        # for each argument: as it was, as it must be, and measures of that

    def message(self):
        return {**self.made, "name": self.name, "kind": self.kind, "span": wire.span(self.made)}

    def inputs(self, device):
        if self.timed:
            return fresh.renewed(*wire.draws(self.made, channel.private_view(channel.INPUTS_FD), device),
                                 *self.timed)
        return wire.unpack(self.made["inputs"], channel.private_view(channel.INPUTS_FD), device)

    def timed_as(self, timed):
        """The call again, as a timed one that had contents of its own."""
        again = Call(self.case, f"{self.case['name']} (timed)", self.made, self.limits)
        again.timed = timed
        return again

    def leaves_something(self):
        return self.want is not None or any(now is not None for _, now, _ in self.args)


class Calls:
    """All the calls of a task."""

    def __init__(self, request, add):
        self._request = request
        self._device = request["device"]
        self._reference = (module if request["harness"] == "module" else function).Reference(request)
        self._add = add
        self._operations = 0
        self._counting = work.Torch(self._count)
        self._left_out = self._reference.impossible(request["cases"], self._device)
        self.calls = self._planned([c for c in request["cases"] if c["name"] not in self._left_out])

    def _count(self, operations, *moved):
        self._operations += operations

    def _draw(self, case, draw):
        name = f"{case['name']} (draw {draw + 1})" if draw else case["name"]
        made = self._reference.case({**case, "name": name}, self._add)
        if case.get("kind") == "time":
            self._add_draws(case, made)
        limits = {**(self._request.get("tolerance") or {}), **(case.get("tolerance") or {})}
        return Call(case, name, {"name": name, **made}, limits)

    def _add_draws(self, case, made):
        """Of inputs that have to stay as they were drawn there are several, for timed calls to choose from."""
        args = wire.unpack(made["inputs"], channel.private_view(channel.INPUTS_FD), self._device)
        made["whole"] = case["contents"] == "whole" if "contents" in case else form.has_form(args)
        if made["whole"]:
            names = (f"{case['name']} (draw {d + 1})" for d in range(1, WHOLE_DRAWS))
            others = [self._reference.case({**case, "name": n}, self._add)["inputs"] for n in names]
            made["others"] = [h for h in others if _layout(h) == _layout(made["inputs"])]

    def _planned(self, cases):
        """Every case, some with further draws, and one again.

        What is not asked for costs little: one more draw shows who remembers results by shape,
        one repeated call who counts calls, or leaves the result to chance.
        """
        first = [self._draw(c, 0) for c in cases]
        checks = [c for c in first if c.kind == "check"]
        spare = min(checks, key=_rank, default=None)
        if spare and self._request["harness"] == "module" and module.is_large(spare.made):
            spare = None
        further = []
        for call in checks:
            draws = self._request.get("seeds") or (2 if call is spare else 1)
            further += [self._draw(call.case, d) for d in range(1, draws)]
        if spare and self._request.get("deterministic", True):
            further.append(Call(spare.case, spare.name + " (again)", spare.made, spare.limits))
        return first + further

    def messages(self):
        return [c.message() for c in self.calls]

    def expect(self):
        """Runs the reference for every call."""
        for call in self.calls:
            try:
                self._run(call, self._reference.entry(call.made, self._device))
            except (wire.WireError, tolerance.Unfounded) as error:
                raise type(error)(f"case {call.case['name']}: the reference's result {error}") from None
        if self.calls and not any(call.leaves_something() for call in self.calls):
            raise wire.WireError("the reference returns None, and changes no argument; is a return missing?")

    def _run(self, call, entry):
        """Fills in what the reference gives, and how far off it is itself."""
        args, before = call.inputs(self._device), call.inputs(self._device)
        self._operations = 0
        with self._counting:
            result = entry(*args)
        call.operations = self._operations
        with torch._C.DisableTorchFunction():
            wire.pack(result, None)
        call.want = _snapshot(result)
        truth, truth_args = None, [None] * len(args)
        # Cases for timing are large, and not every GPU computes in float64 to speak of.
        small = call.kind == "check" and sum(_sizes(call)) <= RAISED_MAX
        wide = self._reference.wide(call.made, self._device) if small else None
        if wide:
            truth, truth_args = float64.run(wide, before)
        stated = "atol" in call.limits
        call.measures = tolerance.measures(call.want, truth, before, stated)
        for was, now, of in zip(before, args, truth_args):
            if compare.same_bits(now, was, "", gaps=True) is None:
                call.args.append((was, None, None))
            else:
                call.args.append((was, _snapshot(now), tolerance.measures(now, of, before, stated)))

    def timer(self, ch, flush_bytes):
        """For the reference, as what a candidate is held against."""
        def make(made, name):
            return baseline.make(name, self._reference.baseline(self._reference.entry(made, self._device)))
        def draws(n, made):
            return wire.draws(made, channel.private_view(channel.INPUTS_FD), self._device)
        return baseline.Timer(ch, self.messages(), make, draws, None, flush_bytes, self._device)

    def changed(self):
        """{case: places of the arguments that the reference writes to}"""
        return {c.name: at for c in self.calls
                if (at := [i for i, (_, now, _) in enumerate(c.args) if now is not None])}

    def operations(self):
        """What torch did for the reference in each case, when it was called first."""
        return {c.name: c.operations for c in self.calls if c.name == c.case["name"]}

    def wanted(self):
        """For each call what it must return, what becomes of the arguments that it writes to, and all of
        them as they were."""
        return {c.name: (c.want, {i: (was, now) for i, (was, now, _) in enumerate(c.args) if now is not None},
                         [was for was, _, _ in c.args]) for c in self.calls}

    def unchanging(self):
        """The calls in which the reference writes to no argument."""
        return {c.name for c in self.calls if all(now is None for _, now, _ in c.args)}

    def made_by_none(self, untouched):
        """Whether in most calls no kernel had touched what was returned; {name: whether it was so}."""
        large = [c for c in self.calls if c.name in untouched
                 and any(t.numel() >= TRIVIAL for t in share.leaves(c.want))]
        unchanging = self.unchanging()
        found = [c for c in large if untouched[c.name] and c.name in unchanging]
        return 2 * len(found) > len(large)

    def answered(self, tensors):
        """Whether in most calls one of these tensors was the answer; {name: tensors}."""
        found = []
        for call in self.calls:
            changed = [now for _, now, _ in call.args if now is not None]
            want = max(share.leaves([call.want, changed]), key=torch.numel, default=None)
            if want is None or want.numel() < TRIVIAL or not tensors.get(call.name):
                continue
            inputs = list(share.leaves([was for was, _, _ in call.args]))
            limits = {**compare.DEFAULT, **call.limits}
            found.append(any(handed.is_answer(t, want, limits, inputs) for t in tensors[call.name]))
        return 2 * sum(found) > len(found)

    def checks(self, reply, view):
        """A check for each case; of a candidate that ended early, for those that it came to.

        What it did not come to is not wrong, only absent.
        """
        given = {r["case"]: r for r in reply["results"]}
        if reply.get("timed"):
            return self._timed_checks(reply["results"], view)
        strides = self._request.get("strides")
        by_case = {}
        for call in self.calls:
            if call.name not in given and not reply["complete"]:
                continue
            first = given.get(call.made["name"]) if call.again else None
            judged = by_case.setdefault(call.case["name"], [])
            wrong = [name for name, of in by_case.items() if any(not c["ok"] for _, c in of)]
            explain = len(wrong) < EXPLAINED and call.case["name"] not in wrong
            check = _check_call(call, given.get(call.name), first, view, self._device, strides, explain)
            judged.append((call, check))
        return [{"case": name, "ok": None, "skipped": why} for name, why in self._left_out.items()] \
            + [self._fold(name, judged) for name, judged in by_case.items()]

    def _timed_checks(self, results, view):
        """A check for each case of several timed calls."""
        folded = {}
        for reply in results:
            check = self._timed_check(reply, view)
            if check["case"] not in folded or folded[check["case"]]["ok"]:
                folded[check["case"]] = check
        return list(folded.values())

    def _timed_check(self, reply, view):
        """Of one of many timed calls: the reference is run on what that one worked on."""
        first = next(c for c in self.calls if c.name == reply["case"])
        call = first.timed_as(reply["timed"])
        self._run(call, self._reference.entry(call.made, self._device))
        check = _check_call(call, reply, None, view, self._device, None, False)
        return {"case": call.name, **check}

    def _fold(self, name, judged):
        """One check of all the calls of a case."""
        draws = len({call.made["name"] for call, _ in judged})
        head = {"case": name, "draws": draws} if draws > 1 else {"case": name}
        for call, check in judged:
            if not check["ok"] and self._is_random(call):
                return {"case": name, "ok": None, "skipped": "two runs of the reference differ here"}
            if not check["ok"] and call.made["name"] != name:
                check["error"] += "; the inputs that were drawn first were answered rightly"
            if not check["ok"]:
                return {**head, **check}
        out = {**head, "ok": True}
        for figure in compare.FIGURES:
            values = [check[figure] for _, check in judged if figure in check]
            if values:
                out[figure] = max(values)
        exact = [m for call, _ in judged for m in call.measures if m and m.exact]
        if exact:
            out["reference_abs"] = max(m.own_abs for m in exact)
            out["reference_rel"] = max(m.own_rel for m in exact)
        return out

    def _is_random(self, call):
        """Whether a second run of the reference, with other random numbers, gives something else."""
        entry = self._reference.again(call.made, self._device)
        return entry is not None and self._differs(call, entry)

    def differs_from_itself(self, call):
        """The same, and whether one with the same random numbers does."""
        return self._is_random(call) or self._differs(call, self._reference.entry(call.made, self._device))

    def _differs(self, call, entry):
        found = entry(*call.inputs(self._device))
        return not compare.compare(found, call.want, call.limits, "", call.measures)["ok"]


def _layout(header):
    """All of a header but where its bytes lie."""
    if isinstance(header, dict):
        return {k: _layout(v) for k, v in header.items() if k != "at"}
    return [_layout(v) for v in header] if isinstance(header, list) else header


def _sizes(call):
    """How many elements each tensor among the arguments has."""
    return [math.prod(h["shape"]) for h in call.made["inputs"]["v"] if h["t"] == "tensor"]


def _rank(call):
    """Of the calls for checking the cheapest is first, edge cases last.

    One without awkward values goes before: where all is equal, or tied, much that is wrong
    gives the right result.
    """
    sizes = _sizes(call)
    trivial = sum(sizes) < TRIVIAL or 0 in sizes
    return trivial, bool(call.case.get("values")), -sum(sizes) if trivial else sum(sizes)


def _snapshot(value):
    """A copy that later calls do not change; it stays on its device, where comparing is fast."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, (list, tuple)):
        return [_snapshot(v) for v in value]
    if isinstance(value, dict):
        return {k: _snapshot(v) for k, v in value.items()}
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        return value.item()  # a number of numpy's
    return value


def _check_call(call, reply, first, view, device, strides, explain):
    """The check of one call; first is the reply that this one must repeat, or None."""
    if reply is None:
        return {"ok": False, "error": f"there is no result named {call.name}"}
    try:  # whatever is wrong with these headers is the candidate's doing
        got = wire.unpack(reply["result"], view, device)
        got_args = wire.unpack(reply["args"], view, device)
        if not isinstance(got_args, list) or len(got_args) != len(call.args):
            raise ValueError("it came with other arguments")
        before = wire.unpack(first["result"], view, device) if first else None
    except Exception as error:
        return {"ok": False, "error": f"the result cannot be read: {error}"}
    if first:
        error = compare.same_bits(got, before, "result")
        if error:
            return {"ok": False, "error": f"{error}; two calls with the same arguments must give the same"}
    inputs = [was for was, _, _ in call.args] if explain else None
    check = compare.compare(got, call.want, call.limits, "result", call.measures, inputs)
    if check["ok"] and strides == "same":
        error = compare.same_strides(got, call.want, "result")
        check = {"ok": False, "error": error} if error else check
    return check if not check["ok"] else check_arguments(got_args, call) or check


def check_arguments(got, call):
    """What the reference left alone must be untouched; what it wrote to, within tolerance."""
    for i, (was, now, measures) in enumerate(call.args):
        if call.kind == "time" and now is None:
            continue  # large, and not sent back: who touches it is seen where cases are checked
        path = f"argument {i} after the call"
        if now is not None:
            check = compare.compare(got[i], now, {**call.limits, "equal_nan": True}, path, measures, ())
        elif compare.same_bits(got[i], was, path, gaps=True) is None:
            continue
        else:
            check = compare.compare(got[i], was, compare.EXACT, path, inputs=())
            if check["ok"]:
                check = {"ok": False, "error": f"{path}: what lies between its elements was written to"}
        if not check["ok"]:
            return check
    return None
