# shellcheck shell=bash disable=SC2015,SC2086 # "a && b || die" is meant; GEAK_* are split into words
#
# What the loops in this folder share; they source it. Theory of operation:
#
# A run is a folder of record files, one a round: round-00.jsonl holds the first
# candidates, judged; round-01.jsonl what became of the best of them; and so on. A
# file is written under another name and renamed when it is whole, so a run that
# was ended anywhere goes on with the first round whose file is not there.
#
# A stage exits 1 when some records became error/1 records. The others are fine and
# the run goes on; the error/1 records travel with them to the end, where they make
# the run exit 1 as well. Any higher status ends the run at once.

set -u
PIPELINES=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# In a source tree the tools that were built there are meant, elsewhere those on PATH
# or those installed together with this file.
for bin in "$PIPELINES/../build/${BUILD:-release}" "$PIPELINES/../../../bin"; do
	if [ -x "$bin/geak-eval" ]; then PATH=$(cd "$bin" && pwd):$PATH; break; fi
done

say() { [ -n "${QUIET:-}" ] || printf '%s\n' "$*" >&2; }
die() { # die STATUS MESSAGE
	printf '%s: %s\n' "${0##*/}" "$2" >&2
	exit "$1"
}

AGAIN="start again to go on from there"

# stage COMMAND...: a stage in a pipeline, which would lose a status other than the last one's.
stage() {
	local status=0
	"$@" || status=$?
	[ "$status" -le 1 ] || echo "$status" >>"$FAILED"
	return "$status"
}

# whole FILE COMMAND...: what COMMAND, made of stages, prints becomes FILE, unless that is there.
# It runs as a job of its own, so that a signal to this script ends the whole of it.
whole() {
	local file=$1 made job status s
	shift
	[ ! -e "$file" ] || return 0
	FAILED=$file.failed
	: 2>/dev/null >"$FAILED" && : >"$file.part" || die 74 "$file cannot be written"
	set -m
	"$@" >"$file.part" &
	job=$!
	set +m
	# This script dies of the signal that it got: a loop around it stops only for one that died of SIGINT.
	for s in INT TERM HUP; do
		trap 'kill -TERM -- -'$job' 2>/dev/null; trap - '$s'; kill -'$s' $$' $s
	done
	wait "$job"
	trap - INT TERM HUP
	# A stage that died because the next one had gone (141) is not the cause.
	status=$(grep -vxm1 141 "$FAILED" || head -n 1 "$FAILED")
	rm -f "$FAILED"
	if [ -n "$status" ]; then
		rm -f "$file.part"
		made=$(basename "$file" .new)
		[ "$status" -ne 64 ] || die 64 "$made was not made: a stage refused what it was asked to do, as it says above"
		die "$status" "$made was not made: a stage gave up; $AGAIN"
	fi
	sync "$file.part" && mv "$file.part" "$file" || die 74 "$file cannot be written"
}

# -- the loop, as filters

# The commands of the stages: more options for one, or another program in its place.
GEAK_TASK=${GEAK_TASK:-geak-task}
GEAK_GEN=${GEAK_GEN:-geak-gen}
GEAK_EVAL=${GEAK_EVAL:-geak-eval}
GEAK_REFLECT=${GEAK_REFLECT:-geak-reflect}
GEAK_OPT=${GEAK_OPT:-geak-opt}
GEAK_TOP=${GEAK_TOP:-geak-top}

seed() { # seed TASKS: the first candidates, WIDTH a task
	stage $GEAK_GEN -n "$WIDTH" "$1" | stage $GEAK_EVAL
}

repair() { # repair N: N tries at what failed
	if [ "$1" -eq 0 ]; then stage cat; else
		stage $GEAK_REFLECT | stage $GEAK_EVAL | repair $(($1 - 1))
	fi
}

deepen() { # deepen ROUND: the KEEP best of each task, repaired or improved
	stage $GEAK_TOP -a -k "$KEEP" "$1" | repair "$REPAIRS" |
		stage $GEAK_OPT -k "$KEEP" -n "$CHILDREN" | stage $GEAK_EVAL
}

# -- a run

round_file() { printf '%s/round-%02d.jsonl' "$OUT" "$1"; }

show_best() { # show_best ROUND-FILE: a line a task on standard error
	[ -n "${QUIET:-}" ] || $GEAK_TOP -a "$1" | jq -nr -f "$PIPELINES/show.jq" >&2
}

run_loop() {
	local r
	say "round 0: $WIDTH a task"
	whole "$(round_file 0)" seed "$OUT/tasks.jsonl"
	show_best "$(round_file 0)"
	for ((r = 1; r <= DEPTH; r++)); do
		say "round $r of $DEPTH: the best $KEEP a task"
		whole "$(round_file $r)" deepen "$(round_file $((r - 1)))"
		show_best "$(round_file $r)"
	done
}

# Everything once: candidates and errors travel through the rounds unchanged.
all_records() { awk '!seen[$0]++' "$@"; }

kernels() { # kernels BEST DIRECTORY: each task's best as a Python file
	local task name
	mkdir -p "$2" || return
	jq -r '.task.id // empty' "$1" | while IFS= read -r task; do
		name=${task//[!A-Za-z0-9_.-]/_}
		jq -r --arg task "$task" 'select(.task.id == $task).source' "$1" >"$2/$name.py"
	done
}

# finish ROUND-FILE...: all records in one file, and conclude.
finish() {
	rm -f "$OUT/records.jsonl" # made anew from the rounds
	whole "$OUT/records.jsonl" stage all_records "$@"
	tell_errors "$@"
	conclude
}

# tell_errors ROUND-FILE...: where what got no reply, or could not be handled, first is.
tell_errors() {
	local file
	for file; do
		has_errors "$file" || continue
		say "in $file some questions came to nothing; remove it, and the rounds after it, to ask them again"
		return 0
	done
}

# The figures, the winners, their sources; the last line is the path of the records. Fails after an error/1.
conclude() {
	local records=$OUT/records.jsonl best status=0
	rm -f "$OUT/best.jsonl"
	whole "$OUT/best.jsonl" winners "$records"
	kernels "$OUT/best.jsonl" "$OUT/kernels" || die 74 "$OUT/kernels cannot be written"
	geak-bench "$records" || status=$?
	[ "$status" -le 1 ] || exit "$status"
	echo
	[ -s "$OUT/best.jsonl" ] && best=$OUT/kernels/ || best="none, as no kernel passed"
	echo "The best kernel of each task:  $best"
	! ls "$OUT"/objects/*.gfx942.hsaco >/dev/null 2>&1 ||
		echo "Code objects for gfx942:       $OUT/objects/*.gfx942.hsaco"
	echo "Every record with its verdict:"
	echo "$records"
	! has_errors "$records"
}

winners() { stage $GEAK_TOP "$1" | stage jq -c 'select(.geak == "candidate/1")'; }

has_errors() { grep -Eq '^\{ *"geak" *: *"error/1"' "$1"; }

# -- the command line of sequential.sh, parallel.sh and hybrid.sh

usage() {
	cat <<-END
	usage: ${0##*/} [-q] [-m MODEL] [-o FOLDER] [-p PRESET] [-w N] [-d N]
	       [-k N] [-n N] [-r N] [TASK...]

	$ABOUT

	  -m MODEL   the model to ask, as for geak-gen (default: \$GEAK_MODEL)
	  -o FOLDER  where the record files go (default: $OUT);
	             an unfinished run there goes on
	  -p PRESET  compute-bound, memory-bound, control-flow, or a file of yours
	  -w N       width: first candidates a task (default $WIDTH)
	  -d N       depth: rounds after the first (default $DEPTH)
	  -k N       keep the best N of each task from round to round (default $KEEP)
	  -n N       children a task and round (default $CHILDREN)
	  -r N       tries at repair in each round (default $REPAIRS)
	  -q         no progress on standard error
	  -h         this help

	A TASK is a name, or a folder with a slash in it (./mine), as for geak-task;
	without one, all tasks.
	GEAK_TASK, GEAK_GEN, GEAK_EVAL, GEAK_REFLECT, GEAK_OPT and GEAK_TOP in the
	environment are the commands of the stages, for instance
	GEAK_EVAL="geak-eval --targets=gfx950", or a program of yours.

	Writes FOLDER/round-NN.jsonl, records.jsonl (every record once), best.jsonl
	and kernels/. Prints the figures and, as the last line, the path of
	records.jsonl. Exits 1 when a record became an error/1, otherwise as the
	stage that failed.
	END
}

# long_option USAGE: for the option "-", whose value is what follows "--" in a word.
long_option() {
	[ "$OPTARG" != help ] || { $1; exit 0; }
	die 64 "--$OPTARG is no option; see ${0##*/} -h"
}

number() { # number OPTION VALUE LEAST
	[[ $2 =~ ^[0-9]{1,4}$ ]] && [ "$2" -ge "$3" ] ||
		die 64 "$1 takes a whole number, at least $3, not '$2'"
}

# Options win over the preset, which wins over the script's own values.
parse_options() {
	local option options=:m:o:p:w:d:k:n:r:qh-: OPTIND=1
	while getopts $options option; do
		if [ "$option" = p ]; then load_preset "$OPTARG"; fi
	done
	OPTIND=1
	while getopts $options option; do
		case $option in
		m) export GEAK_MODEL=$OPTARG ;;
		o) OUT=$OPTARG ;;
		p) ;;
		w) number -w "$OPTARG" 1; WIDTH=$OPTARG ;;
		d) number -d "$OPTARG" 0; DEPTH=$OPTARG ;;
		k) number -k "$OPTARG" 1; KEEP=$OPTARG ;;
		n) number -n "$OPTARG" 1; CHILDREN=$OPTARG ;;
		r) number -r "$OPTARG" 0; REPAIRS=$OPTARG ;;
		q) QUIET=1 ;;
		h) usage; exit 0 ;;
		-) long_option usage ;;
		:) die 64 "-$OPTARG needs a value; see ${0##*/} -h" ;;
		*) die 64 "-$OPTARG is no option; see ${0##*/} -h" ;;
		esac
	done
	SHIFT=$((OPTIND - 1))
	for option in "${@:OPTIND}"; do
		[[ $option != -?* ]] || die 64 "$option comes after a task; options go before"
	done
}

load_preset() {
	local file=$1
	[[ $file == */* ]] || file=$PIPELINES/presets/$file
	[ -r "$file" ] || die 64 "-p: there is no preset $1 (compute-bound, memory-bound, control-flow)"
	# shellcheck source=/dev/null
	. "$file" || die 64 "-p $1: it is a file of WIDTH=, DEPTH=, KEEP=, CHILDREN= and REPAIRS="
	number "-p $1: WIDTH" "$WIDTH" 1
	number "-p $1: DEPTH" "$DEPTH" 0
	number "-p $1: KEEP" "$KEEP" 1
	number "-p $1: CHILDREN" "$CHILDREN" 1
	number "-p $1: REPAIRS" "$REPAIRS" 0
}

# claim_run OPTION: a folder, named by OPTION, holds one run: what was asked for is kept beside
# the rounds, save the depth. What came to no records may have been a mistake.
claim_run() {
	local run="$GEAK_MODEL, width $WIDTH, keep $KEEP, children $CHILDREN, repairs $REPAIRS"
	compgen -G "$OUT/round-*.jsonl" >/dev/null || compgen -G "$OUT/*/round-*.jsonl" >/dev/null ||
		rm -f "$OUT/run" "$OUT/tasks.jsonl"
	[ ! -e "$OUT/run" ] || [ "$(cat "$OUT/run")" = "$run" ] ||
		die 64 "$OUT holds another run ($(cat "$OUT/run")); name another folder with $1"
	whole "$OUT/run" echo "$run"
}

claim_folder() {
	local asked=$OUT/tasks.jsonl.new
	mkdir -p "$OUT" && exec 9>"$OUT/lock" || die 74 "$OUT cannot be written"
	flock -n 9 || die 75 "another run is at work in $OUT"
	# First of all, so that a task that there is not is called that, whatever the folder holds.
	rm -f "$asked"
	trap 'rm -f "$OUT/tasks.jsonl.new"' EXIT
	whole "$asked" stage $GEAK_TASK "$@"
	claim_run -o
	[ ! -e "$OUT/tasks.jsonl" ] || cmp -s "$asked" "$OUT/tasks.jsonl" ||
		die 64 "$OUT holds a run for other tasks, or they have changed; name another folder with -o"
	mv "$asked" "$OUT/tasks.jsonl" || die 74 "$OUT/tasks.jsonl cannot be written"
}

main() {
	parse_options "$@"
	shift "$SHIFT"
	[ -n "${GEAK_MODEL:-}" ] || die 64 "no model: say which with -m or in GEAK_MODEL; see geak-gen(1)"
	claim_folder "$@"
	run_loop
	finish "$OUT"/round-*.jsonl
}
