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

for file in "$ROOT"/prompts/examples/*.py; do
	name=$(basename "$file" .py)
	like "$(head -n 1 "$file")" '^"""[A-Z].*\.$' "$name begins with a title"
	[ "$(wc -l <"$file")" -le 80 ]; ok $? "$name is short"
done
done_testing
