#!/bin/bash
# Hardware counters, with stubs that print what the vendors' profilers print: the host's clock
# stands in for a GPU, and the program that a stub runs is the real one, in the real box.
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/judge.sh"
export GEAK_TIME_ANYWHERE=1
mkdir tools
cp "$ROOT/tests/stub/ncu" "$ROOT/tests/stub/rocprofv3" tools
jq -c '.cases |= map(select(.name != "big")) + [{name: "long", kind: "time", params: {n: 900}, bytes: 7200},
	{name: "short", kind: "time", params: {n: 70}, bytes: 560}]' task.json >small.json
mode() { # mode NAME [FILTER...]: a right candidate, with which the stub behaves so
	local name=$1
	shift
	{ if [ $# -gt 0 ]; then "$@"; else kernel; fi; echo "# mode: $name"; } | candidate "$name" small.json
}
profile() { # profile TARGET [OPTION...] <RECORDS >RECORDS
	local target=$1
	shift
	PATH=$WORK/tools:$PATH geak-eval -q -t "$target" --baseline=none --profile "$@"
}
of() { # of ID FILTER: of that record's eval.profile
	jq -cS "select(.id == \"$1\").eval.profile | $2" out.jsonl
}
untouched() { # untouched ID WHY-PATTERN NAME
	like "$(of "$1" .unavailable)" "$2" "$3"
	is "$(jq -r "select(.id == \"$1\").eval | \"\(.status) \(.profile.kernels)\"" out.jsonl)" 'pass null' \
		'  and the verdict is untouched'
}

# -- NVIDIA's
{
	mode good
	mode forbidden
	mode garbage
	mode link
	mode wild
	mode environment
	mode notices before 'if os.path.exists("profiled.json"): raise ValueError("seen")'
	mode powers before 'if os.path.exists("profiled.json"): raise ValueError(open("/proc/self/status").read().split("CapPrm:")[1].split()[0])'
	mode names before 'if os.path.exists("profiled.json"): os.write(os.open("/proc/self/task/%d/comm" % os.getpid(), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), b"me")'
	mode pulls before 'if os.path.exists("profiled.json"): [os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY)]'
	mode triggers before 'if os.path.exists("profiled.json"): [os.open("/proc/sysrq-trigger", os.O_WRONLY)]'
	mode writes before 'open("profile/x.csv", "w").write("\"Kernel Name\",\"gpu__time_duration.sum\"\n\"\",\"ns\"\n\"invented\",\"5\"\n") if os.path.isdir("profile") else 0'
} >modes.jsonl
OPENAI_API_KEY=sk-secret profile sm_90 <modes.jsonl >out.jsonl
is $? 0 'candidates are profiled by ncu'
is "$(of good 'del(.sandbox)')" "$(jq -cnS '{tool: "ncu", version: "2024.3.2.0", case: "long", kernels: [{
	kernel: "kernel", ms: 1, dram_read_bytes: 2000000000, dram_write_bytes: 1000000000, dram_gbps: 3000,
	occupancy_percent: 43.75, active_lanes_percent: 75, matrix_percent: 61.5, l1_hit_percent: 12.5,
	l2_hit_percent: 48.25, shared_conflict_percent: 25, wait_percent: 75, issue_wait_percent: 15,
	shared_wait_percent: 25}]}')" 'of the last launch in the largest case, in our names and units'
is "$(jq -c 'select(.id == "good").eval | .sandbox == .profile.sandbox' out.jsonl)" true 'in the box of a candidate'
untouched forbidden '^"ncu may not read the GPU.s counters: .*ERR_NVGPUCTRPERM' 'counters that NVIDIA keeps to itself'
untouched garbage '^"ncu counted nothing \(it exited with 0\)' 'noise for a table'
untouched link 'symbolic links' 'a link for a table'
unlike "$(cat out.jsonl)" 'root:' '  which is not followed'
is "$(of wild '.kernels[0] | del(.wait_percent, .issue_wait_percent, .shared_wait_percent)')" \
	'{"kernel":"kernel","l1_hit_percent":100}' 'a figure that cannot be is left out'
is "$(of environment '.kernels | length')" 1 'no key is in its environment'
untouched notices 'the program failed: ValueError: seen' 'a candidate that fails only there'
powers=$(of powers .unavailable | grep -o 'ValueError: [0-9a-f]*')
like "$powers" '^ValueError: [0-9a-f]+$' 'what it may do is told'
is $((0x${powers#*: } & ~(1 << 2 | 1 << 38))) 0 'it may read files and counters, if anything'
is "$(of names '.kernels | length')" 1 'it may name its threads, as CUDA does'
untouched pulls 'Read-only|Permission' 'but not turn what is not its own in /proc'
untouched triggers 'Read-only|Permission|No such' 'nor call the kernel there'
is "$(of writes '[.kernels[].kernel]')" '["kernel"]' 'a kernel that nobody saw is not believed'

if "$PYTHON" -c 'import jsonschema' 2>/dev/null; then
	"$PYTHON" "$ROOT/tests/helper/validate.py" "$ROOT/man/geak-record.schema.json" out.jsonl >violations 2>&1
	ok $? 'such records are as the schema says' || sed 's/^/# /' violations >&2
fi

# -- AMD's
{ mode good; mode early; mode breaks; mode forbidden; mode lacks; } | profile gfx942 >out2.jsonl
is $? 0 'and by rocprofv3'
nvidia=$(of good '.kernels[0] | del(.wait_percent, .issue_wait_percent)')
mv out2.jsonl out.jsonl
is "$(of good '"\(.tool) \(.version) \(.case)"')" '"rocprofv3 1.0.0 long"' 'which says who it is'
is "$(of good '.kernels[0] | del(.wait_percent, .issue_wait_percent)')" "$nvidia" \
	'five groups put together: the same names and units as of ncu'
is "$(of good '.kernels[0] | [.wait_percent, .issue_wait_percent]')" '[55,15]' 'and what waves wait for'
is "$(of early '.kernels[0] | [.ms, .dram_gbps, .dram_read_bytes]')" '[null,null,2000000000]' \
	'ROCm 6.2 tells no times, so that there is no bandwidth'
is "$(of breaks '.kernels[0] | [.occupancy_percent, .active_lanes_percent, .dram_write_bytes]')" '[43.75,75,null]' \
	'what was counted before it broke is kept'
untouched forbidden '^"rocprofv3 may not read the GPU.s counters: .*SYS_PERFMON' 'counters that AMD keeps to itself'
untouched lacks '^"rocprofv3 counted nothing \(it exited with 1\): .*Unable to find all counters' 'a counter that is not there'

# -- neither
mode hang | profile sm_90 -T 12 >out.jsonl
untouched hang '^"the time for it was up"$' 'one that hangs'
jq -c '.cases |= map(select(.kind != "time"))' small.json >untimed.json
sed 's/x + 1/x + 2/' small.json >wrong.json
rm tools/*
{
	mode none
	kernel | candidate wrong wrong.json
	kernel | candidate untimed untimed.json
} | profile sm_90 >out.jsonl
untouched none '^"ncu is neither on PATH nor in ' 'without the tool'
untouched untimed 'no case that is timed' 'without a case'
is "$(jq -r 'select(.id == "wrong").eval | "\(.status) \(.profile)"' out.jsonl)" 'wrong_answer null' \
	'what does not pass is not profiled'
jq -c 'select(.id == "none")' out.jsonl | geak-eval -q -t sm_90 --baseline=none >again.jsonl
is "$(jq -r '.eval | "\(.status) \(.profile)"' again.jsonl)" 'pass null' 'without the option there is none'
unlike "$(jq -r 'select(.id == "none").eval.key' out.jsonl)" "$(jq -r .eval.key again.jsonl)" 'and the key is another'

# -- where it is looked for
found() { # found PATTERN: the tool there, with nothing on PATH
	PYTHONPATH="$ROOT/lib/harness" PATH=/none "$PYTHON" -c '
import sys
from geak_harness import profiler_ncu, profilers
profiler_ncu.PLACES = ("/nowhere", sys.argv[1])
print(profilers.find(profiler_ncu))' "$1"
}
for version in 2023.3.1 2024.3.2 2024.10.0; do
	mkdir -p "nsight/$version"
	cp "$ROOT/tests/stub/ncu" "nsight/$version"
done
mkdir nsight/2025.1.0
is "$(found "$WORK/nsight/*")" "$WORK/nsight/2024.10.0/ncu" 'of several versions the newest that is there is taken'
is "$(found "$WORK/nsight/2023*")" "$WORK/nsight/2023.3.1/ncu" 'and else the only one'
is "$(found "$WORK/nsight/1999*")" None 'or none'

unset GEAK_TIME_ANYWHERE
mode interpreted | profile sm_90 >out.jsonl
untouched interpreted 'interpreter, where there are no counters' 'without a GPU'
done_testing
