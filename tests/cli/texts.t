#!/bin/bash
# What Triton compiles where a kernel runs is what was sent, also of a function that the kernel calls.
# No GPU is needed for it: tests/helper/idle_gpu.py stands for one.
. "$(dirname "$0")/../tap.sh"
cat >run.py <<'PY'
import os
import sys

sys.path[:0] = os.environ["ROOT"] + "/lib/harness", os.environ["ROOT"] + "/tests/helper"
import idle_gpu
import torch
from geak_harness import launches, loader

ran = []
idle_gpu.install(lambda *args: ran.append(True))
with open(sys.argv[1]) as f:
    source = f.read()
log = launches.Log()
log.begin, log.end = lambda *args: None, lambda: None
launches.watch(log, source)
try:
    loader.load(source, "candidate", loader.SOURCE).entry(torch.zeros(64))
except Exception as e:
    said = loader.describe(e)
    print(said["class"], said["message"].split(":")[0])
print(len(ran), "ran")
PY
cat >head.py <<'PY'
import linecache
import triton
import triton.language as tl

def changed(name):
    """The source with another factor, under another name."""
    lines = [line.replace("* 2.0", "* 3.0") for line in linecache.getlines("candidate.py")]
    linecache.cache[name] = (len("".join(lines)), None, lines, name)

PY
cat >kernel.py <<'PY'
@triton.jit
def kernel(x, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, act(tl.load(x + i)))

def entry(x):
    kernel[(1,)](x, B=64)
PY
act='def act(v):
    return v * 2.0
'
refused="RuntimeError the text of kernel act is not in the source that was sent
0 ran"

runs() { # runs NAME WANTED WHAT <THE-MIDDLE
	cat head.py - kernel.py >"$1".py
	TRITON_CACHE_DIR=$WORK/cache-$1 "$PYTHON" run.py "$1".py >out 2>err
	is "$(cat out)" "$2" "$3" || cat err
}

runs plain '1 ran' 'a function that a kernel calls is compiled' <<<"@triton.jit
$act"
runs library '1 ran' 'so is one of the library' <<'PY'
@triton.jit
def act(v):
    return tl.softmax(v) + tl.cumsum(v, 0)
PY
runs nested '1 ran' 'and one that is made within another' <<'PY'
def make():
    @triton.jit
    def act(v):
        # indented
        return v * 2.0
    return act

act = make()
PY
runs elsewhere "$refused" 'not one that says it is of another file' <<<"$act
changed('other.py')
act.__code__ = act.__code__.replace(co_filename='other.py')
act = triton.jit(act)"
runs restored "$refused" 'nor one whose text was another when it was read' <<<"$act
kept = linecache.cache['candidate.py']
changed('candidate.py')
act = triton.jit(act)
linecache.cache['candidate.py'] = kept"
runs updated "$refused" 'nor one that was given another since' <<<"@triton.jit
$act
act._unsafe_update_src(act.src.replace('* 2.0', '* 3.0'))"
done_testing
