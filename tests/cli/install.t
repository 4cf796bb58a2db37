#!/bin/bash
# What `make install` puts somewhere runs from anywhere, with no source tree in sight.
. "$(dirname "$0")/../tap.sh"
unset MAKEFLAGS MAKELEVEL MFLAGS GEAK_DATADIR

stage=$WORK/stage
in_tree() { make -s -C "$ROOT" BUILD="$BUILD" PYTHON="$PYTHON" DESTDIR="$stage" PREFIX=/opt/geak "$@"; }
exits 0 "make install DESTDIR= PREFIX=" in_tree install
bin=$stage/opt/geak/bin share=$stage/opt/geak/share
is "$(cd "$bin" && echo geak-*)" "$(cd "$ROOT/tools" && echo geak-*.c | sed 's/\.c\b//g')" "every tool is there"
for dir in prompts tasks lib/harness/geak_harness; do
	ok "$([ -d "$share/geak/$dir" ]; echo $?)" "$dir is there"
done
is "$(cd "$ROOT" && find man -name "*.[1-9]" 2>/dev/null | wc -l)" \
	"$(find "$share/man" -name '*.[1-9]' 2>/dev/null | wc -l)" "every manual is there"
is "$(find "$stage" -name __pycache__ -printf '%P\n' -o -name '*.o' -print)" "opt/geak/share/geak/lib/harness/geak_harness/__pycache__" \
	"no by-product is there, but that the harness is compiled"
is "$(find "$stage" ! -type l ! -perm -a=r)" "" "everyone may read it"

# Moved away, without the tree's tools on PATH.
mv "$stage/opt/geak" "$WORK/moved here" && cd / || exit 1
PATH=$WORK/moved\ here/bin:${PATH#*:}
cd "$WORK" || exit 1
like "$(command -v geak-task)" "^$WORK/moved here/bin/geak-task$" "the moved geak-task is the one that runs"
is "$(geak-task -l | sort | awk '{print $1}')" "$(cd "$ROOT/tasks" && for d in */; do echo "${d%/}"; done | sort)" \
	"geak-task finds its tasks"
geak-task softmax >task.jsonl
jq -c '{geak: "candidate/1", id: "a", task: ., parent: null, round: 0, origin: {}, language: "triton",
	source: $source}' --rawfile source "$ROOT/tests/kernels/softmax.py" task.jsonl >candidate.jsonl
exits 0 "the moved geak-eval judges" geak-eval --targets gfx942 candidate.jsonl
is "$(jq -r .eval.status out)" pass "and its harness is found"

mv "$WORK/moved here" "$stage/opt/geak"
exits 0 "make uninstall" in_tree uninstall
is "$(find "$stage" ! -type d)" "" "nothing of it is left"
done_testing
