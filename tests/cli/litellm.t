#!/bin/bash
# geak-gen, a LiteLLM proxy and a real model server behind it, through the routes of OpenAI and
# Anthropic. The proxy is large: `make check-litellm` installs it; GEAK_LITELLM names another.
# slow
. "$(dirname "$0")/../tap.sh"

LITELLM=${GEAK_LITELLM:-$ROOT/build/litellm/bin/litellm}
[ -x "$LITELLM" ] || skip_all "LiteLLM is not installed; make check-litellm does that"
mkfifo url
"$PYTHON" "$ROOT/tests/stub/llama_server.py" "$WORK" >url 2>server.log & server=$!
cleanup "kill $server 2>/dev/null; wait $server 2>/dev/null"
read -r base <url || skip_all "the model server is not installed: $(tail -n 1 server.log)"

KEY=sk-proxy-0123456789
port=$("$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
P=http://127.0.0.1:$port
cat >proxy.yaml <<END
model_list:
  - model_name: gemma
    litellm_params: {model: openai/gemma, api_base: "$base/v1", api_key: llama-test-0123456789}
general_settings: {master_key: $KEY}
END
# Its list of prices is one that it would fetch.
LITELLM_LOCAL_MODEL_COST_MAP=True "$LITELLM" --config proxy.yaml --host 127.0.0.1 --port "$port" \
	--telemetry False >proxy.log 2>&1 & proxy=$!
cleanup "kill $proxy 2>/dev/null; wait $proxy 2>/dev/null"
for _ in $(seq 240); do
	curl -s -o health "$P/health/liveliness" && break
	kill -0 $proxy 2>/dev/null || { tail -n 5 proxy.log | sed 's/^/# /'; echo "Bail out! LiteLLM did not start"; exit 1; }
	sleep 0.5
done

# Reading a prompt takes this server milliseconds a token: the long list of rules is left out.
mkdir data
cp -r "$ROOT/prompts" "$ROOT/tasks" data/
echo "Use masks." >data/prompts/gen/rules.md
export GEAK_DATADIR=$WORK/data
echo '{"geak":"task/1","id":"tiny","title":"Negate","prompt":"Negate each element.","language":"triton","entry":"neg","harness":"function","reference":"def inputs(p, gen): pass\ndef reference(x): return -x\n","cases":[{"name":"a","kind":"check","params":{}}]}' >task
ask() { geak-gen --timeout 240 --max-tokens 24 "$@" task; }
openai() { GEAK_API_KEY=$KEY ask -m "$P/v1#gemma" "$@"; }
anthropic() { ANTHROPIC_API_KEY=$KEY ANTHROPIC_BASE_URL=$P ask -m anthropic:gemma "$@"; }
told() { jq -c '[.geak, .origin.usage.completion_tokens, .origin.usage.prompt_tokens > 99, ((.source + .reply) | length > 0)]' out; }

for route in openai anthropic; do
	exits 0 "$route's route" $route
	is "$(told)" '["candidate/1",24,true,true]' "has a reply of as many tokens as it may, and tells of them"
	exits 0 "$route's stream" $route --stream
	is "$(told)" '["candidate/1",24,true,true]' "too"
	exits 0 "four at once" $route -n 4 -j 4 --stream -t 1
	is "$(jq -c '[.geak, .origin.sample]' out | xargs)" \
		"[candidate/1,0] [candidate/1,1] [candidate/1,2] [candidate/1,3]" "get four replies in order"
done
exits 0 "OpenAI's Responses" env GEAK_API_KEY=$KEY geak-gen --timeout 240 --max-tokens 24 -m "$P/v1/responses#gemma" task
is "$(told)" '["candidate/1",24,true,true]' "as well"

exits 1 "a wrong key" env GEAK_API_KEY=sk-wrong-9876543210 geak-gen -m "$P/v1#gemma" task
like "$(cat err)" "127.0.0.1:$port: the service answers with status 400: " "is refused in the proxy's words"
unlike "$(cat out err)" "9876543210" "and not repeated"
exits 1 "a model that it does not know" env GEAK_API_KEY=$KEY geak-gen -m "$P/v1#nosuch" task
like "$(cat err)" "status 400: .*Invalid model name .*nosuch" "is named"
kill $server; wait $server 2>/dev/null
exits 1 "nobody behind the proxy" env GEAK_API_KEY=$KEY geak-gen --timeout 30 -m "$P/v1#gemma" task
like "$(jq -r .reason out)" "^127.0.0.1:$port: (the service answers with status 5[0-9][0-9]: |no reply within)" "is one error/1 that says so"
done_testing
