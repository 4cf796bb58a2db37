#!/bin/bash
# The configurations of an autotuned kernel are compiled side by side, once each. No GPU is needed
# for it: what Triton asks of a driver, a few lines answer.
. "$(dirname "$0")/../tap.sh"
cat >tune.py <<'PY'
import functools
import os
import sys
import threading

sys.path.insert(0, os.environ["ROOT"] + "/lib/harness")
import torch
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import CompiledKernel
from geak_harness import tuning


class Driver:
    get_current_device = staticmethod(lambda: 0)
    get_current_stream = staticmethod(lambda device=None: 0)
    get_current_target = staticmethod(lambda: GPUTarget("hip", "gfx942", 64))

    @staticmethod
    def get_benchmarker():
        return functools.partial(benchmark, "the driver's")


def benchmark(whose, call, quantiles=None, warmup=None, rep=None):
    asked.add((whose, warmup, rep))
    call()
    return [1.0, 1.0, 1.0]


def idle(self):
    self._run, self.function, self.module = (lambda *args: None), 0, 0


triton.runtime.driver.set_active(Driver())
CompiledKernel._init_handles = idle
triton.testing.do_bench = functools.partial(benchmark, "triton's")
asked, threads, compile_one = set(), [], triton.compiler.compile
def compiled(*args, **kwargs):
    threads.append(threading.current_thread() is threading.main_thread())
    return compile_one(*args, **kwargs)
triton.compiler.compile = triton.runtime.jit.compile = compiled
tuning.prepare(brief=sys.argv[1] == "brief")


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
twice.configs = [good(64), good(128), good(256)]
twice[lambda meta: (1,)](torch.zeros(64), 65)
print(threads.count(False), "ahead,", threads.count(True), "later;", twice.best_config.kwargs["B"] in (64, 128, 256))
own = triton.autotune(configs=twice.configs, key=["n"], do_bench=functools.partial(benchmark, "its own"))(twice.fn)
own[lambda meta: (1,)](torch.zeros(64), 66)
print(*sorted(f"{whose} {warmup} {rep}" for whose, warmup, rep in asked), sep=", ")
PY
"$PYTHON" tune.py whole >out 2>err
is $? 0 'a kernel is tuned' || cat err
is "$(cat out)" "CompilationError
7 ahead, 0 later; True
its own None None, the driver's None None" \
	'its configurations are compiled ahead, once each; of one that does not compile the tuner tells'
"$PYTHON" tune.py brief >out 2>err
is "$? $(tail -n 1 out)" "0 its own None None, triton's 1 5" \
	'where it is not timed, Triton is brief in timing them; who times with something else still does' || cat err
done_testing
