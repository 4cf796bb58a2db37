# For tests of the judge, after tap.sh: a small task, and candidates for it.
#
# The task is to add one to a vector; `candidate ID <source.py` prints a record.
cat >"$WORK/task.json" <<'TASK'
{"geak":"task/1","id":"plus_one","title":"Add one","prompt":"Add one to every element.",
 "language":"triton","entry":"plus_one","signature":"plus_one(x: Tensor[N]) -> Tensor[N]",
 "reference":"import torch\ndef inputs(p, gen):\n    return (torch.randn(p['n'], generator=gen),)\ndef reference(x):\n    return x + 1\n",
 "cases":[{"name":"n100","kind":"check","params":{"n":100},"flops":100,"bytes":800},
          {"name":"n1","kind":"check","params":{"n":1},"flops":1,"bytes":8},
          {"name":"big","kind":"time","params":{"n":16777216},"flops":16777216,"bytes":134217728}],
 "tolerance":{"atol":1e-6,"rtol":1e-6},"tags":["elementwise"],"difficulty":1,"harness":"function"}
TASK
candidate() { # candidate ID [TASKFILE] <SOURCE
	jq -nc --arg id "$1" --rawfile source /dev/stdin --slurpfile task "${2:-$WORK/task.json}" \
		'{geak:"candidate/1",id:$id,task:$task[0],parent:null,round:0,
		  origin:{tool:"test"},language:"triton",source:$source}'
}
kernel() { # kernel: a right one; sed makes wrong ones of it
	cat <<'SOURCE'
import torch, triton, os, sys, time
import triton.language as tl

@triton.jit
def kernel(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(y + i, v + 1.0, mask=i < n)

def plus_one(x):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, y, n, B=64)
    return y
SOURCE
}
# before TEXT: the right kernel, with a line of Python first thing in its entry
before() { kernel | line=$1 awk '{print} /^def plus_one/{print "    " ENVIRON["line"]}'; }
verdicts() { # verdicts [OPTION...] <RECORDS: id, status and error class, a line each
	geak-eval -q "$@" | tee records.jsonl |
		jq -r '"\(.id) \(.eval.status) \(.eval.error.class // "-")"'
}
. "$ROOT/tests/ours.sh"
