#!/bin/bash
# The tools that ask, and a real model server: llama.cpp with a very small Gemma. It writes
# bad kernels; that each is asked for, taken in and judged is the point.
# slow
. "$(dirname "$0")/../tap.sh"

mkfifo url
"$PYTHON" "$ROOT/tests/stub/llama_server.py" "$WORK" >url 2>server.log &
SERVER=$!
cleanup "kill $SERVER 2>/dev/null; wait $SERVER 2>/dev/null"
read -r BASE <url
if [ -z "$BASE" ]; then
	wait $SERVER
	[ $? -eq 77 ] && skip_all "the server is not installed: $(tail -n 1 server.log)"
	tail -n 5 server.log | sed 's/^/# /'
	echo "Bail out! the model server did not start"
	exit 1
fi
export GEAK_API_KEY=llama-test-0123456789
MODEL=$BASE/v1#gemma
MARKER=$(date +%s)

# Reading a prompt takes this server milliseconds a token: the long list of rules, which
# all prompts share, is left out.
mkdir data
cp -r "$ROOT/prompts" "$ROOT/tasks" "$ROOT/lib" data/ 2>/dev/null
echo "Use masks." >data/prompts/gen/rules.md
ask() { # ask TOOL ARGUMENT...
	local tool=$1; shift
	GEAK_DATADIR=$WORK/data "$tool" -m "$MODEL" --timeout 240 "$@"
}
printf '%s\n' '{"geak":"task/1","id":"tiny","title":"Negate","prompt":"Negate each element.","language":"triton","entry":"neg","signature":"neg(x: Tensor[N]) -> Tensor[N]","reference":"import torch\n\n\ndef inputs(p, gen):\n    return (torch.randn(p[\"N\"], generator=gen),)\n\n\ndef reference(x):\n    return -x\n","cases":[{"name":"a","kind":"check","params":{"N":7}}],"tolerance":{"atol":0,"rtol":0},"harness":"function"}' >task

exits 0 "a whole reply" ask geak-gen --max-tokens 24 task
is "$(jq -c '[.origin.finish_reason, .origin.usage.completion_tokens]' out)" '["length",24]' \
	"is cut at its token limit, and the origin says so"
like "$(jq '.origin.usage.prompt_tokens' out)" '^[0-9]{2,}$' "the prompt's tokens are told"
is "$(jq '(.source + (.reply // "")) | length > 0' out)" true "there is text in it"

exits 0 "a streamed reply" ask geak-gen --stream --max-tokens 24 task
is "$(jq -c '[.origin.finish_reason, .origin.usage.completion_tokens]' out)" '["length",24]' \
	"tells the same at its end"

exits 0 "a reply that goes on" ask geak-gen --continue=1 --max-tokens 24 task
is "$(jq -c '[.origin.finish_reason, .origin.usage.completion_tokens, .origin.parts]' out)" \
	'["length",48,2]' "has two parts, and the tokens of both"
exits 0 "a seed" ask geak-gen --seed 5 -t 1 --max-tokens 16 task
jq -r '.source + .reply' out >first
exits 0 "the same seed" ask geak-gen --seed 5 -t 1 --max-tokens 16 task
is "$(jq -r '.source + .reply' out)" "$(cat first)" "has the same reply"

exits 0 "four questions at once" ask geak-gen -n 4 -j 4 -t 1 --max-tokens 48 task
is "$(jq -c '[.geak, .origin.sample]' out | xargs)" \
	"[candidate/1,0] [candidate/1,1] [candidate/1,2] [candidate/1,3]" "get four replies in order"
cp out samples

exits 0 "Anthropic's form" env GEAK_DATADIR="$WORK/data" ANTHROPIC_BASE_URL="$BASE" \
	ANTHROPIC_API_KEY="$GEAK_API_KEY" geak-gen -m anthropic:gemma --max-tokens 8 task
is "$(jq -c '[.origin.finish_reason, .origin.usage.completion_tokens]' out)" '["length",8]' \
	"which the server speaks too"
exits 0 "and its stream" env GEAK_DATADIR="$WORK/data" ANTHROPIC_BASE_URL="$BASE" \
	ANTHROPIC_API_KEY="$GEAK_API_KEY" geak-gen -m anthropic:gemma --stream --max-tokens 8 task
is "$(jq -c '[.origin.finish_reason, .origin.usage.completion_tokens]' out)" '["length",8]' \
	"with the same told"

exits 0 "OpenAI's Responses" env GEAK_DATADIR="$WORK/data" \
	geak-gen -m "$BASE/v1/responses#gemma" --timeout 240 --max-tokens 8 task
is "$(jq -c '.origin.usage.completion_tokens' out)" 8 "which it speaks as well"
exits 0 "and their stream" env GEAK_DATADIR="$WORK/data" geak-gen --stream \
	-m "$BASE/v1/responses#gemma" --timeout 240 --max-tokens 8 task
is "$(jq -c '.origin.usage.completion_tokens' out)" 8 "with the same told"
ask geak-gen -n 2 --max-tokens 8 --requests=requests task
while read -r line; do
	jq -c .body <<<"$line" | curl -s "$BASE/v1/chat/completions" --json @- \
		-H "Authorization: Bearer $GEAK_API_KEY" | jq -c --arg id "$(jq -r .custom_id <<<"$line")" \
		'{custom_id: $id, response: {status_code: 200, body: .}, error: null}'
done <requests >results
exits 0 "a batch that it answered" env GEAK_DATADIR="$WORK/data" \
	geak-gen -n 2 --max-tokens 8 -m "replay:results#$MODEL" task
is "$(jq -c '[.origin.model, .origin.usage.completion_tokens]' out | uniq -c | xargs)" \
	"2 [$MODEL,8]" "is read"

exits 69 "a wrong key" env GEAK_API_KEY=wrong-wrong-wrong geak-gen -m "$MODEL" task
like "$(cat err)" "refused the key in GEAK_API_KEY" "is refused"
unlike "$(cat out err)" "wrong-wrong" "and not repeated"

if command -v geak-eval >/dev/null; then
	exits 0 "every reply is judged" geak-eval samples
	is "$(jq -r '.eval.status' out | grep -Ec '^(compile_error|call_error|wrong_answer|no_kernel|timeout|crash|pass)$')" \
		4 "with a verdict each"
	cp out judged
fi
if command -v geak-reflect >/dev/null && [ -s judged ]; then
	grep -v '"status":"pass"' judged | head -n 1 >failed
	exits 0 "a repair is asked for" ask geak-reflect --max-tokens 24 failed
	is "$(jq -c '[.geak, .round, .origin.tool]' out)" '["candidate/1",1,"geak-reflect"]' "and made"
	exits 0 "also streamed" ask geak-reflect --stream --max-tokens 8 failed
fi
if command -v geak-opt >/dev/null; then
	jq -c '.source = "import triton\n\ndef neg(x):\n    return -x\n" | del(.reply)
		| .eval = {status: "pass", stage: "done", target: "gfx942"}' samples | head -n 1 >passing
	exits 0 "an improvement is asked for" ask geak-opt --max-tokens 24 passing
	is "$(jq -c '[.geak, .round, .origin.tool]' out | tail -n 1)" '["candidate/1",1,"geak-opt"]' \
		"and made, after its parent"
	is "$(sed -n 1p out)" "$(cat passing)" "which goes through"
	exits 0 "also streamed" ask geak-opt --stream --max-tokens 8 passing
fi
echo "# $(($(date +%s) - MARKER)) s with the server"
done_testing
