# TAP for shell tests: . "$(dirname "$0")/../tap.sh", checks, then `done_testing`.
#
# A test runs with the built tools first on PATH, in a folder of its own that is
# removed afterwards, with no key of the user's in its environment.
set -u
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-release}
PYTHON=${PYTHON:-$ROOT/.venv/bin/python}
PATH=$ROOT/build/$BUILD:$PATH
export ROOT BUILD PYTHON PATH
GEAK_CACHE=off # what one check was told is no answer for the next
export GEAK_CACHE
unset OPENAI_API_KEY ANTHROPIC_API_KEY GEAK_API_KEY GEAK_MODEL 2>/dev/null
WORK=$(mktemp -d "${TMPDIR:-/tmp}/geak-test.XXXXXX") && cd "$WORK" || exit 1
_n=0 _bad=0
shopt -s lastpipe # a check at the end of a pipeline counts
_on_exit=:
cleanup() { _on_exit="$1; $_on_exit"; }   # cleanup COMMAND: also run it at the end
trap 'eval "$_on_exit"; cd /; rm -rf "$WORK"' EXIT
trap 'exit 1' INT TERM HUP

ok() { # ok STATUS NAME
	_n=$((_n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $_n - $2"; else echo "not ok $_n - $2"; _bad=$((_bad + 1)); fi
	return "$1"
}
is() { # is GOT WANTED NAME
	if [ "$1" = "$2" ]; then ok 0 "$3"; else
		ok 1 "$3"; printf '%s\n' "got:    $1" "wanted: $2" | sed 's/^/# /' >&2; return 1
	fi
}
like() { # like TEXT PATTERN NAME: an extended regular expression
	if printf '%s\n' "$1" | grep -Eq -e "$2"; then ok 0 "$3"; else
		ok 1 "$3"; printf '%s\n' "got:     $1" "pattern: $2" | cut -c1-600 | sed 's/^/# /' >&2; return 1
	fi
}
unlike() { # unlike TEXT PATTERN NAME
	if printf '%s\n' "$1" | grep -Eq -e "$2"; then
		ok 1 "$3"; printf '%s\n' "got: $1" | cut -c1-600 | sed 's/^/# /' >&2; return 1
	else ok 0 "$3"; fi
}
exits() { # exits STATUS NAME COMMAND...: runs it with output to ./out and ./err
	_want=$1 _name=$2; shift 2
	"$@" >out 2>err; _got=$?
	is "$_got" "$_want" "$_name" || { sed 's/^/# /' err | head -n 5; return 1; }
}
skip_all() { echo "1..0 # SKIP $1"; exit 0; }
done_testing() { echo "1..$_n"; [ "$_bad" -eq 0 ]; exit $?; }
