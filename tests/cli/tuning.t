#!/bin/bash
# The configurations of an autotuned kernel are compiled side by side, once each, where it is timed;
# where it is checked, the first that works is taken. No GPU is needed for it: tests/helper/idle_gpu.py
# stands for one.
. "$(dirname "$0")/../tap.sh"
cat >tune.py <<'PY'
import os
import sys
import threading

sys.path[:0] = os.environ["ROOT"] + "/lib/harness", os.environ["ROOT"] + "/tests/helper"
import idle_gpu
import torch
import triton
import triton.language as tl
from triton.runtime.errors import OutOfResources, PTXASError
from geak_harness import tuning


class Driver(idle_gpu.Driver):
    @staticmethod
    def get_benchmarker():
        return benchmark


def benchmark(call, quantiles=None):
    asked.append(1)
    call()
    return [1.0, 1.0, 1.0]


def loaded(kernel):
    if kernel.metadata.num_warps == 64:
        raise OutOfResources(4096, 1024, "threads")


idle_gpu.install(loaded=loaded, driver=Driver)
asked, threads, compile_one = [], [], triton.compiler.compile
def compiled(*args, **kwargs):
    threads.append(threading.current_thread() is threading.main_thread())
    return compile_one(*args, **kwargs)
triton.compiler.compile = triton.runtime.jit.compile = compiled
triton.runtime.build.subprocess.check_call = lambda command, **kwargs: flags.extend(command)
flags, refusing = [], len(sys.argv) > 2
tuning.WORKERS = 8
tuning.prepare(timed=sys.argv[1] == "timed")
triton.runtime.build._build("launcher", "launcher.c", ".", [], [], [], [])


def good(B):
    return triton.Config({"B": B})


@triton.autotune(configs=[good(64), good(128), good(256), triton.Config({"B": 100})], key=["n"])
@triton.jit
def twice(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


try:
    twice[lambda meta: (1,)](torch.zeros(64), 64)
except Exception as e:
    print(type(e).__name__)
twice.configs = [c for c in twice.configs if c.kwargs["B"] != 100]
for _ in range(2):
    for n in 65, 66:
        twice[lambda meta: (1,)](torch.zeros(64), n)
if refusing:
    compile_good = triton.compiler.compile
    def refused(*args, **kwargs):
        kernel = compile_good(*args, **kwargs)
        if kwargs["options"]["num_warps"] != 4:
            raise PTXASError("made up")
        return kernel
    triton.compiler.compile = triton.runtime.jit.compile = refused
    threads.clear(), twice.fn.device_caches.clear()
    twice.configs = [triton.Config({"B": 32}, num_warps=w) for w in (1, 2, 8, 16, 4)]
    twice[lambda meta: (1,)](torch.zeros(64), 67)
print(threads.count(False), "ahead,", threads.count(True), "later,", len(asked), "timed;", twice.best_config.kwargs["B"],
      twice.best_config.num_warps)
print([f for f in flags if f.startswith("-O")][-1])
PY
"$PYTHON" tune.py timed >out 2>err
is $? 0 'a kernel is tuned' || cat err
is "$(cat out)" 'CompilationError
7 ahead, 0 later, 10 timed; 64 4
-O3' \
	'its configurations are compiled ahead, once each; of one that does not compile the tuner tells'
sed -i 's/^@triton.autotune(configs=\[/&triton.Config({"B": 64}, num_warps=64), /' tune.py
"$PYTHON" tune.py checked >out 2>err
is "$? $(cat out)" '0 0 ahead, 4 later, 0 timed; 64 4
-O0' 'where it is only checked, the first that works is taken, and what launches it built quickly' || cat err
"$PYTHON" tune.py checked refusing >out 2>err
is "$? $(head -n 1 out)" '0 4 ahead, 1 later, 0 timed; 32 4' \
	'where that is refused the others are tried side by side, and of those that work the first taken' || cat err
done_testing
