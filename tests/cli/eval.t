#!/bin/bash
# geak-eval: verdicts on candidates that behave.
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/judge.sh"
export TMPDIR=$WORK/tmp; mkdir "$TMPDIR"

small() { # small: a sum from SMALL on in the smaller specialisation, whose IR nobody reads
	kernel | sed 's/, B=64/, B=64 if n > 16 else 16/
		s/^\( *\)v = .*/&\n\1many = SMALL if B == 16 else 0.0\n\1for k in range(n):\n\1    many += 1.5\n\1v += many - 1.5 * n/'
}
{
	kernel | candidate good
	before 'print("torch._dynamo" in sys.modules)' | candidate light
	kernel | sed 's/v + 1.0/v + 1.5/' | candidate wrong
	kernel | sed 's/tl.arange(0, B)/tl.arange(0, 60)/' | candidate arange
	small | sed 's/SMALL/0.0/' | candidate small
	small | sed 's/SMALL/0/' | candidate small_int
	kernel | sed 's/^def plus_one(x):/def plus_one(x:/' | candidate syntax
	kernel | sed 's/v + 1.0/tl.plus(v, 1.0)/' | candidate unknown_api
	kernel | sed 's/^def plus_one/def plus_two/' | candidate no_entry
	kernel | sed 's/torch.empty_like/torch.empty_as/' | candidate call_error
	echo 'def plus_one(x): return x + 1' | candidate no_kernel
	kernel | sed 's/return y$/x.zero_(); return y/' | candidate touches_input
	kernel | sed 's/return y$/return y.double()/' | candidate dtype
	kernel | sed 's/return y$/return y[None]/' | candidate shape
	kernel | sed 's/return y$/return y, y/' | candidate arity
	kernel | sed 's/return y$/return None/' | candidate nothing
	kernel | sed 's/return y$/return y.to(torch.float32) * float("nan")/' | candidate nan
	printf '' | candidate no_code
} >in.jsonl
verdicts --seed=7 <in.jsonl >got
cat >wanted <<'EOF'
good pass -
light pass -
wrong wrong_answer Mismatch
arange compile_error ValueError
small pass -
small_int compile_error AssertionError
syntax compile_error SyntaxError
unknown_api compile_error AttributeError
no_entry call_error AttributeError
call_error call_error AttributeError
no_kernel no_kernel NoKernel
touches_input wrong_answer Mismatch
dtype wrong_answer Mismatch
shape wrong_answer Mismatch
arity wrong_answer Mismatch
nothing wrong_answer Mismatch
nan wrong_answer Mismatch
no_code compile_error no_code
EOF
is "$(cat got)" "$(cat wanted)" 'each candidate gets its verdict, in order'

field() { jq -c "select(.id == \"$1\") | $2" records.jsonl; }
is "$(field good '[.eval.compile[] | [.target, .ok]] | unique')" \
	'[["gfx90a",true],["gfx942",true],["gfx950",true],["sm_90",true]]' 'compiled for four targets'
is "$(field good '.eval.compile[0] | [.kernel, .vgpr > 0, .sgpr > 0, .spill, .occupancy, .mfma]')" \
	'["kernel",true,true,0,8,0]' 'with figures from the code object'
is "$(field good '[.eval.stage, .eval.seed, .eval.target, .eval.device]')" \
	'["done","7","gfx942","cpu-interpreter"]' 'and says how it was judged'
is "$(field light .eval.log | tr -d '"' | sed 's/\\n/ /g' | xargs -n 1 | sort -u)" False \
	'nothing makes torch import its compiler in every process'
is "$(field good '[.eval.checks[] | [.case, .ok]]')" '[["n100",true],["n1",true]]' \
	'on the cases for checking, not on those for timing'
like "$(field wrong .eval.error.message)" '100 of 100 values are wrong, the first at \[0\]' \
	'a wrong answer is told in words'
is "$(field wrong '.eval.checks[0].mismatch | [.count, .total, .first_index]')" '[100,100,[0]]' \
	'and in fields'
like "$(field touches_input .eval.error.message)" 'argument 0 after the call: .* values are wrong' \
	'a changed input is a wrong answer'
like "$(field dtype .eval.error.message)" 'dtype float32 was expected, not float64' 'so is a dtype'
like "$(field shape .eval.error.message)" 'shape \[100\] was expected, not \[1, 100\]' 'a shape'
like "$(field arity .eval.error.message)" 'a tensor was expected, not a tuple' 'an arity'
like "$(field call_error .eval.error.trace)" 'candidate.py.*, line 11, in plus_one' \
	'a trace names the line'
unlike "$(field call_error .eval.error.trace)" 'geak_harness' 'and shows none of our own'
like "$(field small_int .eval.error.message)" 'at 5:4:.*for k in range.*Loop-carried variable many' \
	'what the compiler refuses in one specialisation is told with its line'
is "$(jq -r 'select(.eval.status == "sandbox_error") | .id' records.jsonl)" '' 'no sandbox_error'

# what is judged already is not judged again; a change of settings is another question
geak-eval --seed=7 <records.jsonl >again.jsonl
ok "$(cmp -s records.jsonl again.jsonl; echo $?)" 'a second run changes nothing'
head -n 1 records.jsonl | geak-eval --seed=8 | jq -r .eval.seed >got
is "$(cat got)" 8 'another seed is another verdict'
head -n 1 records.jsonl | geak-eval --seed=7 -f | jq -r '.eval.seconds > 0' >got
is "$(cat got)" true '--force judges again'

# targets, objects
head -n 1 in.jsonl | geak-eval -t gfx90a --save-objects=objects >one.jsonl
is "$(jq -r '.eval.compile[0].target' one.jsonl)" gfx90a '--targets chooses'
head -n 1 in.jsonl | geak-eval -q -t gfx943,gfx942 >one.jsonl 2>err
is $? 70 'when the first of them is none nothing is judged'
is "$(jq -r '.geak + " " + .record.geak' one.jsonl) $(wc -l <err)" 'error/1 candidate/1 1' 'the record says so, and a line to a person'
like "$(cat err)" 'cannot compile for gfx943, the first of the targets \(.*\); see --targets' 'which names it'
head -n 1 in.jsonl | geak-eval -q -t gfx942,gfx943 2>err | jq -c '.eval | [.status, .compile[-1].error.class // "fine"]' >got
is "$(cat got err)" '["pass","RuntimeError"]' 'another that is none decides nothing'
like "$(ls objects)" '^good-kernel-[0-9a-f]{8}.gfx90a.hsaco$' '--save-objects keeps the code object'
like "$(head -c 4 objects/*.hsaco)" ELF 'which is one'
like "$(cat objects/*.amdgcn)" 's_endpgm' 'and its assembly'
if unshare -m mount -t tmpfs none objects 2>/dev/null; then
	head -n 2 in.jsonl | unshare -m bash -c 'mount -t tmpfs -o size=4k none objects
		geak-eval -q -t gfx90a --save-objects=objects 2>err; echo $? >status; find objects -type f >left' |
		jq -r '"\(.eval.status) \(.eval.compile[].object_error)"' >got
	is "$(sort -u got)" 'pass No space left on device' 'where there is no room for it the record says so'
	is "$(cat err status left)" 'geak-eval: code objects cannot be written into objects: No space left on device; the verdicts go on without
74' 'a person is told once, and no part of one is left'
fi
touch file; ln -s nowhere dangling
for dir in file dangling /dev/null none/new ''; do
	exits 64 "--save-objects='$dir' is refused" geak-eval -q --save-objects="$dir" in.jsonl
	like "$(cat err)" '^geak-eval: --save-objects: .*(is no folder|cannot be)' 'with the reason'
done
is "$(head -n 1 records.jsonl | jq -c 'del(.eval)' | geak-eval -j 4 -q | jq -r .eval.status)" pass \
	'a record is judged alone'

# an error without words is called by its name, in a line
for body in 'assert not x.numel()' 'raise MemoryError("two\\nlines")'; do
	jq -c --arg body "    $body" '.reference |= sub("    return x \\+ 1"; $body)' task.json >bad.json
	kernel | candidate wordless bad.json | geak-eval -q -t gfx942 | jq -c '.eval | [.status, .error.message]'
done >got
is "$(sed -n 1p got)" '["reference_error","the task is at fault: AssertionError"]' 'a bare assert in a reference is named'
like "$(sed -n 2p got)" 'the task is at fault: two' 'one with words says them'
PYTHONPATH=$ROOT/lib/harness "$PYTHON" -c '
from geak_harness import boot, profiler
boot._complain("it fails", ValueError("in two\nlines"))
boot._complain("it fails", ValueError())
class Channel:
    def send(self, **message): print(message)
    def receive(self): profiler._profile = self.fail
    def fail(self, request): raise MemoryError
profiler.run(Channel(), {"number": 0})' >got 2>err
is "$(cat err)" 'geak-eval: it fails: in two lines
geak-eval: it fails: ValueError' 'what a compiler says is one line'
is "$(tail -n 1 got)" "{'unavailable': 'the profile failed: MemoryError'}" 'so is what a profile failed with'

# what is no candidate passes, byte for byte; what cannot be judged becomes an error/1
cat >mixed.jsonl <<'EOF'
{"geak":"task/1", "id":"t", "n":1.50}
{"geak":"candidate/1","id":"no-source","task":{}}
{"geak":"candidate/1","id":"no-task","source":"x"}
{"geak":"other/9", "x":1e2}
EOF
exits 1 'records that cannot be judged give exit status 1' geak-eval mixed.jsonl
is "$(sed -n '1p;4p' out)" "$(sed -n '1p;4p' mixed.jsonl)" 'the others pass untouched'
is "$(jq -rc 'select(.geak == "error/1") | .record.id' out)" "no-source
no-task" 'and are carried by their errors'
like "$(cat err)" 'candidate no-source has no source to judge' 'with a sentence each'
jq -c 'del(.reference)' task.json >broken.json
kernel | candidate broken broken.json >broken.jsonl
exits 1 'a task without a reference cannot be judged by' geak-eval broken.jsonl
like "$(cat err)" 'reference' 'and the sentence says so'
jq -c '.reference = "def inputs(p, g): return (1,)\ndef reference(x): raise KeyError(\"sorry\")"' task.json >sorry.json
is "$(kernel | candidate sorry sorry.json | verdicts)" 'sorry reference_error KeyError' \
	'a reference that fails is the fault of the task'
like "$(kernel | candidate sorry sorry.json | geak-eval -q -t gfx942 | jq -r .eval.error.message)" \
	"at fault: KeyError: 'sorry'" 'a key alone would tell nobody what is wrong'
jq -c '.reference |= sub("return x . 1"; "x + 1")' task.json >silent.json
is "$(kernel | candidate silent silent.json | verdicts)" 'silent reference_error WireError' \
	'so is one that returns nothing and changes nothing'

exits 64 'an unknown option' geak-eval --nonsense
is "$(kernel | candidate named task.json | geak-eval -q -t MI300X,gfx942,h200 | jq -c '.eval.compile | map(.target) | unique')" \
	'["gfx942","sm_90"]' 'a GPU by its name stands for its architecture, once'
exits 64 'a target that is none' geak-eval -t gtx1080
like "$(cat err)" "the target gtx1080 is not known; known are .*mi300x \(gfx942\).*, and architectures, as gfx942 or sm_90" 'named in the sentence'
exits 64 'a file that is not there' geak-eval missing.jsonl
exits 64 'a timeout of nothing' geak-eval -T 0
exits 64 'a seed below nothing' geak-eval --seed=' -5'
[ -e /dev/kfd ] || [ -e /dev/nvidiactl ] || [ -e /dev/dxg ] || exits 64 'no GPU where one is asked for' geak-eval --device=gpu in.jsonl
exits 74 'a full disk' sh -c 'geak-eval records.jsonl --seed=7 >/dev/full'
GEAK_PYTHON=/nowhere/python exits 70 'a Python that is not there' geak-eval in.jsonl
is "$(ls "$TMPDIR")" '' 'no scratch folder is left'
jq -c '.allow = ["library"]' "$WORK/task.json" >library.json
{
	kernel | sed 's/^    return y/    return x + 1/' | candidate torch_after
	kernel | sed 's/kernel\[.*/kernel[(1,)](x, y, 1, B=1)\n    y[1:] = x[1:] + 1/' | candidate one_element
	kernel | sed 's/kernel\[.*/try: kernel[(1,)](x, y, n, B="64")\n    except Exception: y = x + 1/' |
		candidate falls_back
	kernel | sed 's/n = x.numel()/n = x.numel() - x.numel() % 3/; s/return y$/y[n:] = x[n:] + 1; return y/' |
		candidate tail_by_torch
	kernel | sed 's/return y$/return y.clone().sum() - y.sum() + y/' | candidate finishes_by_torch
	kernel | sed 's/^    return y/    return x + 1/' | candidate allowed library.json
} >in.jsonl
is "$(verdicts -t gfx942 <in.jsonl)" "torch_after no_kernel NoKernel
one_element no_kernel NoKernel
falls_back compile_error AttributeError
tail_by_torch pass -
finishes_by_torch pass -
allowed pass -" 'the work must be that of its own kernels'

# An oracle draws a seed, and runs the reference once: more tasks than are kept at hand, then the same again.
for again in 1 2; do
	for task in $(seq 12); do
		jq -c --arg id "t$task" '.id = $id | .cases |= map(select(.kind == "check"))' "$WORK/task.json" >one.json
		kernel | candidate "t$task.$again" one.json
	done
done >again.jsonl
geak-eval -q -j 1 --unordered -t gfx942 again.jsonl >out.jsonl
is "$(jq -r .eval.status out.jsonl | sort | uniq -c | xargs)" '24 pass' 'candidates of tasks that come again'
is "$(jq -r '"\(.task.id) \(.eval.seed)"' out.jsonl | sort -u | wc -l)" 12 "each task's are judged one after the other"

# Who has nothing else to do leaves a candidate to the worker whose oracle is at a reference that takes long.
jq -c '.id = "dear" | .reference |= sub("import torch"; "import torch, time; time.sleep(8)")' "$WORK/task.json" >dear.json
{
	kernel | candidate dear.1 dear.json
	before 'time.sleep(4)' | candidate other
	kernel | candidate dear.2 dear.json
} >dear.jsonl
geak-eval -q -j 2 --unordered -t gfx942 dear.jsonl >out.jsonl
is "$(jq -r '"\(.task.id) \(.eval.status) \(.eval.seed)"' out.jsonl | sort -u | cut -d' ' -f 1,2)" \
	"$(printf 'dear pass\nplus_one pass')" 'a reference that takes long runs once'

# What waits when nothing can be written any more is not judged.
before 'time.sleep(2)' | candidate slow >slow.jsonl
for i in $(seq 12); do jq -c --arg id "slow$i" '.id = $id' slow.jsonl; done >slows.jsonl
start=$SECONDS
geak-eval -q -j 1 -t gfx942 slow.jsonl >out.jsonl
one=$((SECONDS - start)) start=$SECONDS
geak-eval -q -j 1 --unordered -t gfx942 slows.jsonl >/dev/full 2>err
is "$? $(wc -l <err)" '74 1' 'a full disk is told once'
is "$((SECONDS - start < 2 * one + 2))" 1 'and nothing more is judged' || echo "# $((SECONDS - start)) s, $one for one of 12"

done_testing
