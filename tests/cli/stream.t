#!/bin/bash
# What every stage does with bad input, bad calls, full disks and readers that go away.
. "$(dirname "$0")/../tap.sh"

echo '{"task":"flip","text":"def flip(x): ..."}' > replies
stages="geak-top geak-bench geak-gen geak-eval geak-reflect geak-opt"
for tool in $stages; do
	[ -x "$ROOT/build/$BUILD/$tool" ] && there="${there:-} $tool"
done
run() { # run TOOL ARGUMENT...: any stage, with what it needs to be one
	_tool=$1; shift
	case $_tool in
	geak-gen|geak-reflect|geak-opt) $_tool -q -m replay:"$WORK/replies" "$@" ;;
	geak-bench) $_tool -q -J "$@" ;;
	*) $_tool -q "$@" ;;
	esac
}
good='{"geak":"mine/1","x":1.50}'
reasons() { jq -r 'select(.geak == "error/1") | .reason' out; }

# -- every stage: lines that are no records
{
	echo "$good"; echo 'nonsense'; printf '{"geak":"a","x":"\377"}\n'; printf '{"geak":"a\000b"}\n'
	echo '{"geak":"a","k":1,"k":2}'; echo '{"x":1}'; echo; printf '{"geak":"a"}\r\n'
	echo '{"geak":"a"} {"geak":"b"}'; printf '{"geak":"a","x":"b\tc"}\n'; echo '{"geak":"a","x":NaN}'
	printf '{"geak":"candi'
} > bad.jsonl
for tool in $there; do
	exits 1 "$tool: bad lines: exit 1" run $tool bad.jsonl
	is "$(reasons)" 'not valid JSON: an unexpected character at byte 1
not valid JSON: bytes that are not UTF-8 at byte 18
not valid JSON: a raw control character in a string at byte 11
not valid JSON: the key "k" appears twice in one object
not a geak record: the key "geak", which names the kind, is missing
not valid JSON: text after the value at byte 14
not valid JSON: a raw control character in a string at byte 19
not valid JSON: an unexpected character at byte 17
the last line is cut off: not valid JSON: a string without an end at byte 15' "$tool: an error/1 for each"
	is "$(jq -c 'select(.geak == "error/1") | [.tool, .input, .line]' out | tail -n1)" \
		"[\"$tool\",\"bad.jsonl\",12]" "$tool: which tells tool, file and line"
	is "$(grep -c "^$tool: bad.jsonl:[0-9]*: " err)" 9 "$tool: and a sentence for each on standard error"
	is "$(grep -cxF "$good" out)$(grep -c $'^{"geak":"a"}\r$' out)" 11 "$tool: the good lines pass byte for byte"
done

# -- a line that is too long, between good ones
{ echo "$good"; head -c 20000000 /dev/zero | tr '\0' x; echo; echo "$good"; } > long.jsonl
for tool in $there; do
	exits 1 "$tool: a line of 20 MB" run $tool long.jsonl
	is "$(jq -c 'select(.geak == "error/1") | [.line, .bytes, (.text | length)]' out)" "[2,20000000,4096]" \
		"$tool: becomes an error with its beginning"
	is "$(reasons)" "the line is too long: 20000000 bytes, more than the 16 MiB that a record may have" \
		"$tool: and the reason"
	is "$(grep -cxF "$good" out)" 2 "$tool: the lines round it pass"
done

# -- calls that are wrong
for tool in $there geak-task; do
	exits 64 "$tool: an unknown option" $tool --no-such-option
	like "$(cat err)" "$tool: unrecognized option '--no-such-option'" "$tool: is named"
	is "$($tool --help | grep -c '^ [ ]*$')" 0 "$tool: --help has no line of blanks"
	exits 0 "$tool: --version" $tool --version
	like "$(head -n 1 out)" "^$tool [0-9.]+ \(commit [^ ]+\)" "$tool: names version and commit"
done
printf '\n# a kernel\nimport triton\n' >good.py
echo "$good" >odd.py
for tool in $there; do
	exits 64 "$tool: a missing file" run $tool bad.jsonl nowhere.jsonl
	like "$(cat err)" "^$tool: nowhere.jsonl cannot be read: No such file or directory$" "$tool: is named"
	is "$(cat out)" "" "$tool: before anything is done"
	exits 64 "$tool: a task's name" run $tool softmax
	is "$(cat err)" "$tool: softmax cannot be read: No such file or directory; a task's name goes to geak-task" "$tool: says where it goes"
	exits 64 "$tool: Python" run $tool bad.jsonl good.py
	is "$(cat out err)" "$tool: good.py holds no records but Python; judge it with: geak-task NAME | geak-gen -m 'exec:cat good.py' | geak-eval" \
		"$tool: says how that is judged, once"
	exits 0 "$tool: records, whatever their file is called" run $tool odd.py
	exits 64 "$tool: a folder" run $tool /
	like "$(cat err)" "^$tool: / is a folder; name files of records$" "$tool: is told"
done

# -- a file that is read and written at once would never end
echo '{"geak":"b"}' > b.jsonl
for tool in $there; do
	echo "$good" >self; cp self before
	run $tool b.jsonl self 2>err >>self; is $? 64 "$tool: output that goes to an input"
	like "$(cat err)" "^$tool: self is what standard output goes to as well, .*; write into another file$" "$tool: is told"
	run $tool <self 2>err >>self; is "$?$(cmp self before)" 64 "$tool: also of standard input, and nothing is written"
	run $tool self </dev/null >/dev/null 2>&1; is $? 0 "$tool: two devices may be one"
done

# -- files, in their order
printf '{"geak":"c"}' > c.jsonl
for tool in $there; do
	is "$(echo '{"geak":"a"}' | run $tool b.jsonl - c.jsonl b.jsonl | jq -r 'select(.geak != "summary/1") | .geak' | xargs)" \
		"b a c b" "$tool: several files and -, a last line without its newline too"
done

# -- output that cannot be written
yes "$good" | head -n 20000 > many.jsonl
for tool in $there; do
	(run $tool many.jsonl > /dev/full 2> err); is $? 74 "$tool: a full disk: exit 74"
	like "$(cat err)" "^$tool: standard output cannot be written: No space left on device$" "$tool: said once"
	run $tool many.jsonl 2> err | head -n 1 > out
	is "${PIPESTATUS[0]}" 141 "$tool: a reader that goes away: ends by SIGPIPE"
	is "$(cat err)" "" "$tool: quietly"
	(trap '' PIPE; run $tool many.jsonl 2> err; echo $? > status) | head -n 1 > out
	is "$(cat status)" 141 "$tool: also below a parent that ignores SIGPIPE"
done

# -- records come at once, through a pipe and into a file, not when the stage ends
for tool in $there; do
	[ $tool = geak-bench ] && continue
	coproc run $tool
	echo "$good" >&"${COPROC[1]}"
	read -r -t 20 line <&"${COPROC[0]}"
	is "$line" "$good" "$tool: a record goes on before the next one comes"
	pid=$COPROC_PID in=${COPROC[1]}
	exec {in}>&-
	wait "$pid"
	rm -f kept; coproc run $tool >kept
	echo "$good" >&"${COPROC[1]}"
	for _ in $(seq 100); do [ -s kept ] && break; sleep 0.1; done
	is "$(cat kept)" "$good" "$tool: and is in a file, whatever ends the stage now"
	pid=$COPROC_PID in=${COPROC[1]}
	exec {in}>&-
	wait "$pid"
done
# -- what does not get through at once, and what not at all
jq -cn 'range(2000) | {geak: "candidate/1", id: "c\(.)", task: {geak: "task/1", id: "t\(.)"}, source: "", language: "triton",
	round: 0, eval: {status: "pass"}}' >wide
geak-bench -t wide >whole
is "$(($(wc -c <whole) > 65536))" 1 "a table that no buffer holds"
geak-bench -t wide >/dev/full 2>err; is $? 74 "and no disk: status"
is "$(cat err)" "geak-bench: standard output cannot be written: No space left on device" "sentence"
"$PYTHON" -c '
import os, subprocess, sys, time
r, w = os.pipe()
os.set_blocking(w, False)
for command in (["geak-top", "-a", "wide"], ["geak-bench", "-t", "wide"]):
    p = subprocess.Popen(command, stdout=w)
    time.sleep(0.5)
    got = b""
    os.set_blocking(r, False)
    while True:
        ended = p.poll() is not None
        try:
            got += os.read(r, 65536)
        except BlockingIOError:
            if ended:
                break
            time.sleep(0.01)
    print(p.returncode, got == subprocess.run(command, stdout=subprocess.PIPE).stdout)' >got
is "$(cat got)" "0 True
0 True" "a pipe that somebody made non-blocking loses nothing"
(sleep 2; rm in1 in2) & rm -f in1 in2; touch in1 in2
mkfifo slow; (sleep 3; : >slow) &
geak-bench slow in1 in2 >/dev/null 2>err
is "$(cut -d' ' -f2-5 err)" "in1 cannot be opened:
in2 cannot be opened:" "each input that cannot be read is told"
done_testing
