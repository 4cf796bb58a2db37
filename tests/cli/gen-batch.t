#!/bin/bash
# Questions written for a batch, and its results: the records that asking would have made.
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/stub/stub.sh"
export OPENAI_API_KEY=$KEY OPENAI_BASE_URL=$URL ANTHROPIC_API_KEY=$KEY ANTHROPIC_BASE_URL=http://$HOST

task a b c >three
asked() { wc -l <"$stub_log"; }
# What a service makes of a file of requests: the stub is asked, and the results come in any order.
cat >serve.py <<'EOF'
import json, random, sys, urllib.request

random.seed(7)
requests = [json.loads(line) for line in open(sys.argv[2])]
random.shuffle(requests)
for r in requests:
    path, body = ("/v1/messages", r["params"]) if "params" in r else (r["url"], r["body"])
    post = urllib.request.Request("http://" + sys.argv[1] + path, json.dumps(body).encode(),
                                  {"x-api-key": sys.argv[3], "Content-Type": "application/json"})
    answer = json.load(urllib.request.urlopen(post))
    if "params" in r:
        result = {"custom_id": r["custom_id"], "result": {"type": "succeeded", "message": answer}}
    else:
        result = {"id": "batch_req_1", "custom_id": r["custom_id"], "error": None,
                  "response": {"status_code": 200, "request_id": "x", "body": answer}}
    print(json.dumps(result))
EOF
serve() { "$PYTHON" serve.py "$HOST" "$1" "$KEY"; }
same() { jq -c 'del(.origin.latency_s)' "$1"; }

for model in openai:chapter openai-responses:chapter anthropic:chapter "$URL#chapter"; do
	options="-n 3 -t 0.5 --max-tokens 99 --effort low"
	before=$(asked)
	exits 0 "${model%%chapter} requests" env -u OPENAI_API_KEY -u ANTHROPIC_API_KEY \
		geak-gen $options -m "$model" --requests=requests three
	is "$(($(asked) - before)) $(cat out err)" "0 " "nobody is asked, and no record made"
	is "$(wc -l <requests) $(jq -r .custom_id requests | sort -u | grep -cE '^[A-Za-z0-9_-]{1,64}$')" "9 9" \
		"a line each, with a name that any service takes"
	serve requests >results
	exits 0 "their results" geak-gen $options -m "replay:results#$model" three
	cp out read
	exits 0 "and asking" geak-gen $options -m "$model" three
	is "$(same read)" "$(same out)" "make the same records"
done
geak-gen -m openai:ok --requests=requests three
is "$(jq -c '[keys_unsorted, .method, .url, .body.model]' requests | head -n 1)" \
	'[["custom_id","method","url","body"],"POST","/v1/chat/completions","ok"]' "OpenAI's form"
geak-gen -n 2 --stream -m anthropic:ok --requests=requests three
is "$(jq -c '[keys_unsorted, (.params | keys_unsorted), (.params.messages[0].content | type)]' requests | head -n 1)" \
	'[["custom_id","params"],["model","system","messages","max_tokens"],"string"]' "Anthropic's"
geak-gen -m openai:ok --requests=requests three three
is "$(wc -l <requests)" 3 "the same question stands there once"
exits 1 "a task that is none" geak-gen -m openai:ok --requests=requests <(echo '{"geak":"task/1","id":"x"}'; task a)
is "$(jq -r .geak out) $(wc -l <requests)" "error/1 1" "is an error, and no request"

geak-gen -m openai:chapter --requests=requests three
serve requests >results
for option in --temperature=1.5 --effort=high --max-tokens=7 --seed=3; do
	exits 1 "results of a question without $option" geak-gen $option -m 'replay:results#openai:chapter' three
	like "$(jq -r .reason out | sort -u)" 'asked with other options' "are not its"
done

# -- failures among the results
geak-gen -m openai:chapter --requests=requests three
serve requests | sort >good
id() { # id TASK
	task "$1" >alone; geak-gen -m openai:chapter --requests=/dev/stdout alone | jq -r .custom_id
}
a=$(id a) b=$(id b) c=$(id c)
failed() { # failed PATTERN LINE: in the place of task b's result
	{ grep -v "$b" good; echo "$2"; } >results
	exits 1 "failed: $1" geak-gen -m replay:results#openai:chapter three
	is "$(jq -r '.geak + " " + (.task.id // .record.id)' out | xargs)" "candidate/1 a error/1 b candidate/1 c" \
		"is an error in its place"
	like "$(jq -r 'select(.geak == "error/1").reason' out)" "$1" "with the service's sentence"
}
failed '^the batch.s service answers with status 400: too long$' \
	"{\"custom_id\":\"$b\",\"response\":{\"status_code\":400,\"body\":{\"error\":{\"message\":\"too long\"}}},\"error\":null}"
failed '^the batch.s service reports an error: not in time$' \
	"{\"custom_id\":\"$b\",\"response\":null,\"error\":{\"code\":\"batch_expired\",\"message\":\"not in time\"}}"
failed '^the batch.s service reports an error: bad request$' \
	"{\"custom_id\":\"$b\",\"result\":{\"type\":\"errored\",\"error\":{\"type\":\"error\",\"error\":{\"type\":\"x\",\"message\":\"bad request\"}}}}"
failed 'the request expired$' "{\"custom_id\":\"$b\",\"result\":{\"type\":\"expired\"}}"
failed 'the request was canceled$' "{\"custom_id\":\"$b\",\"result\":{\"type\":\"canceled\"}}"
failed 'the request has no result$' "{\"custom_id\":\"$b\",\"result\":{\"type\":\"odd\"}}"
failed 'the answer holds no "choices"' "{\"custom_id\":\"$b\",\"response\":{\"status_code\":200,\"body\":{}}}"
failed '^results holds no result for this question about the task b' ''
{ cat results; echo "{\"custom_id\":\"$b\",\"result\":{\"type\":\"expired\"}}"; grep "$b" good
	echo "{\"custom_id\":\"$a\",\"result\":{\"type\":\"expired\"}}"; } >twice
exits 0 "one that failed and was sent again" geak-gen -m replay:twice#openai:chapter three
is "$(jq -r .task.id out | xargs)" "a b c" "is a reply like the others, and a failure takes nothing away"
{ grep -v "$b" good; echo "{\"custom_id\":\"$b\",\"result\":{\"type\":\"expired\"}}"; } >results
jq -r 'select(.response.status_code == 200 or .result.type == "succeeded").custom_id' results |
	grep -vFf - requests >again
is "$(jq -r .custom_id again)" "$b" "what is left to be sent is easily found"
exits 1 "other options" geak-gen --target mi355x -m replay:good#openai:chapter three
like "$(cat err)" "was it asked with other options, or from another prompt\?" "are another question"
exits 64 "the requests in the place of the results" geak-gen -m replay:requests three
like "$(cat err)" "^geak-gen: requests:1: a recorded reply needs" "are refused"

# -- names and prices
is "$(geak-gen -m replay:good three | jq -r .origin.model | sort -u)" replay:good "without a model the file is named"
cp good 'odd#name'
is "$(geak-gen -m 'replay:odd#name' three | jq -r .origin.model | sort -u)" 'replay:odd#name' "which may have any name"
jq -n '{models: [{model: "openai:*", input: 1000000, output: 0, batch: 0.5}]}' >prices
geak-gen --prices=prices -m replay:good#openai:chapter three >out
is "$(jq -c .origin.cost_usd out | sort -u)" 5.5 "a batch has its price"
geak-gen --prices=prices -m openai:chapter three >out
is "$(jq -c .origin.cost_usd out | sort -u)" 11 "which is not that of asking"

# -- the other tools
jq -c '{geak: "candidate/1", id: "c1", task: ., round: 0, origin: {tool: "geak-gen"}, language: "triton", source: "import x",
	eval: {status: "call_error", stage: "import", error: {class: "ModuleNotFoundError", message: "No module named x"}}}' \
	<(task a) >judged
exits 0 "geak-reflect" geak-reflect -n 2 -m openai:chapter --requests=requests judged
is "$(wc -l <requests) $(cat out)" "2 " "writes requests"
serve requests >results
exits 0 "and reads" geak-reflect -n 2 -m replay:results#openai:chapter judged
is "$(jq -r '.origin.tool + .origin.model' out | uniq -c | xargs)" "2 geak-reflectopenai:chapter" "their results"
jq -c '.eval = {status: "pass", stage: "done", target: "gfx942"}' judged >passed
exits 0 "geak-opt" geak-opt -n 2 -m openai:chapter --requests=requests passed
is "$(wc -l <requests) $(cat out)" "2 " "writes requests"
serve requests >results
exits 0 "and reads" geak-opt -n 2 -m replay:results#openai:chapter passed
is "$(jq -r .origin.tool out | uniq -c | xargs)" "1 geak-gen 2 geak-opt" "their results"

# -- calls that cannot be
for model in exec:cat replay:good; do
	exits 64 "$model" geak-gen -m "$model" --requests=requests three
	is "$(cat err)" "geak-gen: --requests: only a service answers batches, not $model" "has no batches"
done
exits 64 "a file that cannot be" geak-gen -m openai:ok --requests=/nowhere/x three
cp three kept
exits 64 "the file that is read" geak-gen -m openai:ok --requests=./three three
is "$(cat err)" "geak-gen: --requests: ./three is read as well; write into another file" "is refused"
exits 64 "also as standard input" geak-gen -m openai:ok --requests=three <three
exits 0 "and is as it was" cmp three kept
exits 74 "a full disk" geak-gen -m openai:ok --requests=/dev/full three
is "$(cat err)" "geak-gen: writing requests into /dev/full failed: No space left on device" "is said once"
done_testing
