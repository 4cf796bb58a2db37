#!/usr/bin/env python3
"""A judge of the usual kind, to be held against geak-eval: a fresh Python process a candidate.

    process_a_candidate.py interpret RECORD LAUNCHES   run it and compare with the reference
    process_a_candidate.py compile RECORD LAUNCHES     compile for gfx942 what was launched

RECORD is a file with one candidate/1 record, LAUNCHES a file by which the first process tells
the second what to compile. There are two processes because TRITON_INTERPRET must be set before
triton is imported. Nothing here is slower than it need be: the inputs, the interpreter and the
check are those of geak-eval, and of each kernel the largest launch alone is compiled. Each
process prints a line: how long it took to import torch and triton, and then to do its work.
"""
import json
import linecache
import os
import sys
import time
import types

START = time.monotonic()


def load(source, name):
    """Triton reads a kernel's source by its file name; linecache will do for a file."""
    module = types.ModuleType(name)
    module.__file__ = f"<{name}>"
    linecache.cache[module.__file__] = (len(source), None, source.splitlines(keepends=True), module.__file__)
    exec(compile(source, module.__file__, "exec"), module.__dict__)
    return module


def close(got, want, tolerance):
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    got, want = got.double(), want.double()
    within = (got - want).abs() <= tolerance["atol"] + tolerance["rtol"] * want.abs()
    return bool((within | (got == want)).all())


def encode(value):
    if isinstance(value, torch.Tensor):
        return {"dtype": str(value.dtype).removeprefix("torch."), "shape": list(value.shape),
                "aligned": value.data_ptr() % 16 == 0}
    return value


def watch_launches():
    """Of each kernel the launch with the largest tensors."""
    from triton.runtime.interpreter import InterpretedFunction
    seen, run = {}, InterpretedFunction.run

    def watched(self, *args, grid, warmup, **kwargs):
        size = sum(a.numel() for a in args if isinstance(a, torch.Tensor))
        if size >= seen.get(self.fn.__name__, (0,))[0]:
            seen[self.fn.__name__] = size, [encode(a) for a in args], {k: encode(v) for k, v in kwargs.items()}
        return run(self, *args, grid=grid, warmup=warmup, **kwargs)

    InterpretedFunction.run = watched
    return seen


def interpret(record, launches):
    task = record["task"]
    reference = load(task["reference"], "reference")
    seen = watch_launches()
    entry = getattr(load(record["source"], "candidate"), task["entry"])
    for case in task["cases"]:
        if case["kind"] == "time":
            continue
        inputs = reference.inputs(dict(case["params"]), torch.Generator().manual_seed(1))
        want = reference.reference(*inputs)
        kept = [i.clone() for i in inputs]
        got = entry(*inputs)
        if not close(got, want, {**task["tolerance"], **case.get("tolerance", {})}):
            sys.exit(f"{case['name']} is wrong")
        if not all(torch.equal(a, b) for a, b in zip(inputs, kept)):
            sys.exit(f"{case['name']} changes its inputs")
    with open(launches, "w", encoding="utf-8") as f:
        json.dump(seen, f)


def decode(value):
    if not isinstance(value, dict):
        return value
    buffer = torch.empty(4 + torch.Size(value["shape"]).numel(), dtype=getattr(torch, value["dtype"]))
    return buffer[0 if value["aligned"] else 1:]  # Triton looks at type and address, no further


def build(record, launches):
    from triton.backends.compiler import GPUTarget
    target = GPUTarget("hip", "gfx942", 64)
    triton.runtime.driver.set_active(types.SimpleNamespace(
        get_current_target=lambda: target, get_current_device=lambda: 0, get_current_stream=lambda *a: 0))
    module = load(record["source"], "candidate")
    with open(launches, encoding="utf-8") as f:
        seen = json.load(f)
    for name, (_, args, kwargs) in seen.items():
        compiled = getattr(module, name).warmup(*map(decode, args), grid=(1,),
                                                **{k: decode(v) for k, v in kwargs.items()})
        if not compiled.asm["hsaco"]:
            sys.exit(f"{name} has no code")


def main():
    global torch, triton
    part, path, launches = sys.argv[1:]
    if part == "interpret":
        os.environ["TRITON_INTERPRET"] = "1"
    import torch
    import triton
    imported = time.monotonic()
    with open(path, encoding="utf-8") as f:
        record = json.load(f)
    {"interpret": interpret, "compile": build}[part](record, launches)
    print(json.dumps({"part": part, "import_s": imported - START, "work_s": time.monotonic() - imported}))


if __name__ == "__main__":
    main()
