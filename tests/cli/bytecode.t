#!/bin/bash
# Packages that are not compiled at their own place are compiled once, not at each start.
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/judge.sh"
prefix=$("$PYTHON" -c 'import sys; print(sys.prefix)')
[ -e "$prefix/pyvenv.cfg" ] || skip_all "$PYTHON is of no virtual environment"
export XDG_CACHE_HOME=$WORK/cache
kept=$XDG_CACHE_HOME/geak/bytecode
kernel | candidate good >good.jsonl

is "$(verdicts -t gfx942 <good.jsonl)" 'good pass -' 'with packages that are compiled'
is "$(find "$WORK/cache" 2>/dev/null)" '' 'nothing is kept'

# The same environment of links, without what Python has compiled.
site=$("$PYTHON" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
bare=$WORK/bare/${site#"$prefix/"}
mkdir -p "$(dirname "$bare")"
cp -R "$prefix/bin" "$prefix/pyvenv.cfg" "$WORK/bare"
cp -Rs "$site" "$bare"
find "$WORK/bare" -name __pycache__ -prune -exec rm -r {} +
export GEAK_PYTHON=$WORK/bare/bin/python
is "$(verdicts -t gfx942 <good.jsonl)" 'good pass -' 'with packages that are not'
is "$(find "$WORK/bare" -name '*.pyc')" '' 'nothing is written beside them'
is "$(find "$kept" "$kept/.." -maxdepth 0 -printf '%m ')" '700 700 ' "which is nobody else's"
torch=$(find "$kept" -path '*/torch/__init__*.pyc')
like "$torch" '/torch/__init__' 'but in the cache of the user'

touch -d '1 hour ago' "$torch" "$WORK/then"
find "$kept" -name '*.pyc' | sort >before
is "$(before 'assert not [e for e in os.environ if "BYTECODE" in e]; assert sys.pycache_prefix is None' | candidate nosy | verdicts -t gfx942)" 'nosy pass -' \
	'a candidate gets to see no variable of it'
find "$kept" -name '*.pyc' | sort | cmp -s before - && ! [ "$torch" -nt "$WORK/then" ]
ok $? 'and the next start has it'

chmod go+w "$kept"
rm "$torch"
is "$(verdicts -t gfx942 <good.jsonl) $(find "$kept" -path '*/torch/__init__*.pyc')" 'good pass - ' \
	'where others could write nothing is kept, nor taken'

done_testing
