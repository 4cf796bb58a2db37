#!/bin/bash
# geak-eval: candidates that hang, crash, flood, hide and hoard.
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/judge.sh"
export TMPDIR=$WORK/tmp; mkdir "$TMPDIR"
MARK=geak-test-$$-$RANDOM # in the command line of what a candidate leaves behind

{
	before 'while True: pass' | candidate spins
	before 'time.sleep(1000)' | candidate sleeps
	before 'import signal; [signal.signal(s, signal.SIG_IGN) for s in (1, 2, 3, 13, 15)]; time.sleep(1000)' |
		candidate ignores_signals
	before 'os._exit(0)' | candidate exits
	before 'sys.exit(0)' | candidate sys_exits
	before 'os.kill(os.getpid(), 9)' | candidate kills_itself
	before 'os.abort()' | candidate aborts
	before 'import ctypes; ctypes.string_at(0)' | candidate segfaults
	before 'print("spam" * (1 << 18) * 100)' | candidate floods
	before 'os.write(3, b"\x00nonsense\n"); time.sleep(1000)' | candidate garbles
	before 'os.write(3, b"x" * 50000000); time.sleep(1000)' | candidate garbles_endlessly
	before 'torch.empty(1 << 36).fill_(1)' | candidate hoards
	before 'a = bytearray(1 << 40)' | candidate hoards_in_python
	before "os.spawnlp(os.P_NOWAIT, 'sleep', '$MARK', '1000')" | candidate leaves_a_child
	before "os.fork() or (os.setsid(), os.fork() or os.execlp('sleep', '$MARK', '1000'))" | candidate daemonizes
	before 'import threading; threading.Thread(target=time.sleep, args=(1000,)).start()' | candidate leaves_a_thread
	before '[os.fork() for _ in range(6)]; time.sleep(1000)' | candidate forks
	before 'open("big", "wb").truncate(1 << 40); y = b"x" * (1 << 20); f = open("big2", "wb"); [f.write(y) for _ in range(4000)]' |
		candidate fills_the_disk
	before 'raise SystemError("\x1b[31m\x00 red and \ud800 lone")' | candidate ugly_words
	before 'print("\x1b]0;title\x07 and \x9b31m")' | candidate ugly_output
	before 'class T(torch.Tensor): pass' | sed 's/return y$/return y.as_subclass(T)/' | candidate lazy_tensor
	before 'f = lambda: f(); f()' | candidate recurses
	before 'raise KeyboardInterrupt' | candidate interrupts
	echo 'import time; time.sleep(1000)' | candidate hangs_on_import
	echo 'raise SystemExit' | candidate exits_on_import
	kernel | candidate good
} >in.jsonl
start=$(date +%s)
deadline=5; [ "$BUILD" = asan ] && deadline=12 # 100 MB take a sanitized build on a busy machine their time
OPENAI_API_KEY=sk-secret verdicts --timeout=$deadline --targets=gfx942 <in.jsonl >got
seconds=$(($(date +%s) - start))
sed -n 's/ .*//p' got >ids
is "$(cat ids)" "$(jq -r .id in.jsonl)" 'every one of them gets a verdict, in order'
status() { awk -v id="$1" '$1 == id {print $2 " " $3}' got; }
for id in spins sleeps ignores_signals forks hangs_on_import; do
	is "$(status $id)" 'timeout Timeout' "$id: timeout"
done
is "$(status exits)" 'crash exit' 'os._exit(0) is no success'
is "$(status sys_exits)" 'call_error SystemExit' 'nor is sys.exit(0)'
is "$(status exits_on_import)" 'call_error SystemExit' 'nor while the module loads'
is "$(status kills_itself)" 'crash signal' 'a signal to itself arrives'
like "$(jq -r 'select(.id == "kills_itself").eval.error.class' records.jsonl)" 'signal SIGKILL' 'and is named'
is "$(status aborts)" 'crash signal' 'abort() ends it'
is "$(status segfaults)" 'crash signal' 'a fault ends it'
is "$(status floods)" 'pass -' '100 MB of output harm nobody'
ok "$(jq 'select(.id == "floods").eval.log | length < 5000' records.jsonl | grep -q true; echo $?)" 'the log is capped'
like "$(jq -r 'select(.id == "floods").eval.log' records.jsonl)" 'bytes left out' 'and says so'
is "$(status garbles)" 'crash Protocol' 'nonsense in the channel is a crash'
is "$(status garbles_endlessly)" 'crash Protocol' 'also without an end'
is "$(status hoards)" 'out_of_memory RuntimeError' 'too large a tensor'
is "$(status hoards_in_python)" 'out_of_memory MemoryError' 'too large a list'
is "$(status leaves_a_child)" 'pass -' 'a child left behind does not hold up the verdict'
is "$(status lazy_tensor)" 'call_error WireError' 'only plain tensors are taken'
is "$(status recurses)" 'call_error RecursionError' 'endless recursion'
is "$(status interrupts)" 'call_error KeyboardInterrupt' 'an interrupt of its own making'
is "$(status ugly_words)" 'call_error SystemError' 'an error with a NUL and half a character in it'
unlike "$(jq -r 'select(.id == "ugly_output").eval.log' records.jsonl)" $'[\x1b\x07]' 'the log is masked'
is "$(status good)" 'pass -' 'the next one is judged as ever'
is "$(jq -r 'select(.eval.status == "sandbox_error").id' records.jsonl)" '' 'none is our fault'
unlike "$(cat records.jsonl)" 'sk-secret' 'no key in the records'
ok "$((seconds > 120 + 20 * deadline))" "in $seconds s"
is "$(pgrep -f "$MARK" | wc -l)" 0 'no process is left' || pgrep -af "$MARK" | sed 's/^/# /'
is "$(ours)" '' 'neither is one of ours'

# what a candidate can see
cat >look.py <<'EOF'
import os
def plus_one(x):
    print(sorted(os.environ), sorted(os.listdir("/proc/self/fd")), os.getcwd())
    print([p for p in os.listdir(".") ])
    return x
EOF
candidate look <look.py >look.jsonl
OPENAI_API_KEY=sk-secret AWS_SECRET=s NVIDIA_API_KEY=nvapi-secret ROCM_TOKEN=s HIP_VISIBLE_DEVICES=0 \
	geak-eval -t gfx942 look.jsonl | jq -r .eval.log >seen
unlike "$(cat seen)" 'OPENAI|AWS|_KEY|TOKEN' 'no key in its environment'
like "$(cat seen)" HIP_VISIBLE_DEVICES 'but what chooses a GPU'
like "$(cat seen)" "'0', '1', '2', '3', '4', '5'" 'six descriptors'

# what root could undo
cat >undo.py <<'EOF'
import ctypes, os, resource
def plus_one(x):
    libc = ctypes.CDLL(None)
    print("unmounted" if libc.umount2(b"/proc", 2) == 0 else "still mounted")
    print("attached" if libc.ptrace(16, os.getppid(), 0, 0) == 0 else "not attached")
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (-1, -1))
        print("unlimited")
    except ValueError:
        print("limited")
    return x
EOF
candidate undo <undo.py >undo.jsonl
is "$(geak-eval -t gfx942 undo.jsonl | jq -r .eval.log | head -n 3 | xargs)" \
	'still mounted not attached limited' 'root has no power over its box'

# what a candidate says is believed as far as it makes sense
shout() { printf 'os.write(3, b"""%s\n""")' "$1"; } # past the harness, and so without its mark
held() { printf 'next(f for f, _ in __import__("traceback").walk_stack(None) if "%s" in f.f_locals).f_locals["%s"]' "$1" "$1"; }
say() { printf '%s._say("""%s""")' "$(held ch)" "$1"; } # through the harness
loading() { kernel | line=$1 awk '{print} /^import triton.lang/{print ENVIRON["line"]}'; }
{
	before "$(shout '{"result":1}{}')" | candidate two_in_a_line
	before "$(shout '{"case":"n1","result":{"t":"plain","v":1}}')" | candidate forges_a_message
	before "f = $(held log).end; f()" | candidate forges_a_launch
	before "$(say '{"result":1}')" | candidate a_result_of_nothing
	before "$(say '{"case":[1],"result":{"t":"tuple","v":[]}}')" | candidate a_result_for_a_list
	before "$(say '{"launches":[1,{"kernel":2}]}')" | candidate says_it_twice
	for h in '{"t":"tensor","dtype":"float32","shape":[1e999],"stride":[1],"at":0,"bytes":4}' \
		'{"t":"tensor","dtype":"float32","shape":[-5],"stride":[1],"at":0,"bytes":4}' \
		'{"t":"tensor","dtype":"float32","shape":[4611686018427387904,0],"stride":[4611686018427387904,1],"at":-1,"bytes":0}' \
		'{"t":"tensor","dtype":["x"],"shape":"11","stride":"11","at":true,"bytes":null}' \
		'{"t":"int","v":[]}' '{"t":"float","v":1}' '{"t":"dict","v":7}' '7'; do
		before "$(say '{"case":"n100","args":{},"result":'"$h"'}'); $(held seen).finish(); os._exit(0)" |
			candidate header
	done
	before 'm = b"{}\n" * 10000; [os.write(3, m) for _ in range(10000)]' | candidate talks_and_talks
	before 'm = b"0," * 30000; [os.write(3, p) for p in (b"[", *[m] * 100, b"0]\n")]' | candidate talks_at_length
	before 'f = os.open("/proc/self/fd/4", os.O_RDWR); os.pwrite(f, bytes(400), 0)' | candidate alters_inputs
	loading 'triton.runtime.jit.JITFunction.run.__name__ == "<lambda>" and os._exit(0)' |
		candidate stops_the_compiler
	kernel | candidate good
} >in.jsonl
verdicts --timeout=20 -t gfx942 <in.jsonl >got
cat >wanted <<'EOF'
two_in_a_line crash Protocol
forges_a_message cheat Cheat
forges_a_launch cheat Cheat
a_result_of_nothing pass -
a_result_for_a_list pass -
says_it_twice crash Protocol
header wrong_answer Mismatch
talks_and_talks cheat Cheat
talks_at_length crash Protocol
alters_inputs wrong_answer Mismatch
stops_the_compiler compile_error Crash
good pass -
EOF
is "$(uniq got)" "$(cat wanted)" 'lies do not blame the reference'

# a zygote that is gone is started again
{
	before 'time.sleep(1)' | candidate first
	before 'time.sleep(1)' | candidate second
	before 'time.sleep(1)' | candidate third
} >three.jsonl
below() { # below PID...: the zygotes, or holders, or children right below processes
	# shellcheck disable=SC2046 # a word each
	for p in $(cat $(printf '/proc/%s/task/[0-9]*/children ' "$@") 2>/dev/null); do
		grep -q zygote "/proc/$p/comm" && echo "$p"
	done
}
for what in zygotes holders; do
	geak-eval -j 1 -t gfx942 three.jsonl >out 2>err & keeper=$!
	for _ in $(seq 300); do # two processes a zygote, and two a child
		zygotes=$(below $keeper)
		# shellcheck disable=SC2046 # a word each
		holders=$(below $(below $zygotes))
		[ "$holders" ] && break; sleep 0.1
	done
	kill -KILL ${!what}
	wait $keeper
	is "$? $(jq -r .eval.status out | tr '\n' ' ')" '0 pass pass pass ' "killed $what cost no verdict"
done

# one holder has one child after the other, and none sees what the last one left
leaves='if not os.path.exists("left"): print("pid", os.getpid()); print("sees", sorted(os.listdir(".")),'
leaves+=' os.listdir("/dev/shm"), sorted(filter(str.isdigit, os.listdir("/proc")))[0], len(os.listdir("/proc")));'
leaves+=' open("left", "w"); open("/dev/shm/left", "w"); os.fork() or time.sleep(1000)'
for id in one two three; do before "$leaves" | candidate $id; done | verdicts -j 1 -t gfx942 >got
is "$(cat got)" "one pass -
two pass -
three pass -" 'who leaves files and a process behind'
pids=$(jq -r .eval.log records.jsonl | sed -n 's/^pid //p')
is "$(sort -nu <<<"$pids")" "$pids" 'one after the other they are processes of one holder'
is "$(jq -r .eval.log records.jsonl | grep -c ^sees) $(jq -r .eval.log records.jsonl | grep ^sees | sort -u | wc -l)" '3 1' \
	'and each finds what the first one found'

# without a sandbox the scratch folder lies among others; it goes whole, whatever was put into it
{
	before 'd = str(time.time()); os.makedirs(d + "/b/c"); os.symlink("/etc", d + "/l"); os.chmod(d + "/b", 0)' | candidate locks_a_folder
	before 'for _ in range(3000): os.mkdir("d"); os.chdir("d")' | candidate digs
} >folders.jsonl
is "$(verdicts --sandbox=off -t gfx942 <folders.jsonl)" "locks_a_folder pass -
digs pass -" 'folders of no mode, and deep ones'
is "$(ls "$TMPDIR")" '' 'go with the scratch folder'

# the keeper goes: so does everything below, and the scratch folder
before 'time.sleep(1000)' | candidate sleeps >one.jsonl
for signal in KILL TERM INT; do
	env --default-signal=INT geak-eval -t gfx942 one.jsonl >/dev/null 2>&1 & keeper=$!
	for _ in $(seq 100); do [ "$(ours | wc -l)" -gt 5 ] && break; sleep 0.1; done
	ok $(($(ours | wc -l) <= 5)) 'a judge at work'
	like "$(ls "$TMPDIR")" '^geak-eval-' 'has a scratch folder'
	kill -$signal $keeper; wait $keeper 2>/dev/null
	for _ in $(seq 50); do [ -z "$(ours)" ] && break; sleep 0.1; done
	is "$(ours)" '' "no process outlives a keeper ended by SIG$signal"
	is "$(ls "$TMPDIR")" '' 'and no folder'
done
{ cat folders.jsonl folders.jsonl; kernel | candidate good; } >many.jsonl
geak-eval --sandbox=off -j 1 -t gfx942 many.jsonl | head -n 1 >/dev/null
for _ in $(seq 50); do [ -z "$(ours)" ] && break; sleep 0.1; done
is "$(ours)$(ls "$TMPDIR")" '' 'nor one that nobody listens to any more'
done_testing
