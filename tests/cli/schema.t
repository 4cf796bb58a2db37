#!/bin/bash
# Every record that a tool writes is as the schema says, by a validator that is not ours.
. "$(dirname "$0")/../tap.sh"

"$PYTHON" -c 'import jsonschema' 2>/dev/null || skip_all "the Python of this build has no jsonschema"
SCHEMA=$ROOT/man/geak-record.schema.json
valid() { # valid NAME FILE...
	_what=$1; shift
	"$PYTHON" "$ROOT/tests/helper/validate.py" "$SCHEMA" "$@" > violations 2>&1
	ok $? "$_what" || sed 's/^/# /' violations | head -n 5
}
refused() { # refused NAME RECORD
	if printf '%s\n' "$2" | "$PYTHON" "$ROOT/tests/helper/validate.py" "$SCHEMA" - >/dev/null 2>&1
	then ok 1 "refused: $1"; else ok 0 "refused: $1"; fi
}

# -- what the tools write
geak-task > tasks.jsonl
valid "tasks" tasks.jsonl
export GEAK_MODEL=replay:$ROOT/pipelines/demo/replies.jsonl
geak-task softmax | geak-gen > gen.jsonl 2>err
is "$(jq -r .geak gen.jsonl)" "candidate/1" "a candidate from a recorded reply"
valid "geak-gen: candidates" gen.jsonl
echo '{"task":"flip","text":"I would rather not."}' > refusal
geak-task flip rmsnorm | geak-gen -m replay:refusal > refused.jsonl 2>err
is "$(jq -r .geak refused.jsonl | xargs)" "candidate/1 error/1" "a reply without code, and no reply at all"
valid "geak-gen: without code, and an error" refused.jsonl
geak-task flip | jq -c 'del(.reference)' | geak-gen -m replay:refusal > taskless.jsonl 2>err
{ printf 'no json\n{"x":1}\n\377\n[]\n'; head -c 100000 /dev/zero | tr '\0' x; echo; printf '{"geak":'; } |
	geak-top > errors.jsonl 2>err
is "$(jq -r .geak errors.jsonl | sort | uniq -c | xargs)" "6 error/1" "six bad lines"
valid "errors" errors.jsonl

if "$PYTHON" -c 'import torch, triton' 2>/dev/null; then
	{
		cat gen.jsonl; jq -c 'select(.geak == "candidate/1")' refused.jsonl
		geak-task flip | jq -c --rawfile s "$ROOT/tests/kernels/flip.py" \
			'{geak: "candidate/1", id: "good", task: ., source: $s}'
		geak-task flip | jq -c '{geak: "candidate/1", id: "bad", task: ., source: "def flip(x: return"}'
		geak-task flip | jq -c '{geak: "candidate/1", id: "torch", task: ., source: "def flip(x): return x.flip(-1)"}'
	} | geak-eval -q > eval.jsonl 2>err
	is "$(jq -r 'select(.id == "good" or .id == "bad" or .id == "torch") | .eval.status' eval.jsonl | xargs)" \
		"pass compile_error no_kernel" "verdicts of several kinds"
	valid "geak-eval: verdicts" eval.jsonl
	for stage in geak-reflect geak-opt; do
		[ -x "$ROOT/build/$BUILD/$stage" ] || continue
		args=; [ $stage = geak-reflect ] && args=-a
		$stage -q $args < eval.jsonl > next.jsonl 2>err
		ok "$([ -s next.jsonl ]; echo $?)" "$stage writes records"
		valid "$stage: its records" next.jsonl
		geak-eval -q < next.jsonl > eval.jsonl 2>err
		valid "$stage, judged" eval.jsonl
	done
	geak-bench -J eval.jsonl tasks.jsonl errors.jsonl > summary.jsonl
	valid "geak-bench: a summary" summary.jsonl
fi
geak-bench --json /dev/null > empty.jsonl
valid "geak-bench: a summary of nothing" empty.jsonl
timed() { jq -cn --arg t "$1" --argjson s "$2" '{geak: "candidate/1", id: $t, task: {id: $t}, eval: {status: "pass", perf: ({speedup: $s,
	verdict: "faster", cases: [{roofline: 0.5}]} + (if $t == "a" then {speedup_lo: ($s * 0.99), speedup_hi: ($s * 1.01)} else {} end))}}'; }
{ timed a 2; timed b 3; } >before.jsonl
{ timed a 3; timed b 1; } | geak-bench --json --compare=before.jsonl >compared.jsonl
geak-bench --json --compare=before.jsonl >>compared.jsonl </dev/null 2>err
valid "geak-bench: a comparison, and one of nothing" compared.jsonl

# -- what a GPU would add, and the other kinds of failure
task=$(head -n 1 tasks.jsonl)
candidate() { jq -cn --argjson t "$task" --argjson e "$1" '{geak: "candidate/1", id: "x", task: $t, source: "", eval: $e}'; }
{
	candidate '{"status":"pass","stage":"done","perf":{"device":"MI300X","baseline":"reference","method":"event_median",
		"cases":[{"case":"a","ms":0.1,"base_ms":0.2,"speedup":2,"gbps":1e3,"floor_ms":0.04,"roofline":0.4,"wall":"memory"}],"speedup":2}}'
	candidate '{"status":"wrong_answer","stage":"check","error":{"class":"Mismatch","message":"m","case":"a"},
		"checks":[{"case":"a","ok":false,"max_abs":1,"error":"e","mismatch":{"count":1,"total":4,"got":"nan","expected":0.5,
		"first_index":[0,1],"shape":[2,2],"nan":1,"zero":0}},{"case":"b","ok":null,"skipped":"s"}]}'
	candidate '{"status":"crash","stage":"call","error":{"class":"signal SIGSEGV","message":"m"},
		"compile":[{"target":"sm_90","kernel":"k","ok":null,"skipped":"s"},{"target":"gfx942","kernel":"k","ok":false,"error":{"class":"c","message":"m"}}]}'
	echo '{"geak":"mine/1","anything":[1]}'
	jq -c '. + {mine: 1} | .cases[0].mine = {}' <<< "$task"
} > more.jsonl
valid "timed, wrong and crashed ones; unknown kinds and keys" more.jsonl

# -- and it does not let everything pass
refused "no kind" '{"id":"x"}'
refused "a task without a reference" "$(jq -c 'del(.reference)' <<< "$task")"
refused "a function task without a check case" "$(jq -c '.cases |= map(.kind = "time")' <<< "$task")"
profiled() { jq -c "{geak: \"candidate/1\", id: \"a\", task: ., source: \"\", eval: {status: \"pass\", stage: \"done\", key: \"k\", profile: $1}}" <<< "$task"; }
profiled '{tool: "ncu", unavailable: "it is gone"}' > profiled.jsonl
profiled '{tool: "ncu", version: "1", case: "c", kernels: [{kernel: "k", wait_percent: 3}]}' >> profiled.jsonl
valid "a profile, and one that says why it is none" profiled.jsonl
refused "a profile that says neither" "$(profiled '{tool: "ncu"}')"
refused "more than all" "$(profiled '{tool: "ncu", version: "1", case: "c", kernels: [{kernel: "k", wait_percent: 101}]}')"
refused "an unknown harness" "$(jq -c '.harness = "magic"' <<< "$task")"
refused "difficulty 6" "$(jq -c '.difficulty = 6' <<< "$task")"
refused "a candidate without a source" '{"geak":"candidate/1","id":"x","task":'"$task"'}'
refused "a candidate whose task is a name" '{"geak":"candidate/1","id":"x","task":"flip","source":""}'
refused "an unknown status" "$(candidate '{"status":"great","stage":"done"}')"
refused "a failure without an error" "$(candidate '{"status":"timeout","stage":"call"}')"
refused "a pass with an error" "$(candidate '{"status":"pass","stage":"done","error":{"class":"c","message":"m"}}')"
refused "a speedup that is a string" "$(candidate '{"status":"pass","stage":"done","perf":{"device":"d","baseline":"b","method":"m","cases":[],"speedup":"2x"}}')"
refused "an error without a reason" '{"geak":"error/1","tool":"t","input":"i","line":1}'
refused "an error's text without its length" '{"geak":"error/1","tool":"t","input":"i","line":1,"reason":"r","text":"x"}'
refused "an accuracy above 1" "$(jq -c '.call_accuracy = 1.5' empty.jsonl)"
done_testing
