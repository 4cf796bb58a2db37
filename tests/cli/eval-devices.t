#!/bin/bash
# geak-eval --devices, on GPUs that are not there: the interpreter stands for each, and a file tells
# how it fares. See domain/device.h.
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/judge.sh"
export GEAK_LOCK_DIR=$WORK/locks GEAK_PRETEND_GPUS=$WORK/gpus
mkdir locks gpus
fare() { # fare STATE...: of GPU 0, 1 and so on
	rm -f gpus/*
	for state; do echo "$state" >gpus/$(($(ls gpus | wc -l))); done
}
population() { for i in $(seq "$1"); do kernel | candidate "k$i"; done; }
used() { jq -r '"\(.id) \(.eval.status) \(.eval.gpu.index)"' out.jsonl; } # id, status and GPU, a line each
population 4 >four.jsonl
passed=$(printf 'k%d pass\n' 1 2 3 4)
on_first=$(printf 'k%d pass 0\n' 1 2 3 4)

# -- all work
fare works works
geak-eval -q -t gfx942 --devices=all four.jsonl >out.jsonl 2>err
is "$? $(cat err)" '0 ' 'candidates are judged on two GPUs'
is "$(used | cut -d' ' -f1,2)" "$passed" 'each of them, in their order'
is "$(used | cut -d' ' -f3 | sort -u | paste -sd' ')" '0 1' 'both GPUs take part'
is "$(jq -r 'select(.eval.gpu.index == 1).eval.gpu.pci' out.jsonl | sort -u)" 0000:01:00.0 'a record tells where its own is'
is "$(printf '%s\n' locks/*.room | wc -l)" 2 'each has a lock of its own'
"$PYTHON" "$ROOT/tests/helper/validate.py" "$ROOT/man/geak-record.schema.json" out.jsonl >violations 2>&1
is $? 0 "the records are as their schema says" || head -n 3 violations
jq -c '.task.cases |= map(select(.kind == "check")) | .task.cases += [{name: "timed", kind: "time", params: {n: 400}}]' four.jsonl |
	GEAK_TIME_ANYWHERE=1 geak-eval -q -t gfx942 --devices=0,1 >out.jsonl
is "$(used | cut -d' ' -f1,2)$(used | cut -d' ' -f3 | sort -u | paste -sd' ')" "${passed}0 1" 'they are timed on both'
is "$(jq -r '.eval.perf.cases[0].case' out.jsonl | sort | uniq -c | xargs)" '4 timed' 'each of them'
geak-eval -q -t gfx942 --devices=1 four.jsonl >out.jsonl
is "$(used | cut -d' ' -f3 | sort -u)" 1 'one GPU is chosen by its number'
geak-eval -q -t gfx942 four.jsonl >out.jsonl
is "$(used | cut -d' ' -f3 | sort -u)" 0 'without --devices it is the first'

# -- where kernels run on a GPU nothing else need be compiled
{
	kernel | candidate right
	kernel | sed 's/v + 1.0/v + w/' | candidate slip
	before 'print("not this"); raise RuntimeError("PassManager::run failed")' | candidate passes
	before 'raise RuntimeError("made up")' | candidate raises
} >some.jsonl
geak-eval -q --devices=0 --no-objects some.jsonl >out.jsonl
is "$? $(used | paste -sd,)" '0 right pass 0,slip compile_error 0,passes compile_error 0,raises call_error 0' \
	'candidates are judged without code objects'
is "$(jq -c '.eval.compile | map([.target, .depth]) | unique' out.jsonl | head -n 1)" '[["gfx942","ir"]]' \
	"and what the front end says is for one target alone"
is "$(jq -r 'select(.id == "passes").eval | "\(.log) \(.error.case)"' out.jsonl)" "not this
 n100" 'what failed in the run is told as it was there'
geak-eval -q --devices=0 some.jsonl | jq -r .eval.key | grep -cFf <(jq -r .eval.key out.jsonl) >same
is "$(cat same)" 0 'and the key is another'

# -- what is not the GPU's fault: it is asked, and goes on
{
	kernel | candidate right
	before 'os.abort()' | candidate ends
	before 'time.sleep(100)' | candidate waits
	before 'raise RuntimeError("CUDA error: made up")' | candidate raises
	kernel | candidate last
} >faults.jsonl
geak-eval -q -t gfx942 -T 12 --devices=0 faults.jsonl >out.jsonl 2>err
is "$(used | paste -sd,)" 'right pass 0,ends crash 0,waits timeout 0,raises call_error 0,last pass 0' \
	'what a candidate does itself is its own fault'
is "$(cat err)" '' 'and its GPU goes on'
# A reference's own error holds for the next candidate too; what the driver says may not.
for error in 'the reference' 'CUDA error: the driver'; do
	jq -c --arg error "$error" '.reference += "    raise ValueError(\"" + $error + "\")\n"
		| .reference |= gsub("    return x \\+ 1\n"; "")' "$WORK/task.json" >bad.json
	for i in 1 2; do kernel | candidate "k$i" bad.json; done |
		geak-eval -q -t gfx942 --devices=0 >out.jsonl 2>err
	echo "$(jq -r .eval.status out.jsonl | sort -u) $(jq -r .eval.seed out.jsonl | sort -u | wc -l)$(cat err)"
done >got
is "$(sed -n 1p got)" 'reference_error 1' "one oracle's error is kept for the next candidate"
is "$(sed -n 2p got)" 'reference_error 2' "unless it is the driver's"
fare full
geak-eval -q -t gfx942 --devices=0 four.jsonl >out.jsonl 2>err
is "$?$(cat err)" 0 'a GPU whose memory others have filled is not set aside'

# -- spares, that have met the GPU before they are needed
fare works
spares() { # of the judge with the folder: their numbers
	local p
	for p in /proc/[0-9]*; do
		[ "$(cat "$p/comm" 2>/dev/null)" = geak-spare ] && grep -qzF "TMPDIR=$WORK/spares" "$p/environ" && echo "${p#/proc/}"
	done
}
end_spares() { for p in $(spares); do kill -KILL "$p"; done; }
settle() { # settle COUNT: until so many wait, and nobody has a turn
	for _ in $(seq 300); do
		[ "$(spares | wc -l)" = "$1" ] && flock -n -x locks/*0000:00:*.room true && return
		sleep 0.1
	done
	return 1
}
limits='import resource; raise ValueError([resource.getrlimit(r) for r in (resource.RLIMIT_CPU, resource.RLIMIT_FSIZE)])'
verdict() { until [ "$(wc -l <out.jsonl)" = "$1" ]; do sleep 0.1; done; } # verdict N: until it is there
mkdir spares
mkfifo line
TMPDIR=$WORK/spares geak-eval -q -t gfx942 --devices=0 line >out.jsonl 2>err &
judge=$!
exec 9>line
before "$limits" | candidate cold >&9
verdict 1
settle 2
is $? 0 'one waits for the next candidate and one for the next task, and the GPU is free'
waiting=$(spares)
sleep 9 # longer than one of a GPU that is not there may take to get ready: these are
before "$limits" | candidate spared >&9
verdict 2
settle 2
is "$(comm -12 <(sort <<<"$waiting") <(spares | sort) | wc -l)" 1 'one of them has judged the next candidate'
is "$(jq -r 'select(.id == "spared").eval.error.message' out.jsonl)" "$(jq -r 'select(.id == "cold").eval.error.message' out.jsonl)" \
	'with the limits of any other'
end_spares
kernel | candidate lost >&9
verdict 3
settle 2
before 'time.sleep(4); os.abort()' | candidate aborts >&9
sleep 2
flock -n -x locks/*0000:00:*.room true 2>/dev/null
is $? 1 'while a candidate is checked nobody is alone on the GPU'
end_spares
verdict 4
exec 9>&-
wait "$judge"
is "$(used | paste -sd,)" 'cold call_error 0,spared call_error 0,lost pass 0,aborts crash 0' \
	'none of them is needed, and what a candidate does is its own'
is "$(spares)$(cat err)" '' 'and none is left'

# -- one that fails
fare works fails
geak-eval -q -t gfx942 --devices=0,1 four.jsonl >out.jsonl 2>err
is "$?" 0 'a GPU fails'
is "$(used)" "$on_first" 'its candidate is judged on another, where the others go on'
is "$(cat err)" 'geak-eval: GPU 1 (0000:01:00.0) is set aside: it did not add a few numbers: CUDA error: the pretended GPU is lost; the others go on' \
	'and it is told once'

# -- one that hangs, after it has worked
fare works works
mkfifo in
geak-eval -q -t gfx942 -T 12 --devices=0,1 in >out.jsonl 2>err &
judge=$!
exec 9>in
head -n 2 four.jsonl >&9
for _ in $(seq 300); do [ "$(wc -l <out.jsonl)" -ge 2 ] && break; sleep 0.1; done
echo hangs >gpus/1
tail -n 2 four.jsonl >&9
exec 9>&-
wait $judge
is "$?" 0 'a GPU hangs that has worked'
is "$(used | cut -d' ' -f1,2)" "$passed" 'nothing is lost'
is "$(used | tail -n 2 | cut -d' ' -f3 | sort -u)" 0 'the rest is judged on the other one'
is "$(cat err)" 'geak-eval: GPU 1 (0000:01:00.0) is set aside: it did not add a few numbers: it does not answer; the others go on' \
	'and it is told'

# -- a candidate that takes one after the other with it
fare fails fails works
head -n 1 four.jsonl | geak-eval -q -t gfx942 --devices=0,1,2 >out.jsonl 2>err
is "$?" 0 'two GPUs fail under a candidate'
is "$(jq -r '.eval | "\(.status) \(.error.message)"' out.jsonl)" \
	'sandbox_error 2 GPUs failed while this candidate was judged' 'it is not tried on a third'
is "$(grep -c 'is set aside' err)" 2 'both are told'

# -- none is left
fare fails fails
geak-eval -q -t gfx942 --devices=0,1 four.jsonl >out.jsonl 2>err
is "$?" 70 'all GPUs fail'
is "$(grep -c 'is set aside' err) $(grep -v 'is set aside' err | wc -l)" '2 1' 'one sentence besides'
like "$(tail -n 1 err)" 'no GPU is left to judge on, the last being GPU [01] .*; see to its driver, or choose others with --devices, and judge again' \
	'it says what to do'
fare works
jq -c 'select(.geak == "error/1").record' out.jsonl | geak-eval -q -t gfx942 >again.jsonl
mv again.jsonl out.jsonl
is "$(used)" "$on_first" 'nothing is lost'

# -- who runs something on a GPU waits while another process has it alone
lint() { jq -c .task four.jsonl | head -n 1 | timeout "$1" geak-eval --lint -q -t gfx942 --devices=0; }
judge() { head -n 1 four.jsonl | timeout "$1" geak-eval -q -t gfx942 --devices=0; }
for who in lint judge; do
	SECONDS=0
	$who 200 >out.jsonl 2>err
	is $? 0 "$who: the GPU is free"
	enough=$((SECONDS + 5))
	flock -x locks/geak-gpu-0000:00:00.0.room "$BASH" -c "$(declare -f "$who"); $who $enough" >out.jsonl 2>err
	is $? 124 '  and waited for'
done

# -- the option
refused() { # refused PATTERN OPTION...
	like "$(geak-eval "${@:2}" /dev/null 2>&1; echo $?)" "$1" "${*:2} is refused" &&
		is "$(geak-eval "${@:2}" /dev/null >/dev/null 2>&1; echo $?)" 64 'as a wrong call'
}
for list in '' x 0,x 0, ,0 -1 +1 1e3 5000 0.5 ALL; do
	refused 'takes numbers of GPUs, with commas between, or all' "--devices=$list"
done
refused 'names GPU 1 twice' --devices=1,0,1
refused 'more than 16' "--devices=$(seq -s, 0 16)"
refused 'and --device=cpu wants none' --devices=0 --device=cpu
refused 'leaves nothing to save' --no-objects --save-objects=.
refused 'leave it out, or --targets' --no-objects -t gfx942
unset GEAK_PRETEND_GPUS
if [ ! -e /dev/kfd ] && [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ]; then
	refused 'no GPU was found' --devices=0
	refused 'whether a kernel compiles where no GPU runs it' --no-objects
fi
# A driver's nodes, and no GPU behind them: then kernels run in the interpreter, but where that would show too little.
nodes() { # nodes COMMAND...
	mkdir -p dev
	unshare -Urm sh -ec 'for n in null zero full random urandom; do : >dev/$n; mount --bind /dev/$n dev/$n; done
		: >dev/nvidiactl >dev/nvidia0; mount --rbind dev /dev; exec "$@"' - "$@"
}
if [ ! -e /dev/nvidiactl ] && nodes true 2>/dev/null; then
	nodes geak-eval -q -t gfx942 four.jsonl >out.jsonl 2>err
	is "$(jq -r '"\(.eval.status) \(.eval.device)"' out.jsonl | sort -u)" 'pass cpu-interpreter' 'a GPU that is none is gone without'
	like "$(cat err)" 'going on with the interpreter' 'which is told'
	nodes geak-eval -q --no-objects four.jsonl >out.jsonl 2>err
	is "$? $(jq -r .geak out.jsonl | sort -u)" '70 error/1' 'but not with --no-objects'
fi

# -- what a process gets to see
sees() { # sees HIP-VERSION NUMBER [VARIABLE...]: what it is left with
	env "${@:3}" PYTHONPATH="$ROOT/lib/harness" "$PYTHON" -c '
import os, sys, torch
from geak_harness import gpus
torch.version.hip = sys.argv[1] or None
gpus.choose({"gpu": int(sys.argv[2])})
print(os.environ.get("CUDA_VISIBLE_DEVICES"), os.environ.get("HIP_VISIBLE_DEVICES"))' "$1" "$2"
}
is "$(sees '' 1)" '1 None' 'on NVIDIA, one of all'
is "$(sees '' 1 CUDA_VISIBLE_DEVICES=3,5)" '5 None' 'or of those that the user lets be seen'
is "$(sees '' 0 CUDA_VISIBLE_DEVICES=GPU-8932f937,GPU-1)" 'GPU-8932f937 None' 'by whatever name'
is "$(sees 7.0 2)" 'None 2' 'on AMD, one of all'
is "$(sees 7.0 1 HIP_VISIBLE_DEVICES=6,7)" 'None 7' 'or of those that the user lets be seen'
is "$(sees 7.0 1 CUDA_VISIBLE_DEVICES=6,7)" '6,7 7' "by CUDA's name, too"
is "$(sees 7.0 0 CUDA_VISIBLE_DEVICES=1 HIP_VISIBLE_DEVICES=4)" '1 4' "though HIP's own comes first"
is "$(PYTHONPATH="$ROOT/lib/harness" "$PYTHON" -c '
import torch
from geak_harness import gpus
torch._C._cuda_getDeviceCount = lambda: print("counted") or 7
with gpus.uncounted():
    print(torch.cuda.is_available())
print(torch._C._cuda_getDeviceCount())' | paste -sd' ')" 'True counted 7' 'while a zygote imports nobody counts GPUs'
done_testing
