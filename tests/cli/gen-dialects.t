#!/bin/bash
# What each dialect is sent, and that all of them make the same records.
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/stub/stub.sh"
export OPENAI_API_KEY=$KEY OPENAI_BASE_URL=$URL ANTHROPIC_API_KEY=$KEY ANTHROPIC_BASE_URL=http://$HOST
export AZURE_OPENAI_API_KEY=$KEY AZURE_OPENAI_ENDPOINT=http://$HOST/

task flip >one
asked() { wc -l <"$stub_log"; }
sent() { tail -n 1 "$stub_log" | jq -c "$1"; }
origin() { jq -c '.origin | del(.prompt_sha256, .latency_s, .model)' out; }

# -- one record, whoever is asked in whatever way
good='{"tool":"geak-gen","sample":0,"usage":{"prompt_tokens":11,"completion_tokens":7},"finish_reason":"stop"}'
for model in openai: openai-responses: anthropic: azure: "$URL#" "$URL/chat/completions#" \
	"$URL/responses#" "$URL/messages#"; do
	for stream in "" --stream; do
		exits 0 "${model#http*/v1} $stream" env GEAK_API_KEY=$KEY geak-gen -m "${model}ok" $stream one
		is "$(origin)$(jq -r '.source' out | head -n 1)" "${good}import triton" "a record like any other"
		exits 0 "cut $stream" env GEAK_API_KEY=$KEY geak-gen -m "${model}length" $stream one
		is "$(jq -r .origin.finish_reason out)" length "is told in the same word"
	done
done
for model in openai-responses: anthropic: azure:; do
	exits 69 "$model a wrong key" env OPENAI_API_KEY=sk-wrong ANTHROPIC_API_KEY=sk-wrong \
		AZURE_OPENAI_API_KEY=sk-wrong geak-gen -m "${model}ok" one
	like "$(cat err)" "refused the key in (OPENAI|ANTHROPIC|AZURE_OPENAI)_API_KEY" "says which"
done

# -- what each is sent
full() { geak-gen -m "$1" -t 0.5 --max-tokens 99 --effort low one >out 2>err; }
full openai:ok
is "$(sent '[.path, .headers.Authorization, (.body | keys_unsorted), .body.max_completion_tokens, .body.reasoning_effort]')" \
	"[\"/v1/chat/completions\",\"Bearer $KEY\",[\"model\",\"messages\",\"max_completion_tokens\",\"temperature\",\"reasoning_effort\"],99,\"low\"]" "OpenAI's chat"
full openai-responses:ok
is "$(sent '[.path, (.body | keys_unsorted), .body.max_output_tokens, .body.reasoning, .body.store, [.body.input[].role]]')" \
	'["/v1/responses",["model","input","store","max_output_tokens","temperature","reasoning"],99,{"effort":"low"},false,["system","user"]]' "OpenAI's Responses"
full anthropic:ok
is "$(sent '[.path, (.body | keys_unsorted), .body.max_tokens, .body.output_config]')" \
	'["/v1/messages",["model","system","messages","max_tokens","temperature","output_config"],99,{"effort":"low"}]' "Anthropic's Messages"
full "$URL#ok"
is "$(sent '[.body.max_tokens, .body.reasoning_effort]')" '[99,"low"]' "any other server"
full azure:ok
is "$(sent '[.path, .headers["api-key"], .headers.Authorization, .body.model, .body.max_completion_tokens]')" \
	"[\"/openai/deployments/ok/chat/completions?api-version=2024-10-21\",\"$KEY\",null,\"ok\",99]" "Azure"
OPENAI_API_VERSION=2025-01-01-preview geak-gen -m azure:ok one >out
is "$(sent .path)" '"/openai/deployments/ok/chat/completions?api-version=2025-01-01-preview"' "of the version that is named"
exits 64 "Azure without an address" env -u AZURE_OPENAI_ENDPOINT geak-gen -m azure:ok one
is "$(cat err)" "geak-gen: AZURE_OPENAI_ENDPOINT is not set: it is the service's URL" "says what is missing"
exits 64 "a deployment that is no word" geak-gen -m 'azure:a/../b?c' one
like "$(cat err)" "a deployment's name is letters, digits.* not 'a/../b\?c'" "is refused"
exits 64 "a version that is none" env OPENAI_API_VERSION='1&x=y' geak-gen -m azure:ok one
is "$(jq -r .origin.effort <(full openai:ok; cat out))" low "the origin tells of the effort"
exits 64 "an effort that is none" geak-gen --effort=hard -m openai:ok one

# -- seeds: each sample its own
exits 0 "three samples with a seed" geak-gen --seed 40 -n 3 -m openai:ok one
is "$(jq -c .body.seed "$stub_log" | tail -n 3 | sort | xargs)" "40 41 42" "are drawn from three"
is "$(jq -r .origin.seed out | xargs)" "40 41 42" "which the origin tells"
for model in openai-responses: anthropic:; do
	exits 64 "$model takes no seed" geak-gen --seed 1 -m "${model}ok" one
	is "$(cat err)" "geak-gen: --seed: this service takes none" "and that is said"
done
exits 0 "a command" geak-gen --seed 7 --effort high -n 2 -m 'exec:echo "# $GEAK_SEED $GEAK_EFFORT"' one
is "$(jq -r .reply out | xargs)" "# 7 high # 8 high" "is told of both"
cp one recorded; echo '{"task":"flip","text":"x"}' >recorded
exits 0 "a recording" geak-gen --seed 7 -m replay:recorded one

# -- a limit by the other name, where a server refuses the one that it was given
for model in openai:older openai:newer "$URL#older" "$URL#newer"; do
	before=$(asked)
	exits 0 "$model" geak-gen -j 1 -n 3 --max-tokens 99 -m "$model" one
	case $model in openai:newer|*#older) want=3 ;; *) want=4 ;; esac
	is "$(($(asked) - before))" $want "asks $want times for three replies"
done
before=$(asked)
exits 1 "a limit that is too large" geak-gen --max-tokens 99 -m "$URL#toolarge" one
is "$(($(asked) - before))" 1 "is not asked for by another name"
like "$(jq -r .reason out)" "max_tokens is too large" "but told"
before=$(asked)
exits 0 "many at once that are refused" geak-gen -j 8 -n 8 --max-tokens 99 -m openai:older one
is "$(jq -r .geak out | uniq -c | xargs)" "8 candidate/1" "get their replies"

# -- a prompt that is sent again is marked where the service wants that, and the first goes ahead
: >"$stub_log"
exits 0 "four samples" geak-gen -j 4 -n 4 -m anthropic:slow-0.2 one
is "$(jq -c '.body.messages[0].content[0].cache_control' "$stub_log" | uniq -c | xargs)" \
	'4 {type:ephemeral}' "the prompt's end is marked"
is "$(jq -s 'map(.open) | sort | .[0:2]' -c "$stub_log")" '[1,1]' "one goes ahead of the others"
like "$(jq -s 'map(.time) | .[1] - .[0] > 0.2' "$stub_log")" true "until its reply is there"
is "$(jq -r .origin.sample out | xargs)" "0 1 2 3" "their order is the same"
: >"$stub_log"
task a b c >three
exits 0 "several tasks" geak-gen -j 6 -n 2 -m anthropic:slow-0.2 three
is "$(jq -s 'map(.open) | max' "$stub_log")" 3 "go ahead side by side"
geak-gen -m anthropic:ok one >out
is "$(sent '.body.messages[0].content | type')" '"string"' "one that is sent once is not marked"
geak-gen -n 2 -m openai:ok one >out
is "$(sent '.body.messages[1].content | type')" '"string"' "nor where that is not needed"
: >"$stub_log"
exits 1 "one that fails" geak-gen -n 3 -m anthropic:status-400 one
is "$(wc -l <"$stub_log") $(jq -r .geak out | uniq -c | xargs)" "3 3 error/1" "holds nobody up for ever"
exits 69 "a refusal" geak-gen -n 3 -m anthropic:nosuch one
is "$(jq -r .geak out | xargs)" "error/1" "neither"
jq -n '{models: [{model: "anthropic:*", input: 1000000, cache_write: 2000000, cached_input: 0, output: 0}]}' >prices
geak-gen --prices=prices -n 2 -m anthropic:cached one >out
is "$(jq -c '[.origin.usage.prompt_tokens, .origin.cost_usd]' out | uniq)" '[23,19]' "what is written there has its price"
jq -n '{models: [{model: "openai:ok", input: 1000000, output: 0}]}' >prices
geak-gen --prices=prices -m openai-responses:ok one >out
is "$(jq -c .origin.cost_usd out)" 11 "Responses cost what chat does"

# -- replies that are cut go on
whole=$(geak-gen -m openai:ok one | jq -r .source | sed 's/# .*/# 1/')
for model in openai: openai-responses: anthropic:; do
	for stream in "" --stream; do
		exits 0 "$model a reply in three parts $stream" geak-gen --continue $stream -m "${model}chapters" one
		is "$(jq -r .source out)" "$whole" "is put together"
		is "$(jq -c '[.origin.finish_reason, .origin.usage.prompt_tokens, .origin.usage.completion_tokens, .origin.parts]' out)" \
			'["stop",33,21,3]' "what it took is summed"
	done
done
exits 0 "without --continue" geak-gen -m openai:chapters one
is "$(jq -c '[.origin.finish_reason, .origin.parts]' out)" '["length",null]' "it stays cut"
beginning=$(jq -c '[.source, .reply]' out)
before=$(asked)
exits 0 "one without an end" geak-gen --continue=2 -m openai:length one
is "$(($(asked) - before)) $(jq -c '[.origin.finish_reason, .origin.parts]' out)" '3 ["length",3]' "is asked so often and no more"
exits 0 "one whose second part fails" geak-gen --continue -m openai:chapters-400 one
is "$(jq -c '[.source, .reply]' out)" "$beginning" "has its beginning, which is paid for"
is "$(jq -c '[.origin.finish_reason, .origin.usage.completion_tokens, .origin.parts]' out)" '["length",7,null]' \
	"as it would be without --continue"
is "$(cat err)" "geak-gen: one:1: the reply for sample 0 stays cut, since its continuation failed: $HOST: the service answers with status 400: no more" \
	"and a sentence says why"
exits 69 "one whose second part is refused, as all would be" geak-gen --continue -j 1 -n 2 -m openai:chapters-401 one
is "$(jq -c '[.geak, .origin.finish_reason]' out | xargs)" "[candidate/1,length] [error/1,null]" "has it, too"
export GEAK_CACHE=use XDG_CACHE_HOME=$WORK
geak-gen -m openai:chapters one >out
before=$(asked)
exits 0 "a beginning that is kept" geak-gen --continue -m openai:chapters one
is "$(($(asked) - before))" 2 "is not asked for again"
cp out first
exits 0 "nor is any part" geak-gen --continue -m openai:chapters one
is "$(($(asked) - before)) $(cmp out first)" "2 " "the second time"
export GEAK_CACHE=off
echo '{"task":"flip","text":"def flip(","finish_reason":"length"}' >recorded
exits 0 "a recording" geak-gen --continue -m replay:recorded one
is "$(jq -r .source out)" "def flip(" "is what it is"
jq -n '{models: [{model: "openai:*", input: 0, output: 100000}]}' >prices
exits 75 "a budget for two parts" geak-gen --prices=prices --budget=2 --max-tokens 10 --continue -m openai:chapters one
is "$(jq -c '[.geak, .origin.finish_reason, .origin.usage.completion_tokens, .origin.parts]' out)" \
	'["candidate/1","length",14,2]' "is kept, and so are they"
like "$(cat err)" "sample 0 stays cut, since its continuation failed: .*budget" "why there is no third is said"
done_testing
