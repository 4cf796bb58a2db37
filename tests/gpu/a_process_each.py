#!/usr/bin/env python3
"""A judge of suites' tasks of the usual kind, to be held against geak-eval: fresh Python processes
for each candidate, one that runs its source with the tests, one that runs the reference with
them, and a comparison of what they left.

    a_process_each.py CANDIDATES WORKERS SECONDS    judge all of them; a JSON line each
    a_process_each.py run SOURCE RESULT NAME        what one of those processes does
"""
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile
import time

SEPARATOR = "\n\n" + "#" * 146 + "\n\n"


def run(path, result, name):
    import runpy

    import torch
    torch.manual_seed(0)
    left = runpy.run_path(path).get(name)
    torch.save(left, result)


def close(a, b):
    import numpy
    import torch
    if isinstance(b, dict):
        return isinstance(a, dict) and a.keys() == b.keys() and all(close(a[k], b[k]) for k in b)
    if isinstance(b, (list, tuple)):
        return isinstance(a, (list, tuple)) and len(a) == len(b) and all(map(close, a, b))
    if isinstance(b, torch.Tensor):
        return isinstance(a, torch.Tensor) and a.shape == b.shape and a.dtype == b.dtype \
            and torch.allclose(a.double(), b.double(), rtol=1e-3, atol=1e-3, equal_nan=True)
    if isinstance(b, numpy.ndarray):
        return isinstance(a, numpy.ndarray) and a.shape == b.shape and bool((a == b).all())
    return a == b


def judge(record, seconds):
    import torch
    start, task = time.monotonic(), record["task"]
    name = task.get("result") or "result_gold"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for who, source in (("candidate", record["source"]), ("reference", task["reference"])):
            (folder / f"{who}.py").write_text(source + SEPARATOR + task["tests"])
            try:
                done = subprocess.run([sys.executable, __file__, "run", folder / f"{who}.py", folder / who, name],
                                      timeout=seconds, capture_output=True, cwd=folder, check=False)
                status = "ran" if done.returncode == 0 else "call_error"
            except subprocess.TimeoutExpired:
                status = "timeout"
            if status != "ran":
                status = status if who == "candidate" else "reference_error"
                break
        else:
            left = [torch.load(folder / who, weights_only=False, map_location="cpu")
                    for who in ("candidate", "reference")]
            status = "pass" if close(*left) else "wrong_answer"
    return {"id": record["id"], "status": status, "seconds": time.monotonic() - start}


def main(path, workers, seconds):
    import torch  # noqa: F401 -- not in the threads
    with open(path) as f:
        records = [json.loads(line) for line in f]
    with concurrent.futures.ThreadPoolExecutor(int(workers)) as pool:
        for verdict in pool.map(lambda r: judge(r, float(seconds)), records):
            print(json.dumps(verdict), flush=True)


if __name__ == "__main__":
    run(*sys.argv[2:]) if sys.argv[1] == "run" else main(*sys.argv[1:])
