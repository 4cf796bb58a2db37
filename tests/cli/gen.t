#!/bin/bash
# geak-gen with models that need no service: recordings and commands.
. "$(dirname "$0")/../tap.sh"

task() { # task ID...: small task records
	local id
	for id; do
		printf '{"geak":"task/1","id":"%s","title":"%s","prompt":"Reverse.","language":"triton","entry":"flip","harness":"function","reference":"def inputs(p, gen): pass\\ndef reference(x): return x.flip(0)\\n","cases":[{"name":"a","kind":"check","params":{}}],"mine":1.50}\n' "$id" "$id"
	done
}
said() { # said N: a reply with code in it
	printf 'Sure.\\n```python\\nimport triton\\n\\ndef flip(x):\\n    return x  # %s\\n```\\n' "$1"
}

# -- recorded replies
task a b >tasks
for i in 0 1 2; do echo "{\"task\":\"a\",\"text\":\"$(said "a$i")\"}"; done >replies
echo "{\"task\":\"b\",\"text\":\"$(said b0)\",\"tool\":\"geak-gen\",\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":6,\"cost\":0.25},\"finish_reason\":\"length\"}" >>replies
echo "{\"task\":\"b\",\"text\":\"$(said no)\",\"tool\":\"geak-reflect\"}" >>replies
exits 0 "a recording answers" geak-gen -m replay:replies tasks
is "$(jq -r '.task.id + " " + (.source | split("# ")[1])' out | xargs)" "a a0 b b0" "each task its own reply"
is "$(cat err)" "" "nothing is said"
is "$(jq -c 'keys_unsorted' out | head -n 1)" \
	'["geak","id","task","parent","round","origin","language","source"]' "the keys in their order"
is "$(jq -c '.origin | del(.prompt_sha256)' out | tail -n 1)" \
	'{"tool":"geak-gen","model":"replay:replies","sample":0,"usage":{"prompt_tokens":5,"completion_tokens":6},"cost_usd":0.25,"finish_reason":"length"}' \
	"what the recording tells of tokens and cost is in the origin"
like "$(head -n 1 out)" '"task":\{"geak":"task/1","id":"a".*"mine":1.50\}' "the task is carried whole"
cp out once
geak-gen -m replay:replies <tasks >out 2>err
is "$(cmp out once 2>&1)" "" "asked again, the records are the same to the byte"

exits 1 "a task with fewer replies than samples" geak-gen -m replay:replies -n 4 tasks
is "$(jq -r '.geak + " " + (.origin.sample | tostring)' out | sed 's/ null//' | xargs)" \
	"candidate/1 0 candidate/1 1 candidate/1 2 error/1 candidate/1 0 error/1 error/1 error/1" \
	"samples in order, an error/1 for each that has no reply"
like "$(jq -r 'select(.geak == "error/1").reason' out | head -n 1)" \
	"^no recorded reply is left for the task a in replies$" "the error names the task"
like "$(grep '^{"geak":"error/1"' out | head -n 1)" '"record":\{"geak":"task/1","id":"a".*"mine":1.50\}' \
	"and carries it"

exits 64 "a missing recording" geak-gen -m replay:nowhere tasks
like "$(cat err)" "^geak-gen: the recorded replies in nowhere cannot be read: No such file" "is said"
echo '{"task":"a"}' >bad
exits 64 "a recording without a text" geak-gen -m replay:bad tasks
like "$(cat err)" "^geak-gen: bad:1: a recorded reply needs" "is named with its line"
echo '{"task":"a",' >bad
exits 64 "a recording that is no JSON" geak-gen -m replay:bad tasks
like "$(cat err)" "^geak-gen: bad:1: not valid JSON" "is named with its line"

# -- what is in a reply
printf '{"task":"a","text":"I would rather not."}\n' >prose
exits 0 "a reply without code is no error" geak-gen -m replay:prose <(task a)
is "$(jq -c '[.source, .reply]' out)" '["","I would rather not."]' "but a candidate that keeps it"
"$PYTHON" -c 'import json; print(json.dumps({"task": "a", "text": "ä" * 50000}))' >prose
geak-gen -m replay:prose <(task a) >out 2>err
is "$(jq '.reply | length' out)" 32768 "of a long one the first 64 KiB, whole characters"
printf '{"task":"a","text":" \\n"}\n' >blank
exits 0 "nor is an empty one" geak-gen -m replay:blank <(task a)
is "$(jq -c '[.geak, .source, .reply]' out)" '["candidate/1",""," \n"]' "but a sample without code"

# -- what comes in
{
	echo '{"geak":"candidate/1","id":"c","x":1e400}'
	echo 'not json'
	task a
	echo '{"geak":"task/1","id":"b"}'
	echo '{"geak":"error/1","reason":"old"}'
	task a | tr -d '\n'
} >mixed
exits 1 "bad lines among good ones" geak-gen -m replay:replies mixed
is "$(jq -r '.geak' out | xargs)" \
	"candidate/1 error/1 candidate/1 error/1 error/1 candidate/1" "every line has its place"
is "$(sed -n 1p out)" '{"geak":"candidate/1","id":"c","x":1e400}' "what is no task passes untouched"
like "$(cat err)" "^geak-gen: mixed:2: not valid JSON" "the bad line is named"
like "$(cat err)" "^geak-gen: mixed:4: the task has no \"prompt\"" "so is the task that lacks its prompt"
for lacks in .reference .entry .harness '.cases[0]'; do
	task a | jq -c "del($lacks)" >poor
	: >ran
	exits 1 "a task without $lacks" geak-gen -m 'exec:echo >>ran; cat' poor
	is "$(jq -r '.geak + .record.id' out)$(cat ran)" "error/1a" "is refused, and nothing asked about it"
done
exits 0 "no input, no output" geak-gen -m replay:replies /dev/null
is "$(cat out)" "" "none at all"

# -- commands
cat >model <<'SCRIPT'
#!/bin/sh
cat >"prompt.$GEAK_TASK.$GEAK_SAMPLE"
printf '```python\ndef flip(x):\n    return "%s %s %s"\n```\n' "$GEAK_TOOL" "$GEAK_SAMPLE" "$GEAK_ROUND"
SCRIPT
chmod +x model
exits 0 "a command is a model" geak-gen -m exec:./model -n 2 tasks
is "$(jq -r '.source | split("\"")[1]' out | xargs)" \
	"geak-gen 0 0 geak-gen 1 0 geak-gen 0 0 geak-gen 1 0" "its output is the reply"
like "$(cat prompt.a.0)" "Reverse\." "its input is the prompt"
is "$(cmp prompt.a.0 prompt.a.1)" "" "the same for each sample"
like "$(jq .origin.latency_s out | head -n 1)" "^[0-9.]+$" "it is timed"

exits 1 "a command that fails" geak-gen -m 'exec:echo one >&2; echo "two  " >&2; exit 3' tasks
is "$(jq -r .reason out | head -n 1)" "the model's command exited with 3: two" \
	"is an error with its last words"
exits 1 "a command that is killed" geak-gen -m 'exec:kill -SEGV $$' tasks
is "$(jq -r .reason out | head -n 1)" "the model's command was killed by SIGSEGV" "by name"
exits 1 "started by one that ignores its children" env --ignore-signal=CHLD timeout 20 \
	geak-gen -m 'exec:exit 3' <(task a)
is "$(jq -r .reason out)" "the model's command exited with 3" "it still hears how a command ended"
exits 1 "a command that is not there" geak-gen -m exec:/no/such/command tasks
like "$(jq -r .reason out | head -n 1)" "exited with 127: .*not found" "says so"
exits 1 "a command that writes no UTF-8" geak-gen -m 'exec:printf "caf\351"' <(task a)
is "$(jq -r .reason out)" "the reply is not valid UTF-8" "is an error"
exits 1 "a command that writes a NUL" geak-gen -m 'exec:printf "a\0b"' <(task a)
is "$(jq -r .reason out)" "the reply holds a NUL byte" "is an error"
exits 0 "a command that writes nothing" geak-gen -m 'exec:true' <(task a)
is "$(jq -c '[.source, .reply]' out)" '["",""]' "has given an empty reply"
exits 1 "a command that writes without end" geak-gen -m 'exec:yes' <(task a)
like "$(jq -r .reason out)" "^the model's command wrote more than the 8 MiB" "is stopped"
exits 0 "one that is loud on standard error" geak-gen -m 'exec:yes | head -c 3000000 >&2; ./model' <(task a)
exits 0 "one that closes its input unread" geak-gen -m 'exec:exec <&-; sleep 0.1; GEAK_TASK=x ./model </dev/null' \
	<(task a)
task a | sed "s/Reverse\./$(head -c 100000 /dev/zero | tr '\0' x)/" >long
exits 0 "one that does not read a long prompt" geak-gen -m 'exec:GEAK_TASK=x ./model </dev/null' long

begin=$(date +%s%N)
exits 1 "a command that hangs" geak-gen --timeout 0.5 -m 'exec:sleep 61.25 & sleep 61.25' tasks
like "$(jq -r .reason out | head -n 1)" "^no reply within 0.5 s: .*--timeout" "is told about"
is "$(($(date +%s%N) - begin < 5000000000))" 1 "and stopped in time"
is "$(pgrep -f '^sleep 61.25' | wc -l)" 0 "with all that it started"
sleep 61.35 & bystander=$!
cat >leaves <<'SCRIPT'
#!/bin/sh
setsid sh -c 'setsid sleep 61.35 & exec sleep 61.35' &
(setsid sleep 61.35 >/dev/null 2>&1 &)
echo "def flip(x): pass"
[ "$1" ] && sleep 61.35
SCRIPT
chmod +x leaves
exits 1 "one whose children have a session of their own" geak-gen --timeout 0.5 -m 'exec:./leaves long' tasks
is "$(pgrep -f '^sleep 61.35' | xargs)" "$bystander" "does not leave them behind"
exits 0 "nor one that ends by itself" geak-gen -m 'exec:./leaves 2>&- | head -n 1' tasks
is "$(pgrep -f '^sleep 61.35' | xargs)" "$bystander" "whoever else runs the same"
geak-gen -m 'exec:./leaves long' tasks >out 2>err &
gen=$!
for _ in $(seq 100); do [ "$(pgrep -c -f '^sleep 61.35')" -ge 9 ] && break; sleep 0.05; done
kill -KILL $gen
wait $gen 2>/dev/null
for _ in $(seq 40); do [ "$(pgrep -c -f '^sleep 61.35')" -le 1 ] && break; sleep 0.05; done
is "$(pgrep -f '^sleep 61.35' | xargs)" "$bystander" "nor when geak-gen is killed as hard as can be"
kill $bystander
geak-gen -m 'exec:sleep 61.75 & sleep 61.75' tasks >out 2>err &
gen=$!
for _ in $(seq 100); do [ "$(pgrep -c -f '^sleep 61.75')" -ge 4 ] && break; sleep 0.05; done
kill -INT $gen 2>/dev/null; kill -TERM $gen
wait $gen
is $? 143 "a signal ends geak-gen"
sleep 0.1
is "$(pgrep -f '^sleep 61.75' | wc -l)" 0 "and its commands with it"

# -- order, however long each takes
cat >uneven <<'SCRIPT'
#!/bin/sh
[ "$GEAK_SAMPLE" = 0 ] && sleep 0.4
[ "$GEAK_SAMPLE" = 1 ] && { echo failed >&2; exit 1; }
echo "def flip(x): return $GEAK_SAMPLE"
SCRIPT
chmod +x uneven
exits 1 "slow and failing samples" geak-gen -j 5 -n 4 -m exec:./uneven tasks
is "$(jq -r '.task.id + (.origin.sample | tostring) + (.record.id // "")' out | sed s/null// | xargs)" \
	"a0 a a2 a3 b0 b b2 b3" "do not disturb the order"
exits 1 "the same, --unordered" geak-gen --unordered -j 5 -n 4 -m exec:./uneven tasks
is "$(jq -r '(.task.id // .record.id) + (.origin.sample | tostring)' out | sort | xargs)" \
	"a0 a2 a3 anull b0 b2 b3 bnull" "loses nothing"
unlike "$(jq -r .origin.sample out | head -n 2 | xargs)" 0 "and waits for none that is slow"
printf '%s\n' 'touch "run.$$"; sleep 0.2; ls run.* | wc -l >>most; rm "run.$$"' \
	'echo "def flip(x): pass"' >counted
: >most
exits 0 "ten questions, three at a time" geak-gen -j 3 -n 10 -m 'exec:sh ./counted' <(task a)
is "$(sort -n most | tail -n 1)" 3 "no more than --jobs run at once"

# An answer is written before the input ends.
mkfifo in
geak-gen -m exec:./model <in >out 2>err &
gen=$!
exec 3>in
task first >&3
for _ in $(seq 100); do [ -s out ] && break; sleep 0.05; done
is "$(kill -0 $gen && echo runs)" runs "while the input is open"
# A regular file is not flushed at each record; only the process's life is tested there.
exec 3>&-
wait $gen
is "$(jq -r .task.id out)" first "the record is there at the end"
( geak-gen -m exec:./model <in | { read -r line; echo "$line" >live; } ) 2>err &
exec 3>in
task first >&3
for _ in $(seq 100); do [ -s live ] && break; sleep 0.05; done
is "$(jq -r .task.id live)" first "through a pipe a record comes at once"
exec 3>&-
wait

# -- the model's name, and other usage
exits 64 "no model" geak-gen tasks
like "$(cat err)" "^geak-gen: no model: .*-m or in GEAK_MODEL$" "says how to name one"
exits 64 "an unknown provider" geak-gen -m gpt-5 tasks
like "$(cat err)" "no such model as 'gpt-5'" "is named"
exits 64 "a provider alone" geak-gen -m exec: tasks
exits 0 "GEAK_MODEL names one" env GEAK_MODEL=replay:replies geak-gen tasks
exits 0 "-m goes before it" env GEAK_MODEL=nonsense geak-gen -m replay:replies tasks
exits 64 "an unknown option" geak-gen --nonsense
exits 64 "no samples" geak-gen -n 0
exits 64 "a temperature that is none" geak-gen -t warm
exits 64 "an unknown target" geak-gen --target gfx1 -m replay:replies tasks
like "$(cat err)" "gfx1" "is named"
exits 64 "a missing file" geak-gen -m replay:replies nofile
like "$(cat err)" "^geak-gen: nofile cannot be read" "is named"

exits 0 "--show-prompt needs no model" geak-gen --show-prompt -n 3 tasks
is "$(grep -c '^----- a: user$' out)" 1 "and shows each prompt once"
like "$(cat out)" "^----- a: system$" "with the system's part"

# -- worked examples of a user's own
mkdir mine
printf '%s\n' '"""Frobnication of a tensor, in place.' '' 'Frobnication: frobnicate, reverse.' '"""' 'def frob(x): ...' >mine/frob.py
task_of() { jq -c --arg w "$1" '.prompt = $w | .title = "x" | .entry = "y" | .id = "z"' <(head -n 1 tasks); }
task_of "Frobnicate the tensor." >frob
exits 0 "--examples" geak-gen --show-prompt --examples mine frob
like "$(cat out)" '^Another operator, to show the form: Frobnication of a tensor, in place\.$' "one of them is shown where it fits best"
task_of "Softmax of rows." >soft
exits 0 "a task of another kind" geak-gen --show-prompt --examples=mine soft
like "$(cat out)" '^Another operator, to show the form: Logarithm' "is shown one of geak's"
exits 64 "a folder that is not there" geak-gen --show-prompt --examples nowhere frob
like "$(cat err)" '^geak-gen: the folder of worked examples nowhere cannot be read: No such file' "is said"
echo 'x = 1' >mine/plain.py
exits 64 "one without a docstring" geak-gen --show-prompt --examples mine frob
is "$(cat err)" 'geak-gen: mine/plain.py: a worked example begins with a docstring' "is named"

# -- the end of things
exits 74 "a full disk" sh -c 'geak-gen -m replay:replies tasks >/dev/full'
like "$(cat err)" "^geak-gen: standard output cannot be written: No space left" "is said in a sentence"
exits 74 "no standard output" sh -c 'geak-gen -m replay:replies tasks >&-'
exits 0 "no standard input" sh -c 'geak-gen -m exec:./model <&-'
is "$(cat out)" "" "is an empty one"
exits 0 "nor for a command" sh -c 'geak-gen -m exec:cat tasks <&-'
like "$(jq -c "[.reply, .source]" out | head -n 1)" "[Tt]riton" "which still gets its prompt"
task $(seq 2000) >many
geak-gen -m 'exec:echo "def flip(x): pass"' many 2>err | head -n 1 >out
is "${PIPESTATUS[0]} $(cat err)" "141 " "a reader that goes away ends it quietly"

done_testing
