#!/bin/bash
# Streams: what is shown while they arrive, and those that come to a stop.
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/stub/stub.sh"
task flip >one
asked() { jq -r .body.model "$stub_log" | grep -c "^$1"; }
seconds() { echo $((($(date +%s%N) - begin) / 1000000000)); }

begin=$(date +%s%N)
exits 0 "one that stops twice, then well" geak-gen --stream --stall 0.4 -m "$URL#stall-30-2" one
is "$(asked stall-30-2) $(jq -r .origin.finish_reason out)" "3 stop" "is asked for three times"
is "$(($(seconds) < 10))" 1 "as soon as it has stopped"
exits 1 "one that stops each time" geak-gen --stream --stall 0.3 -m "$URL#stall-31" one
like "$(jq -r .reason out)" "^$HOST: the stream of the reply came to a stop: nothing for 0.3 s, also after further tries; --stall gives it more time$" \
	"is an error in the end"
is "$(asked stall-31)" 4 "after three more tries"
begin=$(date +%s%N)
exits 0 "one among others" geak-gen --stream --stall 0.4 -j 4 -n 4 -m "$URL#stall-32-1" one
is "$(jq -r .origin.sample out | xargs) $(($(seconds) < 10))" "0 1 2 3 1" "does not hold them up"

exits 0 "one that tells twice that it is overloaded" geak-gen --stream -m "$URL#flaky-overloaded" one
is "$(asked flaky-overloaded)" 3 "is asked for again"

# -- the honest ones
exits 0 "slow but steady" geak-gen --stream --stall 0.8 -m "$URL#drip-0.1" one
is "$(asked drip-0.1)" 1 "is waited for"
exits 0 "silent before it begins" geak-gen --stream --stall 0.3 -m "$URL#slow-1" one
is "$(asked slow-1)" 1 "thinks"
exits 0 "one that is not a stream" geak-gen --stall 0.3 -m "$URL#slow-1.2" one
is "$(asked slow-1.2)" 1 "takes its time"
exits 1 "one that never goes on" geak-gen --stream --timeout 1 -m "$URL#stall-33" one
like "$(jq -r .reason out)" "no reply within 1 s; --timeout" "has no more time than any other"

# -- progress
terminal() { "$PYTHON" "$ROOT/tests/helper/terminal.py" "$@" >shown; }
terminal geak-gen --stream -m "$URL#drip-0.2" one
is "$(jq -r .geak out)" candidate/1 "progress does no harm"
tokens=$(grep -o '[0-9]* tokens' shown | cut -d' ' -f1)
is "$(echo "$tokens" | sort -n | xargs)" "$(echo "$tokens" | xargs)" "it shows more and more tokens"
is "$(($(echo "$tokens" | uniq | wc -l) > 3))" 1 "as they arrive"
terminal geak-gen -q --stream -m "$URL#drip-0.1" one
is "$(cat shown)" "" "unless it shall not"
terminal geak-gen -m "$URL#slow-0.5" one
like "$(cat shown)" "0 replies \(0 were kept\), 1 questions open, 0 tokens" "without a stream there are none to see"
done_testing
