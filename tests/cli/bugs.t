#!/bin/bash
# The anatomy of a wrong answer: every planted bug of tests/bugs shows the patterns that its
# header names, in the verdict and in geak-reflect's prompt.
. "$(dirname "$0")/../tap.sh"
export TMPDIR=$WORK/tmp; mkdir "$TMPDIR"
BUGS=$ROOT/tests/bugs
header() { sed -n "s/^$2: //p" "$1" | head -n 1; } # header FILE WORD

geak-task -d "$BUGS/tasks" >tasks.jsonl
for file in "$BUGS"/*.py; do
	jq -c --arg id "$(basename "$file" .py)" --arg task "$(header "$file" task)" \
		--rawfile source "$file" 'select(.id == $task)
		| {geak: "candidate/1", id: $id, task: ., parent: null, round: 0,
		   origin: {tool: "test"}, language: "triton", source: $source}' tasks.jsonl
done >bugs.jsonl
ok "$(($(wc -l <bugs.jsonl) < 20))" 'there are twenty bugs and more'
is "$(wc -l <bugs.jsonl)" "$(ls "$BUGS"/*.py | wc -l)" 'each with a task of its own'

geak-eval -q -t gfx942 --seed=11 bugs.jsonl >judged.jsonl 2>err
is "$(jq -r .id judged.jsonl)" "$(jq -r .id bugs.jsonl)" 'all are judged'
geak-reflect -m 'exec:echo no' judged.jsonl >revised.jsonl 2>>err
geak-reflect --show-prompt judged.jsonl >prompts 2>>err
for file in "$BUGS"/*.py; do
	id=$(basename "$file" .py)
	jq -c --arg id "$id" 'select(.id == $id)' judged.jsonl >one
	jq -r '.eval.checks[]?.mismatch.patterns[]?.name' one | sort -u >found
	jq -r '.eval.checks[]?.mismatch.patterns[]? | .words' one >words
	is "$(grep -E '.{77}' words)" '' "$id: in sentences that fit a line"
	is "$(jq -r .eval.status one)" wrong_answer "$id: a wrong answer" || jq -c .eval.error one | sed 's/^/# /'
	header "$file" patterns | tr ' ' '\n' | sort | comm -23 - found >missing
	is "$(xargs <missing)" '' "$id: $(header "$file" patterns)" || xargs echo '# found:' <found
	is "$(jq -r --arg id "$id" 'select(.parent == $id) | .origin.failure' revised.jsonl)" \
		"$(header "$file" failure)" "$id: the kind of mistake"
	is "$(while read -r line; do grep -qFe "$line" prompts || echo "$line"; done <words)" '' \
		"$id: the prompt says so"
done

valid() { "$PYTHON" "$ROOT/tests/helper/validate.py" "$ROOT/man/geak-record.schema.json" "$1" >violations 2>&1; }
if "$PYTHON" -c 'import jsonschema' 2>/dev/null; then
	valid judged.jsonl; ok $? 'the verdicts are as the schema says' || sed 's/^/# /' violations | head -n 5
fi
# every pattern that is found has its line in the manual
mandoc -T ascii "$ROOT/man/geak-record.5" 2>/dev/null | col -b >manual
is "$(jq -r '.eval.checks[]?.mismatch.patterns[]?.name' judged.jsonl | sort -u |
	while read -r name; do grep -qwe "$name" manual || echo "$name"; done)" '' \
	'the manual names each pattern'
done_testing
