#!/bin/bash
# geak-top: which candidates stay, in which order, and what is said of the others.
. "$(dirname "$0")/../tap.sh"

c() { # c ID TASK ROUND EVAL: a candidate
	printf '{"geak":"candidate/1","id":"%s","task":{"geak":"task/1","id":"%s"},"round":%s,"x":1.50,"eval":%s}\n' "$@"
}
pass='{"status":"pass"}' fail='{"status":"call_error"}'
fast() { printf '{"status":"pass","perf":{"speedup":%s}}' "$1"; }
ids() { jq -r 'select(.geak == "candidate/1") | .id' | xargs; }

{
	c s1 softmax 0 "$fail"; c f1 flip 0 "$(fast 1.5)"; c s2 softmax 0 "$(fast 0.9)"
	c f2 flip 1 "$(fast 2.5)"; c s3 softmax 1 "$(fast 1.1)"; c m1 matmul 0 "$fail"
} > run.jsonl

exits 0 "runs" geak-top run.jsonl
is "$(ids <out)" "s3 f2" "the best of each task, tasks in the order in which they came"
is "$(cat err)" "geak-top: task matmul: no candidate of 1 passed (-a ranks the others as well)" \
	"a task with nothing to show gets one line"
is "$(geak-top -k2 run.jsonl 2>/dev/null | ids)" "s3 s2 f2 f1" "-k: best first"
is "$(geak-top --best=9 -a run.jsonl 2>/dev/null | ids)" "s3 s2 s1 f2 f1 m1" \
	"-a: failed ones after passing ones"
is "$(geak-top -a run.jsonl 2>&1 >/dev/null)" "" "-a: then there is nothing to complain about"
is "$(geak-top < run.jsonl 2>/dev/null | ids)" "s3 f2" "reads standard input"
is "$(head -n2 run.jsonl | geak-top -k9 - <(tail -n +3 run.jsonl) 2>/dev/null | ids)" "s3 s2 f2 f1" \
	"several files and -"
is "$(geak-top run.jsonl 2>/dev/null | head -n1)" "$(sed -n 5p run.jsonl)" "a record comes out as it went in"
is "$(tac run.jsonl | geak-top -k9 -a 2>/dev/null | ids)" "m1 s3 s2 s1 f2 f1" \
	"the order of candidates does not matter"

# The same candidate again
{ c a t 0 "$(fast 2)"; c b t 0 "$(fast 1.5)"; c a t 0 "$(fast 1)"; } > again.jsonl
is "$(geak-top -k9 again.jsonl | jq -c '[.id,.eval.perf.speedup]' | xargs)" "[b,1.5] [a,1]" \
	"of two records with one id the later one counts"
{ c a t 0 "$pass"; c a t 0 null; } > unjudged.jsonl
is "$(geak-top unjudged.jsonl | jq -c .eval)" "$pass" "but a judged one is not replaced by one that was not judged"
{ c a t 0 "$(fast 2)"; c a u 0 "$(fast 3)"; c a t 0 "$(fast 1)"; } > two.jsonl
is "$(geak-top two.jsonl 2>&1 | jq -c '[.task.id,.eval.perf.speedup]' | xargs)" "[t,1] [u,3]" \
	"the candidate of another task with the same id is another one"
{ c z t 0 "$(fast -9)"; c b t 0 "$pass"; c d t 0 "$(fast 0.1)"; } > odd.jsonl
is "$(geak-top -k9 odd.jsonl | ids)" "d b z" "a speedup that cannot be is none"
c a t 0 null > never.jsonl
is "$(geak-top never.jsonl 2>&1)" \
	"geak-top: task t: no candidate of 1 was judged; run geak-eval first" "candidates that nobody judged"

# What else is on the way
{
	echo '{"geak":"error/1","reason":"earlier"}'; c a t 0 "$pass"; echo '{ "geak":"task/1","id":"t" }'
	echo '{"geak":"mine/3"}'; echo '{"geak":"summary/1"}'
} > mixed.jsonl
is "$(geak-top mixed.jsonl | sed -n '1p;2p;3p;4p')" "$(grep -v candidate mixed.jsonl)" "other kinds pass byte for byte"
exits 0 "errors of others are no failure of ours" geak-top mixed.jsonl

{ echo '{"geak":"candidate/1","id":"a"}'; echo '{"geak":"candidate/1","task":{"id":"t"}}'; c b t 0 "$pass"; echo '{'; } > bad.jsonl
exits 1 "bad records: exit 1" geak-top bad.jsonl
is "$(ids <out)" "b" "the good one is still ranked"
is "$(jq -r 'select(.geak == "error/1") | .reason' out)" 'the candidate cannot be ranked: it has no task with an "id"
the candidate cannot be ranked: it has no "id"
not valid JSON: the text ends early at byte 2' "what is wrong with each is told"
is "$(wc -l <err)" 3 "on standard error too"

exits 0 "nothing in, nothing out" geak-top /dev/null
is "$(cat out err)" "" "and nothing said"
exits 64 "-k 0 is refused" geak-top -k 0 run.jsonl
like "$(cat err)" "geak-top: --best takes a whole number from 1 to 1000000000, not '0'" "with a sentence"
TMPDIR=/nonexistent exits 74 "no place for the temporary file" geak-top run.jsonl
like "$(cat err)" "^geak-top: the temporary file /nonexistent/geak-...... cannot be made; set TMPDIR: No such file" "with a sentence"

# Many: memory does not grow with the records
for i in $(seq 40); do c "big$i" t 0 "$(fast "$i")" | jq -c '.source = ("x" * 2000000)'; done > big.jsonl
if [ "$BUILD" = asan ]; then limit=unlimited; else limit=70000; fi
(ulimit -v $limit; geak-top -k2 big.jsonl) | ids > out
is "$(cat out)" "big40 big39" "80 MB of candidates under a limit of memory"
done_testing
