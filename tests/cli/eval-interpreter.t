#!/bin/bash
# What the harness changes in Triton's interpreter.
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/judge.sh"
export PYTHONPATH=$ROOT/lib/harness PYTHONDONTWRITEBYTECODE=1 TRITON_INTERPRET=1

# -- faster, and the same to the bit
cat >bits.py <<'EOF'
import hashlib, sys
import torch, triton, triton.language as tl
if sys.argv[1] == "ours":
    from geak_harness import boot
    boot.start_interpreter()

@triton.jit
def twice(v):
    return tl.sum(v, axis=1)[:, None] + tl.zeros_like(v)

@triton.jit
def kernel(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = i[:, None] * B + tl.arange(0, B)[None, :]
    v = tl.load(x + j, mask=j < n, other=0.0)
    w = tl.softmax(v.to(tl.float32), 1).to(tl.float16)
    w = tl.dot(w, tl.trans(w)) + tl.cumsum(v.to(tl.float32), axis=0)
    w += twice(v).to(tl.float32) * tl.cdiv(n, B) + tl.argmax(v, axis=1)[:, None]
    w += tl.rand(n, j) + tl.sort(v.to(tl.float32)) + tl.flip(w, 1)
    w += tl.max(v, axis=0, return_indices=True)[1][None, :] + tl.xor_sum(j, axis=1)[:, None]
    tl.store(y + j, w, mask=j < n)

digest = hashlib.sha256()
for dtype in (torch.float32, torch.float16):
    x = torch.randn(1000, generator=torch.Generator().manual_seed(1)).to(dtype)
    y = torch.zeros(1000, dtype=dtype)
    before = dict(vars(tl)), dict(vars(tl.tensor))
    kernel[(4,)](x, y, 1000, B=16)
    after = dict(vars(tl)), dict(vars(tl.tensor))
    assert before == after or sys.argv[1] == "theirs", "triton.language is not as it was"
    digest.update(y.view(torch.uint8).numpy().tobytes())
print(digest.hexdigest())
EOF
theirs=$("$PYTHON" -W ignore bits.py theirs 2>&1)
like "$theirs" '^[0-9a-f]{64}$' 'a kernel of many operations runs in the interpreter as Triton ships it'
is "$("$PYTHON" -W ignore bits.py ours 2>&1)" "$theirs" 'and in ours with the same bits'

# -- what its numpy has no type for
cat >short.py <<'EOF'
import torch, triton, triton.language as tl
from geak_harness import boot
boot.start_interpreter()

@triton.jit
def kernel(x, z, y, eighth, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v, w = tl.load(x + i, mask=i < n, other=0.0), tl.load(z + i, mask=i < n, other=0.0)
    tl.store(y + i, v + w, mask=i < n)
    tl.store(y + n + i, -v * w, mask=i < n)
    tl.store(y + 2 * n + i, tl.where(v > w, v, tl.full((B,), 0.5, tl.bfloat16)), mask=i < n)
    tl.store(y + 3 * n + i, (v.to(tl.float32) * 1.2345).to(tl.bfloat16), mask=i < n)
    tl.store(y + 4 * n + i, (i * 3).to(tl.bfloat16), mask=i < n)
    tl.store(eighth + i, (v.to(tl.float32) * 300).to(tl.float8e4nv), mask=i < n)

@triton.jit
def product(x, z, y, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    tl.store(y + at, tl.dot(tl.load(x + at), tl.load(z + at)))

gen = torch.Generator().manual_seed(1)
x, z = (torch.randn(1024, generator=gen).bfloat16() for _ in range(2))
y, eighth = torch.zeros(5, 1024, dtype=torch.bfloat16), torch.zeros(1024, dtype=torch.float8_e4m3fn)
kernel[(4,)](x, z, y, eighth, 1024, B=256)
want = x + z, -x * z, torch.where(x > z, x, 0.5), (x.float() * 1.2345).bfloat16(), (torch.arange(1024) * 3).bfloat16()
print([bool(torch.equal(a, b)) for a, b in zip(y, want)], end=" ")
print(bool(torch.equal(eighth.float(), (x.float() * 300).clamp(-448, 448).to(eighth.dtype).float())), end=" ")
out = torch.zeros(32, 32)
product[(1,)](x, z, out, B=32)
print(bool(torch.allclose(out, x.view(32, 32).float() @ z.view(32, 32).float(), atol=1e-4)))
EOF
is "$("$PYTHON" -W ignore short.py 2>&1 | tail -n 1)" '[True, True, True, True, True] True True' \
	'bfloat16 and float8 are computed with as torch does'

# -- other versions
cat >version.py <<'EOF'
import torch, triton, triton.language as tl
from triton.runtime import interpreter
from geak_harness import boot

def without_index(tensor, scope, patch=interpreter._patch_lang_tensor):
    patch(tensor, scope)
    scope.set_attr(tensor, "__index__", None)

interpreter._patch_lang_tensor = without_index
boot.start_interpreter()

@triton.jit
def kernel(y, n):
    total = 0
    for k in range(0, n, 2):
        total += k
    tl.store(y, total)

y = torch.zeros(1, dtype=torch.int32)
kernel[(1,)](y, 7)
print(y.item())
EOF
sed 's/^interpreter\._patch_lang_tensor.*/del interpreter._patch_lang/' version.py >unknown.py
is "$("$PYTHON" -W ignore version.py 2>&1)" 12 "a loop over an argument needs no conversion that some versions of numpy refuse"
like "$("$PYTHON" -W ignore unknown.py 2>&1 | tail -n 1)" \
	'^ImportError: the interpreter of triton .* is none that geak-eval knows \(.*_patch_lang.*\); install triton 3' \
	'an interpreter that is not known is told in a line'

# -- what the compiler accepts runs, and means the same
variant() { # variant ID SED [FILE]: the right kernel, changed, as a candidate
	kernel | sed "$2" | candidate "$1" "${3:-}"
}
task() { jq -c "$1" "$WORK/task.json"; }
task '.reference = "import torch\ndef inputs(p, gen):\n    return (torch.randn(p[\"n\"], generator=gen),)
def reference(x):\n    return torch.tanh(x)"' >tanh.json
{
	variant by_name 's/^import triton.language as tl/&\nfrom triton.language import load, arange/
		s/tl.load/load/; s/tl.arange/arange/'
	variant string_constexpr 's/B: tl.constexpr/B: "tl.constexpr"/'
	variant list_grid 's/(triton.cdiv(n, 64),)/[triton.cdiv(n, 64)]/'
	variant default_grid 's/B: tl.constexpr/&=64/; s/(triton.cdiv(n, 64),)/lambda m: (triton.cdiv(n, m["B"]),)/
		s/, B=64)/)/'
	variant tensor_grid 's/(triton.cdiv(n, 64),)/lambda m: (triton.cdiv(m["x"].numel(), m["B"]),)/'
	variant grid_of_a_number 's/(triton.cdiv(n, 64),)/triton.cdiv(n, 64)/'
	variant and_of_blocks 's/mask=i < n, other=0.0/mask=(i >= 0) and i < n, other=0.0/
		s/v + 1.0, mask=i < n/v + 1.0, mask=not (i >= n or i < 0)/'
	variant scalar_and 's/mask=i < n, other/mask=(n > 0 and n < 10 or n > 0) \& (i < n), other/'
	variant float_argument 's/kernel(x, y, n,/kernel(x, y, n, one,/; s/(x, y, n, B/(x, y, n, 1.0, B/
		s/v + 1.0/v + one.to(tl.float32)/'
	variant device_guard 's/^    kernel\[/    with torch.cuda._DeviceGuard(0): kernel[/'
	variant device 's/^    n = /    assert x.device == torch.device("cuda:0") and torch.device("cuda").type == "cuda"\
    assert x.get_device() == 0 and not x.is_cpu\
    x.record_stream(torch.cuda.current_stream())\
    torch.set_default_device("cuda")\
    with torch.device("cuda"), torch.cuda.nvtx.range("empty"): assert torch.empty(1).is_cuda\
    assert not torch.cuda.is_current_stream_capturing()\n&/'
	{
		kernel | sed '/^def plus_one/,$d'
		cat <<-'EOF'
			first = kernel

			@triton.jit
			def kernel(x, y, add, n, B: tl.constexpr):
			    i = tl.program_id(0) * B + tl.arange(0, B)
			    tl.store(y + i, tl.load(x + i, mask=i < n) + add, mask=i < n)

			def plus_one(x):
			    y, n = torch.empty_like(x), x.numel()
			    first[(triton.cdiv(n, 64),)](x, y, n, B=64)
			    kernel[(triton.cdiv(n, 64),)](y, y, 0.0, n, B=64)
			    return y
		EOF
	} | candidate two_of_a_name
	variant generator 's/^    n = x.numel()/&; s = torch.cuda.default_generators[0].get_state().view(torch.int64)/
		s/^    kernel\[/    s[1] += 4; torch.cuda.default_generators[0].set_state(s.view(torch.uint8)); &/'
	for library in 'extra import' 'extra.hip import'; do
		kernel | sed "s/^import triton.language as tl/&\\nfrom triton.language.$library libdevice/
			s/v + 1.0/libdevice.tanh(v)/" | candidate "${library% import}" tanh.json
	done
	kernel | sed 's/^import triton.language as tl/&\nfrom triton.language.extra.libdevice import tanh/
		s/v + 1.0/tanh(v)/' | candidate libdevice_by_name tanh.json
	kernel | sed 's/v + 1.0/tl.extra.hip.libdevice.erf(v)/' | candidate other_function tanh.json
} | verdicts -t gfx942 >got
is "$(cat got)" "by_name pass -
string_constexpr pass -
list_grid pass -
default_grid pass -
tensor_grid pass -
grid_of_a_number call_error TypeError
and_of_blocks pass -
scalar_and pass -
float_argument pass -
device_guard pass -
device pass -
two_of_a_name pass -
generator pass -
extra pass -
extra.hip pass -
libdevice_by_name pass -
other_function wrong_answer Mismatch" 'names, annotations, grids, logic, scalars and libdevice are taken as the compiler takes them'

# -- out of bounds
like_task() { jq -c '.cases = [.cases[0]]' "$WORK/task.json"; }
like_task >one.json
{
	variant store_past_end 's/v + 1.0, mask=i < n/v + 1.0/' one.json
	variant store_before 's/tl.store(y + i/tl.store(y + i - 1/' one.json
	variant atomic 's/tl.store(y + i, v + 1.0, mask=i < n)/tl.atomic_add(y + i, v + 1.0)/;
		s/empty_like/zeros_like/' one.json
	variant block 's/tl.store.*/b = tl.make_block_ptr(y, (128,), (1,), (0,), (64,), (0,))\
    tl.store(tl.advance(b, (64,)), v + 1.0)/' one.json
	variant load_unused 's/mask=i < n, other=0.0//' one.json
	variant load_used 's/mask=i < n, other=0.0//; s/v + 1.0/v + 1.0 + tl.sum(v, 0) * 0/' one.json
	variant inside_of_view 's/^    n = /    x = torch.cat((x, x))[:x.numel()]\n&/; s/mask=i < n, other=0.0//' one.json
	variant address_table 's/kernel(x, y, n, B/kernel(x, y, t, n, B/; s/\[(tri.*/[(triton.cdiv(n, 64),)](x, y, t, n, B=64)/
		s/^    n = /    t = torch.tensor([x.data_ptr()], device=x.device)\n&/
		s/tl.load(x/tl.load(tl.load(t).to(tl.pointer_type(tl.float32))/' one.json
} | verdicts -t gfx942 >got
is "$(cat got)" "store_past_end call_error OutOfBounds
store_before call_error OutOfBounds
atomic call_error OutOfBounds
block call_error OutOfBounds
load_unused pass -
load_used wrong_answer Mismatch
inside_of_view pass -
address_table pass -" 'a store past the end is an error, a load only where its value counts'
is "$(jq -r 'select(.id == "store_past_end").eval.error.message' records.jsonl)" \
	"kernel kernel stores out of bounds of argument y (100, float32): at element 100, where its memory ends at \
element 100, in program (1, 0, 0), and so do 27 more of its 64 lanes" 'the message says which kernel, argument and index'
like "$(jq -r 'select(.id == "store_before").eval.error.message' records.jsonl)" 'at element -1, before its start' \
	'also before the start'
like "$(jq -r 'select(.id == "load_used").eval.log' records.jsonl)" \
	'kernel kernel loads out of bounds of argument x' 'of loads the log tells'
done_testing
