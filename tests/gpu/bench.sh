#!/bin/bash
# Measures how well kernels are timed on this machine's GPU, and keeps the results beside this
# file, a JSON line a comparison: aa.jsonl, of kernels with themselves, and ab.jsonl, with ones that
# are slower by 3 % (5 % below 20 us), triton.testing.do_bench of the same beside it.
#
#   COUNT=40        comparisons of each of the five kernels
#   KERNELS=        or of some of them, by name
#   WHAT="aa ab"    or one of them, on a GPU of its own: CUDA_VISIBLE_DEVICES, HIP_VISIBLE_DEVICES
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=${COUNT:-40}
python=${PYTHON:-$here/../../.venv/bin/python}

comparisons() { # comparisons RECORDS: a line each
	jq -c --arg date "$(date -u +%F)" '.eval as $e | $e.perf.cases[]? | {
		kernel: (.case | sub("-[0-9]+$"; "")), by: "geak-eval", ms, base_ms, speedup, speedup_lo, speedup_hi, floor,
		verdict, rounds, processes, throttled, device: $e.device, env: $e.env, date: $date }
		| with_entries(select(.value != null))' "$1"
}
for what in ${WHAT:-aa ab}; do
	mkdir "$work/$what"
	"$python" "$here/pairs.py" $what "$count" "$work/$what" ${KERNELS:-}
	geak-eval -q --device=gpu -j 1 -t "${TARGET:-sm_90}" --baseline="$work/$what/baselines.jsonl" \
		"$work/$what/candidates.jsonl" >"$work/$what.jsonl"
	jq -r 'select(.eval.status != "pass") | "\(.id): \(.eval.status) \(.eval.error.message)"' "$work/$what.jsonl" >&2
	comparisons "$work/$what.jsonl" >"$here/$what.jsonl"
	[ $what = aa ] ||
		"$python" "$here/do_bench.py" "$work/ab/candidates.jsonl" "$work/ab/baselines.jsonl" "$count" >>"$here/ab.jsonl"
done

# By geak-eval's verdict, and by what do_bench's ratio would have to be to say the same.
summary='def share(f): (map(select(f)) | length) as $n | "\($n) of \(length)";
	def width: map((.speedup_hi - .speedup_lo) / 2 / .speedup * 100) | sort | .[length / 2 | floor] | . * 100 | round / 100;
	group_by(.kernel)[] | map(select(.by == "geak-eval")) as $g | map(select(.by == "do_bench")) as $d
	| [$g[0].kernel, ($g | share(.verdict == $want)), ($g | "\(width) %")]
	+ (if ($d | length) > 0 then [$d | share(.speedup < 1 / 1.015)] else [] end) | @tsv'
for what in ${WHAT:-aa ab}; do
	case $what in
	aa) want=same others= ;;
	ab) want=slower others='\tslower by do_bench' ;;
	esac
	printf "kernel\t$want\thalf interval$others\n"
	jq -sr --arg want $want "$summary" "$here/$what.jsonl"
done
