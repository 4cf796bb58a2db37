#!/bin/bash
# What replies cost, and a run that stops before it has spent more than it may.
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/stub/stub.sh"
task flip >one
asked() { wc -l <"$stub_log"; }
prices() { jq -n "{models: [$1]}" >prices; }
cost() { jq -c .origin.cost_usd out | sort -u | xargs; }
# In millionths: one jq prints 0.000018, another 1.8e-05.
small() { awk -v cost="$(cost)" 'BEGIN { printf "%.3g", cost * 1e6 }'; }

# -- the price of a reply: 11 tokens in, 7 out
prices "{model: \"$URL#ok\", input: 2, output: 10}, {model: \"$URL#*\", input: 1, output: 1}"
exits 0 'a reply' geak-gen --prices=prices -m "$URL#ok" one
is "$(small)" 92 'has the price that is listed for its model'
exits 0 'another' geak-gen --prices=prices -m "$URL#slow-0" one
is "$(small)" 18 'that of its kind'
prices "{model: \"$URL#ok\", input: 1, output: 0},
	{model: \"$URL#ok\", since: \"2020-01-01\", input: 2, output: 0},
	{model: \"$URL#ok\", since: \"2999-01-01\", input: 3, output: 0}"
geak-gen --prices=prices -m "$URL#ok" one >out
is "$(small)" 22 'that of today'
exits 0 'a model that nobody lists' geak-gen -m "$URL#ok" one
is "$(cost)" null 'costs nobody knows what'
geak-gen --prices=prices -m "$URL#cached" one >out
is "$(jq -c .origin.usage out)" '{"prompt_tokens":11,"cached_tokens":8,"completion_tokens":7}' 'a service that tells of its cache'
prices "{model: \"$URL#cached\", input: 100, cached_input: 10, output: 0}"
geak-gen --prices=prices -m "$URL#cached" one >out
is "$(cost)" 0.00038 'has a price for what was there'
prices '{model: "anthropic:*", input: 100, cached_input: 10, output: 0}'
ANTHROPIC_API_KEY=$KEY ANTHROPIC_BASE_URL="http://$HOST" geak-gen --prices=prices -m anthropic:cached one >out
is "$(jq -c .origin.usage.prompt_tokens out) $(cost)" '23 0.00158' 'and one that counts it apart'

# -- the budget
dear() { prices "{model: \"$1\", input: 0, output: 100000}"; } # 0.7 a reply, 1 at most
dear "$URL#ok"
before=$(asked)
exits 75 'ten replies for two dollars' geak-gen --prices=prices --budget=2 --max-tokens 10 -n 10 -j 4 -m "$URL#ok" one
is "$(($(asked) - before))" 2 'are two'
is "$(jq -r .geak out | xargs) $(cost)" 'candidate/1 candidate/1 error/1 0.7 null' 'and an error for the rest'
is "$(cat err)" 'geak-gen: the budget of $2.00 does not last for another reply: $1.4000 are spent, and one more may cost $1.0000; raise --budget' \
	'says what was spent'
before=$(asked)
exits 0 'what is kept costs nothing' env GEAK_CACHE=use XDG_CACHE_HOME="$WORK" geak-gen --prices=prices --budget=2 --max-tokens 10 -n 2 -m "$URL#ok" one
exits 75 'so that a rerun' env GEAK_CACHE=use XDG_CACHE_HOME="$WORK" geak-gen --prices=prices --budget=2 --max-tokens 10 -n 6 -m "$URL#ok" one
is "$(($(asked) - before)) $(jq -r .geak out | grep -c candidate)" '4 4' 'goes on where the last one stopped'
dear "$URL#status-400"
exits 1 'what fails' geak-gen --prices=prices --budget=2 --max-tokens 10 -n 4 -m "$URL#status-400" one
is "$(jq -r .geak out | xargs)" 'error/1 error/1 error/1 error/1' 'is no cost that anybody told'

# -- calls that cannot be
exits 64 'no price, no budget' geak-gen --budget=2 -m "$URL#ok" one
like "$(cat err)" "^geak-gen: --budget: the price of $URL#ok is not known; list it in a file" 'says what to do'
for bad in '' '{"models":1}' '{"models":[{"model":"x","input":1}]}' '{"models":[{"input":1,"output":1}]}' '{"models":[{"model":"x","input":-1,"output":1}]}'; do
	echo "$bad" >prices
	exits 64 "prices: '$bad'" geak-gen --prices=prices -m "$URL#ok" one
	is "$(wc -l <err) $(grep -c '^geak-gen: the prices in prices: ' err)" '1 1' 'are none'
done
exits 64 'no such file' geak-gen --prices=nowhere -m "$URL#ok" one

# -- our own list
is "$(jq -r '.models[] | select((.input > 0 and .cached_input <= .input and .output >= .input and (.checked | test("^20..-..-..$")) and (.source | test("^https://"))) | not).model' "$ROOT/prompts/prices.json")" '' \
	'each price has a source and a date'
done_testing
