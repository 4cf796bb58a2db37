#!/bin/bash
# Replies that are kept: none is paid for twice, and none is taken for another's.
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/stub/stub.sh"
unset GEAK_CACHE
export XDG_CACHE_HOME=$WORK/cache HOME=$WORK/home
mkdir "$HOME"
task flip >one
task a b c >three
asked() { wc -l <"$stub_log"; }
costs() { # costs REQUESTS NAME COMMAND...: it succeeds, and asks that often
	local before want=$1 name=$2; before=$(asked); shift 2
	"$@" >out 2>err || sed 's/^/# /' err
	is "$(($(asked) - before))" "$want" "$name"
}

# -- what was asked once
costs 3 'three are asked' geak-gen -n 3 -m "$URL#ok" one
cp out first
costs 0 'and not again' geak-gen -n 3 -m "$URL#ok" one
is "$(cmp out first)$(cat err)" '' 'the records are the same'
is "$(jq -r '.origin | .usage.completion_tokens, (.latency_s > 0)' out | sort | uniq -c | xargs)" '3 7 3 true' 'with what they took'
costs 2 'of five samples, the two more' geak-gen -n 5 -m "$URL#ok" one
is "$(head -n 3 out | cmp - first)" '' 'come after the same three'
costs 0 'a stream is only another way to send it' geak-gen --stream -m "$URL#ok" one
costs 0 'as many at once are no other question' geak-gen -j 1 -m "$URL#ok" one
like "$(ls -l "$XDG_CACHE_HOME" | tail -n 1)" '^drwx------.* geak$' 'its folder is the user'"'"'s alone'

costs 1 'an empty reply' geak-gen -m "$URL#empty" one
costs 0 'is a reply' geak-gen -m "$URL#empty" one

# -- what is another question
costs 1 'another model' geak-gen -m "$URL#later" one
costs 1 'another temperature' geak-gen -t 0.5 -m "$URL#ok" one
costs 1 'another limit' geak-gen --max-tokens 9 -m "$URL#ok" one
costs 1 'another prompt' geak-gen --target mi355x -m "$URL#ok" one
costs 3 'other tasks' geak-gen -m "$URL#ok" three
costs 1 'another service of the same name' env ANTHROPIC_API_KEY=$KEY ANTHROPIC_BASE_URL="http://$HOST" geak-gen -m anthropic:ok one
costs 0 'whatever its key' env ANTHROPIC_API_KEY=sk-other-0123456789 ANTHROPIC_BASE_URL="http://$HOST" geak-gen -m anthropic:ok one

# -- what is not kept
costs 1 'a failure' geak-gen -m "$URL#badutf8" one
costs 1 'is asked again' geak-gen -m "$URL#badutf8" one

# -- --cache
costs 1 'off: asked' geak-gen --cache=off -m "$URL#ok" one
costs 1 'off by GEAK_CACHE' env GEAK_CACHE=off geak-gen -m "$URL#ok" one
costs 0 'the option has the last word' env GEAK_CACHE=off geak-gen --cache=use -m "$URL#ok" one
exits 1 'only: what is not kept' geak-gen --cache=only -n 6 -m "$URL#ok" one
is "$(jq -r 'if .geak == "error/1" then .reason else .origin.sample end' out)" \
	"$(seq 0 4; echo 'no reply to this is kept, and --cache=only has nobody asked')" 'is an error, after what is'
exits 0 'only, without a key' env ANTHROPIC_BASE_URL="http://$HOST" geak-gen --cache=only -m anthropic:ok one
exits 64 'another word' geak-gen --cache=maybe -m "$URL#ok" one
like "$(cat err)" "takes off, use or only, not 'maybe'" 'is refused'
exits 64 'or in GEAK_CACHE' env GEAK_CACHE=maybe geak-gen -m "$URL#ok" one
like "$(head -n 1 err)" "^geak-gen: GEAK_CACHE is off, use or only, not 'maybe'$" 'likewise'
exits 0 'which --cache overrules' env GEAK_CACHE=maybe geak-gen --cache=off -m "$URL#ok" one
exits 0 'and which hides no help' env GEAK_CACHE=maybe geak-gen --help
exits 0 'a file of its own' geak-gen --cache-file=mine.db -m "$URL#ok" one
is "$(sqlite3 mine.db 'SELECT count(*) FROM entry' 2>/dev/null || "$PYTHON" -c 'import sqlite3; print(sqlite3.connect("mine.db").execute("SELECT count(*) FROM entry").fetchone()[0])')" 1 'holds the reply'

# -- programs and recordings
runs() { wc -l <runs; }
: >runs
geak-gen -m 'exec:echo >>runs; echo "def flip(x): ..."' one >out 2>err
geak-gen -m 'exec:echo >>runs; echo "def flip(x): ..."' one >out 2>err
is "$(runs)" 2 'a command is run each time'
geak-gen --cache=use -m 'exec:echo >>runs; echo "def flip(x): ..."' one >out 2>err
geak-gen --cache=use -m 'exec:echo >>runs; echo "def flip(x): ..."' one >out 2>err
is "$(runs)" 3 'unless it is said'
echo '{"task":"flip","text":"def flip(x): 1"}' >recorded
geak-gen --cache=use -m replay:recorded one >out
echo '{"task":"flip","text":"def flip(x): 2"}' >recorded
geak-gen --cache=use -m replay:recorded one >out
is "$(jq -r .source out)" 'def flip(x): 2' 'a recording is what it says now'

# -- what failed is tried again, and nothing else
cat >model <<'SCRIPT'
#!/bin/sh
echo "$GEAK_TASK$GEAK_SAMPLE" >>tried
case $GEAK_SAMPLE in 1|2) [ -e well ] || exit 3; esac
echo "def flip(x): return $GEAK_SAMPLE"
SCRIPT
chmod +x model
samples() { jq -r '.task.id // .record.id, .origin.sample // .samples[]' out | xargs; }
gen=(geak-gen --cache=use -m exec:./model)
task b | cat one - >two
exits 1 'a model that fails' "${gen[@]}" -n 3 two
cp out failed
is "$(jq -c 'select(.geak == "error/1") | [.record.id, .samples]' out | xargs)" '[flip,[1]] [flip,[2]] [b,[1]] [b,[2]]' 'an error/1 tells which sample'
exits 1 'asked again while it still fails' "${gen[@]}" failed
is "$(samples)" 'flip 0 flip 1 flip 2 b 0 b 1 b 2' 'the errors are about the same samples'
cp out failed
touch well; : >tried
exits 0 'and when it is well' "${gen[@]}" failed
is "$(samples) / $(sort tried | xargs)" 'flip 0 flip 1 flip 2 b 0 b 1 b 2 / b1 b2 flip1 flip2' 'it is asked for those alone, each in its place'
is "$(jq -r .id out | sort -u | wc -l)" 6 'which are six candidates'
cp out again
exits 0 'the whole call once more' "${gen[@]}" -n 3 two
is "$(jq -c 'del(.origin.latency_s)' out | cmp - <(jq -c 'del(.origin.latency_s)' again))" '' 'gives the same'
exits 0 'the errors alone' "${gen[@]}" <(jq -c 'select(.geak == "error/1")' failed)
is "$(jq -r .origin.sample out | xargs)" '1 2 1 2' 'give what they lacked'
ANTHROPIC_API_KEY=bad ANTHROPIC_BASE_URL="http://$HOST" geak-gen -n 3 -m anthropic:ok three >out 2>err
is "$? $(jq -c '[.record.id, .samples]' out | xargs)" '69 [a,[0,1,2]] [b,[0,1,2]] [c,[0,1,2]]' 'a service that refuses: one error/1 a task names all its samples'
mv out refused
exits 0 'and they are asked' geak-gen -m "$URL#ok" refused
is "$(jq -r '.task.id + (.origin.sample | tostring)' out | xargs)" 'a0 a1 a2 b0 b1 b2 c0 c1 c2' 'all of them'
jq -c '.samples = ["x"]' failed | tail -n 1 >odd
exits 0 'samples that are none' "${gen[@]}" -n 2 odd
is "$(jq -r .origin.sample out | xargs)" '0 1' 'are asked for as of a task'
printf '%s\n' '{"geak":"error/1","tool":"geak-gen","reason":"r","text":"{","bytes":1}' \
	'{ "geak":"error/1","tool":"geak-eval","reason":"r","record":{"geak":"task/1"}}' >other
exits 0 'errors of others, and of lines' "${gen[@]}" other
is "$(cmp out other)" '' 'go through as they are'

# -- files that cannot be
exits 0 'no place for it' env -u XDG_CACHE_HOME HOME=/proc geak-gen -m "$URL#ok" one
is "$(grep -c . err) $(grep -c '^geak-gen: replies are not kept: /proc/.cache cannot be made: ' err)" '1 1' 'is said, and no reason not to ask'
exits 0 'nor has somebody without a home' env -u XDG_CACHE_HOME -u HOME geak-gen -m "$URL#ok" one
is "$(cat err)" 'geak-gen: replies are not kept: neither XDG_CACHE_HOME nor HOME is set' 'one'
exits 64 'one that was named' geak-gen --cache-file=/nowhere/x.db -m "$URL#ok" one
like "$(cat err)" 'the cache of replies: /nowhere/x.db cannot be used' 'must be one'
echo "no database, but a letter of some length" >letter
exits 64 'a file that is something else' geak-gen --cache-file=letter -m "$URL#ok" one
is "$(cat letter)" 'no database, but a letter of some length' 'is left alone'
"$PYTHON" - "$XDG_CACHE_HOME/geak/replies.db" <<'EOF'
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as db:
    db.execute("UPDATE entry SET value = CAST('{}' AS BLOB)")
EOF
costs 1 'an entry that is not what was kept' geak-gen -m "$URL#ok" one
like "$(cat err)" 'replies are not kept any more: .*replies.db is damaged' 'is said, and asked for again'
rm -r "$XDG_CACHE_HOME"

# -- killed at any moment
entries() {
	"$PYTHON" -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM entry").fetchone()[0])' \
		"$XDG_CACHE_HOME/geak/replies.db" 2>/dev/null || echo 0
}
kills=0 lost=0
for pause in 0.1 0.2 0.35 0.5 0.6 0.7; do
	geak-gen -n 60 -j 4 -m "$URL#slow-0.05" one >out 2>err & pid=$!
	sleep $pause
	kill -KILL $pid 2>/dev/null && kills=$((kills + 1))
	wait $pid 2>/dev/null
	sleep 0.3 # what was under way ends
	[ "$(entries)" -ge "$(wc -l <out)" ] || lost=$((lost + 1))
done
is "$((kills > 2)) $lost" '1 0' "$kills kills: what was written is kept"
kept=$(entries)
costs $((60 - kept)) "of 60 replies the $kept that had arrived are not asked for again" geak-gen -n 60 -j 4 -m "$URL#slow-0.05" one
is "$(wc -l <out)" 60 'and all are there'

# -- side by side
task $(seq -f t%g 24) >many
split -n r/6 many part.
costs 24 'six processes, one file' xargs -P 6 -n 1 geak-gen -q -m "$URL#slow-0.02" < <(ls part.*)
is "$(cat err)$(jq -r .task.id out | sort | cmp - <(jq -r .id many | sort))" '' 'do their work'
costs 0 'all of it is kept' geak-gen -m "$URL#slow-0.02" many
done_testing
