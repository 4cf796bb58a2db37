#!/bin/bash
# geak-gen and services over HTTP, good and bad: a stub on loopback plays them.
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/stub/stub.sh"

task flip >one
task a b c >three
reason() { jq -r 'select(.geak == "error/1").reason' out | sort -u; }
origin() { jq -c '.origin | del(.prompt_sha256, .latency_s, .model)' out; }

# -- good replies
good='{"tool":"geak-gen","sample":0,"usage":{"prompt_tokens":11,"completion_tokens":7},"finish_reason":"stop"}'
for stream in "" --stream; do
	exits 0 "a reply ${stream:-whole}" geak-gen -m "$URL#ok" $stream one
	is "$(origin)" "$good" "what the service told is in the origin"
	like "$(jq -r .source out)" "^def flip" "the code is cut out"
	exits 0 "a reply cut at its token limit ${stream:-whole}" geak-gen -m "$URL#length" $stream one
	is "$(jq -c '[.origin.finish_reason, .source, .reply]' out)" \
		'["length","","Let me think about"]' "says so and is kept"
done
exits 0 "Anthropic's form" env ANTHROPIC_API_KEY=$KEY ANTHROPIC_BASE_URL="http://$HOST" \
	geak-gen -m anthropic:ok one
is "$(origin)" "$good" "tells the same in the same words"
exits 0 "Anthropic's stream" env ANTHROPIC_API_KEY=$KEY ANTHROPIC_BASE_URL="http://$HOST" \
	geak-gen -m anthropic:length --stream -t 0.5 one
is "$(jq -c '[.origin.finish_reason, .origin.usage.completion_tokens, .origin.temperature]' out)" \
	'["length",7,0.5]' "too"
exits 0 "OpenAI's own" env OPENAI_API_KEY=$KEY OPENAI_BASE_URL="$URL/" \
	geak-gen -m openai:ok -t 0.25 --max-tokens 99 one
exits 0 "content in parts" geak-gen -m "$URL#parts" one
like "$(jq -r .source out)" "^def flip" "is put together"

# -- what is sent
sent() { jq -c "$1" "$stub_log" | tail -n 1; }
is "$(jq -c 'select(.body.model == "ok") | [.path, .body.temperature, .body.max_completion_tokens, .body.max_tokens, .body.stream]' "$stub_log" | tail -n 1)" \
	'["/v1/chat/completions",0.25,99,null,null]' "to OpenAI its own word for the limit"
geak-gen -m "$URL#ok" --max-tokens 98 --stream one >out 2>err
is "$(sent '[.body.max_tokens, .body.stream, .body.stream_options, (.body | has("temperature"))]')" \
	'[98,true,{"include_usage":true},false]' "to others the common one; no temperature unless asked"
is "$(sent '[.body.messages[].role]')" '["system","user"]' "a system's and a user's message"
env ANTHROPIC_API_KEY=$KEY ANTHROPIC_BASE_URL="http://$HOST" geak-gen -m anthropic:ok one >out 2>err
is "$(sent '[.path, .body.max_tokens, [.body.messages[].role], (.body.system | length > 0), .headers["anthropic-version"]]')" \
	'["/v1/messages",8192,["user"],true,"2023-06-01"]' "Anthropic's form"
geak-gen -m "$URL" one >out 2>err
is "$(sent '.body | has("model")')" false "a URL without a name asks for the server's own model"

# -- several at once
begin=$(date +%s%N)
exits 0 "eight slow questions at once" geak-gen -j 8 -n 8 -m "$URL#slow-0.5" one
is "$(($(date +%s%N) - begin < 2500000000))" 1 "take the time of one"
is "$(jq 'select(.body.model == "slow-0.5").open' "$stub_log" | sort -n | tail -n 1)" 8 "all in flight"
is "$(jq .origin.sample out | xargs)" "0 1 2 3 4 5 6 7" "samples in order"
geak-gen -j 2 -n 6 -m "$URL#slow-0.1" three >out 2>err
is "$(jq 'select(.body.model == "slow-0.1").open' "$stub_log" | sort -n | tail -n 1)" 2 \
	"never more than --jobs"
is "$(jq -r '.task.id' out | uniq | xargs)" "a b c" "tasks in order"
exits 0 "a slow first answer" geak-gen -m "$URL#later" three
is "$(jq -r .task.id out | xargs)" "a b c" "is waited for"

# -- trying again
exits 0 "429 twice, then well" geak-gen -m "$URL#flaky-429" one
exits 0 "503 twice, then well" geak-gen -m "$URL#flaky-503" one
exits 0 "a reset connection twice, then well" geak-gen -m "$URL#flaky-reset" one
exits 1 "500 for ever" geak-gen -m "$URL#status-500" one
is "$(reason)" "$HOST: the service answers with status 500: status 500 as asked, key, also after further tries" \
	"is an error in the end"
is "$(jq 'select(.body.model == "status-500").path' "$stub_log" | wc -l)" 4 "after three more tries"
begin=$(date +%s%N)
exits 1 "told to come back after the deadline" geak-gen --timeout 3 -m "$URL#after-60" one
is "$(($(date +%s%N) - begin < 2000000000))" 1 "does not wait in vain"
like "$(reason)" "status 429 and asks to wait 60 s, .*: come back" "and says why"
gap() { # gap MODEL: seconds between the first two requests that asked it
	jq -s --arg model "$1" 'map(select(.body.model == $model).time) | .[1] - .[0]' "$stub_log"
}
geak-gen --timeout 4 -m "$URL#after-1" one >out 2>err
like "$(gap after-1)" '^1\.' "Retry-After is honoured"
date=$(LC_ALL=C date -u -d '+3 seconds' '+%a, %d %b %Y %T GMT')
geak-gen --timeout 4 -m "$URL#after-$date" one >out 2>err
like "$(gap "after-$date")" '^[23]\.' "as a date too"
exits 0 "409 twice, then well" geak-gen -m "$URL#flaky-409" one
exits 0 "425 twice, then well" geak-gen -m "$URL#flaky-425" one
exits 0 "a stream cut twice, then well" geak-gen --stream -m "$URL#flaky-cut" one
is "$(jq -r .source out | grep -c '^def flip')" 1 'is one reply'

# A server that answers, is away for a second, and answers again; or "for ever".
cat >away.py <<'EOF'
import json, socket, sys, time

BODY = json.dumps({"choices": [{"message": {"content": "def flip(x): ..."}, "finish_reason": "stop"}]})


def serve(port):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("127.0.0.1", port))
    s.listen()
    port = s.getsockname()[1]
    print(port, flush=True)
    c, _ = s.accept()
    request = b""
    while b'"messages"' not in request or not request.endswith(b"}"):
        more = c.recv(65536)
        if not more:
            sys.exit("the client has hung up")
        request += more
    time.sleep(0.2)
    c.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {len(BODY)}\r\nConnection: close\r\n\r\n{BODY}".encode())
    c.close()
    s.close()
    return port


port = serve(0)
time.sleep(1)
if sys.argv[1:] != ["for ever"]:
    serve(port)
EOF
away() { # away [ARGUMENT]: starts it, and sets port
	rm -f away.port; mkfifo away.port
	"$PYTHON" away.py "$@" >away.port & away=$!
	cleanup "kill $away 2>/dev/null"
	exec 3<away.port
	read -r port <&3
}
away
exits 0 "a service that is away for a second" geak-gen -j 1 -n 2 -m "http://127.0.0.1:$port/v1" one
is "$(wc -l <out)" 2 "is waited for"
away "for ever"
exits 1 "one that is gone after the first of two" geak-gen --timeout 4 -j 2 -n 2 -m "http://127.0.0.1:$port/v1" one
is "$(jq -r .geak out | sort | xargs)" "candidate/1 error/1" "fails the other alone, since it was there meanwhile"
away "for ever"
exits 69 "one that nobody has heard of for a whole timeout" geak-gen --timeout 4 -j 1 -n 3 -m "http://127.0.0.1:$port/v1" one
is "$(jq -r .geak out | xargs) $(grep -c "cannot be reached" err)" "candidate/1 error/1 1" "is given up for good"

# -- no more a minute than is allowed
begin=$(date +%s%N)
exits 0 "five requests at 240 a minute" geak-gen --rpm 240 -n 5 -m "$URL#ok" one
took=$((($(date +%s%N) - begin) / 1000000))
is "$((took >= 1000 && took < 4000))" 1 "take a second ($took ms)"
exits 0 "their wait is none of their time" geak-gen --rpm 120 --timeout 0.9 -n 4 -m "$URL#ok" one
# All have their turn before the first two, which fail, come again: beyond --timeout.
exits 0 "nor is that of further tries" geak-gen --rpm 600 --timeout 2 -j 24 -n 24 -m "$URL#busy-0.3" one
is "$(wc -l <out) $(jq 'select(.body.model == "busy-0.3").path' "$stub_log" | wc -l)" "24 26" "none is sent in vain"
per_request=$(($(geak-gen -q --show-prompt one | wc -c) / 4 + 7)) # as it is guessed; they take 18
begin=$(date +%s%N)
exits 0 "three at once, one a second by their tokens" geak-gen --tpm $((per_request * 60)) --max-tokens 7 -n 3 -m "$URL#ok" one
like "$((($(date +%s%N) - begin) / 1000000))" '^[23]...$' "take two seconds"
begin=$(date +%s%N)
exits 0 "one after another" geak-gen --tpm $((per_request * 10)) --max-tokens 7 -j 1 -n 3 -m "$URL#ok" one
is "$(($(date +%s%N) - begin < 5000000000))" 1 "what they really took counts"
begin=$(date +%s%N)
exits 1 "told to come back at once" geak-gen --timeout 3 -m "$URL#after-0" one
is "$(($(date +%s%N) - begin > 1000000000))" 1 "it takes its time all the same"
exits 1 "400 is not tried again" geak-gen -m "$URL#status-400" one
is "$(jq 'select(.body.model == "status-400").path' "$stub_log" | wc -l)" 1 "not once"

# -- answers that are none: an error each, and the next sample goes on
bad() { # bad MODEL PATTERN [OPTION...]
	local model=$1 pattern=$2; shift 2
	exits 1 "$model $*" geak-gen -m "$URL#$model" "$@" one
	like "$(reason)" "$pattern" "says what is wrong"
}
bad html-200 "^$HOST: the answer is an HTML page, not JSON"
bad nothing "^$HOST: the answer is empty$"
bad half "^$HOST: the answer cannot be read: not valid JSON"
bad badutf8 "not UTF-8"
bad nul "NUL"
bad array "the answer holds no \"choices\""
bad nochoice "the answer holds no \"choices\""
bad error '^'"$HOST"': the service reports an error: The model is \?\[31mbroken$'
bad plainerror "the service reports an error: out of memory$"
bad streamerror "the service reports an error: Overloaded now$" --stream
bad streamcut "the stream of the reply broke off" --stream
bad big "^$HOST: the answer is larger than"
bad slow-9 "^$HOST: no reply within 0.4 s; --timeout" --timeout 0.4
# -- an empty reply is one, and no error
for model in empty null; do
	exits 0 "an empty reply: $model" geak-gen -n 2 -m "$URL#$model" one
	is "$(jq -c '[.geak, .source, .reply]' out | uniq -c | xargs)" '2 [candidate/1,,]' "is a sample without code"
done
is "$(cat err)" "geak-gen: a reply is empty: the model reached its token limit before it wrote any text; raise --max-tokens" \
	"why, where it is known, is said once"

exits 1 "half of the answers are bad" geak-gen -j 1 -n 4 -m "$URL#mixed" one
is "$(jq -r .geak out | xargs)" "error/1 candidate/1 error/1 candidate/1" "the other half count"

# -- the service refuses: one sentence, every task an error/1, 69
refused() { # refused PATTERN NAME COMMAND...
	local pattern=$1 name=$2; shift 2
	exits 69 "$name" "$@"
	is "$(wc -l <err)" 1 "is one sentence"
	like "$(cat err)" "$pattern" "that says why"
	is "$(jq -r '.geak + .record.id' out | xargs)" "error/1a error/1b error/1c" \
		"and each task an error/1"
}
bad_key=sk-wrong-9876543210fedcba
refused "^geak-gen: $HOST: the service refused the key in OPENAI_API_KEY \(status 401" "a wrong key" \
	env OPENAI_API_KEY=$bad_key OPENAI_BASE_URL="$URL" geak-gen -n 2 -m openai:ok three
unlike "$(cat out err)" "$bad_key|9876543210" "the key is nowhere"
refused "refused the key in ANTHROPIC_API_KEY" "a wrong key at Anthropic's" \
	env ANTHROPIC_API_KEY=$bad_key ANTHROPIC_BASE_URL="http://$HOST" geak-gen -m anthropic:ok three
refused "refused the key in GEAK_API_KEY" "a wrong key at a URL" \
	env GEAK_API_KEY=$bad_key geak-gen -m "$URL#ok" three
refused "set OPENAI_API_KEY$" "no key" geak-gen -n 3 -m openai:ok three
refused "set ANTHROPIC_API_KEY$" "no key for Anthropic's" geak-gen -m anthropic:ok three
refused "the key in GEAK_API_KEY holds a blank" "a key with a line's end in it" \
	env GEAK_API_KEY="abc
def" geak-gen -m "$URL#ok" three
refused "cannot be reached: .*check that it runs" "a server that is not there" \
	geak-gen -m http://127.0.0.1:1/v1#x three
like "$(cat err)" "^geak-gen: 127.0.0.1:1: " "names the host"
refused "cannot be reached: .*resolve" "a host that is not there" \
	geak-gen -m http://nowhere.invalid/v1#x three
refused "no such model or address .*nosuch" "a model that is not there" geak-gen -m "$URL#nosuch" three
refused "no such model or address .*Not Found" "a path that is not there" \
	geak-gen -m "http://$HOST/v2#ok" three
refused "no credit left .*exceeded your quota" "an empty account" geak-gen -m "$URL#quota" three
refused "no credit left .*credit balance is too low" "in other words" geak-gen -m "$URL#credit" three
: >"$stub_log"
refused "redirects elsewhere" "a redirect" env GEAK_API_KEY=$KEY geak-gen -j 1 -m "$URL#redirect" three
is "$(wc -l <"$stub_log")" 1 "is not followed, and nobody else is asked"

# -- a key stays where it belongs
exits 0 "a server that sends the key back" env GEAK_API_KEY=$KEY geak-gen -m "$URL#key" one
unlike "$(cat out err)" "$KEY" "does not get it into a record"
exits 1 "one that sends it in an error" env GEAK_API_KEY=$KEY geak-gen -m "$URL#status-400" one
unlike "$(cat out err)" "$KEY" "does not get it into an error"
like "$(cat out)" "\*\*\*\*" "but stars"
for where in refusal event reason twice; do
	GEAK_API_KEY=$KEY geak-gen -m "$URL#escapes-$where" one >out 2>err
	like "$(cat out)" "xxxxxxxxxx" "one that escapes it, and where it is cut: $where"
	unlike "$(cat out err)" "k-te" "does not get a part of it into a record"
done
GEAK_API_KEY=$KEY geak-gen -m "$URL#slow-1" one >out 2>err &
gen=$!
sleep 0.3
unlike "$(tr '\0' ' ' </proc/$gen/cmdline)" "$KEY" "nor into an argument list"
wait $gen
is "$(GEAK_API_KEY=$KEY geak-gen -m "$URL#ok" --show-prompt one | grep -c "$KEY")" 0 "nor into a prompt"
for url in "http://me:secret@$HOST/v1#ok" "$URL?key=secret#ok"; do
	exits 64 "a URL with a secret in it" geak-gen -m "$url" one
	unlike "$(cat out err)" "secret" "which is not repeated"
	like "$(cat err)" "a key belongs in the environment" "is refused"
done
exits 64 "a URL that is none" geak-gen -m "http://#x" one
like "$(cat err)" "the model's URL: not a URL that can be asked" "is said"
exits 0 "a proxy is not asked about loopback" env http_proxy=http://127.0.0.1:1 geak-gen -m "$URL#ok" one

done_testing
