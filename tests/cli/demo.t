#!/bin/bash
# The demo, whole: what it promises on its screen holds in its records.
# slow: the real judge on nine kernels
. "$(dirname "$0")/../tap.sh"
DEMO=$ROOT/pipelines/demo.sh

exits 0 "demo.sh -h" "$DEMO" -h
mv out help
exits 0 "demo.sh --help" "$DEMO" --help
cmp -s out help; ok $? "says the same"
exits 64 "an unknown option" "$DEMO" -x
is "$(cat err)" "demo.sh: -x is no option; see demo.sh -h" "is named"
exits 64 "an argument" "$DEMO" softmax
is "$(cat err)" "demo.sh: there is nothing to do for 'softmax'; see demo.sh -h" "is refused"

SECONDS=0
exits 0 "the demo runs" "$DEMO" -o here
seconds=$SECONDS
[ $seconds -lt 90 ]; ok $? "in less than 90 seconds ($seconds)"
is "$(tail -n 1 out)" here/records.jsonl "its last line is the path of the record file, nothing else"
like "$(cat out)" "recordings, written for this demo: they measure no model" "it says what the replies are"
is "$(grep -c $'\e' out)" 0 "no colour where there is no terminal"
is "$(awk 'length > 80' out)" "" "no line is wider than 80 columns"
is "$(cat err)" "" "nothing on standard error"
is "$(grep -E '^ [0-9] ' out | awk '{print $1, $2, $3}' | sort)" "$(sort <<'END'
0 softmax wrong_answer
1 softmax pass
2 softmax pass
0 flip compile_error
1 flip pass
2 flip pass
0 matmul_fp16 wrong_answer
1 matmul_fp16 pass
2 matmul_fp16 pass
END
)" "each task fails, is repaired, is improved"
like "$(grep '^ 0 flip' out)" "arange's arguments must be of type tl.constexpr" "the error is one to learn from"

# -- the records
R=here/records.jsonl
is "$(jq -r .geak $R | sort | uniq -c | xargs)" "9 candidate/1" "nine candidates and no error"
if "$PYTHON" -c 'import jsonschema' 2>/dev/null; then
	exits 0 "every record is as the schema says" \
		"$PYTHON" "$ROOT/tests/helper/validate.py" "$ROOT/man/geak-record.schema.json" $R
fi
of() { jq -r --arg task "$1" --argjson round "$2" "select(.task.id == \$task and .round == \$round) | $3" $R; }
is "$(of softmax 0 .eval.error.case)" 7x781-f32 "softmax: the first case whose rows are no power of two"
is "$(of matmul_fp16 0 '[.eval.checks[] | select(.ok | not).case] | join(" ")')" \
	"40x70x200-transposed 33x47x65-strided" "matmul: right but for the strides"
is "$(of flip 0 .eval.stage)" compile "flip: the compiler refused"
is "$(for t in softmax flip matmul_fp16; do of $t 1 .origin.failure; done | xargs)" "mask constexpr shape" \
	"geak-reflect tells a mask, a constexpr and a stride"
is "$(of softmax 1 .origin.tool) $(of softmax 2 .origin.tool)" "geak-reflect geak-opt" "a repair and an improvement"
for task in softmax flip matmul_fp16; do
	is "$(of $task 2 .parent)" "$(of $task 1 .id)" "$task: the improvement comes of the repair"
	is "$(geak-top $R | jq -r "select(.task.id == \"$task\").round")" 2 "$task: and is ranked above it"
	is "$(cat here/kernels/$task.py)" "$(of $task 2 '.source | rtrimstr("\n")')" "$task: the kernel is a file"
	file=$(of $task 2 '[.eval.compile[] | select(.target == "gfx942").object][0]')
	is "$(head -c 4 "$file" | tail -c 3)" ELF "$task: with code objects for gfx942"
done

# -- another model
exits 69 "a model that refuses ends it with that status" "$DEMO" -o there -m http://127.0.0.1:9/v1#none
like "$(cat err)" "geak-gen: .*127.0.0.1:9" "and a sentence"
is "$(tail -n 1 err)" "demo.sh: records.jsonl was not made: a stage gave up; start again" "and does not say that it would go on"
like "$(cat out)" "The model is http://127.0.0.1:9/v1#none" "which was said beforehand"
exits 64 "a model that there is not" "$DEMO" -o there -m foo
like "$(tail -n 1 err)" "^demo.sh: records.jsonl was not made: a stage refused" "is not to be tried again"
MODEL='exec:echo no code' OUT=elsewhere exits 0 "MODEL and OUT in the environment" "$DEMO"
is "$(tail -n 1 out)" elsewhere/records.jsonl "are used"
is "$(grep -c "^Code objects" out)" 0 "no code objects are named where there are none"
is "$(jq -r .eval.error.class elsewhere/records.jsonl | sort -u)" no_code "and a poor model's replies judged"

done_testing
