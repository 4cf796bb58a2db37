#!/bin/bash
# geak-eval: how exact a result must be, of which inputs, and twice the same.
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/judge.sh"
export TMPDIR=$WORK/tmp; mkdir "$TMPDIR"

# task NAME JQ <REFERENCE: the small task with another reference, and what JQ makes of it
task() { jq -c --arg id "$1" --rawfile r /dev/stdin '.id = $id | .reference = $r | '"$2" task.json >"$1.json"; }
# judged: verdicts on all of in.jsonl, into records.jsonl and got
judged() { geak-eval -q -t gfx942 --seed=7 <in.jsonl >records.jsonl; jq -r '"\(.id) \(.eval.status)"' records.jsonl >got; }
field() { jq -c "select(.id == \"$1\") | $2" records.jsonl; }
message() { field "$1" .eval.error.message; }

# -- sums: without a tolerance one is derived from float64
rowsum() { # rowsum BODY: the sum of each row; BODY computes total from x, i, N
	cat <<-SOURCE
	import torch, triton
	import triton.language as tl

	@triton.jit
	def kernel(x, y, stride, N: tl.constexpr, B: tl.constexpr):
	    i = tl.program_id(0)
	    row = x + i * stride
	$(printf '%s\n' "$1" | sed 's/^/    /')
	    tl.store(y + i, total)

	def plus_one(x):
	    y = torch.empty(x.shape[0], device=x.device)
	    if len(y):
	        kernel[(len(y),)](x, y, x.stride(0), N=x.shape[1], B=triton.next_power_of_2(x.shape[1]))
	    return y
	SOURCE
}
tree='k = tl.arange(0, B)
total = tl.sum(tl.load(row + k, mask=k < N, other=0.0))'
chunks='acc = tl.zeros((32,), dtype=tl.float32)
for k in range(0, N, 32):
    p = k + tl.arange(0, 32)
    acc += tl.load(row + p, mask=p < N, other=0.0)
total = tl.sum(acc)'
one_by_one='total = 0.0
for k in range(N - 1, -1, -1):
    total += tl.load(row + k)'
cases='.cases = [{"name":"3x300","kind":"check","params":{"M":3,"N":300}},{"name":"0x9","kind":"check","params":{"M":0,"N":9}}]'
task sum "$cases"' | del(.tolerance)' <<'R'
import torch
def inputs(p, gen):
    return (torch.randn((p["M"], p["N"]), generator=gen),)
def reference(x):
    return x.sum(dim=1)
R
task loose "$cases"' | .tolerance = {"atol":0.05,"rtol":0.01}' <<<"$(jq -r .reference sum.json)"
task picky "$cases"' | del(.tolerance)' <<<"$(jq -r .reference sum.json | sed 's/return x.sum/assert x.dtype == torch.float32; &/')"
task double "$cases"' | del(.tolerance)' <<<"$(jq -r .reference sum.json | sed 's/x.sum(dim=1)/x.double().sum(dim=1).float()/')"
task poor "$cases"' | .tolerance = {"atol":0,"rtol":3e-7}' <<'R'
import torch
def inputs(p, gen):
    return (torch.rand((p["M"], p["N"]), generator=gen),)
def reference(x):
    total = torch.zeros(x.shape[0])
    for k in range(x.shape[1]):
        total += x[:, k]
    return total
R
task variance "$cases"' | del(.tolerance)' <<'R'
import torch
def inputs(p, gen):
    return (1000 + torch.randn((p["M"], p["N"]), generator=gen),)
def reference(x):
    return x.square().mean(dim=1) - x.mean(dim=1).square()
R
task thing "$cases" <<<"$(jq -r .reference sum.json | sed 's/return x.sum.*/return object()/')"
task number "$cases"' | del(.tolerance)' <<<"$(jq -r .reference sum.json | sed 's/return x.sum.*/return float(x.sum())/')"
task inplace "$cases"' | del(.tolerance)' <<'R'
import torch
def inputs(p, gen):
    return (torch.randn((p["M"], p["N"]), generator=gen), torch.zeros(p["M"]))
def reference(x, y):
    y += x.sum(dim=1)
R
into() { rowsum "$tree" | sed 's/def plus_one(x):/def plus_one(x, y):/; s/y = torch.empty.*/pass/; s/return y/'"$1"'/'; }
{
	rowsum "$tree" | candidate tree sum.json
	rowsum "$chunks" | candidate chunks sum.json
	rowsum "$one_by_one" | candidate one_by_one sum.json
	rowsum "$chunks" | sed 's/other=0.0)/&.to(tl.float16)/' | candidate half sum.json
	rowsum "$tree" | sed 's/other=0.0)/&.to(tl.bfloat16).to(tl.float32)/' | candidate bfloat sum.json
	rowsum "$tree" | sed 's/return y/return y.half().float()/' | candidate rounded sum.json
	rowsum "$tree" | sed 's/other=0.0)/&.to(tl.float16).to(tl.float32)/' | candidate half_is_fine loose.json
	rowsum "$tree" | candidate no_float64 picky.json
	rowsum "$tree" | sed 's/return y/return y.half().float()/' | candidate no_float64_half picky.json
	rowsum "$chunks" | candidate in_float64 double.json
	rowsum "$tree" | sed 's/other=0.0)/&.to(tl.float64)/' | candidate better poor.json
	rowsum "$tree" | candidate unfounded variance.json
	rowsum "$tree" | candidate object thing.json
	rowsum "$tree" | sed 's/return y/return float(y.sum())/' | candidate number number.json
	rowsum "$tree" | sed 's/return y/return float(y.half().sum())/' | candidate half_number number.json
	into return | candidate into_argument inplace.json
	into 'y.copy_(y.half()); return' | candidate half_argument inplace.json
	into 'x *= 2; return' | candidate other_argument inplace.json
} >in.jsonl
judged
is "$(cat got)" 'tree pass
chunks pass
one_by_one pass
half wrong_answer
bfloat wrong_answer
rounded wrong_answer
half_is_fine pass
no_float64 pass
no_float64_half wrong_answer
in_float64 pass
better pass
unfounded reference_error
object reference_error
number pass
half_number wrong_answer
into_argument pass
half_argument wrong_answer
other_argument wrong_answer' 'sums in any order are right, in half precision they are not'
is "$(field tree '.eval.checks[0] | [.case, .draws, .error_ratio > 0 and .error_ratio < 1, .reference_rel > 0, .derived_ratio]')" \
	'["3x300",2,true,true,null]' 'the error is told in units of what is allowed, and the reference'"'"'s own'
is "$(field half_is_fine '.eval.checks[0] | [.error_ratio < 1, .derived_ratio > 1]')" '[true,true]' \
	'what a task states is what counts, and the record tells what would have been derived'
is "$(field no_float64 '.eval.checks[0].reference_rel')" null 'a reference that insists on its type is no failure'
is "$(field better '.eval.checks[0] | [.max_rel > 3e-7, .error_ratio < 1]')" '[true,true]' \
	'to be nearer to the truth than the reference is right'
like "$(message unfounded)" "case 3x300: the reference's result is .* relative off the same in float64" \
	'where the reference itself is no measure, the task is at fault'
like "$(message object)" "case 3x300: the reference's result .*builtins.object.* cannot be compared" \
	'so it is where nothing can be compared'

# -- draws, and twice the same
task copy 'del(.tolerance) | .cases = [{"name":"8x20","kind":"check","params":{"M":8,"N":20}},
	{"name":"9x40","kind":"check","params":{"M":9,"N":40}}]' <<'R'
import torch
def inputs(p, gen):
    return (torch.randn((p["M"], p["N"]), generator=gen),)
def reference(x):
    return x * 2
R
jq -c '.seeds = 4' copy.json >four.json
jq -c '.seeds = 1 | .deterministic = false' copy.json >once.json
jq -c '.strides = "same"' copy.json >same.json
# Of one row: the result's last dimension has one element, and a stride that means nothing.
jq -c '.cases = [.cases[0] | .params.M = 1] | .reference |= sub("x \\* 2"; "(x * 2).t()")' copy.json >thin.json
twice() { # twice [STRIDES]: a kernel that minds the strides it is given, and another that does not
	cat <<-'SOURCE'
	import torch, triton
	import triton.language as tl

	@triton.jit
	def kernel(x, y, N, s0, s1, F, B: tl.constexpr):
	    i, j = tl.program_id(0), tl.arange(0, B)
	    v = tl.load(x + i * s0 + j * s1, mask=j < N)
	    tl.store(y + i * N + j, v * F, mask=j < N)

	seen, calls = {}, []
	def run(x, factor=2.0):
	    y = torch.empty(x.shape, device=x.device, dtype=x.dtype)
	    B = triton.next_power_of_2(x.shape[1])
	    kernel[(x.shape[0],)](x, y, x.shape[1], x.stride(0), x.stride(1), factor, B=B)
	    return y
	SOURCE
	printf 'def plus_one(x):\n    %s\n' "$@"
}
{
	twice 'return run(x)' | candidate good copy.json
	twice 'return seen.setdefault(x.shape, run(x))' | candidate by_shape copy.json
	twice 'return seen.setdefault((x.shape, x[0, 0].item()), run(x))' | candidate by_value copy.json
	twice 'return seen.setdefault(tuple(x.flatten().tolist()), run(x))' | candidate on_the_host copy.json
	twice 'calls.append(1); return run(x, 2 + len(calls) * 2**-21)' | candidate drifts copy.json
	twice 'calls.append(1); return run(x, 2 + len(calls) * 2**-21)' | candidate may_drift once.json
	twice 'return run(x)' | candidate four four.json
	twice 'return run(x).t().contiguous().t()' | candidate column copy.json
	twice 'return run(x).t().contiguous().t()' | candidate column_same same.json
	twice 'return run(x)' | candidate row_same same.json
	twice 'b = torch.empty(len(x), 2 * x.shape[1]); b.copy_(torch.rand_like(b)); b[:, ::2] = run(x); return b[:, ::2]' |
		candidate with_gaps copy.json
	twice 'return run(x).t()' | candidate thin thin.json
	twice 'calls.append(1); return run(x, 2 + len(calls) * 2**-21).t()' | candidate thin_drifts thin.json
} >in.jsonl
judged
is "$(cat got)" 'good pass
by_shape wrong_answer
by_value pass
on_the_host no_kernel
drifts wrong_answer
may_drift pass
four pass
column pass
column_same wrong_answer
row_same pass
with_gaps pass
thin pass
thin_drifts wrong_answer' 'remembering by shape, and other bits every time, are found out'
is "$(field four '[.eval.checks[].draws]')" '[4,4]' 'as many draws as the task wishes'
like "$(message by_shape)" 'values are wrong.*; the inputs that were drawn first were answered rightly' \
	'it is told when only other inputs of the same shape went wrong'
like "$(message drifts)" 'values differ, the first at \[0, 0\]: .*, then .*two calls with the same arguments' \
	'a second call that differs is told in words'
like "$(message column_same)" 'strides \[20, 1\] were expected, not \[1, 8\]' 'and strides where they count'

# -- layouts
task layout 'del(.tolerance) | .cases = [{"name":"a","kind":"check","params":{"M":8,"N":20}}]' <<<"$(jq -r .reference copy.json)"
for how in offset strided transposed; do
	jq -c --arg how $how '.cases[0].layout = [$how]' layout.json >$how.json
	twice 'return run(x)' | candidate "minds-$how" $how.json
	twice 'return run(x)' | sed 's/x.stride(0), x.stride(1)/x.shape[1], 1/' | candidate "ignores-$how" $how.json
done >in.jsonl
twice 'x.as_strided((7, 7), (27, 1), x.storage_offset() + 20).fill_(0); return run(x)' | candidate gaps strided.json >>in.jsonl
twice 'assert x.data_ptr() % 16 == 4; return run(x)' | candidate unaligned offset.json >>in.jsonl
twice 'assert x.data_ptr() % 16 == 12; return run(x)' | candidate inside strided.json >>in.jsonl
judged
is "$(cat got)" 'minds-offset pass
ignores-offset pass
minds-strided pass
ignores-strided wrong_answer
minds-transposed pass
ignores-transposed wrong_answer
gaps wrong_answer
unaligned pass
inside pass' 'strides must be minded where a case has them'
like "$(message gaps)" 'argument 0 after the call: what lies between its elements was written to' \
	'and what is between rows is not the candidate'"'"'s'

# -- values
for kind in large tiny negative_zero ties equal nan inf negative_inf; do
	jq -c --arg kind $kind '.cases[0].values = [$kind] | .tolerance = {"atol":0,"rtol":0,"signed_zero":true}' layout.json >$kind.json
	twice 'return run(x)' | candidate $kind $kind.json
done >in.jsonl
twice 'return run(x)' | sed 's/v \* F/& + 0.0/' | candidate loses_sign negative_zero.json >>in.jsonl
jq -c 'del(.tolerance)' negative_zero.json >any_zero.json
twice 'return run(x)' | sed 's/v \* F/& + 0.0/' | candidate may_lose_sign any_zero.json >>in.jsonl
twice 'return run(x).nan_to_num(nan=0)' | candidate no_nan nan.json >>in.jsonl
twice 'return run(x).nan_to_num(nan=float("inf"))' | candidate nan_for_inf nan.json >>in.jsonl
twice 'return run(x).clamp(max=3e38)' | candidate no_inf inf.json >>in.jsonl
twice 'return run(x).abs()' | candidate other_inf negative_inf.json >>in.jsonl
jq -c 'del(.tolerance)' tiny.json >any_tiny.json
flush='s/v \* F/tl.where(tl.abs(&) < 1.1754943e-38, 0.0, &)/'
twice 'return run(x)' | sed "$flush" | candidate flushes tiny.json >>in.jsonl
twice 'return run(x)' | sed "$flush" | candidate may_flush any_tiny.json >>in.jsonl
judged
is "$(cat got)" 'large pass
tiny pass
negative_zero pass
ties pass
equal pass
nan pass
inf pass
negative_inf pass
loses_sign wrong_answer
may_lose_sign pass
no_nan wrong_answer
nan_for_inf wrong_answer
no_inf wrong_answer
other_inf wrong_answer
flushes wrong_answer
may_flush pass' 'NaN, infinities, signs of zeros and subnormal numbers by rule'

# -- the making of inputs, and the formula, by themselves
cat >check.py <<'P'
import math, sys
sys.path.insert(0, sys.argv[1])
import torch
from types import SimpleNamespace
from geak_harness import compare, float64, inputs, tolerance, wire

def say(good, what):
    print("ok" if good else "not ok", what)

plain = SimpleNamespace(inputs=lambda p, gen: (torch.randn(6, 50, generator=gen).to(p["dtype"]), 3, torch.arange(4)))
def make(dtype, **case):
    return inputs.make(plain, {"name": "n", "params": {"dtype": dtype}, **case}, "7")

for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.float8_e4m3fn):
    info, name = torch.finfo(dtype), str(dtype)
    def values(*kinds):
        x, three, whole = make(dtype, values=kinds)
        assert three == 3 and whole.tolist() == [0, 1, 2, 3] and x.dtype == dtype
        return x.double()
    x = values()
    say(math.isclose(values("large").abs().max(), min(info.max / 2, 2.0**56)), f"{name} large")
    tiny = values("tiny").abs()
    say(math.isclose(tiny.max(), 4 * info.smallest_normal) and (tiny < info.smallest_normal).sum() > 50, f"{name} tiny")
    zero = values("negative_zero")
    say(60 < ((zero == 0) & zero.signbit()).sum() < 240, f"{name} negative_zero")
    say(len(values("ties").unique()) < 12, f"{name} ties")
    say((values("equal") == x[0, 0]).all(), f"{name} equal")
    nan = values("nan").isnan()
    say(1 <= nan.sum() < 60 and (values("nan")[~nan] == x[~nan]).all(), f"{name} nan")
    if dtype != torch.float8_e4m3fn:  # which has no infinity
        say((values("inf") == math.inf).any() and (values("negative_inf") == -math.inf).any(), f"{name} inf")
        say(values("inf", "nan").isnan().any(), f"{name} two of them")
    for how in ("offset", "strided", "transposed"):
        y, _, whole = make(dtype, layout=how)
        say((y.double() == x).all() and y.is_contiguous() == (how == "offset"), f"{name} {how}")
        y, three, whole = make(dtype, layout=[how], values=["nan"])
        say(whole.is_contiguous() and (y.double().isnan() == nan).all(), f"{name} {how} of one argument")
        store = bytearray()
        def add(data):
            store.extend(bytes(-len(store) % 256)); at = len(store); store.extend(memoryview(data).cast("B"))
            return at
        z = wire.unpack(wire.pack(y, add), store)
        say((z.stride(), z.storage_offset()) == (y.stride(), y.storage_offset())
            and torch.equal(wire.memory(z), wire.memory(y)), f"{name} {how} travels")

# n, and that a neighbouring number is right in every type, one eight or more away is not
say(tolerance.terms([torch.empty(7, 781), 3], 7 * 781) == 781, "n of a row")
say(tolerance.terms([torch.empty(8, 32, 3, 3)], 8) == 288, "n of elements that share a result")
for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64):
    want = 1 + torch.rand(64, 64, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    want = (want + 1j * want).to(torch.complex128) if dtype.is_complex else want
    unit = torch.finfo(dtype).eps
    [m] = tolerance.measures(want.to(dtype), want, [want.to(dtype)], False)
    long = 64 if dtype in (torch.float32, torch.float64, torch.complex64) else 8
    near = compare.compare((want * (1 + unit / 2)).to(dtype), want.to(dtype), {}, "", [m])
    far = compare.compare((want * (1 + long * unit)).to(dtype), want.to(dtype), {}, "", [m])
    say(near["ok"] and near["error_ratio"] <= 1 and not far["ok"], f"{dtype} to its last places")

class Strict:
    def __call__(self, x, y):
        y += x.float().to(torch.float16)
        return x.to(dtype=torch.bfloat16).softmax(-1), x.to(torch.int32), torch.zeros(3), x.to(torch.float8_e5m2)
x, y = torch.randn(3, 4).half(), torch.zeros(3, 4).half()
got, args = float64.run(Strict(), [x, y])
say([t.dtype for t in got] == [torch.float64, torch.int32, torch.float64, torch.float8_e5m2], "casts are raised")
say(args[1].dtype == torch.float64 and (y == 0).all() and torch.get_default_dtype() == torch.float32,
    "and nothing is left behind")
P
"$PYTHON" -W ignore check.py "$ROOT/lib/harness" >out 2>err; ok $? 'the parts can be tried by themselves' || sed 's/^/# /' err
is "$(grep -c '^ok' out)" "$(wc -l <out)" 'and do what they say' || sed 's/^/# /' out
done_testing
