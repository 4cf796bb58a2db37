#!/bin/bash
# How fast candidates of a suite are judged on this machine's GPU, against fresh processes for each
# with as many workers, one after the other in one run. Adds a line to rate.jsonl beside this file.
#
#   rate.sh CANDIDATES      candidate/1 records of tasks with tests, called and checked: not timed, and
#                           without figures of code objects, which the others do not have either
#   WORKERS=14 SECONDS_MAX=100
#   KEEP=DIR                keep both sides' verdicts in DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap '[ -z "${KEEP:-}" ] || cp "$work"/* "$KEEP"; rm -rf "$work"' EXIT
workers=${WORKERS:-14} most=${SECONDS_MAX:-100}
python=${PYTHON:-$here/../../.venv/bin/python}
candidates=$(realpath "$1")

# Both find what they import in memory, and compiled.
"$python" -c 'import torch, triton, numpy, torch._inductor, torch.fx.experimental.symbolic_shapes' || true
head -n 1 "$candidates" | geak-eval -q --device=gpu --no-objects --baseline=none >/dev/null || true
now() { date +%s.%N; }
a=$(now)
geak-eval -q --device=gpu --unordered --no-objects -j "$workers" -T "$most" --baseline=none "$candidates" >"$work/ours" || true
b=$(now)
"$python" "$here/a_process_each.py" "$candidates" "$workers" "$most" >"$work/theirs"
c=$(now)
jq -nc --argjson a "$a" --argjson b "$b" --argjson c "$c" --argjson workers "$workers" --arg date "$(date -u +%F)" \
	--slurpfile ours "$work/ours" --slurpfile theirs "$work/theirs" '
	def median: sort | .[length / 2 | floor];
	def counts(f): map(f) | group_by(.) | map({key: .[0], value: length}) | from_entries;
	{ candidates: ($ours | length), workers: $workers,
	  geak_eval: { seconds: ($b - $a), median_s: ($ours | map(.eval.seconds) | median), status: ($ours | counts(.eval.status)) },
	  process_each: { seconds: ($c - $b), median_s: ($theirs | map(.seconds) | median), status: ($theirs | counts(.status)) },
	  device: $ours[0].eval.device, env: $ours[0].eval.env, date: $date }
	| .times_faster = .process_each.seconds / .geak_eval.seconds
	| .median_times_faster = .process_each.median_s / .geak_eval.median_s' | tee -a "$here/rate.jsonl"
