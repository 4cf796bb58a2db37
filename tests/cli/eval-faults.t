#!/bin/bash
# geak-eval where the machine gives too little: each record comes out, with a verdict or with what is lacking.
# slow: the judge is started many times
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/judge.sh"
export TMPDIR=$WORK/tmp; mkdir "$TMPDIR"
judge() { geak-eval -q -j 1 -t gfx942 "$@"; }
nothing_left() { # nothing_left NAME
	for _ in $(seq 100); do [ -z "$(ours)$(ls "$TMPDIR")" ] && break; sleep 0.1; done
	is "$(ours)$(ls "$TMPDIR")" '' "$1"
}
said() { # said PATTERN NAME: in one line on standard error, and in the record
	is "$(wc -l <err)" 1 "$2: in a line"
	like "$(cat err)" "^geak-eval: good.jsonl:1: $1" 'which says what and why'
	is "$(jq -r '"\(.geak) \(.record.id)"' out)" 'error/1 good' 'and the record is in its error'
}
kernel | candidate good >good.jsonl

# descriptors
few() { ( ulimit -n "$1"; shift; "$@" ); }
exits 0 'thirty descriptors' few 30 judge good.jsonl
is "$(jq -r .eval.status out)" pass 'are enough for one job'
exits 0 'fewer' few 14 judge good.jsonl
is "$(jq -r .eval.status out)" sandbox_error 'are a fault of ours'
like "$(jq -r .eval.error.message out)" 'raise `ulimit -n`' 'and what to do is said'
exits 70 'next to none' few 6 judge good.jsonl
said '(no socket|the judge.s Python process) .*' 'six'
nothing_left 'nothing is left'

# folders and files
TMPDIR=/nowhere exits 70 'a TMPDIR that is not there' judge good.jsonl
said 'the scratch folder /nowhere/.* cannot be made; set TMPDIR: No such' 'that'
mkdir per%cent
TMPDIR=$PWD/per%cent exits 70 'a TMPDIR that the compiler misreads' judge good.jsonl
said 'there can be no scratch folder in .*/per%cent: LLVM .*; set another TMPDIR' 'that'
big() { ( ulimit -f 90; "$@" ); }
kernel | sed "\$a # $(head -c 100000 /dev/zero | tr '\0' x)" | candidate large >large.jsonl
exits 74 'a record larger than files may be' big judge large.jsonl
is "$(cat err)" 'geak-eval: standard output cannot be written: File too large' 'is told as a full disk is'
nothing_left 'and nothing is left'
done_testing
