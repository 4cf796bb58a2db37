#!/bin/bash
# How times are taken, on a machine without a GPU: the host's clock stands in for events, so
# the times mean nothing, and all that stands around them is as it is on a GPU.
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/judge.sh"
export GEAK_TIME_ANYWHERE=1

KERNEL='
import torch, triton, triton.language as tl

@triton.jit
def double_kernel(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)

def by_kernel(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), B=256)
    return y
'
task='{"geak":"task/1","id":"double","title":"Double","language":"triton","prompt":"Twice x.","entry":"double",
	"reference":"import torch\ndef inputs(p, gen):\n    return (torch.randn(p[\"n\"], generator=gen),)\ndef reference(x):\n    return x * 2\n",
	"cases":[{"name":"small","kind":"check","params":{"n":300}},{"name":"long","kind":"time","params":{"n":900},"bytes":7200}],
	"tolerance":{"atol":1e-6,"rtol":1e-6},"harness":"function"}'
candidate() { # candidate ID BODY [TASK-FILTER]: the kernel, and then BODY
	jq -cn --argjson t "$task" --arg id "$1" --arg source "$KERNEL$2" \
		"{geak: \"candidate/1\", id: \$id, task: (\$t | ${3:-.}), parent: null, round: 0,
		  origin: {tool: \"test\"}, language: \"triton\", source: \$source}"
}
HONEST='
def double(x):
    return by_kernel(x)
'
AHEAD='
from torch.utils._python_dispatch import TorchDispatchMode
class Ahead(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))
calls = 0
def double(x):
    global calls
    calls += 1
    if calls == 9:
        Ahead().__enter__(), Ahead().__enter__()
    return by_kernel(x)'
figure() { jq -r "$2" <"$1"; }

candidate honest "$HONEST" >honest.jsonl
geak-eval -q -t gfx942 --baseline=eager,honest.jsonl,seed honest.jsonl >out.jsonl
is $? 0 'a candidate is timed beside three baselines'
is "$(figure out.jsonl '.eval.status')" pass 'and passes'
is "$(figure out.jsonl '.eval.perf | "\(.baseline) \(.method) \(.cases[0].case)"')" 'eager interleaved long' \
	'the first baseline is what the figures are about'
is "$(figure out.jsonl '.eval.perf.cases[0] | .ms_lo <= .ms and .ms <= .ms_hi and .speedup_lo <= .speedup
	and .speedup <= .speedup_hi and .rounds >= 8 and .floor >= 0.01')" true 'with intervals that hold them'
is "$(figure out.jsonl '.eval.perf.verdict')" slower 'in the interpreter it is slower than torch'
is "$(figure out.jsonl '.eval.perf.others | map(.baseline) | join(" ")')" honest.jsonl 'a record is a baseline too'
is "$(figure out.jsonl '.eval.perf.untimed.seed')" 'the task has no seed_source' 'what could not be timed is told'
is "$(figure out.jsonl '.eval.checks | map(.case) | join(" ")')" 'small long long (timed)' 'timed results are checked' ||
	figure out.jsonl '.eval.checks'

# torch.compile, for one, leaves threads behind.
candidate threads "$HONEST" '.reference |= sub("return x"; "import threading\n    threading.Thread(target=threading.Event().wait, daemon=True).start()\n    return x")' >threads.jsonl
geak-eval -q -t gfx942 --baseline=eager threads.jsonl >out.jsonl
is "$(figure out.jsonl '.eval | "\(.status) \(.perf.verdict != null) \(.untimed)"')" 'pass true null' 'a baseline may start threads'

# -- what fails when it is called again and again
{
	candidate late '
calls = 0
def double(x):
    global calls
    calls += 1
    return by_kernel(x) if calls < 12 else x * 1'
	candidate by-address '
kept = {}
def double(x):
    key = x.data_ptr(), x.numel()
    if key not in kept:
        kept[key] = by_kernel(x)
    return kept[key]'
	candidate by-first-value '
kept = {}
def double(x):
    key = x.numel()
    if key not in kept or len(kept) > 1:
        kept[key] = by_kernel(x)
    return kept[key] if x.numel() > 500 else by_kernel(x)'
	candidate dies '
import os
calls = 0
def double(x):
    global calls
    calls += 1
    if calls > 9:
        os._exit(3)
    return by_kernel(x)'
	candidate raises '
calls = 0
def double(x):
    global calls
    calls += 1
    if calls > 9:
        raise ValueError("enough")
    return by_kernel(x)'
	candidate lazy '
class Later(torch.Tensor):
    pass
calls = 0
def double(x):
    global calls
    calls += 1
    y = by_kernel(x)
    return y if calls < 9 else y.as_subclass(Later)'
	candidate quiet-clock "
import time
time.perf_counter = lambda: 0.0
$HONEST"
} >bad.jsonl
geak-eval -q -t gfx942 --baseline=eager bad.jsonl >out.jsonl
is $? 0 'candidates that change their ways have verdicts'
is "$(jq -r '"\(.id) \(.eval.status)"' out.jsonl)" "late wrong_answer
by-address wrong_answer
by-first-value wrong_answer
dies crash
raises call_error
lazy call_error
quiet-clock pass" 'each its own'
is "$(jq -r 'select(.id == "raises").eval | "\(.stage) \(.error.message)"' out.jsonl)" 'perf enough' \
	'with the stage that it came to'
is "$(jq -r 'select(.id == "quiet-clock").eval.perf.cases[0].ms > 0' out.jsonl)" true \
	'a clock that stands still stands still for itself'

# -- what looks for the loop around it: each answers rightly only when it has found something
{
	candidate sees-events '
import sys
calls = 0
def double(x):
    global calls
    calls += 1
    y, frame, found = by_kernel(x), sys._getframe(), calls < 9
    while frame:
        for name, value in frame.f_locals.items():
            found = found or name in ("start", "end", "events", "seed", "places", "record", "tell")
            found = found or isinstance(value, dict) and "seed" in value
        frame = frame.f_back
    return y if found else y * 0'
	candidate tells-times '
import sys
calls = 0
def double(x):
    global calls
    calls += 1
    frame = sys._getframe()
    while calls > 9 and frame:
        for value in list(frame.f_locals.values()):
            if hasattr(value, "_ch"):
                value = value._ch
            if hasattr(value, "send"):
                value.send(times={"turn": calls, "call": True, "seed": "", "block": [1e-6] * 16})
        frame = frame.f_back
    return by_kernel(x)'
	candidate copies-ahead '
kept = {}
copy = torch.Tensor.copy_
def ahead(self, *a, **k):
    done = copy(self, *a, **k)
    kept[self.data_ptr()] = by_kernel(self)
    return done
calls = 0
def double(x):
    global calls
    calls += 1
    torch.Tensor.copy_ = ahead
    return by_kernel(x) if calls < 9 else kept.get(x.data_ptr(), x)'
	candidate mode-ahead "$AHEAD"
	candidate equal-type '
class Meta(type(torch.Tensor)):
    __hash__ = type.__hash__
    def __eq__(cls, other):
        if Later.x is not None:
            Later.y.copy_(by_kernel(Later.x))
        return other is torch.Tensor
class Later(torch.Tensor, metaclass=Meta):
    x = y = None
calls = 0
def double(x):
    global calls
    calls += 1
    if calls < 9:
        return by_kernel(x)
    Later.x, Later.y = x, torch.zeros_like(x).as_subclass(Later)
    return Later.y'
	candidate gives-better '
import os, sys
modules = {n.rsplit(".", 1)[-1]: m for n, m in sys.modules.items() if n.startswith("geak_harness")}
pack, kept = modules["wire"].pack, []
def better(value, *a, **k):
    return pack(kept[-1] * 2 if kept and isinstance(value, torch.Tensor) else value, *a, **k)
calls = 0
def double(x):
    global calls
    calls += 1
    if calls == 9:
        modules["wire"].pack = better
        modules["channel"].Writer.add = lambda self, data: 0
    if calls < 9:
        return by_kernel(x)
    kept[:] = [x]
    return torch.zeros_like(x)'
	candidate other-loop '
import sys
timing = next(m for n, m in sys.modules.items() if n.endswith(".timing"))
def loop(self, question):
    before, after = self._steps["before"], self._steps["after"]
    self._steps["open"](question["block"], False, None, question.get("turn", 0))
    for _ in range(question["block"]):
        before(), after(None)
timing.Timer._call = loop
double = by_kernel'
	candidate odd-number '
import sys
timing = next(m for n, m in sys.modules.items() if n.endswith(".timing"))
seen = []
class Odd(int):
    def look(self, *a):
        seen.extend(sys._getframe(1).f_locals)
        return int(self)
    __index__ = __int__ = __add__ = __lt__ = __gt__ = __eq__ = look
    __hash__ = int.__hash__
calls = 0
def double(x):
    global calls
    calls += 1
    timing.Timer._call = loop
    return by_kernel(x) if calls < 9 or "made" in seen or "tell" in seen else x
old = timing.Timer._call
def loop(self, question):
    for try_ in (lambda: self._steps["give"](Odd(0)), lambda: self._steps["give"](99),
                 lambda: self._steps["open"](Odd(1), True, None, 1)):
        try:
            try_()
        except (IndexError, TypeError) as e:
            at = e.__traceback__
            while at:
                seen.extend(at.tb_frame.f_locals)
                at = at.tb_next
    old(self, question)'
	candidate twice-after '
import sys
calls = 0
def double(x):
    global calls
    calls += 1
    y, frame = by_kernel(x), sys._getframe()
    while calls > 9 and frame:
        if "after" in frame.f_locals:
            frame.f_locals["after"](y)
            break
        frame = frame.f_back
    return y'
	candidate watches '
import cProfile, sys
calls, seen = 0, []
def double(x):
    global calls
    calls += 1
    if calls == 9:
        sys.setprofile(lambda frame, *a: seen.append(frame.f_code.co_name))
    if calls == 12:
        cProfile.Profile().enable()
    return by_kernel(x) if calls < 9 or "after" in seen else x'
	candidate monitors '
import sys
calls, seen, m = 0, [], getattr(sys, "monitoring", None)
def double(x):
    global calls
    calls += 1
    if calls == 9:
        if m is None:
            raise RuntimeError("there is none before Python 3.12")
        m.use_tool_id(m.DEBUGGER_ID, "mine")
        m.register_callback(m.DEBUGGER_ID, m.events.PY_START, lambda code, *a: seen.append(code.co_name))
        m.set_events(m.DEBUGGER_ID, m.events.PY_START)
    return by_kernel(x) if calls < 9 or "after" in seen else x'
	candidate leaves-a-thread '
import threading, time
def hog():
    while True:
        time.sleep(1e-4)
calls = 0
def double(x):
    global calls
    calls += 1
    if calls == 9:
        threading.Thread(target=hog, daemon=True).start()
    return by_kernel(x)'
	candidate after-a-while ' # in the rounds, not before: by time, since how many calls they hold hangs on the machine
import time
calls, since = 0, None
def double(x):
    global calls, since
    calls += 1
    if calls == 9:
        since = time.monotonic()
    return by_kernel(x) if calls < 9 or time.monotonic() < since + 0.5 else x * 1'
} >cheats.jsonl
geak-eval -q -t gfx942 --baseline=eager cheats.jsonl >out.jsonl
is $? 0 'candidates that look for the clock have verdicts'
is "$(jq -r '"\(.id) \(.eval.status)"' out.jsonl)" "sees-events wrong_answer
tells-times crash
copies-ahead wrong_answer
mode-ahead cheat
equal-type call_error
gives-better wrong_answer
other-loop crash
odd-number wrong_answer
twice-after cheat
watches call_error
monitors call_error
leaves-a-thread call_error
after-a-while wrong_answer" 'and none of them finds it' || jq -c '[.id, .eval.error, .eval.perf]' out.jsonl

# -- and who does the like of it for a good reason
{
	candidate default-device '
torch.set_default_device("cpu")
def double(x):
    y = torch.empty(x.shape)
    double_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), B=256)
    return y'
	candidate frames '
import gc, inspect, warnings
def double(x):
    warnings.warn(inspect.currentframe().f_code.co_name, stacklevel=2)
    gc.collect()
    return by_kernel(x)'
	candidate joins-its-thread '
import concurrent.futures
def double(x):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(by_kernel, x).result()'
	candidate traces '
import sys
def double(x):
    sys.settrace(lambda frame, event, arg: None)
    y = by_kernel(x)
    sys.settrace(None)
    return y'
	candidate named-results '
def double(x):
    return {"twice": by_kernel(x), "n": x.numel(), "name": "é\"\\", "half": (0.5, None, True)}' '.reference |= sub("return x \\* 2"; "return {\"twice\": x * 2, \"n\": x.numel(), \"name\": \"é\\\"\\\\\", \"half\": (0.5, None, True)}")'
	candidate views '
def double(x):
    y = torch.empty(x.numel() + 7)[7:]
    double_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), B=256)
    return y.reshape(30, -1).t()' '.reference |= sub("return x \\* 2"; "return (x * 2).reshape(30, -1).t()")'
} >honest-likes.jsonl
geak-eval -q -t gfx942 --baseline=eager honest-likes.jsonl >out.jsonl
is "$(jq -r '"\(.id) \(.eval.status) \(.eval.perf.cases[0].case)"' out.jsonl)" "default-device pass long
frames pass long
joins-its-thread pass long
traces pass long
named-results pass long
views pass long" 'their neighbours are timed' || jq -c '[.id, .eval.error]' out.jsonl

# -- whose fault it is that there are no times
two='.cases += [.cases[1] | .name = "second"]'
baseline() { # baseline ID BODY: a record to be held against, of the task with two cases
	candidate "$1" "$2" "$two" >"$1.jsonl"
}
baseline base-dies '
import os
calls = 0
def double(x):
    global calls
    calls += 1
    if calls > 30:
        os._exit(3)
    return by_kernel(x)'
baseline base-raises '
def double(x):
    if len(seen) > 0 and seen[0] != x.data_ptr() and len(seen) > 20:
        raise ValueError("no second case\nwith more")
    seen.append(x.data_ptr())
    return by_kernel(x)
seen = []'
candidate honest "$HONEST" "$two" >two.jsonl
geak-eval -q -t gfx942 --baseline=base-dies.jsonl,base-raises.jsonl,eager two.jsonl >out.jsonl
is $? 0 'baselines may fail'
is "$(figure out.jsonl '.eval | "\(.status) \(.perf.baseline) \(.perf.cases | length)"')" 'pass eager 2' \
	'the first one that did not is what counts'
is "$(figure out.jsonl '.eval.perf.untimed | .["base-dies.jsonl"], .["base-raises.jsonl"]')" \
	'its process ended while it was timed
no second case' 'and of the others it is told why, in a line' || figure out.jsonl .eval.perf.untimed
candidate base-meddles "$AHEAD" >base-meddles.jsonl
geak-eval -q -t gfx942 --baseline=eager,base-meddles.jsonl honest.jsonl >out.jsonl
is "$(figure out.jsonl '.eval | "\(.status) \(.perf.untimed["base-meddles.jsonl"])"')" \
	"pass something other than the judge's harness told the judge of its times" 'a baseline that meddles is left out for that'
candidate ref-dies "$HONEST" '.reference = "import os, torch\ncalls = 0\ndef inputs(p, gen):\n    return (torch.randn(p[\"n\"], generator=gen),)\ndef reference(x):\n    global calls\n    calls += 1\n    if calls > 12:\n        os._exit(3)\n    return x * 2\n"' >ref-dies.jsonl
geak-eval -q -t gfx942 --baseline=eager ref-dies.jsonl >out.jsonl
is "$(figure out.jsonl '.eval | "\(.status) \(.error.message)"')" "sandbox_error the reference's process ended while a baseline of it was timed; leave out the baseline that does it (--baseline=eager, say)" \
	'what ends while a baseline is timed is no fault of the candidate'
candidate ref-raises "$HONEST" '.reference = "import torch\ncalls = 0\ndef inputs(p, gen):\n    return (torch.randn(p[\"n\"], generator=gen),)\ndef baseline(x):\n    return x * 2\ndef reference(x):\n    global calls\n    calls += 1\n    if calls > 3:\n        raise ValueError(\"not these\")\n    return x * 2\n"' >ref-raises.jsonl
geak-eval -q -t gfx942 --baseline=eager ref-raises.jsonl >out.jsonl
is "$(figure out.jsonl '.eval | "\(.status) \(.error.message)"')" 'reference_error the task is at fault: not these' \
	'nor what the reference makes of timed contents' || figure out.jsonl .eval.error
candidate base-tires "$HONEST" '.reference = "import torch\ncalls = 0\ndef inputs(p, gen):\n    return (torch.randn(p[\"n\"], generator=gen),)\ndef reference(x):\n    return x * 2\ndef baseline(x):\n    global calls\n    calls += 1\n    if calls > 12:\n        raise ValueError(\"enough of it\")\n    return x * 2\n"' >base-tires.jsonl
geak-eval -q -t gfx942 --baseline=eager,honest.jsonl base-tires.jsonl >out.jsonl
is "$(figure out.jsonl '.eval | "\(.status) \(.perf.baseline) \(.perf.untimed.eager)"')" 'pass honest.jsonl enough of it' \
	'a baseline that raises is left out, and the reference is still there to compare with' || figure out.jsonl .eval
candidate killed '
import os, signal
calls = 0
def double(x):
    global calls
    calls += 1
    if calls > 9:
        os.kill(os.getpid(), signal.SIGKILL)
    return by_kernel(x)' >killed.jsonl
geak-eval -q -t gfx942 --baseline=eager killed.jsonl >out.jsonl
is "$(figure out.jsonl '.eval | "\(.status) \(.stage) \(.error.class)"')" 'crash perf Ended' \
	'who is killed while it is timed has a second try'
{ cat honest.jsonl; echo '{"geak":'; } >broken.jsonl
err=$(geak-eval --baseline=broken.jsonl /dev/null 2>&1)
is $? 64 'a file with a broken line is no baseline'
like "$err" 'broken.jsonl:2' 'and its number is told'

# -- in-place, a second layout, and no tensors at all
{
	candidate in-place '
def double(x):
    x.copy_(by_kernel(x))' '.reference = "import torch\ndef inputs(p, gen):\n    return (torch.randn(p[\"n\"], generator=gen),)\ndef reference(x):\n    x.mul_(2)\n"'
	candidate strided '
def double(x):
    return by_kernel(x.contiguous())' '.cases[1].layout = "strided"'
	candidate whole '
def double(x):
    return by_kernel(x.float()).to(x.dtype)' '.reference |= sub("torch.randn\\(p\\[\"n\"\\], generator=gen\\)";
		"torch.randint(-9, 9, (p[\"n\"],), generator=gen)")'
} >kinds.jsonl
geak-eval -q -t gfx942 kinds.jsonl >out.jsonl
is $? 0 'other kinds of arguments are timed'
is "$(jq -r '"\(.id) \(.eval.status) \(.eval.perf.cases[0].case)"' out.jsonl)" "in-place pass long
strided pass long
whole pass long" 'as the first' || jq -c '.eval.error' out.jsonl

# -- inputs whose rows may not change places: a kernel may rely on what the task makes
same='.reference = "import torch\ndef inputs(p, gen):\n    \($make)\ndef reference(x):\n    return x * 2\n"'
formed() { # formed ID MAKE CONDITION [FILTER]: right only where the condition holds
	candidate "$1" "
def double(x):
    return by_kernel(x) if $3 else x * 0" "\"$2\" as \$make | $same | ${4:-.}"
}
{
	formed sorted 'return (torch.rand(900, generator=gen).sort().values,)' 'bool((x[1:] >= x[:-1]).all())'
	formed offsets 'return (torch.cat([torch.zeros(1), torch.randint(1, 9, (99,), generator=gen).cumsum(0)]).float(),)' 'bool((x[1:] > x[:-1]).all())'
	formed permutation 'return (torch.randperm(900, generator=gen).float(),)' 'x.unique().numel() == 900'
	formed symmetric 'x = torch.randn(30, 30, generator=gen); return (x + x.t(),)' 'torch.equal(x, x.t())'
	formed triangular 'return (torch.randn(30, 30, generator=gen).tril(),)' 'torch.equal(x, x.tril())'
	formed blocks 'return (torch.block_diag(*torch.randn(3, 10, 10, generator=gen)),)' 'not bool(x[:10, 10:].any())'
	formed simplex 'return (torch.rand(900, generator=gen).softmax(0),)' 'abs(float(x.sum()) - 1) < 1e-3'
	formed orthogonal 'return (torch.linalg.qr(torch.randn(30, 30, generator=gen))[0].contiguous(),)' 'torch.allclose(x @ x.t(), torch.eye(30), atol=1e-4)' '.cases[1].contents = "whole"'
	formed batch 'return (torch.randn(9, 10, 10, generator=gen).tril(),)' 'torch.equal(x, x.tril())' '.cases[1].contents = "rows"'
} >formed.jsonl
geak-eval -q -t gfx942 --baseline=eager formed.jsonl >out.jsonl
is "$(jq -r '"\(.id) \(.eval.status) \(.eval.perf.cases[0].case)"' out.jsonl)" "sorted pass long
offsets pass long
permutation pass long
symmetric pass long
triangular pass long
blocks pass long
simplex pass long
orthogonal pass long
batch pass long" 'what a task makes of its inputs holds in timed calls' || jq -c '[.id, .eval.error]' out.jsonl
{
	candidate first-draw '
kept = []
calls = 0
def double(x):
    global calls
    calls += 1
    if calls < 9 or not kept:
        kept[:] = [by_kernel(x)]
        return kept[0].clone()
    return kept[0]' '.cases[1].contents = "whole"'
	candidate related '
def double(x, mean):
    m = x.mean(1)
    return by_kernel(x - m[:, None]) if torch.allclose(m, mean, atol=1e-5) else x' '.reference = "import torch\ndef inputs(p, gen):\n    x = torch.randn(90, 100, generator=gen)\n    return x, x.mean(1)\ndef reference(x, mean):\n    return (x - mean[:, None]) * 2\n" | .allow = ["part"]'
} >draws.jsonl
geak-eval -q -t gfx942 --baseline=eager draws.jsonl >out.jsonl
is "$(jq -r '"\(.id) \(.eval.status)"' out.jsonl)" "first-draw wrong_answer
related pass" 'a result of an earlier call is none; tensors with as many rows are moved alike' ||
	jq -c '[.id, .eval.error]' out.jsonl

# -- no times, and why
geak-eval -q -t gfx942 --baseline=seed honest.jsonl >out.jsonl
is "$(figure out.jsonl '.eval | "\(.status) \(.perf) \(.untimed.seed)"')" 'pass null the task has no seed_source' \
	'where no baseline could be timed the record says why'
"$PYTHON" "$ROOT/tests/helper/validate.py" "$ROOT/man/geak-record.schema.json" out.jsonl >violations 2>&1
is $? 0 'as its schema has it' || head -n 3 violations

for error in MemoryError torch.OutOfMemoryError ValueError; do
	candidate "$error" "
calls = 0
def double(x):
    global calls
    calls += 1
    if calls > 9:
        raise $error('no more')
    return by_kernel(x)"
done | geak-eval -q -t gfx942 --baseline=eager >out.jsonl
is "$(jq -r '"\(.id) \(.eval.status) \(.eval.perf) \(.eval.untimed.candidate)"' out.jsonl)" \
	"MemoryError pass null memory does not hold its inputs several times
torch.OutOfMemoryError pass null memory does not hold its inputs several times
ValueError call_error null null" 'that memory does not hold several sets of inputs is no fault of the candidate'

# -- a GPU that is slowed by heat now and then: an MI300X by a stub of AMD's library
mkdir gpus
echo works >gpus/193 # 0xc1
hot() { # hot N: in one of N rounds
	GEAK_PRETEND_GPUS=$WORK/gpus GEAK_LOCK_DIR=$WORK GEAK_NVML_LIBRARY=/none STUB_RISES=hbm STUB_EVERY=$1 \
		GEAK_AMDSMI_LIBRARY=$ROOT/build/$BUILD/stub/libamd_smi.so \
		geak-eval -q -t gfx942 --devices=193 --baseline=eager honest.jsonl >out.jsonl
}
hot 2
is "$(figure out.jsonl '.eval.perf.cases[0] | .throttled >= 8 and .rounds >= 10 and .temperature_c == 80')" true \
	'rounds in which it was slowed are set aside and counted, and others take their place' ||
	figure out.jsonl '.eval.perf, .eval.untimed'
hot 1
is "$(figure out.jsonl '.eval | "\(.status) \(.perf) \(.untimed.candidate)"')" \
	'pass null case long: the GPU was slowed by heat or by its board in 40 of 40 rounds' 'where none is left there are no times'

# -- a process of the judge's own that somebody kills whenever it times: the one that holds the candidate's
candidate slow '
import time
def double(x):
    time.sleep(0.2)
    return by_kernel(x)' >slow.jsonl
export TMPDIR=$WORK/tmp; mkdir "$TMPDIR" # by which ours() knows them
timed() { # timed ROLE: that process of a judge whose candidate has been at work for so long that it is timed
	local p found='' long=''
	for p in $(ours); do
		[ "$(cat "/proc/$p/comm")" = "geak-$1" ] && found=$p
		[ "$(cat "/proc/$p/comm")" = geak-candidate ] && [ "$(ps -o etimes= -p "$p")" -ge 2 ] && long=$p
	done 2>/dev/null
	[ "$long" ] && echo "$found"
}
geak-eval -q -t gfx942 --baseline=eager slow.jsonl >out.jsonl & judge=$!
while kill -0 $judge 2>/dev/null; do
	p=$(timed candidate)
	[ "$p" ] && kill -9 "$(ps -o ppid= -p "$p")" 2>/dev/null
	sleep 0.1
done
wait $judge
is "$(figure out.jsonl '.eval | "\(.status) \(.error.class)"')" 'sandbox_error Lost' 'is nothing that the candidate did'
for role in candidate oracle; do
	geak-eval -q -t gfx942 --baseline=eager slow.jsonl >out.jsonl & judge=$!
	while kill -0 $judge 2>/dev/null; do
		p=$(timed $role)
		[ "$p" ] && kill -9 "$(ps -o ppid= -p "$p")" && break
		sleep 0.1
	done
	wait $judge
	is "$(figure out.jsonl '.eval | "\(.status) \(.perf.cases[0].case)"')" 'pass long' \
		"and one that held the $role and is killed once costs nothing"
done

# -- the option
geak-eval -q -t gfx942 --baseline=none honest.jsonl >out.jsonl
is "$(figure out.jsonl '"\(.eval.status) \(.eval.perf)"')" 'pass null' 'with none nothing is timed'
key=$(figure out.jsonl .eval.key)
geak-eval -q -t gfx942 honest.jsonl >out.jsonl
unlike "$(figure out.jsonl .eval.key)" "$key" 'and that is another key'
err=$(geak-eval --baseline=eager,eager /dev/null 2>&1)
is $? 64 'a baseline that is named twice is refused'
like "$err" 'eager is there twice' 'in words'
err=$(geak-eval --baseline=nothing-there /dev/null 2>&1)
is $? 64 'and one that is no word and no file'
like "$err" 'none of eager, compile, seed and none, and no file' 'with what there is'
unset GEAK_TIME_ANYWHERE
geak-eval -q -t gfx942 honest.jsonl >out.jsonl
is "$(figure out.jsonl '"\(.eval.status) \(.eval.perf)"')" 'pass null' 'without a GPU there are no times'
done_testing
