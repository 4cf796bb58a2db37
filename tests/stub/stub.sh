# shellcheck shell=bash disable=SC2034
# For command tests that need a model's service; source it after tap.sh.
# Starts tests/stub/model_server.py and ends it with the test.
#   $URL      the base URL of its OpenAI route, for -m "$URL#MODEL"
#   $HOST     its host and port
#   stub_log  a file with a JSON line for each request
stub_log=$WORK/stub.log
: >"$stub_log"
mkfifo stub.port
"$PYTHON" "$ROOT/tests/stub/model_server.py" "$stub_log" >stub.port &
STUB_PID=$!
cleanup "kill $STUB_PID 2>/dev/null; wait $STUB_PID 2>/dev/null"
read -r STUB_PORT <stub.port || { echo "Bail out! the stub server did not start"; exit 1; }
HOST=127.0.0.1:$STUB_PORT
URL=http://$HOST/v1
KEY=sk-test-0123456789abcdef # the one that the stub accepts

# task ID...: small task records
task() {
	local id
	for id; do
		printf '{"geak":"task/1","id":"%s","title":"%s","prompt":"Reverse.","language":"triton","entry":"flip","harness":"function","reference":"def inputs(p, gen): pass\\ndef reference(x): return x.flip(0)\\n","cases":[{"name":"a","kind":"check","params":{}}]}\n' "$id" "$id"
	done
}
