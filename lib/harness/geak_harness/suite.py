"""Tasks of foreign suites: a script that leaves a named result, or a file for pytest.

The suite's tests are appended to the source and run in one namespace with it, for the
reference in the oracle's process and for the candidate in its own. What they leave, a
dictionary as a rule, is compared entry by entry.
"""
import ast
import os
import random
import sys
import time
import types

import numpy
import torch

from . import channel, loader, poison, wire

HARNESSES = ("script", "pytest")
OUTCOME = "outcome of "
ON_DEVICE_MAX = 1 << 30  # bytes of an entry
SEPARATOR = "\n\n" + "#" * 146 + "\n\n"


def _is_test_call(node):
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "id", None) or getattr(node.func, "attr", "")
    return name.startswith("test_")


def strip_tests(source):
    """The source without tests of its own: they would run beside the suite's, or shadow its result."""
    source = source.removeprefix("\ufeff")
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return source  # it will fail where it can be reported

    def unwanted(node):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return node.name.startswith("test_")
        return isinstance(node, (ast.Expr, ast.Assign)) and _is_test_call(node.value)

    lines = source.splitlines(keepends=True)
    for node in reversed(tree.body):
        if unwanted(node):
            first = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", [])])
            lines[first - 1:node.end_lineno] = ["\n"] * (node.end_lineno - first + 1)
    return "".join(lines)


def _seed(seed):
    seed = int(seed) % (1 << 32)
    random.seed(seed)
    numpy.random.seed(seed)
    torch.manual_seed(seed)


def _entries(value):
    """The result as named entries."""
    if isinstance(value, dict):
        return {str(k): v for k, v in value.items()}
    return {"result": value}


def _script(source, request, file):
    _seed(request["seed"])
    module = loader.load(source + SEPARATOR + request["tests"], file, file + ".py")
    name = request.get("result") or "result_gold"
    if hasattr(module, name):
        return _entries(getattr(module, name))
    tests = [n.name for n in ast.parse(request["tests"]).body
             if isinstance(n, ast.FunctionDef) and n.name.startswith("test_")]
    if not tests:
        raise NameError(f"the tests left no result named {name}")
    return _entries(getattr(module, tests[-1])())  # a test that the file only defines


class _Outcomes:
    """A pytest plugin that remembers how each test ended, or why there is none."""

    def __init__(self):
        self.by_test = {}
        self.uncollected = None

    @staticmethod
    def _test(report):
        return report.nodeid.split("::", 1)[-1]

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self.by_test[self._test(report)] = report.outcome

    def pytest_exception_interact(self, call, report):
        """Called after it; pytest itself knows the outermost exception alone, which may be a wrapper."""
        error = call.excinfo.value
        collecting = report.when == "collect"
        said = loader.describe(error.__cause__ or error if collecting else error)
        why = f"{said['class']}: {said['message'].strip()}".split("\n")[0]
        if collecting:
            self.uncollected = why
        else:
            self.by_test[self._test(report)] = f"{report.outcome}: {why}"


def _provide_helpers():
    """The benchmark helpers that the ROCm suite's files import; its timing tests are not run here."""
    helper = types.ModuleType("performance_utils_pytest")

    class PytestBenchmarker:
        def __init__(self, op_callable, op_name, config=None):
            pass

        def run_benchmark(self, *args, **kwargs):
            return {}

    helper.PytestBenchmarker = PytestBenchmarker
    helper.do_bench_config = lambda warm_up=25, repetition=100, quantiles=None, return_mode="median": None
    helper.save_all_benchmark_results = lambda *args, **kwargs: None
    for top in ("tb_eval", "geak_eval"):
        path = top
        for part in ("", ".perf", ".ROCm", ".performance_utils_pytest"):
            path += part
            last = part == ".performance_utils_pytest"
            sys.modules[path] = helper if last else types.ModuleType(path)
            sys.modules[path].__path__ = []


def _pytest(source, request, file):
    import pytest
    _provide_helpers()
    _seed(request["seed"])
    with open(file + ".py", "w", encoding="utf-8") as f:
        f.write(source + SEPARATOR + request["tests"])
    outcomes = _Outcomes()
    # No settings or hooks from files beside it: the candidate could put some beside the reference's.
    status = pytest.main(["-q", "-p", "no:cacheprovider", "--noconftest", "-c", os.devnull,
                          "--rootdir", os.getcwd(), "--confcutdir", os.getcwd(),
                          "--import-mode=importlib", "-k",
                          "not test_performance and not test_save_performance_results "
                          "and not test_save_results", file + ".py"], plugins=[outcomes])
    module = sys.modules.get(file)
    if module is None or status == pytest.ExitCode.INTERRUPTED or not outcomes.by_test:
        why = outcomes.uncollected or f"exit status {int(status)}, see the log"
        raise ImportError(f"pytest could not collect the file: {why}")
    found = {OUTCOME + k: v for k, v in outcomes.by_test.items()}
    result = getattr(module, request.get("result") or "result_gold", None)
    return {**found, **_entries(result or {})}


def _run(source, request, file):
    run = _pytest if request["harness"] == "pytest" else _script
    return run(source, request, file)


def _comparable(value):
    """The value with numpy's arrays as tensors, and in place of what cannot travel its type's name."""
    if isinstance(value, (list, tuple)):
        return [_comparable(v) for v in value]
    if isinstance(value, dict):
        return {k: _comparable(v) for k, v in value.items()}
    try:
        if isinstance(value, numpy.ndarray):
            value = torch.from_numpy(value.copy())
        wire.pack(value, None)
        return value
    except (wire.WireError, TypeError):  # torch has no tensors of strings or objects
        return f"an object of type {type(value).__name__}"


def _pack(value, add):
    return wire.pack(_comparable(value), add)


def run(ch, request):
    """The candidate's side: every entry of the result as a case of its own."""
    out = channel.Writer(channel.OUTPUTS_FD)
    stage = "import"
    try:
        source = strip_tests(request["source"])
        if "tests" not in request:
            module = loader.load(source, "candidate", loader.SOURCE)
            if request.get("entry") and not hasattr(module, request["entry"]):
                raise AttributeError(f"the source defines nothing named {request['entry']}")
            return
        compile(source, loader.SOURCE, "exec", dont_inherit=True)
        stage = "call"
        for name, value in _run(source, request, "candidate").items():
            with torch._C.DisableTorchFunction():
                ch.send(case=name, result=_pack(value, out.add), args={"t": "list", "v": []})
    except BaseException as e:
        ch.send(error=loader.describe(e), stage=stage, case=None)


def ablated(request, out):
    """The entries when launches do nothing; none where the tests cannot do without them."""
    try:
        entries = _run(strip_tests(request["source"]), request, "ablated")
    except BaseException:  # pytest's own exit, too
        return
    for name, value in entries.items():
        with torch._C.DisableTorchFunction():
            yield name, {"result": _pack(value, out.add), "args": {"t": "list", "v": []}}


def _passed(entries):
    """Without the tests that the reference itself does not pass: who fails them alike is not right."""
    tests = {name: outcome for name, outcome in entries.items() if name.startswith(OUTCOME)}
    if tests and "passed" not in tests.values():
        raise ValueError(f"not one of the reference's tests passes: {next(iter(tests.values()))}")
    return {name: value for name, value in entries.items() if tests.get(name, "passed") == "passed"}


def reference(request, file):
    """The reference's entries, as they would arrive from another process."""
    entries = _passed(_run(request["reference"], request, file))
    with torch._C.DisableTorchFunction():
        return {name: _through_wire(value, request["device"]) for name, value in entries.items()}


def expect(ch, request):
    """The oracle's side: what the candidate's entries will be compared with."""
    ch.send(ready=[])
    start = time.monotonic()
    expected = reference(request, "reference")
    if not expected:
        raise ValueError("the reference's tests left nothing to compare")
    ch.send(reference_ran=True, seconds=time.monotonic() - start)
    return expected


def second_run(request):
    """What the reference leaves when it runs again, with other poison where nobody wrote."""
    poison.use_other(True)
    try:
        return reference(request, "reference_again")
    finally:
        poison.use_other(False)


def _through_wire(value, device):
    """The value as it would arrive from another process; on the device, where comparing is fast, unless
    it is very large."""
    store = bytearray()

    def add(data):
        start = -(-len(store) // channel.ALIGN) * channel.ALIGN
        store.extend(bytes(start - len(store)))
        store.extend(memoryview(data).cast("B"))
        return start

    header = _pack(value, add)
    return wire.unpack(header, store, device if len(store) <= ON_DEVICE_MAX else "cpu")
