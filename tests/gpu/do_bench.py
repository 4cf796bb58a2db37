"""triton.testing.do_bench on the pairs that pairs.py made: what it makes of the same slowdowns.

    do_bench.py CANDIDATES BASELINES COUNT

Prints a JSON line a comparison: the medians of both, one after the other, and their ratio.
"""
import importlib.util
import json
import pathlib
import sys
import tempfile

import torch
import triton.testing


def entry(record, folder, name):
    path = pathlib.Path(folder) / f"{name}.py"
    path.write_text(record["source"])
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, record["task"]["entry"])


def arguments(task):
    space = {}
    exec(task["reference"], space)
    case = next(c for c in task["cases"] if c["kind"] == "time")
    args = space["inputs"](case["params"], torch.Generator().manual_seed(0))
    return [a.cuda() if isinstance(a, torch.Tensor) else a for a in args]


def main(candidates, baselines, count):
    with tempfile.TemporaryDirectory() as folder, open(candidates) as a, open(baselines) as b:
        for n, lines in enumerate(zip(a, b)):
            mine, theirs = map(json.loads, lines)
            args = arguments(mine["task"])
            calls = [entry(r, folder, f"kernel_{n}_{i}") for i, r in enumerate((mine, theirs))]
            for _ in range(int(count)):
                ms, base_ms = (triton.testing.do_bench(lambda f=f: f(*args), return_mode="median") for f in calls)
                print(json.dumps({"kernel": mine["id"], "by": "do_bench", "ms": ms, "base_ms": base_ms,
                                  "speedup": base_ms / ms}))


if __name__ == "__main__":
    main(*sys.argv[1:])
