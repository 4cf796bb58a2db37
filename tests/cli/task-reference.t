#!/bin/bash
# The tasks that come with geak hold together: figures, inputs, references, and a
# good kernel for each, in Triton's interpreter.
. "$(dirname "$0")/../tap.sh"
"$PYTHON" -c 'import torch, triton' 2>/dev/null || skip_all "$PYTHON has no torch and triton"

geak-task >tasks.jsonl
cat >check.py <<'E2'
import importlib.util, json, os, sys
os.environ["TRITON_INTERPRET"] = "1"
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[2])
import torch
from geak_harness import inputs

def load(name, path=None, source=None):
    if source is not None:
        module = type(sys)(name)
        exec(compile(source, name, "exec"), module.__dict__)
        return module
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

def flat(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]

def agrees(got, want, tolerance):
    got, want = flat(got), flat(want)
    if len(got) != len(want):
        return False
    for g, w in zip(got, want):
        if not torch.is_tensor(w):
            if g != w:
                return False
        elif (g.shape, g.dtype) != (w.shape, w.dtype) or not torch.allclose(g.double(), w.double(), **tolerance):
            return False
    return True

def draw(ref, case, seed):
    return inputs.make(ref, case, seed)

def wrong_answers(want, args):
    want = flat(want)
    yield "zeros", [torch.zeros_like(w) for w in want]
    yield "ones", [torch.ones_like(w) for w in want]
    yield "the mean", [torch.full_like(w, w.double().nan_to_num().mean().item()) if w.numel() else w for w in want]
    for a in args:
        if torch.is_tensor(a) and a.shape == want[0].shape:
            yield "an input", [a.to(want[0].dtype)]
    yield "half of it", [torch.cat([w[: len(w) // 2], torch.zeros_like(w[len(w) // 2 :])]) for w in want]

exact = {"atol": 0, "rtol": 0, "equal_nan": True}
for task in map(json.loads, open("tasks.jsonl")):
    ref = load("reference", source=task["reference"])
    entry = getattr(load("kernel", os.path.join(sys.argv[1], task["id"] + ".py")), task["entry"])
    bad, tried, refused = [], set(), set()
    for case in task["cases"]:
        name = task["id"] + " " + case["name"]
        if (case["flops"], case["bytes"]) != (ref.flops(case["params"]), ref.bytes(case["params"])):
            bad.append(name + ": flops or bytes")
        if case["kind"] != "check":
            continue
        tolerance = dict(case.get("tolerance", task["tolerance"]))
        tolerance.pop("signed_zero", None)  # geak-eval's own
        args, again, theirs = (draw(ref, case, 7) for _ in range(3))
        if not agrees(again, args, exact):
            bad.append(name + ": inputs() is no function of its generator")
        want, got = ref.reference(*args), entry(*theirs)
        if not agrees(args, again, exact):
            bad.append(name + ": the reference changes its arguments")
        if not agrees(theirs, again, exact):
            bad.append(name + ": the kernel changes its arguments")
        if not agrees(got, want, tolerance):
            bad.append(name + ": the kernel is wrong")
        for what, answer in wrong_answers(want, args):
            tried.add(what)
            if not agrees(answer, want, tolerance):
                refused.add(what)
    for what in sorted(tried - refused):
        bad.append(task["id"] + ": every case accepts " + what)
    print(task["id"], *(bad or ["fine"]), sep="\n" if bad else " ")
E2
"$PYTHON" -W ignore check.py "$ROOT/tests/kernels" "$ROOT/lib/harness" >out 2>err; ok $? "the check runs" || sed 's/^/# /' err
for task in $(jq -r .id tasks.jsonl); do
	is "$(grep "^$task" out)" "$task fine" "$task"
done
done_testing
