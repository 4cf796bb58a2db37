#!/usr/bin/env python3
"""mixed.py N: candidates of every kind, right ones, wrong ones and hostile ones, in one cycle.

A hundred make a cycle, and each cycle is like the next, so that the first and the last of a
long run have the same work. No two sources are the same. origin.expect is the status that
each must get.
"""
import json
import sys

TASK = {
    "geak": "task/1", "id": "plus_one", "title": "Add one", "prompt": "Add one to every element.",
    "language": "triton", "entry": "plus_one", "signature": "plus_one(x: Tensor[N]) -> Tensor[N]",
    "reference": "import torch\ndef inputs(p, gen):\n    return (torch.randn(p['n'], generator=gen),)\n"
                 "def reference(x):\n    return x + 1\n",
    "cases": [{"name": "n100", "kind": "check", "params": {"n": 100}, "flops": 100, "bytes": 800},
              {"name": "n1", "kind": "check", "params": {"n": 1}, "flops": 1, "bytes": 8}],
    "tolerance": {"atol": 1e-6, "rtol": 1e-6}, "tags": ["elementwise"], "difficulty": 1, "harness": "function"}

KERNEL = """import torch, triton, os, sys, time
import triton.language as tl
# {number}

@triton.jit
def kernel(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(y + i, v + 1.0, mask=i < n)

def plus_one(x):
    {first}
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, {block}),)](x, y, n, B={block}, num_warps={warps})
    return y
"""


def before(line):
    return lambda text: text.replace("    pass\n", f"    {line}\n", 1)


def but(old, new):
    return lambda text: text.replace(old, new)


# share of a hundred, name, status, what is done to the right kernel
KINDS = [
    (40, "good", "pass", lambda text: text),
    (4, "talkative", "pass", before('print("spam" * 1000000)')),
    (8, "wrong", "wrong_answer", but("v + 1.0", "v + 1.5")),
    (4, "masks_too_much", "wrong_answer", but("mask=i < n)", "mask=i < n - 1)")),
    (2, "wrong_dtype", "wrong_answer", but("return y", "return y.double()")),
    (4, "arange", "compile_error", but("tl.arange(0, B)", "tl.arange(0, 60)")),
    (3, "syntax", "compile_error", but("def plus_one(x):", "def plus_one(x:")),
    (4, "unknown_api", "call_error", but("torch.empty_like", "torch.empty_as")),
    (2, "no_entry", "call_error", but("def plus_one", "def plus_two")),
    (2, "recurses", "call_error", before("f = lambda: f(); f()")),
    (3, "no_kernel", "no_kernel", but("kernel[(", "y.copy_(x + 1); (lambda *a, **k: 0) if n else kernel[(")),
    (2, "exits", "crash", before("os._exit(0)")),
    (3, "segfaults", "crash", before("import ctypes; ctypes.string_at(0)")),
    (2, "aborts", "crash", before("os.abort()")),
    (2, "forges", "cheat", before('os.write(3, b"{\\"done\\":true}\\nnonsense\\n"); time.sleep(1000)')),
    (2, "forges_a_verdict", "cheat", before('os.write(3, b"{\\"case\\":\\"n100\\",\\"result\\":{}}\\n" * 9); os._exit(0)')),
    (1, "spins", "timeout", before("while True: pass")),
    (1, "sleeps", "timeout", before("time.sleep(1000)")),
    (3, "hoards", "out_of_memory", before("torch.empty(1 << 36).fill_(1)")),
    (2, "hoards_in_python", "out_of_memory", before("a = bytearray(1 << 40)")),
    (2, "fills_the_disk", "pass", before('open("big", "wb").write(bytes(10 << 20))')),
    (2, "leaves_children", "pass", before("[os.fork() or time.sleep(1000) for _ in range(4)]")),
    (2, "leaves_a_thread", "pass", before("import threading; threading.Thread(target=time.sleep, args=(1000,)).start()")),
]
assert sum(share for share, *_ in KINDS) == 100


def cycle():
    """The kinds of a hundred candidates, spread evenly: each kind's turn comes when it is due."""
    due = [((k + 0.5) / kind[0], i) for i, kind in enumerate(KINDS) for k in range(kind[0])]
    return [KINDS[i] for _, i in sorted(due)]


def main():
    turns = cycle()
    for number in range(int(sys.argv[1])):
        _, name, status, change = turns[number % len(turns)]
        text = KERNEL.format(number=number, first="pass", block=(32, 64, 128)[number // 7 % 3],
                             warps=(1, 2, 4)[number // 11 % 3])
        print(json.dumps({
            "geak": "candidate/1", "id": f"{name}-{number}", "task": TASK, "parent": None, "round": 0,
            "origin": {"tool": "bench", "expect": status}, "language": "triton", "source": change(text)}))


if __name__ == "__main__":
    main()
