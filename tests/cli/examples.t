#!/bin/bash
# The worked examples that prompts show to a model are right, and compile for an AMD GPU.
. "$(dirname "$0")/../tap.sh"

"$PYTHON" -c 'import torch, triton' 2>/dev/null || skip_all "torch and triton are not at hand"
export TRITON_CACHE_DIR=$WORK/cache
for mode in check compile; do
	interpret=$([ $mode = check ] && echo 1)
	TRITON_INTERPRET=$interpret "$PYTHON" "$ROOT/tests/helper/examples.py" $mode >$mode.out 2>err
	status=$?
	[ $status -eq 0 ] || sed -n 's/^\(not ok\|#\)/# &/p' $mode.out | head -n 40
	[ -s $mode.out ] || sed 's/^/# /' err | tail -n 5
	ok $status "every worked example passes: $mode"
done

# The judge says so, too: each with a task of its own.
"$PYTHON" "$ROOT/tests/helper/example_records.py" >examples.jsonl
is "$(jq -r .id examples.jsonl | sort | xargs)" "$(basename -s .py "$ROOT"/prompts/examples/*.py | sort | xargs)" \
	"every worked example has a task"
TMPDIR=$WORK geak-eval -q -j 2 -t gfx942 examples.jsonl >judged.jsonl 2>err
is "$(jq -r 'select(.eval.status != "pass") | .id + ": " + .eval.status' judged.jsonl)$(wc -l <judged.jsonl)" \
	"$(wc -l <examples.jsonl)" "all of them pass geak-eval"
is "$(jq -r 'select([.eval.compile[]? | select(.target == "gfx942" and .ok and (.spill // 0) == 0)] | length == 0).id' judged.jsonl)" \
	"" "and compile for gfx942 without spilling"

for file in "$ROOT"/prompts/examples/*.py; do
	name=$(basename "$file" .py)
	like "$(head -n 1 "$file")" '^"""[A-Z].*\.$' "$name begins with a title"
	[ "$(wc -l <"$file")" -le 80 ]; ok $? "$name is short"
done
done_testing
