#!/bin/bash
# What a model is asked: the whole of it, against a copy that was read by a person.
# After a wanted change: UPDATE=1 tests/cli/prompt.t writes the copy anew; read the difference.
. "$(dirname "$0")/../tap.sh"

show=$ROOT/build/$BUILD/helper/prompt-show
golden=$ROOT/tests/golden
task=$golden/prompt-task.json
export GEAK_DATADIR=$ROOT

exits 0 "a prompt is made" "$show" gen/prompt.md "$task"
[ -n "${UPDATE:-}" ] && cp out "$golden/prompt.md"
diff -u "$golden/prompt.md" out >diff; ok $? "it is the one that was read" || sed 's/^/# /' diff

exits 0 "without a target" "$show" gen/system.md "$task"
unlike "$(cat out)" '\{\{|# The GPU' "no GPU is described, no tag is left"
plain=$(cat out)
like "$plain" 'Mask every load and every store' "the rules are there"
for target in gfx90a gfx942 mi325x gfx950 gfx1100 sm_90 h200; do
	exits 0 "for $target" "$show" gen/system.md "$task" $target
	like "$(cat out)" '^# The GPU: ' "its facts are there"
	unlike "$(cat out)" '\{\{' "no tag is left"
	[ "$(grep -vc . out)" -lt 20 ] && ! grep -q '^- $' out; ok $? "no item is empty"
	[ "$(wc -c <out)" -lt 16000 ]; ok $? "it is no longer than a model reads with care"
done

exits 64 "an unknown target" "$show" gen/system.md "$task" gfx000
is "$(cat err)" "the target gfx000 is not known; known are h100 (sm_90), h200 (sm_90), mi250x (gfx90a), mi300x (gfx942), mi325x (gfx942), mi355x (gfx950), rx7900xtx (gfx1100)" "it says which are known"

# Every harness, and a task that has nothing but its words.
for harness in script pytest module; do
	printf '{"id":"x","prompt":"Do it.","harness":"%s","tests":"assert True"}' $harness >t.json
	exits 0 "harness $harness" "$show" gen/prompt.md t.json
	like "$(cat out)" 'assert True' "its tests are shown"
done
echo '{"id":"x","prompt":"Do it.","entry":"f","seed_source":"import triton"}' >t.json
exits 0 "a kernel to begin with" "$show" gen/prompt.md t.json
like "$(cat out)" '^# A kernel to begin with' "it is shown"
echo '{"id":"x","entry":"f"}' >t.json
exits 1 "a task without a prompt" "$show" gen/prompt.md t.json
is "$(cat err)" 'the task has no "prompt": nothing to ask a model for' "one sentence"

# The example is of the operator's kind.
entry_of() { grep '^def ' "$1" | tail -n 1 | sed 's/^def \([a-z0-9_]*\)(.*/\1/'; } # entry_of FILE
shown() { sed -n '/^# A worked example/,$p' | grep '^def ' | tail -n 1 | sed 's/^def \([a-z0-9_]*\)(.*/\1/'; }
while IFS=$'\t' read -r family title words; do
	jq -nc --arg t "$title" --arg w "$words" '{id: $t, title: $t, entry: $t, prompt: $w}' >t.json
	is "$("$show" gen/prompt.md t.json | shown)" "$(entry_of "$ROOT/prompts/examples/$family.py")" "$title: is shown $family"
done < <(grep -v '^#' "$golden/families.tsv")
while read -r kind words; do
	echo "{\"id\":\"x\",\"prompt\":\"$words\"}" >t.json
	is "$("$show" gen/prompt.md t.json | shown)" "$(entry_of "$ROOT/prompts/examples/$kind.py")" "\"$words\" is shown $kind"
done <<-'END'
	matmul Multiply two matrices in float16
	logsumexp Softmax of each row of a matrix
	norm RMS norm with a weight
	layout Transpose a matrix
	topk Route tokens to experts by their top-k gates
	gather Look up rows of an embedding table
	elementwise GELU activation
	reduction Variance of columns
END
echo '{"id":"x","prompt":"Zyzzyva."}' >t.json
unlike "$("$show" gen/prompt.md t.json)" '^# A worked example' "a task like no example is shown none"

# Rules come by words, whole ones.
rules() { # rules WORDS...: how many sentences the prompt for such a task has for its kind
	jq -nc --arg w "$*" '{id: "x", prompt: $w}' >t.json
	"$show" gen/prompt.md t.json "$target" | sed -n '/^# For operators of this kind/,/^Now write/p' >kind
}
target=gfx942
rules "Reduce the rows to their sums"
like "$(cat kind)" 'two stages: a first' "'reduce' brings reduction in two stages"
like "$(cat kind)" 'tl.atomic_add' "and atomics"
unlike "$(cat kind)" 'matrix core' "but no matrix cores"
rules "matmul of a and b"
like "$(cat kind)" 'matrix core instructions \(MFMA\)' "'matmul' brings the matrix cores of the target"
target=h200 rules "The product of two
matrices"
like "$(cat kind)" 'On Hopper' "a phrase over two lines, and another target"
unlike "$(cat kind)" 'MFMA' "has its own"
rules "Reshape, softplus, summary, scanner, smm, padded"
is "$(cat kind)" "" "words that only contain one bring nothing"

# Templates of a user's own.
mkdir -p own/prompts/gen own/prompts/arch own/prompts/examples
echo 'Only {{title}}{{nothing}}' >own/prompts/gen/prompt.md
GEAK_DATADIR=own exits 70 "a template with a fault" "$show" gen/prompt.md "$task"
is "$(cat err)" "prompts/gen/prompt.md:1: {{nothing}} stands for nothing here" "file and line"
echo 'no docstring' >own/prompts/examples/x.py
GEAK_DATADIR=own exits 70 "an example with a fault" "$show" gen/prompt.md "$task"
like "$(cat err)" 'examples/x.py: a worked example begins with a docstring$' "it is named"
done_testing
