#!/bin/bash
# Any process of geak-eval is killed at any moment, a hundred times, and no verdict is lost or wrong.
# slow: a hundred kills, and what was killed starts again
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/judge.sh"
export TMPDIR=$WORK/tmp; mkdir "$TMPDIR"
SEED=${GEAK_TEST_SEED:-1} # of the choice of victims and moments
echo "# GEAK_TEST_SEED=$SEED"
RANDOM=$SEED
judge=(geak-eval -q --unordered -j 2 -T 20 --memory=2048 -t gfx942)
odd() { jq -r 'select(.eval.status != .origin.expect) | "\(.id): \(.eval.status), \(.eval.error.message)"' "$@"; }
nothing_left() { # nothing_left NAME
	for _ in $(seq 300); do [ -z "$(ours)$(ls "$TMPDIR")" ] && break; sleep 0.1; done
	is "$(ours)$(ls "$TMPDIR")" '' "$1"
}

# -- one kill costs one try, however late those die that go with it
{
	kernel | candidate first
	{ kernel; echo 'if "TRITON_INTERPRET" not in os.environ: time.sleep(3) # in its front end'; } | candidate second
} >two.jsonl
for again in '' again; do
	: >out
	geak-eval -q -j 1 -t gfx942 two.jsonl >out & keeper=$!
	python3 "$ROOT/tests/helper/linger.py" $keeper out $again
	traced=$?
	wait $keeper
	if [ $traced -eq 77 ]; then
		echo '# no process can be traced here'
	elif [ "$again" ]; then
		is "$traced $(jq -r .eval.error.message out | tail -n 1)" \
			"0 a process of the judge's own was killed, twice; is there memory enough?" 'two kills cost both'
	else
		is "$traced $(jq -r .eval.status out | xargs)" '0 pass pass' \
			'a builder that is dead before it looks so is not taken for a second try'
	fi
done

# Candidates of every kind; a hanging one would only wait.
python3 "$ROOT/tests/bench/mixed.py" 72 | jq -c 'select(.origin.expect != "timeout")' >in.jsonl
n=$(wc -l <in.jsonl)

# -- all but the keeper: what was lost is judged again
: >kills
run=0
while [ "$(wc -l <kills)" -lt 87 ] && [ $run -lt 40 ]; do
	run=$((run + 1))
	"${judge[@]}" in.jsonl >out 2>err & keeper=$!
	sleep 0.$((RANDOM % 10))
	python3 "$ROOT/tests/helper/killer.py" $keeper in.jsonl out /dev/null $RANDOM 1 zygote >>kills # while it starts
	python3 "$ROOT/tests/helper/killer.py" $keeper in.jsonl out turns $RANDOM $((86 - $(wc -l <kills))) \
		zygote any {holder,oracle,candidate,frontend,builder}{,,} >>kills
	[ $run -ne 1 ] || python3 "$ROOT/tests/helper/killer.py" $keeper in.jsonl out /dev/null $RANDOM 1 sweeper >>kills
	wait $keeper
	is "$? $(wc -l <out)" "0 $n" "run $run: every candidate has a verdict" || sed 's/^/# /' err
	is "$(odd out)" '' 'the right one'
	nothing_left 'and nothing is left behind'
done
like "$(wc -l <kills)" '^(8[7-9]|9[0-9])$' "$(cut -d' ' -f1 kills | sort | uniq -c | xargs) were killed"
like "$(cut -d' ' -f1 kills | sort | uniq -c | awk '$1 >= 10 && !/any/' | wc -l)" '^[56]$' \
	'ten or more of each that come and go'

# -- the keeper: what was written is whole, and a rerun goes on from there
head -n 45 in.jsonl >some.jsonl
: >parts
kills=0
for kill in $(seq 12); do
	known=$(jq -r .id parts | sort -u | wc -l)
	wanted=$((known + RANDOM % 6)) moment=0.$((RANDOM % 10))
	: >part # before there is one to be seen: the last one's would be counted
	"${judge[@]}" --cache=v.db some.jsonl >part 2>err & keeper=$!
	until [ "$(wc -l <part)" -ge $wanted ] || ! kill -0 $keeper 2>/dev/null; do sleep 0.05; done
	sleep $moment
	kill -KILL $keeper 2>/dev/null && kills=$((kills + 1))
	wait $keeper 2>/dev/null
	is "$(tail -c 1 part | od -An -tx1 | tr -d ' ')$(jq -s 'length' part)" "$([ ! -s part ] || echo 0a)$(wc -l <part)" \
		"kill $kill of the keeper, with $(wc -l <part) verdicts: all lines are whole"
	nothing_left 'and nothing is left behind'
	cat part >>parts
done
"${judge[@]}" --cache=v.db some.jsonl >out
is "$? $(wc -l <out)" "0 45" "after $kills kills a rerun completes"
is "$(odd out)" '' 'all verdicts are right'
is "$(cat parts out | jq -r '"\(.id) \(.eval.seed)"' | sort -u | wc -l)" 45 'and nothing was judged twice'

# without a cache: what has its verdict is fed back with the rest
: >part
"${judge[@]}" some.jsonl >part 2>err & keeper=$!
until [ "$(wc -l <part)" -ge 5 ] || ! kill -0 $keeper 2>/dev/null; do sleep 0.05; done
kill -KILL $keeper
wait $keeper 2>/dev/null
nothing_left 'one kill more'
jq -r .id part >ids
jq -c --rawfile ids ids 'select(.id as $id | $ids | split("\n") | index($id) | not)' some.jsonl >rest
cat part rest | "${judge[@]}" >out
is "$? $(wc -l <out)" "0 45" 'what is left over is judged'
is "$(grep -cFxf part out)" "$(wc -l <part)" 'and what was judged stays as it is'
is "$(odd out)" '' 'with the right verdicts'
done_testing
