#!/bin/bash
# geak-eval --cache: what was judged once is not judged again, and the records are the same.
# slow: it has deadlines that a sanitized judge on a busy machine does not keep
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/judge.sh"
export TMPDIR=$WORK/tmp; mkdir "$TMPDIR"
judge() { geak-eval -q -t gfx942 --cache=v.db "$@"; }
seeds() { jq -r .eval.seed | tr '\n' ' '; } # each judging draws a secret one: the same seed is the same judging

{
	kernel | candidate good
	kernel | sed 's/v + 1.0/v + 1.5/' | candidate wrong
	kernel | sed 's/torch.empty_like/torch.empty_as/' | candidate call_error
	echo 'def plus_one(x): return x + 1' | candidate no_kernel
} >in.jsonl
exits 0 'a first run' judge in.jsonl
is "$(cat err)" '' 'says nothing'
cp out first.jsonl
is "$(jq -r .eval.status first.jsonl | xargs)" 'pass wrong_answer call_error no_kernel' 'judges'
is "$(ls v.db*)" v.db 'and leaves one file'
exits 0 'a second run' judge in.jsonl
ok "$(cmp -s first.jsonl out; echo $?)" 'gives the same records, byte for byte'

is "$(TMPDIR=/nowhere judge in.jsonl | cmp first.jsonl)" '' 'and starts nothing that would need a scratch folder'

# a hit does not depend on what else the record says, a miss on whatever the verdict does
is "$(jq -c '.id = "other" | .round = 7 | .origin = {}' in.jsonl | judge | seeds)" "$(seeds <first.jsonl)" \
	'id, round and origin are no part of the question'
{
	head -n 1 in.jsonl | jq -c '.source += "# more\n"'
	head -n 1 in.jsonl | jq -c '.task.tolerance.atol = 1e-5'
} >others.jsonl
is "$(judge others.jsonl | jq -r .eval.status | xargs)" 'pass pass' 'another source and another task'
is "$(judge others.jsonl | seeds | xargs -n 1 | grep -cFxf <(seeds <first.jsonl | xargs -n 1))" 0 'are judged'
mkdir -p data/lib; cp -r "$ROOT/lib/harness" data/lib/; echo '# another' >>data/lib/harness/geak_harness/wire.py
printf '' | candidate empty >empty.jsonl # it has a key as all have, and no process is started for it
key() { geak-eval -q "$@" empty.jsonl | jq -r .eval.key; }
{
	key; key -T 50; key --memory=3000; key -t gfx942; key -t gfx90a; key -t gfx90a,gfx942; key --seed=5
	TRITON_PTXAS_PATH=/opt/ptxas key; GEAK_DATADIR=$WORK/data key
} >keys
is "$(sort -u keys | wc -l) $(wc -l <keys)" '9 9' 'timeout, memory, targets, seed, ptxas, harness: each is another question'
is "$(key -j 1 --unordered)" "$(head -n 1 keys)" 'how many at once is not'
head -n 1 in.jsonl >one.jsonl
judge --force one.jsonl >forced
isnt() { ok "$([ "$1" != "$2" ]; echo $?)" "$3"; }
isnt "$(seeds <forced)" "$(head -n 1 first.jsonl | seeds)" '--force judges'
is "$(judge one.jsonl | seeds)" "$(seeds <forced)" 'and what it finds is kept'
judge --save-objects=objects one.jsonl >objects.jsonl
like "$(ls objects)" gfx942.hsaco '--save-objects judges, for the objects'
geak-eval -q --seed=7 -t gfx942 -f one.jsonl >judged.jsonl
rm -r objects; geak-eval -q --seed=7 -t gfx942 --save-objects=objects judged.jsonl >objects.jsonl
like "$(ls objects)" gfx942.hsaco 'also what was judged before, without them'
is "$(judge one.jsonl | seeds)" "$(seeds <forced)" 'and is not kept, for it names their files'

# what a passing fault may have caused is not kept
{
	before 'time.sleep(1000)' | candidate hangs
	before 'os.kill(os.getpid(), 9)' | candidate killed
} >passing.jsonl
judge -T 8 passing.jsonl >once; judge -T 8 passing.jsonl >twice
is "$(jq -r .eval.status once | xargs)" 'timeout crash' 'a timeout, and a process that was killed'
is "$(seeds <once | tr ' ' '\n' | grep -cFxf <(seeds <twice | tr ' ' '\n'))" 0 'are judged each time'
jq -c '.eval.status = "sandbox_error"' first.jsonl >ours.jsonl
is "$(geak-eval -q -t gfx942 ours.jsonl | jq -r .eval.status | xargs)" 'pass wrong_answer call_error no_kernel' \
	'a failure of our own is no verdict, in a record either'

# several at once, on a file that is not there yet
for i in 1 2; do geak-eval -q -t gfx942 --cache=both.db in.jsonl >both.$i 2>err.$i & done
wait
is "$(cat err.1 err.2)" '' 'two processes at once'
is "$(jq -r .eval.status both.1 both.2 | sort | uniq -c | xargs)" \
	'2 call_error 2 no_kernel 2 pass 2 wrong_answer' 'get all their verdicts'
is "$(python3 -c 'import sqlite3
for sql in "PRAGMA integrity_check", "SELECT count(*) FROM entry":
    print(sqlite3.connect("both.db").execute(sql).fetchone()[0])' | xargs)" 'ok 4' 'and leave a sound file'

# a kill leaves what was judged
geak-eval -q -j 1 -t gfx942 --cache=killed.db in.jsonl >partial 2>/dev/null & keeper=$!
for _ in $(seq 600); do [ -s partial ] && break; sleep 0.1; done
kill -KILL $keeper; wait $keeper 2>/dev/null
exits 0 'after kill -9' geak-eval -q -t gfx942 --cache=killed.db in.jsonl
is "$(head -n 1 out | seeds)" "$(head -n 1 partial | seeds)" 'what had its verdict keeps it'
is "$(jq -r .eval.status out | xargs)" 'pass wrong_answer call_error no_kernel' 'and the rest gets its own'

# files that will not do are refused at once, and left as they are
refused() { # refused FILE PATTERN NAME
	exits 64 "$3" geak-eval -t gfx942 --cache="$1" in.jsonl
	like "$(cat err)" "^geak-eval: --cache: $2" 'is told so in a line' && is "$(wc -l <err)" 1 'and no more'
}
head -c 5000 /dev/urandom >noise; cp noise copy
refused noise 'noise was not made by geak' 'a file of another kind'
ok "$(cmp -s noise copy; echo $?)" 'which stays what it is'
python3 -c 'import sqlite3; sqlite3.connect("songs.db").execute("CREATE TABLE song (title TEXT)")'
refused songs.db 'songs.db was not made by geak' "another program's database"
refused . '. cannot be used' 'a folder'
refused missing/v.db 'missing/v.db cannot be used' 'a folder that is not there'
if [ "$(id -u)" -eq 0 ] && chmod 755 . && setpriv --reuid=65534 --regid=65534 --clear-groups \
	geak-eval --version >out 2>/dev/null; then
	chmod 644 v.db
	exits 64 'a file that may not be written' \
		setpriv --reuid=65534 --regid=65534 --clear-groups geak-eval -t gfx942 --cache=v.db in.jsonl
	like "$(cat err)" 'v.db cannot be used: .*readonly' 'is told so'
fi

# one that is damaged where it shows late costs a warning and no verdict
cp v.db late.db
python3 - <<'END'
data = bytearray(open("late.db", "rb").read())
at = data.index(b'"status":"wrong_answer"')
data[at + 10:at + 22] = b"right_answer"
open("late.db", "wb").write(data)
END
exits 0 'a damaged entry' geak-eval -q -t gfx942 --cache=late.db in.jsonl
like "$(cat err)" '^geak-eval: --cache: late.db is damaged: .*; going on without it$' 'is reported'
is "$(jq -r .eval.status out | xargs)" 'pass wrong_answer call_error no_kernel' 'and not believed'
cp v.db cut.db; truncate -s 8192 cut.db
refused cut.db 'cut.db is damaged; delete it' 'half a file'
is "$(ls "$TMPDIR")" '' 'no scratch folder is left'
done_testing
