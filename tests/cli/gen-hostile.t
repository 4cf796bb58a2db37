#!/bin/bash
# geak-gen and a service as bad as they come: what its user reads, and that nothing is lost or
# paid for twice. GEAK_HOSTILE=N has the last part ask N questions (300 when it is not set).
. "$(dirname "$0")/../tap.sh"

server=$ROOT/tests/stub/hostile_server.py
KEY=sk-test-0123456789abcdef
questions() { # questions FIRST LAST: tasks that the server knows by their names
	seq -f 'question-%.0f' "$1" "$2" | jq -Rc '{geak: "task/1", id: ., title: ., prompt: "Reverse.",
		language: "triton", entry: "flip", harness: "function", cases: [{name: "a", kind: "check", params: {}}],
		reference: "def inputs(p, gen): pass\ndef reference(x): return x.flip(0)\n"}'
}

# Certificates of an authority of our own. certificate NAME ALTERNATIVE-NAME BEGIN END: NAME.pem
certificate() {
	openssl req -newkey rsa:2048 -nodes -keyout "$1.key" -subj "/CN=$1" -out "$1.csr" 2>/dev/null &&
		openssl ca -batch -notext -cert ca.crt -keyfile ca.key -config ca.conf -in "$1.csr" \
			-startdate "$3" -enddate "$4" -extfile <(echo "subjectAltName=$2") -out "$1.crt" 2>>ca.log &&
		cat "$1.key" "$1.crt" >"$1.pem"
}
printf '%s\n' '[ca]' default_ca=own '[own]' new_certs_dir=. database=issued rand_serial=yes \
	default_md=sha256 policy=any '[any]' commonName=supplied >ca.conf
: >issued
openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -subj /CN=authority -days 36500 2>/dev/null
certificate good IP:127.0.0.1 20200101000000Z 20991231000000Z
certificate expired IP:127.0.0.1 20200101000000Z 20200201000000Z
certificate other DNS:example.org 20200101000000Z 20991231000000Z

: >log
mkfifo ports
"$PYTHON" "$server" log good.pem expired.pem other.pem >ports & pid=$!
cleanup "kill $pid 2>/dev/null; wait $pid 2>/dev/null"
read -r port elsewhere good expired other <ports || { echo "Bail out! the server did not start"; exit 1; }
HOST=127.0.0.1:$port
URL=http://$HOST/v1

# -- one fault at a time: all are asked about at once, and each has a folder of its own
next=0
ask() { # ask NAME FAULT [OPTION...]: in the background
	local name=$1 model=$2; shift 2
	mkdir "$name"
	next=$((next + 1))
	questions $next $next >"$name/task"
	( begin=$(date +%s%N)
		GEAK_API_KEY=$KEY geak-gen --timeout 5 -m "$URL#$model" "$@" "$name/task" >"$name/out" 2>"$name/err"
		echo $? >"$name/status"
		echo $((($(date +%s%N) - begin) / 1000000)) >"$name/ms" ) &
	waited+=($!)
}
asked() { # asked NAME: how often
	grep -c "\"$(jq -r .id "$1/task")\"" log
}
fails() { # fails NAME STATUS TRIES PATTERN TITLE
	like "$(cat "$1/status") $(asked "$1") $(jq -r .geak "$1/out")" "^$2 $3 error/1$" "$5: one error/1"
	like "$(jq -r .reason "$1/out")" "^$HOST: $4" "with the reason"
	like "$(cat "$1/err")" "^geak-gen: .*$4" "which its user reads"
}
works() { # works NAME TRIES TITLE
	is "$(cat "$1/status" "$1/err") $(asked "$1") $(jq -r '.source | split("# ")[1]' "$1/out")" \
		"0 $2 $(jq -r .id "$1/task") é" "$3"
}
waited=()
ask seconds after=1:1
for form in date rfc850 asctime past; do ask $form after=$form:1; done
ask word after=soon:1
ask negative after=-5:1
ask ms after-ms=300:1
ask never after=99999999999
ask nine status=500:3
ask often status=500:4
ask html html=502
ask page html=200
for fault in half utf8 deep twice bom zipped empty short long long-open hangup garbage secret quiet \
	trickle endless pings headers continue extra; do
	ask $fault $fault
done
ask raw nul=raw
ask escaped nul=escaped
ask break break
ask bare bare:1
ask bare-ever bare
ask cut cut=300
ask end end=300
ask end-once end=300:1 --stream
ask cut-late cut=-5 --stream
ask reset reset=300:1 --stream
wait "${waited[@]}"

for form in seconds date rfc850 asctime; do
	works $form 2 "429 and Retry-After, $form"
	is "$(($(cat $form/ms) >= 900))" 1 "which is waited for"
done
for form in past word negative; do works $form 2 "429 and a Retry-After that is none ($form)"; done
works ms 2 "Retry-After-Ms counts before Retry-After"
# Newer versions of libcurl wait for six hours at most.
fails never 1 1 "the service answers with status 429 and asks to wait (1e\+11|21600) s, for which --timeout leaves no time: too many" \
	"told to come back in three thousand years"
works nine 4 "500 three times"
fails often 1 4 "the service answers with status 500: not now, also after further tries" "500 four times"
fails html 1 4 "the service answers with status 502: it sent an HTML page" "a proxy's page"
fails page 1 1 "the answer is an HTML page, not JSON; is the URL that of a model's service\?" "a page for an answer"
fails half 1 1 "the answer cannot be read: not valid JSON: a string without an end" "half a JSON"
fails utf8 1 1 "the answer cannot be read: .* not UTF-8" "invalid UTF-8"
fails raw 1 1 "the answer holds NUL bytes" "a NUL"
fails escaped 1 1 "the answer cannot be read: .*a NUL character" "a NUL in JSON's way"
fails deep 1 1 "the answer cannot be read: .*nested deeper" "a million brackets"
fails twice 1 1 "the answer cannot be read: .*text after the value" "two answers in one"
fails empty 1 4 "the answer is empty" "no answer in it"
works bom 1 "a byte order mark before the answer"
works zipped 1 "one that is compressed though nobody asked for that"
fails short 1 1 "the answer cannot be read: not valid JSON: a string without an end" "a Content-Length that is too short"
works long 1 "one that is too long: the reply is whole, and taken"
works long-open 1 "and when the connection stays open"
works extra 1 "what follows an answer"
fails hangup 1 4 "the connection broke before the reply was complete: Empty reply" "no answer at all"
fails break 1 4 "the connection broke before the reply was complete: it ended within the head" "half a head"
fails garbage 69 4 "what answers there does not speak HTTP; check -m" "another protocol"
fails bare-ever 69 4 "what answers there does not speak HTTP" "an answer without a head"
works bare 2 "once"
fails cut 1 4 "the connection broke before the reply was complete: transfer closed" "a cut stream"
fails end 1 4 "the stream of the reply broke off before its end" "one whose end nobody can tell"
works end-once 2 "that once"
works cut-late 1 "a stream that is cut after all that matters"
works reset 2 "a reset"
for fault in quiet trickle pings continue; do
	fails $fault 1 '[01]' "no reply within 5 s; --timeout gives it more time" "$fault"
	is "$(($(cat $fault/ms) < 9000))" 1 "in time"
done
fails endless 1 1 "the answer is larger than a reply may be" "a body without end"
fails headers 1 '[1-4]' "(the connection broke .*Too large response headers|no reply within)" "headers without end"
fails secret 1 1 "the service answers with status 400: \? bad key: bearer \*+$" "a key behind a NUL"

# -- a stream that is cut anywhere: after each of its bytes once, and then well
cuts() { # cuts MODEL FIRST LAST TITLE
	: >log
	questions "$2" "$3" >tasks
	exits 0 "$4, after each of its bytes" timeout 120 env ANTHROPIC_BASE_URL="http://$HOST" ANTHROPIC_API_KEY=$KEY \
		geak-gen --stream -j 100 --timeout 60 -m "$1=each:1" tasks
	is "$(jq -s 'map(select(.at)) | (map(.at[0]) | unique | length) == .[0].at[1]' log)" true "each of them"
	is "$("$PYTHON" "$ROOT/tests/stub/hostile_audit.py" log tasks out | grep -v requests)$(cat err)" "" \
		"is in the end one reply, paid for once"
}
cuts "$URL#cut" 1000 2199 "a chunked stream cut"
cuts "$URL#end" 3000 4199 "one without a length cut"
cuts anthropic:cut 20000 21399 "one in Anthropic's form cut"

# -- where the key goes
exits 69 "a redirect" env GEAK_API_KEY=$KEY geak-gen -m "$URL#redirect=307" <(questions 5000 5001)
like "$(cat err)" "^geak-gen: $HOST: the service redirects elsewhere \(status 307\), where the key will not be sent; give its final URL$" \
	"is what its user reads"
for status in 301 302 303 308; do
	GEAK_API_KEY=$KEY geak-gen -m "$URL#redirect=$status" <(questions 5002 5002) >out 2>err
done
is "$(grep -c elsewhere log)" 0 "to no other host anything is sent"
secure() { # secure PORT QUESTION [NAME=VALUE...]: asks it, and the next one, over TLS
	local port=$1 first=$2; shift 2
	env GEAK_API_KEY=$KEY "$@" geak-gen -m "https://127.0.0.1:$port/v1#ok" <(questions "$first" $((first + 1)))
}
refuses() { # refuses PATTERN NAME PORT QUESTION [NAME=VALUE...]
	local pattern=$1 name=$2; shift 2
	exits 69 "$name" secure "$@"
	like "$(cat err)" "^geak-gen: 127.0.0.1:$1: the service cannot be trusted, and was sent nothing: .*$pattern" "is told"
	is "$(jq -r '.geak + .record.id' out | xargs) $(grep -c "\"question-$2\"" log)" \
		"error/1question-$2 error/1question-$(($2 + 1)) 0" "nothing is sent"
}
exits 0 "a certificate of one's own authority" secure "$good" 6000 SSL_CERT_FILE=ca.crt
refuses "certificate has expired" "one that has expired" "$expired" 6010 SSL_CERT_FILE=ca.crt
refuses "does not match|no alternative certificate" "one of another host" "$other" 6020 SSL_CERT_FILE=ca.crt
refuses "belongs in the file that SSL_CERT_FILE names$" "one of an authority that nobody knows" "$good" 6030

# -- all of it at once, and again until each question has its reply
: >log
n=${GEAK_HOSTILE:-300}
questions 10000 $((9999 + n)) >tasks
outs=()
for round in $(seq 16); do
	way=()
	[ $((round % 2)) -eq 0 ] || way=(--stream)
	timeout $((90 + n / 20)) geak-gen --cache=use --cache-file=replies.db --timeout $((n > 1000 ? 10 : 8)) -j 128 \
		"${way[@]}" -m "$URL#mixed" tasks >"out$round" 2>>all.err
	status=$?
	outs+=("out$round")
	[ $status -eq 1 ] || break
done
is $status 0 "$n questions with all of that mixed: after $round runs each has its reply"
is "$(grep -vE '^geak-gen: tasks:[0-9]+: 127.0.0.1:[0-9]+: ' all.err)" "" "until then each that has none has its sentence"
is "$("$PYTHON" "$ROOT/tests/stub/hostile_audit.py" log tasks "${outs[@]}" | tee audit | grep -v requests)" "" \
	"no record is missing, no reply lost or paid for twice ($(tail -n 1 audit))"
done_testing
