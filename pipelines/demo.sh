#!/bin/bash
# The loop on three tasks, live: a first try, a repair, an improvement.
# shellcheck source=pipelines/lib.sh
. "$(dirname "$0")/lib.sh"

DEMO_TASKS=(softmax flip matmul_fp16)
OUT=${OUT:-out/demo}
AGAIN="start again" # from the beginning: no round of it is kept
RECORDED=replay:$PIPELINES/demo/replies.jsonl
MODEL=${MODEL:-$RECORDED}

demo_usage() {
	cat <<-END
	usage: ${0##*/} [-m MODEL] [-o FOLDER]

	Runs the loop on ${DEMO_TASKS[*]} and shows its rounds. Without a
	model it runs on recorded replies. MODEL and OUT in the environment do as well.

	  -m MODEL   the model to ask, as for geak-gen
	  -o FOLDER  where the results go (default: $OUT)
	  -h         this help

	The last line printed is the path of the record file.
	END
}

while getopts :m:o:h-: option; do
	case $option in
	m) MODEL=$OPTARG ;;
	o) OUT=$OPTARG ;;
	h) demo_usage; exit 0 ;;
	-) long_option demo_usage ;;
	:) die 64 "-$OPTARG needs a value; see ${0##*/} -h" ;;
	*) die 64 "-$OPTARG is no option; see ${0##*/} -h" ;;
	esac
done
shift $((OPTIND - 1))
[ $# -eq 0 ] || die 64 "there is nothing to do for '$1'; see ${0##*/} -h"
export GEAK_MODEL=$MODEL

paint="cat"
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
	paint=colour
fi
colour() { # the verdict, green or red
	sed -u -E $'s/^(.{16})(pass +)/\\1\e[32m\\2\e[0m/; t; s/^(.{16})([a-z_]+)/\\1\e[31m\\2\e[0m/'
}

# show ROUND: passes records on and prints a line about each candidate of that round.
show() {
	local line
	while IFS= read -r line; do
		printf '%s\n' "$line"
		jq -nr --argjson round "$1" -f "$PIPELINES/show.jq" <<<"$line" | $paint >&3
	done
}

# shellcheck disable=SC2086 # GEAK_EVAL is split into words
the_loop() {
	stage geak-task "${DEMO_TASKS[@]}" | stage geak-gen -q | stage $GEAK_EVAL | show 0 |
		stage geak-reflect -q -a | stage $GEAK_EVAL | show 1 |
		stage geak-opt -q -n 1 | stage $GEAK_EVAL | show 2
}

introduce() {
	echo "geak: from a sentence to a verified kernel, on three tasks."
	if [ "$MODEL" = "$RECORDED" ]; then
		echo "The replies are recordings, written for this demo: they measure no model. The"
		echo "rest is real: each kernel is run, checked against a reference and compiled for"
		echo "gfx942, gfx90a, gfx950 and sm_90, here and now."
	else
		echo "The model is $MODEL."
	fi
	echo
	echo "  geak-task ${DEMO_TASKS[*]} | geak-gen | geak-eval |"
	echo "      geak-reflect -a | geak-eval | geak-opt -n 1 | geak-eval"
	echo
	echo "Round, task and verdict of each kernel; its figures, or what is wrong with it:"
}

mkdir -p "$OUT/objects" || die 74 "$OUT cannot be made"
GEAK_EVAL="geak-eval -q --seed=1 --save-objects=$OUT/objects"
rm -f "$OUT/records.jsonl"
exec 3>&1
introduce
whole "$OUT/records.jsonl" the_loop
echo
conclude
