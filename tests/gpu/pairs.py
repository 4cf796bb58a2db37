"""Candidates whose speed relative to a baseline is known: the judge of times is judged by them.

    pairs.py aa N DIR [KERNEL...]    each of five kernels against itself, N times
    pairs.py ab N DIR [KERNEL...]    each against one that does less: the candidate is slower by a
                                     known part

Writes DIR/candidates.jsonl and DIR/baselines.jsonl, a candidate and its baseline for each
kernel. The N comparisons are N cases for timing of one task, with inputs of their own.

Two kinds of kernel, so that an amount of work can be added that is surely done: rows, where the
grid has a few programs more that do some rows again, and a chain of dependent multiplications and
additions in registers, a few links longer.
"""
import json
import pathlib
import sys

ROWS = '''
import torch, triton, triton.language as tl

@triton.jit
def rows(x, y, m, n, B: tl.constexpr):
    r = tl.program_id(0) % m
    i = tl.arange(0, B)
    v = tl.load(x + r * n + i, mask=i < n, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + r * n + i, (e / tl.sum(e, axis=0)).to(y.dtype.element_ty), mask=i < n)

def softmax(x):
    y = torch.empty_like(x)
    m, n = x.shape
    rows[(m + int(m * {more}),)](x, y, m, n, B=triton.next_power_of_2(n), num_warps=8)
    return y
'''
ROWS_REFERENCE = '''
import torch

def inputs(p, gen):
    return (torch.randn(p["M"], p["N"], generator=gen).to(torch.float16),)

def reference(x):
    return torch.softmax(x.float(), dim=-1).to(x.dtype)
'''
CHAIN = '''
import torch, triton, triton.language as tl

@triton.jit
def chain(x, y, links, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i)
    w = v
    for _ in range(links):
        w = w * 0.999 + 0.001
    tl.store(y + i, v * 2 + w * 0.0)  # not folded away: 0 times what may be NaN is no constant

def double(x, links):
    y = torch.empty_like(x)
    chain[(x.numel() // 256,)](x, y, links + int(links * {more}), B=256, num_warps=8)
    return y
'''
CHAIN_REFERENCE = '''
import torch

def inputs(p, gen):
    return torch.randn(p["n"], generator=gen), p["links"]

def reference(x, links):
    return x * 2
'''
# name, kind, params, part of the work that is added; on the order of 5 us to 5 ms on a large GPU.
# The parts make the whole 3 % slower, 5 % where it takes less than 20 us: in a short kernel most of
# the time is no work of its own, so more of it has to be added (seen on an H200: 16 % more links made
# the first 8.6 % slower, 9 % more rows the second 4.5 %).
KERNELS = [
    ("chain-5us", "chain", {"n": 1 << 15, "links": 1000}, 0.095),
    ("softmax-15us", "rows", {"M": 2048, "N": 4096}, 0.09),
    ("softmax-70us", "rows", {"M": 8192, "N": 8192}, 0.033),
    ("chain-600us", "chain", {"n": 1 << 20, "links": 10_000}, 0.031),
    ("chain-5ms", "chain", {"n": 1 << 20, "links": 87_000}, 0.03),
]
TEXTS = {"rows": (ROWS, ROWS_REFERENCE, "softmax", "The softmax of each row."),
         "chain": (CHAIN, CHAIN_REFERENCE, "double", "Twice x, by a long way round.")}
SMALL = {"rows": {"M": 5, "N": 100}, "chain": {"n": 512, "links": 3}}


def task(name, kind, params, count):
    source, reference, entry, prompt = TEXTS[kind]
    cases = [{"name": "small", "kind": "check", "params": SMALL[kind]}]
    cases += [{"name": f"{name}-{i}", "kind": "time", "params": params} for i in range(count)]
    return {"geak": "task/1", "id": name, "title": name, "language": "triton", "entry": entry, "prompt": prompt,
            "reference": reference, "cases": cases, "tolerance": {"atol": 1e-3, "rtol": 1e-2},
            "allow": ["part"], "harness": "function"}


def candidate(name, task, source):
    return json.dumps({"geak": "candidate/1", "id": name, "task": task, "parent": None, "round": 0,
                       "origin": {"tool": "pairs.py"}, "language": "triton", "source": source})


def main(what, count, folder, *names):
    folder = pathlib.Path(folder)
    with open(folder / "candidates.jsonl", "w") as candidates, open(folder / "baselines.jsonl", "w") as baselines:
        for name, kind, params, more in KERNELS:
            if names and name not in names:
                continue
            t = task(name, kind, params, int(count))
            text = TEXTS[kind][0]
            print(candidate(name, t, text.replace("{more}", str(more if what == "ab" else 0))), file=candidates)
            print(candidate(name, t, text.replace("{more}", "0")), file=baselines)


if __name__ == "__main__":
    main(*sys.argv[1:])
