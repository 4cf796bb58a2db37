# For the benchmarks: . "$(dirname "$0")/bench.sh", measure, then `verdict NAME STATUS TEXT`.
#
# Each prints one line of result, "ok" or "not ok" as its target is met, and exits with 0 or 1.
# What it says on the way goes to standard error. It runs in a folder of its own, which also
# is the TMPDIR of the judges that it starts.
set -u
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-release}
PYTHON=${PYTHON:-$ROOT/.venv/bin/python}
PATH=$ROOT/build/$BUILD:$PATH
BENCH=$ROOT/tests/bench
export ROOT BUILD PYTHON PATH
export LC_ALL=C
WORK=$(mktemp -d "${TMPDIR:-/tmp}/geak-bench.XXXXXX") && cd "$WORK" || exit 1
TMPDIR=$WORK/tmp; mkdir "$TMPDIR"; export TMPDIR
trap 'cd /; rm -rf "$WORK"' EXIT
trap 'exit 1' INT TERM HUP

say() { echo "# $*" >&2; }
calc() { awk "BEGIN { printf \"%.$1f\", $2 }"; }       # calc DIGITS EXPRESSION
holds() { awk "BEGIN { exit !($1) }"; }                # holds EXPRESSION
median() { sort -g | awk '{ v[NR] = $1 } END { printf "%.6g", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
range() { sort -g | awk 'NR == 1 { low = $1 } END { printf "%.3g..%.3g", low, $1 }'; }
seconds() { # seconds COMMAND...: how long it took; its output goes where it goes
	local start=$EPOCHREALTIME
	"$@" >&3 || return 1
	calc 6 "$EPOCHREALTIME - $start"
}
candidates() { # candidates N SEED: records of right kernels, no two alike
	geak-task softmax | "$PYTHON" "$BENCH/softmax_class.py" "$1" "$2"
}
watch_keeper() { # watch_keeper PID FILE: the most memory that it had, in KiB, kept up to date in FILE
	while sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$1/status" >"$2.new" 2>/dev/null && [ -s "$2.new" ]; do
		mv "$2.new" "$2"
		sleep 0.1
	done
}
. "$ROOT/tests/ours.sh"
verdict() { # verdict NAME STATUS TEXT
	if [ "$2" -eq 0 ]; then echo "ok $1: $3"; else echo "not ok $1: $3"; fi
	exit "$(($2 != 0))"
}
