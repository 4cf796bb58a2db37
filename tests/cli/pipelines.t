#!/bin/bash
# The loops: which rounds there are, what ends them, and that they go on where they were.
# A stand-in judges here, so that what is tested is the loop; demo.t has the real one.
. "$(dirname "$0")/../tap.sh"
P=$ROOT/pipelines

# The judge: "BUG" in a kernel is a wrong answer, and a shorter kernel has fewer registers.
# Round $HANG waits until somebody ends it.
cat >judge.jq <<'END'
if .geak == "candidate/1" and (has("eval") | not) then
  (.source | test("BUG")) as $bad
  | .eval = {status: (if $bad then "wrong_answer" else "pass" end),
             stage: (if $bad then "check" else "done" end), target: "gfx942"}
  | if $bad then .eval.error = {class: "Mismatch", message: "result: \(.source | length) are wrong"}
    else .eval.compile = [{target: "gfx942", kernel: "k", ok: true, vgpr: (.source | length),
                           spill: 0, occupancy: 8, mfma: 0}] end
else . end
END
cat >judge <<'END'
#!/bin/bash
while IFS= read -r line; do
	echo "$line" >>"$DIR/judged"
	if [ -n "${HANG:-}" ] && jq -e "(.eval | not) and .round == $HANG" <<<"$line" >/dev/null; then
		echo $$ >"$DIR/hangs"; sleep 600
	fi
	jq -c -f "$DIR/judge.jq" <<<"$line"
done
END
cat >gen <<'END'
#!/bin/bash
echo "$*" >>"$DIR/asked"
exec geak-gen "$@"
END
chmod +x judge gen
export DIR=$WORK GEAK_EVAL=$WORK/judge GEAK_GEN=$WORK/gen

reply() { # reply TASK TOOL ROUND SOURCE
	jq -nc --arg task "$1" --arg tool "geak-$2" --argjson round "$3" --arg s "$4" \
		'{task: $task, tool: $tool, round: $round, text: "Here:\n```python\n\($s)\n```\n"}'
}
{
	reply flip gen 0 'import triton # BUG'
	reply flip reflect 1 'import triton # a long first version that works'
	reply flip opt 2 'import triton # a shorter one'
	reply flip opt 3 'import triton # short'
	reply softmax gen 0 'import triton # works at once'
	reply softmax opt 1 'import triton # BUG in the child'
	reply softmax opt 1 'import triton # good'
	reply softmax opt 2 'import triton'
} >replies.jsonl
export GEAK_MODEL=replay:$WORK/replies.jsonl
best() { jq -r '"\(.task.id) \(.round) \(.source | ltrimstr("import triton") | rtrimstr("\n"))"' "$1" | sort; }

# -- what a user sees

for s in sequential parallel hybrid; do
	exits 0 "$s.sh -h" "$P/$s.sh" -h
	like "$(cat out)" "default: out/$s" "$s.sh -h names the folder"
	is "$(awk 'length > 80' out)" "" "in lines of at most 80 columns"
	mv out help
	exits 0 "$s.sh --help" "$P/$s.sh" --help
	cmp -s out help; ok $? "says the same"
done
exits 64 "an unknown option" "$P/hybrid.sh" -Z
is "$(cat err)" "hybrid.sh: -Z is no option; see hybrid.sh -h" "is named"
exits 64 "a long option" "$P/hybrid.sh" --width 3
is "$(cat err)" "hybrid.sh: --width is no option; see hybrid.sh -h" "is named whole"
exits 64 "an option without its value" "$P/hybrid.sh" -w
is "$(cat err)" "hybrid.sh: -w needs a value; see hybrid.sh -h" "is named"
exits 64 "a width of nothing" "$P/hybrid.sh" -w 0
is "$(cat err)" "hybrid.sh: -w takes a whole number, at least 1, not '0'" "is refused"
exits 64 "an unknown preset" "$P/hybrid.sh" -p fast
is "$(cat err)" "hybrid.sh: -p: there is no preset fast (compute-bound, memory-bound, control-flow)" "is refused"
exits 64 "no model" env -u GEAK_MODEL "$P/hybrid.sh"
is "$(cat err)" "hybrid.sh: no model: say which with -m or in GEAK_MODEL; see geak-gen(1)" "is said"
exits 64 "an option after a task" "$P/hybrid.sh" flip -o none
is "$(cat err)" "hybrid.sh: -o comes after a task; options go before" "is refused"
exits 64 "an unknown task" "$P/hybrid.sh" -o none flop
like "$(cat err)" "geak-task: .*flop" "is named by geak-task"
is "$(tail -n 1 err)" \
	"hybrid.sh: tasks.jsonl was not made: a stage refused what it was asked to do, as it says above" \
	"starting again is not advised"
is "$(ls none)" lock "and leaves the folder to another run"

# -- a run

exits 0 "sequential.sh" "$P/sequential.sh" -o seq -d 2 -n 1 -r 1 flip
is "$(tail -n 1 out)" seq/records.jsonl "the last line is the path of the records"
like "$(cat out)" "execution accuracy" "before it come the figures"
is "$(ls seq)" "$(printf '%s\n' best.jsonl kernels lock records.jsonl round-0{0,1,2}.jsonl run tasks.jsonl)" \
	"a file a round, and nothing half done"
is "$(jq -r .round seq/records.jsonl | xargs)" "0 1 2 3" "every candidate once"
is "$(best seq/best.jsonl)" "flip 3  # short" "failed, repaired, improved, improved"
like "$(cat out)" "^The best kernel of each task:  seq/kernels/" "the folder of the kernels is named"
is "$(cat seq/kernels/flip.py)" "import triton # short" "the kernel is a file"
like "$(cat err)" "^ 0 flip +wrong_answer +20 are wrong" "a round shows on standard error: what is wrong"
like "$(cat err)" "^ 3 flip +pass +gfx942 22 VGPR, occupancy 8" "a round shows on standard error: the figures"
"$P/sequential.sh" -q -o quiet -d 2 -n 1 flip >/dev/null 2>err
is "$(cat err)" "" "-q: nothing on standard error"
cmp -s quiet/records.jsonl seq/records.jsonl; ok $? "the same run gives the same records"

: >judged
exits 0 "a run that is done" "$P/sequential.sh" -o seq -d 2 -n 1 -r 1 flip
is "$(wc -l <judged)" 0 "does nothing again"
touch -d 2001-01-01 seq/round-0*.jsonl
exits 1 "a deeper one, with no replies left" "$P/sequential.sh" -o seq -d 3 -n 1 -r 1 flip
is "$(find seq -name 'round-*' -newermt 2002-01-01 -printf '%f\n')" round-03.jsonl "adds the round that is wanted"
is "$(jq -r .geak seq/records.jsonl | uniq -c | xargs)" "4 candidate/1 1 error/1" "errors come to the end, once"
is "$(best seq/best.jsonl)" "flip 3  # short" "and the best stays the best"
exits 1 "an error counts also when the run is repeated" "$P/sequential.sh" -o seq -d 3 -n 1 -r 1 flip

exits 64 "another model in the same folder" "$P/sequential.sh" -o seq -m exec:false flip
like "$(cat err)" "^sequential.sh: seq holds another run \(replay:.*width 1, .*name another folder with -o" "is refused"
exits 64 "other tasks in the same folder" "$P/sequential.sh" -o seq -d 2 -n 1 flip softmax
like "$(cat err)" "seq holds a run for other tasks, or they have changed" "are refused"
exits 64 "a task that there is not, in the same folder" "$P/sequential.sh" -o seq -d 2 -n 1 flop
like "$(cat err)" "geak-task: .*flop" "is named by geak-task"
unlike "$(cat err)" "other tasks" "and not called another run"
is "$(find seq -name 'tasks*')" seq/tasks.jsonl "the refused leave nothing behind"
exits 69 "a model that cannot be asked" "$P/sequential.sh" -o typo -d 0 -m openai:gpt-5x softmax
is "$(ls typo)" "$(printf '%s\n' lock run tasks.jsonl)" "makes no records"
exits 0 "another one and another task in that folder" "$P/sequential.sh" -o typo -d 0 -w 1 flip
is "$(jq -r .id typo/tasks.jsonl) $(cat typo/run)" "flip $GEAK_MODEL, width 1, keep 1, children 1, repairs 1" "are its run from then on"
(exec 9>seq/lock; flock 9; exec sleep 600) & holder=$!
cleanup "kill $holder 2>/dev/null"
until ! flock -n seq/lock true; do sleep 0.05; done
exits 75 "a second run in the same folder at once" "$P/sequential.sh" -o seq -d 2 -n 1 flip
is "$(cat err)" "sequential.sh: another run is at work in seq" "is told to wait"
kill $holder; wait $holder 2>/dev/null

# -- width, presets

: >asked
"$P/parallel.sh" -q -o par -w 3 flip >/dev/null 2>&1
like "$(cat asked)" "^-n 3 " "parallel.sh -w"
for preset in "compute-bound 16 10" "memory-bound 8 6" "control-flow 8 5"; do
	read -r name width depth <<<"$preset"
	: >asked
	"$P/hybrid.sh" -h -p "$name" >out
	like "$(cat out)" "candidates a task \(default $width\)" "$name: $width wide"
	like "$(cat out)" "rounds after the first \(default $depth\)" "$name: $depth deep"
done
echo "WIDTH=2 DEPTH=0" >mine
: >asked
"$P/hybrid.sh" -q -p ./mine -o mine.out softmax >/dev/null 2>&1
like "$(cat asked)" "^-n 2 " "a preset of one's own"
: >asked
"$P/hybrid.sh" -q -w 1 -p ./mine -o mine.out2 softmax >/dev/null 2>&1
like "$(cat asked)" "^-n 1 " "an option wins over it"

exits 0 "hybrid.sh, two tasks" "$P/hybrid.sh" -w 1 -k 2 -n 1 -r 0 -d 0 -o hyb flip softmax
is "$(best hyb/best.jsonl)" "softmax 0  # works at once" "what did not pass is not among the best"
exits 1 "failing children do not hide the others" "$P/hybrid.sh" -w 1 -k 2 -n 2 -d 2 -o hyb2 softmax
is "$(best hyb2/best.jsonl)" "softmax 2 " "and the best one is found"

# -- errors: a line for all that say the same of a task, however many there are

: >none.jsonl
exits 1 "a model that answers nothing" "$P/parallel.sh" -m replay:none.jsonl -o mute -w 3 -d 1 softmax flip
like "$(cat out)" "^The best kernel of each task:  none, as no kernel passed" "has no best kernels"
is "$(grep -c '"error/1"' mute/round-01.jsonl)" 6 "six errors"
is "$(awk '$1 == "-" {print $2, $3, $4, $5}' err | sort | uniq -c | xargs)" \
	"2 flip error x3 geak-gen: 2 softmax error x3 geak-gen:" "a line a task in each round"

# -- a stage that cannot go on

cat >refused <<'END'
#!/bin/sh
echo "geak-reflect: the service refused" >&2
exit 69
END
chmod +x refused
GEAK_REFLECT=$WORK/refused exits 69 "a stage's status becomes the run's" "$P/sequential.sh" -o ref -d 2 -n 1 flip
is "$(tail -n 1 err)" "sequential.sh: round-01.jsonl was not made: a stage gave up; start again to go on from there" "with a sentence"
is "$(ls ref)" "$(printf '%s\n' lock round-00.jsonl run tasks.jsonl)" "no half round stays"
exits 0 "started again" "$P/sequential.sh" -o ref -d 2 -n 1 flip
cmp -s ref/records.jsonl quiet/records.jsonl; ok $? "it ends as a run that was never stopped"
if [ -w /dev/full ]; then
	mkdir fullrun; ln -s /dev/full fullrun/tasks.jsonl.new.part
	exits 74 "a full disk" "$P/sequential.sh" -o fullrun -d 2 -n 1 flip
fi

# -- ended in the middle

ends_and_goes_on() { # ends_and_goes_on SIGNAL FOLDER COMMAND...: in round 2
	local signal=$1 folder=$2
	shift 2
	rm -f hangs
	HANG=2 setsid env --default-signal=INT "$@" >out 2>err & pid=$!
	until [ -s hangs ]; do sleep 0.05; done
	if [ "$signal" = KILL ]; then pkill -KILL -s $pid; else kill -"$signal" $pid; fi
	{ wait $pid; } 2>/dev/null
	while kill -0 "$(cat hangs)" 2>/dev/null; do sleep 0.05; done
	: >judged
	find "$folder" -name 'task*' -exec touch -d 2000-01-01 {} +
	touch -d 2001-01-01 "$folder"/round-00.jsonl
	"$@" >out 2>err
}
for signal in TERM INT KILL; do
	run=("$P/sequential.sh" -o "end-$signal" -d 2 -n 1 flip)
	ends_and_goes_on $signal end-$signal "${run[@]}"
	is $? 0 "SIG$signal in the middle: started again, it ends well"
	cmp -s end-$signal/records.jsonl quiet/records.jsonl; ok $? "SIG$signal: with the same records"
	is "$(find end-$signal -name 'round-00*' -newermt 2002-01-01)" "" "SIG$signal: the rounds that were whole stay"
	is "$(jq -r 'select(.round < 1) | .round' judged | wc -l)" 0 "SIG$signal: and are not made again"
done
for died in INT: TERM:143 HUP:129; do
	signal=${died%:*}
	rm -f hangs went-on
	# shellcheck disable=SC2016 # the inner shell's
	HANG=0 setsid env --default-signal=INT,HUP bash -c 'for i in 1 2; do "$@"; echo $? >went-on; exit; done' - \
		"$P/sequential.sh" -o "loop-$signal" flip >out 2>err & pid=$!
	until [ -s hangs ]; do sleep 0.05; done
	# ^C comes to both, as from a terminal.
	if [ $signal = INT ]; then kill -INT -- -$pid; else pkill -$signal -P $pid; fi
	{ wait $pid; } 2>/dev/null
	while kill -0 "$(cat hangs)" 2>/dev/null; do sleep 0.05; done
	is "$(cat went-on 2>/dev/null)" "${died#*:}" "SIG$signal: the script dies of it, as a loop around it sees"
done
mkdir half; echo '{"geak":"candidate/1","id":"half' >half/round-00.jsonl.part
"$P/sequential.sh" -o half -d 2 -n 1 flip >/dev/null 2>&1
cmp -s half/records.jsonl quiet/records.jsonl; ok $? "a half file of an ended run is not taken for a whole one"

# -- the makefile

loop() { make -s -f "$P/loop.mk" OUT=mk TASKS="flip softmax" WIDTH=1 KEEP=1 CHILDREN=1 REPAIRS=1 "$@" 2>err; }
: >asked
loop -j2 DEPTH=1 >out
is $? 0 "loop.mk, two tasks at once"
is "$(tail -n 1 out)" mk/records.jsonl "the last line is the path of the records"
is "$(best mk/best.jsonl)" "$(printf '%s\n' "flip 2  # a shorter one" "softmax 0  # works at once")" "the best of both"
is "$(cd mk && find . -type f | sort | xargs)" \
	"$(cd "$WORK" && printf './%s\n' best.jsonl {flip,softmax}/{round-00.jsonl,round-01.jsonl,task.jsonl} kernels/{flip,softmax}.py records.jsonl run | sort | xargs)" \
	"a file a round and task, and nothing half done"
touch -d 2001-01-01 mk/*/*.jsonl; : >judged
loop DEPTH=1 >out
is "$?, $(wc -l <judged) judged" "0, 0 judged" "made again, nothing is done"
rm mk/flip/round-01.jsonl
loop DEPTH=1 >out
is "$(jq -r .task.id judged | sort -u)" flip "a round that is missing is made, and no other"
touch -d 2001-01-01 mk/flip/task.jsonl mk/*/round-00.jsonl
cp "$P/presets/memory-bound" mine
make -s -f "$P/loop.mk" OUT=mk TASKS=softmax WIDTH=1 KEEP=1 CHILDREN=1 DEPTH=1 REPAIRS=1 PRESET=./mine >out 2>err
is "$(tail -n 1 out)" mk/records.jsonl "a preset, with variables that win over it"
GEAK_REFLECT=$WORK/refused loop OUT=mkref DEPTH=1 >out
is $? 2 "a stage that cannot go on ends make"
is "$(ls mkref/flip)" "$(printf '%s\n' round-00.jsonl task.jsonl)" "and leaves no half round"
ends_and_goes_on TERM mkend/flip make -s -f "$P/loop.mk" OUT=mkend TASKS=flip WIDTH=1 KEEP=1 CHILDREN=1 DEPTH=2
is $? 0 "make ended in the middle: started again, it ends well"
cmp -s mkend/records.jsonl quiet/records.jsonl; ok $? "with the same records as the scripts"
is "$(find mkend -name 'round-00*' -newermt 2002-01-01)" "" "and the rounds that were whole stay"
loop OUT=mktypo TASKS=flop >out
is $? 2 "a task that there is not ends make"
like "$(cat err)" "^loop.mk: task.jsonl was not made: a stage refused what it was asked to do" "a message begins with the name of the makefile"
loop PRESET=memory >out
is $? 2 "a preset that there is not ends make"
like "$(cat err)" "there is no preset memory \(compute-bound, memory-bound, control-flow\)" "with the names of those that there are"
loop MODEL=exec:true DEPTH=0 >out
is "$? $(grep -c '^loop.mk: mk holds another run (.*); name another folder with OUT=$' err)" "2 1" \
	"loop.mk: records of another model are not passed off as this one's"
before=$(cksum <mk/records.jsonl)
for bad in DEPTH=x DEPTH= WIDTH=0 KEEP=-1 REPAIRS=many; do
	loop "$bad" >out </dev/null
	is "$? $(cksum <mk/records.jsonl) $(grep -c "${bad%=*} takes a whole number" err)" "2 $before 1" "loop.mk: $bad is refused"
done
echo DEPTH=abc >odd
exits 64 "a preset that is none" "$P/sequential.sh" -p ./odd -o odd.out flip
is "$(cat err)" "sequential.sh: -p ./odd: DEPTH takes a whole number, at least 0, not 'abc'" "before anything is asked"
exits 2 "no model" env -u GEAK_MODEL make -s -f "$P/loop.mk"
like "$(cat err)" "no model: say which with MODEL= or in GEAK_MODEL" "is said"

done_testing
