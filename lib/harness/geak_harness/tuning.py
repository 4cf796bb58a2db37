"""Triton's tuner, which has each configuration of a kernel compiled and timed, one after the other.

Where the kernel may be timed afterwards, they are compiled side by side before they are tried: the
compiler is where the time goes, and works as well in several threads. What has been compiled ahead
the tuner finds in the kernel's cache.

Where it is only checked, as in a suite's tests, any of them will do that works: the first is taken,
and no other compiled unless that one is refused. What launches it is built in a hurry then, too.
"""
import concurrent.futures
import functools
import math
import os

from triton.compiler.errors import CompileTimeAssertionFailure
from triton.runtime import build
from triton.runtime.autotuner import Autotuner
from triton.runtime.errors import PTXASError

try:
    from triton.runtime import _async_compile
except ImportError:  # of an older triton
    _async_compile = None

WORKERS = min(8, len(os.sched_getaffinity(0)))
REFUSALS = (CompileTimeAssertionFailure, PTXASError)  # after which the tuner tries the next configuration


def _mode(pool):
    try:
        return _async_compile.AsyncCompileMode(pool, ignore_errors=True)
    except TypeError:  # triton 3.6 stops at the first error; the rest is then in its cache on disk
        return _async_compile.AsyncCompileMode(pool)


def _refuses(error):
    """Not so of a compiler that was killed."""
    return isinstance(error, REFUSALS) and "failed with error code -" not in str(error)


def _compile_ahead(tuner, configs, kwargs):
    """Those that the compiler refuses."""
    given = {k: v for k, v in kwargs.items() if k != "warmup"}
    workers = min(WORKERS, len(configs))
    kernels = []
    try:
        with concurrent.futures.ThreadPoolExecutor(workers) as pool, _mode(pool):
            for config in configs:
                kernels.append(tuner.fn.warmup(*tuner.nargs.values(), **{**given, **config.all_kwargs()}))
    except REFUSALS:
        pass  # of one that does not compile, at the end
    finally:
        _async_compile.active_mode.set(None)  # which it forgets then
    return [c for c, k in zip(configs, kernels)
            if isinstance(k, _async_compile.FutureKernel) and _refuses(k.future.exception())]


def _after(method, then):
    """Has then(self, result, kwargs) called with what the method returned."""
    @functools.wraps(method)
    def wrapped(self, kwargs):
        result = method(self, kwargs)
        then(self, result, kwargs)
        return result
    return wrapped


def _try_ahead(tuner, configs, kwargs):
    """Those that the compiler refuses, as far as that could be told."""
    if len(configs) > 1 and _async_compile is not None:
        try:
            return _compile_ahead(tuner, configs, kwargs)
        except Exception:
            pass  # the tuner comes to it itself, and knows what to make of it
    return []


def _prepare_timed():
    Autotuner.prune_configs = _after(Autotuner.prune_configs, _try_ahead)


def _prepare_checked():
    """Where a configuration is refused the next are as a rule, too, and are tried side by side."""
    bench, tuned, given, refused, failed = Autotuner._bench, set(), {}, {}, []

    def begin(tuner, configs, kwargs):
        tuned.discard(tuner)
        refused[tuner] = []
        given[tuner] = configs

    def once(call, quantiles):
        failed.clear()
        try:
            call()
        except Exception as e:  # the tuner will not tell of some
            failed.append(e)
            raise
        return [0.0] * len(quantiles)

    @functools.wraps(bench)
    def first(self, *args, config, **kwargs):
        if self in tuned or config in refused.get(self, ()):
            return [math.inf] * 3
        times = bench(self, *args, config=config, **kwargs)
        if times[0] < math.inf:
            tuned.add(self)
        elif failed and isinstance(failed[0], REFUSALS) and config in given.get(self, ()):
            next_one = given[self].index(config) + 1
            refused[self] += _try_ahead(self, given[self][next_one:next_one + WORKERS], kwargs)
        return times

    Autotuner.do_bench = property(lambda self: once)
    Autotuner.prune_configs = _after(Autotuner.prune_configs, begin)
    Autotuner._bench = first


def _build_quickly():
    """Before its 3.7 Triton has a compiler build what launches a kernel, in C, for each signature: 140 ms
    with -O3, half of it with -O0."""
    build_one = build._build

    @functools.wraps(build_one)
    def built(*args):  # the last of them are the compiler's flags
        return build_one(*args[:-1], [*args[-1], "-O0"])

    build._build = built


def prepare(timed):
    """Called once, before there is any kernel; timed: the time counts of what is tuned here."""
    if timed:
        _prepare_timed()
    else:
        _prepare_checked()
        _build_quickly()
