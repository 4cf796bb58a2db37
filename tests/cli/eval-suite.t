#!/bin/bash
# geak-eval: tasks of foreign suites, whose tests are appended to the source.
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/judge.sh"

sed 's/^def plus_one/def plus_one/' <(kernel) >right.py
cat >script.py <<'EOF'
def test_plus_one():
    x = torch.randn(100, device='cuda')
    assert x.is_cuda and x.device.type == 'cuda'
    y = plus_one(x.to(x.device))
    torch.cuda.synchronize()
    return {"plus": y, "shape": tuple(y.shape), "nested": [y[:3].cpu(), None],
            "array": (y.cpu().numpy(), object()), "object": object(), "unstable": time.perf_counter_ns()}
result_gold = test_plus_one()
EOF
jq -nc --rawfile reference right.py --rawfile tests script.py '{geak:"task/1",id:"s",prompt:"p",
	language:"triton",harness:"script",reference:$reference,tests:$tests,cases:[],entry:"plus_one",
	tolerance:{atol:1e-3,rtol:1e-3,equal_nan:true}}' >script.json
jq -c 'del(.tests)' script.json >untested.json
jq -c '.tests = "result_gold = 1 / 0"' script.json >failing.json
jq -c '.tests = "result_gold = {\"t\": time.perf_counter_ns()}"' script.json >unstable.json
jq -c '.tests = "import time\ntime.sleep(100)"' script.json >slow.json
cat >unwritten.py <<'EOF'
def test_half():
    y = plus_one(torch.randn(100, device="cuda"))
    z = torch.empty(200, device="cuda")
    z[:100] = y
    return {"half": z, "none": torch.empty(3, dtype=torch.int32, device="cuda"), "whole": y}
result_gold = test_half()
EOF
jq -c --rawfile tests unwritten.py '.tests = $tests' script.json >unwritten.json
jq -c '.tests = "result_gold = {\"x\": plus_one(torch.randn(100))}"' script.json >outside.json
jq -c '.tests = "result_gold = {\"size\": plus_one(torch.randn(100)).shape}"' script.json >sizes.json
jq -c '.tests = "x = torch.randn(100)\nresult_gold = {\"size\": x.shape, \"right\": torch.allclose(plus_one(x), x + 1)}"' \
	script.json >truth.json
cat >wrapped.py <<'EOF'
x = torch.randn(100).to(torch.float8_e5m2)
result_gold = {"x": plus_one(triton.reinterpret(x.view(torch.int8), tl.float8e5))}
EOF
sed 's/y = torch.empty_like(x)/y = torch.empty(x.shape, device=x.device)/; s/x.numel()/100/; s/v + 1.0/v.to(tl.float32) + 1.0/' right.py >wrap.py
jq -c --rawfile r wrap.py --rawfile t wrapped.py '.reference = $r | .tests = $t' script.json >wrapped.json
jq -c '.tests = "result_gold = {\"x\": plus_one(torch.randn(100)),
	\"end\": torch.tensor(float(\"inf\") if __name__ == \"reference\" else 5.0)}"' script.json >once_infinite.json
# as where two programs write to one place: the reference comes to the other value in its third run
jq -c '.tests = "import sys\nsys.runs = getattr(sys, \"runs\", 0) + 1\nlast = __name__ == \"candidate\" or sys.runs > 2
result_gold = {\"x\": plus_one(torch.randn(100)), \"race\": torch.tensor([1.0, 3.0 if last else 2.0, 4.0])}"' \
	script.json >race.json
# and where it hangs on that in many places, and no run shows all of them
jq -c '.tests = "import sys\nsys.runs = getattr(sys, \"runs\", 0) + 1\nmine = __name__ == \"candidate\"
result_gold = {\"x\": plus_one(torch.randn(100)), \"races\": torch.tensor([1.0, sys.runs % 2, 4.0 + mine])}"' \
	script.json >races.json
sed -n '/^@triton/,/^$/p' right.py | sed 's/kernel/filled/' >kernel_of_tests.py
echo 'result_gold = {"x": plus_one(torch.randn(100)), "ones": filled[(1,)](torch.zeros(9), torch.zeros(9), 9, B=16)}' \
	>>kernel_of_tests.py
jq -c --rawfile tests kernel_of_tests.py '.tests = $tests' script.json >kernel_of_tests.json
jq -c '.tests = "def test_it():\n    return {\"x\": plus_one(torch.randn(100))}\n"' script.json >uncalled.json
{
	candidate good script.json <right.py
	{ cat right.py; printf '%s\n' 'def test_mine():' '    raise ValueError("mine")' 'test_mine()' 'result_gold = 3'; } |
		candidate own_tests script.json
	sed 's/v + 1.0/v + 2.0/' right.py | candidate wrong script.json
	sed 's/return y$/return y[:99]/' right.py | candidate shape script.json
	sed 's/^def plus_one/def minus_one/' right.py | candidate no_entry script.json
	sed 's/i < n, other/i < , other/' right.py | candidate syntax script.json
	candidate untested untested.json <right.py
	sed 's/v + 1.0/tl.plus(v, 1.0)/' right.py | candidate untested_unknown_api untested.json
	sed 's/^def plus_one/def minus_one/' right.py | candidate untested_no_entry untested.json
	candidate failing failing.json <right.py
	sed 's/return y$/return y + 1/' right.py | candidate unstable unstable.json
	{ cat right.py; printf '%s\n' '@triton.jit' 'def unused(x):' '    return tl.cidv(x, 2)'; } |
		candidate dead_code script.json
	candidate slow slow.json <right.py
	candidate unwritten unwritten.json <right.py
	sed 's/v + 1.0/v + 2.0/' right.py | candidate unwritten_wrong unwritten.json
	sed 's/tl.load(x + i, mask=i < n/tl.load(x + i + 1000, mask=i < n/' right.py >far.py
	jq -c --rawfile r far.py '.reference = $r' outside.json >outside_itself.json
	candidate outside outside_itself.json <right.py
	candidate sizes sizes.json <right.py
	sed 's/^    kernel.*/    return torch.empty_like(x)/' right.py | candidate sizes_idle sizes.json
	candidate truth truth.json <right.py
	sed 's/return y$/return x + 1/' right.py | candidate truth_for_show truth.json
	candidate wrapped wrapped.json <wrap.py
	candidate once_infinite once_infinite.json <right.py
	candidate race race.json <right.py
	candidate races races.json <right.py
	sed 's/v + 1.0/v + 2.0/' right.py | candidate races_wrong races.json
	sed 's/v + 1.0/v + 2.0/' right.py | candidate race_wrong race.json
	candidate kernel_of_tests kernel_of_tests.json <right.py
	candidate uncalled uncalled.json <right.py
	sed 's/v + 1.0/v + 2.0/' right.py | candidate uncalled_wrong uncalled.json
} >in.jsonl
verdicts -t gfx942 -T 12 <in.jsonl >got
cat >wanted <<'EOF'
good pass -
own_tests pass -
wrong wrong_answer Mismatch
shape wrong_answer Mismatch
no_entry call_error NameError
syntax compile_error SyntaxError
untested unverified NoTests
untested_unknown_api compile_error AttributeError
untested_no_entry call_error AttributeError
failing reference_error ZeroDivisionError
unstable reference_error ValueError
dead_code pass -
slow reference_error Timeout
unwritten pass -
unwritten_wrong wrong_answer Mismatch
outside reference_error ValueError
sizes reference_error BlindTests
sizes_idle no_kernel NoKernel
truth pass -
truth_for_show no_kernel NoKernel
wrapped pass -
once_infinite pass -
race pass -
races pass -
races_wrong wrong_answer Mismatch
race_wrong wrong_answer Mismatch
kernel_of_tests pass -
uncalled pass -
uncalled_wrong wrong_answer Mismatch
EOF
is "$(cat got)" "$(cat wanted)" 'scripts get their verdicts'
is "$(jq -c 'select(.id == "wrong").eval.checks[] | [.case, .ok]' records.jsonl | paste -sd' ')" \
	'["plus",false] ["shape",true] ["nested",false] ["array",false] ["object",true] ["unstable",null]' \
	'entry by entry; those in which the reference disagrees with itself are left out'
is "$(jq -c 'select(.id == "unwritten").eval.checks[] | [.case, .ok, .unsettled, .skipped]' records.jsonl | paste -sd' ')" \
	'["half",true,100,null] ["none",null,null,"two runs of the reference differ here"] ["whole",true,null,null]' \
	'of memory that the reference leaves unwritten nothing is asked'
like "$(jq -r 'select(.id == "outside").eval.error.message' records.jsonl)" \
	'its kernel kernel loads out of bounds of argument x' 'nor of what it reads where its argument is not; the reason is given'
like "$(jq -r 'select(.id == "untested").eval.error.message' records.jsonl)" 'no tests at hand' \
	'without tests the record says what could not be told'

like "$(jq -r 'select(.id == "sizes").eval.error.message' records.jsonl)" \
	'have them return what the kernels compute' 'tests that no kernel can fail are the fault of the task'

# Of a candidate that is out of time nothing can be said where the reference nearly was.
jq -c '.tests |= "time.sleep(7.5)\n" + .' script.json >tardy.json
jq -c '.tests |= "while True:\n    pass\n" + .' script.json >endless.json
before 'while True: pass' >hangs.py
sed 's/y + i, v/y + i - 1, v/' right.py >below.py
jq -c --rawfile r below.py '.reference = $r' script.json >below.json
sed 's/v + 1.0/tl.extra.hip.libdevice.pow(v, i.to(tl.int16))/' right.py >pow.py
jq -c --rawfile r pow.py '.reference = $r' script.json >pow.json
{
	candidate hangs script.json <hangs.py
	candidate hangs_like_it tardy.json <hangs.py
	candidate as_tardy tardy.json <right.py
	candidate endless endless.json <right.py
	candidate below below.json <right.py
	candidate below_too script.json <below.py
	candidate pow pow.json <right.py
} | verdicts -t gfx942 -T 12 >got
is "$(paste -sd, got)" "$(cat <<'EOF'
hangs timeout Timeout,hangs_like_it reference_error Timeout,as_tardy pass -,endless reference_error Timeout,below reference_error OutOfBounds,below_too call_error OutOfBounds,pow reference_error KeyError
EOF
)" 'a task that is slow or at fault is told from a candidate that is'
says() { like "$(jq -r --arg id "$1" 'select(.id == $id).eval.error.message' records.jsonl)" "$2" "$3"; }
says hangs_like_it 'reference.* needs [789]\.[0-9]* s in Triton.s interpreter.*--timeout' 'how long the reference needs is told'
says endless 'had not ended after (12|24) s.*--timeout' 'or how long was waited for it'
says below 'the task is at fault: kernel kernel stores out of bounds.*mend the reference' 'what to do about it'
says pow 'libdevice has no pow\(fp32, int16\), but pow\(fp32, int32\).*convert' 'what a function wants'

# A suite's kernels were written for some GPU, which need not be the first target.
sed 's/v + 1.0/tl.extra.cuda.libdevice.tanh(v)/' right.py >nvidia.py
sed 's/v + 1.0/tl.extra.hip.libdevice.tanh(v)/' right.py >amd.py
echo 'result_gold = {"x": plus_one(torch.randn(100))}' >tanh.py
for maker in nvidia amd; do
	jq -c --rawfile r $maker.py --rawfile t tanh.py '.reference = $r | .tests = $t' script.json >$maker.json
done
{
	candidate itself nvidia.json <nvidia.py
	{ cat nvidia.py; echo '# otherwise'; } | candidate alike nvidia.json
	candidate mended nvidia.json <amd.py
	sed 's/tanh/cosh/' nvidia.py | candidate wrong nvidia.json
	candidate own_fault amd.json <nvidia.py
} | verdicts -t gfx942,sm_90 >got
is "$(paste -sd, got)" "$(cat <<'EOF'
itself reference_error RuntimeError,alike reference_error RuntimeError,mended pass -,wrong compile_error RuntimeError,own_fault compile_error RuntimeError
EOF
)" 'kernels that a target does not take are the fault of the task when its own are no better'
like "$(jq -r 'select(.id == "itself").eval.error.message' records.jsonl)" 'do not compile for gfx942 either.*--targets' \
	'the message says what to do'

cat >pytest.py <<'EOF'
import pytest
from tb_eval.perf.ROCm.performance_utils_pytest import PytestBenchmarker
result_gold = {}

@pytest.mark.parametrize("n", [1, 70])
def test_plus(n, request):
    x = torch.arange(n, dtype=torch.float32, device="cuda")
    y = plus_one(x)
    result_gold[request.node.name] = y.cpu()
    torch.testing.assert_close(y, x + 1)

def test_performance():
    raise RuntimeError("must not run")

def test_save_results():
    raise RuntimeError("must not run")

def test_skipped():
    pytest.skip("no reason")

def test_that_the_reference_fails():
    assert plus_one(torch.zeros(1)) == 2
EOF
jq -c --rawfile tests pytest.py '.tests = $tests | .harness = "pytest" | .id = "p"' script.json >pytest.json
jq -c '.tests = "import no_such_module_here"' pytest.json >broken.json
jq -c '.tests = "def test_a():\n    1 / 0\n"' pytest.json >hopeless.json
jq -c '.tests = "result_gold = {}\ndef test_a():\n    result_gold[\"called\"] = torch.tensor([1.0])\n" +
	"    assert (plus_one(torch.ones(5)) == 2).all()\n"' pytest.json >outcome.json
{
	candidate good pytest.json <right.py
	sed 's/v + 1.0/v + 2.0/' right.py | candidate wrong pytest.json
	sed 's/torch.empty_like(x)/torch.empty_as(x)/' right.py | candidate call_error pytest.json
	candidate broken broken.json <right.py
	echo '# nothing' | candidate hopeless hopeless.json
	candidate outcome outcome.json <right.py
	sed 's/return y$/return x + 1/' right.py | candidate outcome_for_show outcome.json
	sed 's/v + 1.0/v.to(tl.float8e4b8).to(tl.float32)/' right.py >fnuz.py
	jq -c --rawfile r fnuz.py '.reference = $r' outcome.json >fnuz.json
	candidate fnuz fnuz.json <right.py
} | verdicts -t gfx942 >got
cat >wanted <<'EOF'
good pass -
wrong wrong_answer Mismatch
call_error wrong_answer Mismatch
broken reference_error ImportError
hopeless reference_error ValueError
outcome pass -
outcome_for_show no_kernel NoKernel
fnuz reference_error ValueError
EOF
is "$(cat got)" "$(cat wanted)" 'pytest files get theirs'
is "$(jq -c 'select(.id == "good").eval.checks | map(.case)' records.jsonl)" \
	'["outcome of test_plus[1]","outcome of test_plus[70]","test_plus[1]","test_plus[70]"]' \
	'by the outcome of each test that the reference passes, and by what it left'
like "$(jq -r 'select(.id == "hopeless").eval.error.message' records.jsonl)" \
	"not one of the reference's tests passes: failed: ZeroDivisionError" 'a reference that passes none is no measure'
says broken "could not collect the file: ModuleNotFoundError: No module named 'no_such_module_here'; the Python .* must have it" 'why there are none'
says fnuz 'failed: NotImplementedError: .*no type fp8e4b8: this kernel needs a GPU' 'and what the wrapped error was'
like "$(jq -r 'select(.id == "wrong").eval.checks[1].error' records.jsonl)" \
	'passed was expected, not failed: AssertionError: Tensor-likes are not close' 'a check says why a test failed'
like "$(jq -r 'select(.id == "wrong").eval.log' records.jsonl)" 'Mismatched elements' 'pytest explains itself in the log'
done_testing
