"""The configurations of an autotuned kernel, compiled side by side before they are tried.

Triton's tuner compiles one, times it, compiles the next; the compiler is where the time goes, and
works as well in several threads. What has been compiled ahead it finds in the kernel's cache.

To time them takes it an eighth of a second each. Where the kernel itself is not timed, any of them
will do: then it may be brief.
"""
import concurrent.futures
import functools
import os

import triton
from triton.runtime.autotuner import Autotuner

try:
    from triton.runtime import _async_compile
except ImportError:  # of an older triton
    _async_compile = None

WORKERS_MAX = 8
BRIEF_MS = {"warmup": 1, "rep": 5}  # of 25 and 100


def _mode(pool):
    try:
        return _async_compile.AsyncCompileMode(pool, ignore_errors=True)
    except TypeError:  # triton 3.6 stops at the first error; the rest is then in its cache on disk
        return _async_compile.AsyncCompileMode(pool)


def _compile_ahead(tuner, configs, kwargs):
    given = {k: v for k, v in kwargs.items() if k != "warmup"}
    workers = min(WORKERS_MAX, len(configs), os.cpu_count() or 1)
    try:
        with concurrent.futures.ThreadPoolExecutor(workers) as pool, _mode(pool):
            for config in configs:
                tuner.fn.warmup(*tuner.nargs.values(), **{**given, **config.all_kwargs()})
    finally:
        _async_compile.active_mode.set(None)  # which it forgets when a configuration does not compile


def _benchmark_briefly():
    benchmark = Autotuner.do_bench.func

    def chosen(self):
        usual = self._do_bench is None or self.num_warmups is not None or self.num_reps is not None
        return functools.partial(triton.testing.do_bench, **BRIEF_MS) if usual else benchmark(self)

    Autotuner.do_bench = property(chosen)


def prepare(brief):
    """Called once, before there is any kernel. brief: nothing that is tuned here will be timed."""
    if brief:
        _benchmark_briefly()
    prune = Autotuner.prune_configs

    @functools.wraps(prune)
    def pruned(self, kwargs):
        configs = prune(self, kwargs)
        if len(configs) > 1 and _async_compile is not None:
            try:
                _compile_ahead(self, configs, kwargs)
            except Exception:
                pass  # the tuner comes to it itself, and knows what to make of it
        return configs

    Autotuner.prune_configs = pruned
