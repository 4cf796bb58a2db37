#!/bin/bash
# What only a GPU shows, on this machine's: its name, our own kernels judged and timed in the
# sandbox, and the ways to fool the judge; the last go into exploits.jsonl beside this file.
export ROOT=${ROOT:-$(cd "$(dirname "$0")/../.." && pwd)}
. "$ROOT/tests/tap.sh"

geak-eval --list-devices >devices
is $? 0 'there is a GPU' || { cat devices; done_testing; }
target=$(awk 'NR == 2 {for (i = 1; i <= NF; i++) if ($i ~ /^(gfx|sm_)/) print $i}' devices)
for kernel in "$ROOT"/tests/kernels/*.py; do
	name=$(basename "$kernel" .py)
	geak-task "$name" 2>/dev/null | jq -c --rawfile source "$kernel" '{geak: "candidate/1", id: .id, task: ., parent: null,
		round: 0, origin: {tool: "test"}, language: "triton", source: $source}'
done >kernels.jsonl
geak-eval -q --device=gpu --sandbox=require -t "$target" --baseline=eager,compile kernels.jsonl >out.jsonl
is $? 0 'our own kernels are judged in the whole sandbox'
for id in $(jq -r .id kernels.jsonl); do
	is "$(jq -r --arg id "$id" 'select(.id == $id).eval | "\(.status) \(.perf.verdict != null)"' out.jsonl)" 'pass true' \
		"$id passes, with times"
done
jq -c --arg date "$(date -u +%F)" '{kernel: .id, device: .eval.device, env: .eval.env, perf: .eval.perf, date: $date}' out.jsonl \
	>"$ROOT/tests/gpu/kernels.jsonl"

# -- all GPUs, where there are several of a kind
gpus=$(grep -c '^ *[0-9]' devices)
places() { jq -r '.eval.gpu.pci' "$1" | sort -u; }
if [ "$gpus" -gt 1 ]; then
	for i in $(seq $((4 * gpus))); do head -n 1 kernels.jsonl | jq -c --arg id "k$i" '.id = $id'; done >many.jsonl
	geak-eval -q --devices=all -t "$target" --baseline=none many.jsonl >out.jsonl
	is "$? $(jq -r .eval.status out.jsonl | sort | uniq -c | xargs)" "0 $((4 * gpus)) pass" "candidates are judged on $gpus GPUs"
	is "$(places out.jsonl | wc -l)" "$gpus" 'each of which takes part, at a place of its own'
	jq -r 'select(.eval.gpu.index == 1).eval.gpu.pci' out.jsonl | sort -u >second
	head -n 1 kernels.jsonl | CUDA_VISIBLE_DEVICES=1,0 geak-eval -q --devices=0 -t "$target" --baseline=none >out.jsonl
	is "$(places out.jsonl)" "$(cat second)" 'numbers are of those that the environment lets be seen'
else
	echo '# one GPU: candidates on several were not tried'
fi
RECORDS=$WORK/exploits "$ROOT/tests/exploits/run.t" >exploits.tap
is $? 0 'nobody fools the judge' || grep -v '^ok' exploits.tap
tail -n 2 exploits.tap | grep '^#'
jq -c --arg date "$(date -u +%F)" '{id, status: .eval.status, error: (.eval.error.message | if . then split("\n")[0][:200] else . end), device: .eval.device, date: $date}' exploits \
	>"$ROOT/tests/gpu/exploits.jsonl"
done_testing
