#!/bin/bash
# geak-reflect: what it repairs and passes on, and what the model is told.
. "$(dirname "$0")/../tap.sh"

cat >task <<'END'
{"geak":"task/1","id":"neg","title":"Negate","prompt":"Negate each element.","language":"triton","entry":"neg","signature":"neg(x: Tensor[N]) -> Tensor[N]","reference":"def inputs(p, gen): pass\ndef reference(x): return -x\n","cases":[{"name":"full","kind":"check","params":{"N":64}},{"name":"odd","kind":"check","params":{"N":65}}],"tolerance":{"atol":0,"rtol":0},"harness":"function"}
END
cat >source.py <<'END'
import torch
import triton
import triton.language as tl

@triton.jit
def k(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, -tl.load(x + i))

def neg(x):
    o = torch.empty_like(x)
    k[(1,)](x, o, x.numel(), B=128)
    return o
END
candidate() { # candidate ID EVAL [JQ-FILTER]: one line
	jq -nc --slurpfile task task --rawfile source source.py --arg id "$1" --argjson eval "$2" \
		'{geak: "candidate/1", id: $id, task: $task[0], parent: null, round: 0,
		origin: {tool: "geak-gen"}, language: "triton", source: $source, eval: $eval}'" ${3:-}"
}
wrong='{"status":"wrong_answer","stage":"check","error":{"class":"Mismatch","message":"odd is wrong"},"checks":[{"case":"full","ok":true},{"case":"odd","ok":false,"max_abs":2.5,"mismatch":{"count":1,"total":65,"first_index":[64],"got":0,"expected":2.5,"nan":0,"zero":1}}],"launches":[]}'
reply() { # reply TEXT: a recorded reply with code that ends in TEXT
	jq -nc --arg c "$1" '{task: "neg", tool: "geak-reflect",
		text: ("The mask is missing.\n```python\nimport triton\n\ndef neg(x):\n    return -x  # " + $c + "\n```\n")}'
}
told() { # told RECORD...: what the model is asked about them
	geak-reflect -m "exec:cat >$WORK/prompt; echo 'No.'" -j 1 "$@" >out 2>err
	cat prompt
}

# -- a repair
candidate bad "$wrong" >bad
reply first >replies
exits 0 "a failed candidate is repaired" geak-reflect -m replay:replies bad
is "$(jq -c '[.geak, .parent, .round, .origin.tool, .origin.model, .origin.failure]' out)" \
	'["candidate/1","bad",1,"geak-reflect","replay:replies","mask"]' "the revision says where it is from"
like "$(jq -r .source out)" 'return -x  # first' "its source is the reply's"
is "$(jq -c '[.history[] | [.id, .round, .tool, .status, .stage, .class, .message]]' out)" \
	'[["bad",0,"geak-gen","wrong_answer","check","Mismatch","odd is wrong"]]' "its history holds the failed one"
is "$(jq 'has("eval")' out)" false "it has no verdict yet"
is "$(jq -c .task out)" "$(cat task)" "the task is carried whole"
is "$(cat err)" "" "nothing is said"
candidate good '{"status":"pass"}' >good
exits 0 "--show-prompt needs no model" geak-reflect --show-prompt good bad good
is "$(grep -c '^----- neg: ' out) $(grep -c '^{"geak"' out)" "2 0" "and shows prompts, with no record between them"

for i in 0 1 2; do reply "$i"; done >replies
exits 0 "several revisions" geak-reflect -n 3 -m replay:replies bad
is "$(jq -r '.source | capture("# (?<n>.)").n' out | xargs)" "0 1 2" "come in order"
is "$(jq -r .id out | sort -u | wc -l)" 3 "each with an id of its own"
exits 0 "with --all" geak-reflect --all -m replay:replies bad
is "$(sed -n 1p out)" "$(cat bad)" "the failed candidate comes first, as it was"
is "$(jq -r .origin.tool out | tail -n 1)" "geak-reflect" "then its revision"
printf '{"task":"neg","tool":"geak-reflect","text":"I would not know."}\n' >prose
exits 0 "a reply without code" geak-reflect -m replay:prose bad
is "$(jq -c '[.source, .reply, .round]' out)" '["","I would not know.",1]' "is a candidate that keeps it"

# -- what goes through
passing='  { "geak" : "candidate/1", "id":"good","task":{"id":"neg"},"source":"\u00e9","round":0,"x":1.50,"eval":{"status":"pass"} }'
{
	echo "$passing"
	echo '{"geak":"task/1","id":"neg"}'
	echo '{"geak":"error/1","reason":"old"}'
	echo '{"geak":"mine/7"}'
} >mixed
exits 0 "what needs no repair" geak-reflect -m replay:/dev/null mixed
is "$(cmp out mixed 2>&1)" "" "goes through byte for byte, with nobody asked"
candidate ref '{"status":"reference_error"}' >faults
candidate box '{"status":"sandbox_error"}' >>faults
candidate untested '{"status":"unverified"}' >>faults
candidate mine '{"status":"too_ugly"}' >>faults
exits 0 "what is not the candidate's fault" geak-reflect -m replay:/dev/null faults
is "$(cmp out faults 2>&1)" "" "goes through too"
is "$(sed -n 1p err)" "geak-reflect: candidate ref goes through unchanged: its status reference_error is no failure of its own" \
	"and that is said"
is "$(wc -l <err)" 4 "of each"
candidate late "$wrong" '| .round = 3' >late
exits 0 "a candidate of the last round" geak-reflect --max-rounds 3 -m replay:/dev/null late
is "$(cmp out late 2>&1)" "" "goes through"
reply fourth >replies
exits 0 "one round before the last" geak-reflect --max-rounds 4 -m replay:replies late
is "$(jq .round out)" 4 "is repaired"

# -- what the model is told
prompt=$(told bad)
like "$prompt" 'Negate each element\.' "the task"
like "$prompt" 'neg\(x: Tensor\[N\]\) -> Tensor\[N\]' "its signature"
like "$prompt" '    tl\.store\(o \+ i, -tl\.load\(x \+ i\)\)' "the source"
like "$prompt" '^It ran, but its results are wrong\.$' "what happened"
like "$prompt" '^Mismatch: odd is wrong$' "the error"
like "$prompt" '^- case odd \(inputs made from \{"N":65\}\): 1 of 65 values wrong, the first at \[64\]: got 0, expected 2\.5; 1 of the wrong values are exactly 0; the largest absolute error is 2\.5$' "the mismatch in words"
like "$prompt" '^Right: full$' "what was right"
like "$prompt" '^Line 8 of the file accesses memory without a mask\.$' "the suspicious line"
like "$prompt" '^# Advice for this kind of failure \(mask\)$' "the kind of failure"
like "$prompt" 'Give every block access a mask' "its advice"
like "$prompt" 'complete, corrected file that defines `neg`' "what to answer"
unlike "$prompt" '\{\{' "no tag is left"

candidate trace '{"status":"call_error","error":{"class":"AttributeError","message":"module '"'triton.language'"' has no attribute '"'tanh'"'","trace":"Traceback (most recent call last):\n  File \"/opt/triton/jit.py\", line 3, in run\n    secret_frame()\n  File \"/tmp/candidate.py\", line 12, in neg\n    k[(1,)](x, o, x.numel(), B=128)\nAttributeError: x\n"},"log":"printed this"}' \
	'| .round = 2 | .history = [{id: "a", round: 0, tool: "geak-gen", source: "old_source", status: "timeout", class: "Timeout", message: "too slow"}]' >trace
prompt=$(told trace)
like "$prompt" '^# Earlier try 1: timeout, Timeout$' "an earlier try"
like "$prompt" '^too slow$' "what became of it"
like "$prompt" '^old_source$' "and its source"
like "$prompt" '^line 12, in neg:$' "the frame in the candidate's file"
like "$prompt" '^>   12 \|     k\[\(1,\)\]\(x, o, x\.numel\(\), B=128\)$' "with its line"
unlike "$prompt" 'secret_frame' "and no other frame"
like "$prompt" '^printed this$' "what it printed"
like "$prompt" 'There is no `tl\.tanh`' "advice on unknown names"

candidate empty '{"status":"compile_error","stage":"compile","error":{"class":"no_code","message":"the reply held no code"}}' \
	'| .source = "" | .reply = "Sorry, I cannot."' >empty
prompt=$(told empty)
like "$prompt" '^Sorry, I cannot\.$' "a reply without code is shown"
like "$prompt" 'Answer with one fenced block' "and the form asked for"

for kind in "$ROOT"/prompts/hints/*.md; do
	[ -s "$kind" ] || ok 1 "$kind is empty"
done
is "$(ls "$ROOT/prompts/hints" | wc -l)" 18 "there is advice for each kind of failure"

# -- bad input
reply once >replies
{
	candidate noeval '{}' '| del(.eval)'
	candidate badeval '[]'
	candidate badstatus '{"status":3}'
	candidate notask "$wrong" '| del(.task)'
	candidate noid "$wrong" '| del(.id)'
	candidate nosource "$wrong" '| del(.source)'
	candidate notaskid "$wrong" '| del(.task.id)'
	candidate noprompt "$wrong" '| del(.task.prompt)'
	candidate badround "$wrong" '| .round = 9223372036854775807'
	candidate fine "$wrong"
} >broken
exits 1 "broken candidates" geak-reflect -m replay:replies broken
is "$(jq -r .geak out | sort | uniq -c | xargs)" "1 candidate/1 9 error/1" "become errors, and the good one is repaired"
like "$(sed -n 1p err)" '^geak-reflect: broken:1: candidate noeval was not judged: judge it with geak-eval first$' "no verdict"
like "$(sed -n 2p err)" '^geak-reflect: broken:2: candidate badeval has a broken verdict' "a verdict that is none"
like "$(sed -n 3p err)" '^geak-reflect: broken:3: candidate badstatus has a broken verdict' "a status that is none"
like "$(sed -n 4p err)" '^geak-reflect: broken:4: candidate notask has no task' "no task"
like "$(sed -n 5p err)" '^geak-reflect: broken:5: the candidate has no id$' "no id"
like "$(sed -n 6p err)" '^geak-reflect: broken:6: candidate nosource has no source' "no source"
like "$(sed -n 7p err)" '^geak-reflect: broken:7: the task of candidate notaskid has no id$' "a task without id"
like "$(sed -n 8p err)" '^geak-reflect: broken:8: ' "a task without prompt"
like "$(sed -n 9p err)" '^geak-reflect: broken:9: candidate badround has a broken round' "a round beyond reason"
is "$(jq -c 'select(.geak == "error/1" and .line == 1).record.id' out)" '"noeval"' "an error carries its record"

odd='{"status":"wrong_answer","stage":7,"error":[1],"checks":{"a":{"ok":false,"case":[],"mismatch":{"count":{}}}},"compile":[3,{"ok":false,"error":"x"}],"launches":"x","log":{},"perf":[]}'
candidate odd "$odd" '| .history = {a: 1, b: {source: []}} | .origin = 3' >odd
reply odd >replies
exits 0 "wrong types inside a verdict do no harm" geak-reflect -m replay:replies odd
is "$(jq -r .origin.failure out)" "other" "and tell nothing"

"$PYTHON" - trace >huge <<'END'
import json, sys
r = json.load(open(sys.argv[1]))
line = '  File "candidate.py", line 12, in neg\n    k[(1,)](x, o, x.numel(), B=128)\n'
r["eval"]["error"]["trace"] = line * (10 * 1024 * 1024 // len(line))
r["eval"]["error"]["message"] = "m" * 3000000
print(json.dumps(r))
END
prompt=$(told huge)
is "$(grep -c '^line 12, in neg:$' prompt)" 1 "of a trace of 10 MB one frame is told"
is "$(($(wc -c <prompt) < 60000))" 1 "and little of a message of 3 MB"

# -- the model fails
exits 1 "no reply is left" geak-reflect -m replay:/dev/null bad
is "$(jq -r '[.geak, .record.id] | join(" ")' out)" "error/1 bad" "an error/1 carries the failed one"
exits 69 "a key that is not there" env -u GEAK_API_KEY geak-reflect -m openai:x bad
like "$(cat err)" "OPENAI_API_KEY" "the variable is named"
exits 64 "no model" env -u GEAK_MODEL geak-reflect bad
exits 64 "an unknown option" geak-reflect --no-such
exits 64 "no revisions at all" geak-reflect -n 0 -m replay:replies bad
like "$(cat err)" "samples takes a whole number" "is said"
exits 64 "a target that nobody knows" geak-reflect --target gfx1 -m replay:replies bad
exits 64 "a missing file" geak-reflect -m replay:replies nowhere
reply full >replies
geak-reflect -m replay:replies bad >/dev/full 2>err
is "$?" 74 "a full disk"
done_testing
