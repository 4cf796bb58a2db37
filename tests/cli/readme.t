#!/bin/bash
# README.md: its blocks, as they stand there, do what it says. A block is tested that
# follows a line <!-- test: NAME -->; several of one name are run as one.
# slow: the real judge, a dozen times
. "$(dirname "$0")/../tap.sh"
README=$ROOT/README.md
ln -s "$ROOT/pipelines" "$ROOT/man" .
mkdir tests && ln -s "$ROOT/tests/helper" tests/helper
mkdir bin && ln -s "$PYTHON" bin/python3
mkdir -p .venv/bin && printf '#!/bin/sh\nexec "%s" "$@"\n' "$PYTHON" >.venv/bin/python && chmod +x .venv/bin/python
PATH=$PATH:$WORK/bin

block() { # block NAME
	awk -v mark="<!-- test: $1 -->" '
		$0 == mark { wanted = 1; next }
		/^```/ { inside = wanted && !inside; if (!inside) wanted = 0; next }
		inside' "$README"
}
runs() { # runs NAME [STATUS]: output to ./out and ./err
	block "$1" >"block.$1"
	[ -s "block.$1" ] || { ok 1 "README.md has no block $1"; return; }
	exits "${2:-0}" "the block $1 runs" bash -euo pipefail "block.$1"
}
count() { jq -r "select($2) | .id" "$1" | wc -l; }

# The model knows a good kernel of each task, and writes the first one of softmax badly.
cat >swiglu.kernel <<'END'
import torch
import triton
import triton.language as tl

@triton.jit
def kernel(a, b, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(a + i, mask=i < n)
    tl.store(y + i, x * tl.sigmoid(x) * tl.load(b + i, mask=i < n), mask=i < n)

def swiglu(a, b):
    y = torch.empty_like(a)
    if a.numel():
        kernel[(triton.cdiv(a.numel(), 256),)](a, b, y, a.numel(), BLOCK=256, num_warps=4)
    return y
END
cp "$ROOT"/tests/kernels/flip.py flip.kernel
cp "$ROOT"/tests/kernels/softmax.py softmax.kernel
cat >model <<'END'
#!/bin/sh
echo 'This should do:'; echo '```python'
if [ $GEAK_TASK/$GEAK_ROUND/$GEAK_SAMPLE = softmax/0/1 ]; then
	sed 's/BLOCK: tl.constexpr/BLOCK/' "$DIR/$GEAK_TASK.kernel"
else cat "$DIR/$GEAK_TASK.kernel"; fi
echo '```'
END
chmod +x model
export DIR=$WORK GEAK_MODEL=exec:$WORK/model

runs loop
is "$(jq -r .round run.jsonl | sort | uniq -c | xargs)" "4 0 3 1" "four kernels, a repair, two improvements"
is "$(jq -r .eval.status run.jsonl | sort | uniq -c | xargs)" "1 compile_error 6 pass" "with their verdicts"
like "$(cat softmax.py)" "^def softmax\(x\):" "the best one as a Python file"
like "$(cat out)" "^execution accuracy +6/7" "and the figures"
runs own-kernel
is "$(xargs <out)" "pass null" "a kernel in a file is judged"
cp run.jsonl good.jsonl
geak-task flip | geak-gen -m 'exec:exit 3' >>run.jsonl 2>err
block loop | grep '^geak-top' >block.best
exits 0 "the best one of a run with an error" bash -eo pipefail block.best
unlike "$(cat softmax.py)" "^null$" "is a Python file as well"
runs look
like "$(cat out)" "gfx942	softmax_kernel	[0-9]+	0	8" "registers, spills and occupancy by jq"
like "$(cat out)" "^-	-	error/1	the model's command exited with 3$" "and what became an error"
mv good.jsonl run.jsonl

runs task
is "$(cat out)" "swiglu  -  memory-bound  Gated activation" "a task of one's own is listed"
runs lint
is "$(tail -n 1 out)" "1 task, 17 wrong answers each: 0 accepted" "it refuses what is wrong"
runs own-loop
is "$(jq -r '"\(.task.id) \(.eval.status)"' swiglu.jsonl | uniq -c | xargs)" "2 swiglu pass" "its kernels are judged"
is "$(cat swiglu.py)" "$(cat swiglu.kernel)" "and there it is"

runs jq-stage
[ "$(block jq-stage | sed '1d; /^END/,$d' | wc -l)" -le 5 ]; ok $? "which has five lines"
is "$(jq -r .task.id few.jsonl)" softmax "gives one kernel a task"
runs python-stage
is "$(jq -r '"\(.task.id) \(.eval.status)"' tuned.jsonl)" "softmax pass" "the best of all that were tried"
python3 warps.py <few.jsonl >children.jsonl
is "$(count children.jsonl '.origin.tool == "warps"')" 3 "the stage makes three children"
is "$(head -n 1 children.jsonl)" "$(cat few.jsonl)" "and passes on what it read"
if "$PYTHON" -c 'import jsonschema' 2>/dev/null; then
	runs validate
	sed 's/"round": r\["round"\] + 1/"round": "next"/' warps.py >broken.py
	python3 broken.py <few.jsonl | "$PYTHON" tests/helper/validate.py man/geak-record.schema.json - >out
	like "$(cat out)" "^-:2: .*round.*'next' is not of type 'integer'" "a stage that gets something wrong is found out"
fi
runs swap
is "$(tail -n 1 out)" tuned/records.jsonl "a stage swapped in a pipeline"
is "$(count tuned/records.jsonl '.origin.tool == "warps" and .eval.status == "pass"')" 3 "takes part in it"

runs xargs
is "$(jq -r .task.id candidates.jsonl | sort | uniq -c | xargs)" "2 flip 2 softmax" "candidates of two processes"
runs parallel
is "$(count judged.jsonl .eval.status)" 4 "judged by parallel --pipe"
is "$(cat flip.judged softmax.judged | count /dev/stdin .eval.status)" 4 "judged by parallel over files"

# -- what it names is there
grep -oE '(pipelines|man|setup|lib|tests)/[A-Za-z0-9_/.-]+' "$README" | sed 's/[.]$//' | sort -u >files
while read -r file; do
	[ -e "$ROOT/$file" ]; ok $? "$file is there"
done <files
for preset in compute-bound memory-bound control-flow; do
	# shellcheck source=pipelines/presets/compute-bound
	. "$ROOT/pipelines/presets/$preset"
	like "$(grep "^| \`$preset\`" "$README")" "\| $WIDTH \| $DEPTH" "$preset: as the table says"
done

done_testing
