#!/usr/bin/env python3
"""softmax_class.py N SEED <task.json: N right kernels for the softmax task, no two alike.

They differ in what makes kernels differ: the algorithm (a row at once, several rows at once,
three passes, online, online in every lane, persistent, two kernels), block size, warps,
stages, how the exponential is written, how a masked element is kept out, how addresses are
formed; and in their names. The same N and SEED give the same records.
"""
import json
import random
import sys

HEAD = "import torch\nimport triton\nimport triton.language as tl\n"

WORDS = ("row tile band strip lane scan sweep slab wave block chunk panel".split(),
         "softmax normalize soft_rows exp_rows row_norm smax".split())

# Each is the body of kernel(x, y, M, N, stride, ROWS, BLOCK), with {holes} for what varies.
KERNELS = {
    "row": """
    row = {program}
    column = tl.arange(0, BLOCK)
    inside = column < N
    value = tl.load(x + row * stride + column, mask=inside, other=float("-inf"){evict}).to(tl.float32)
    value = {exp_of}
    total = tl.sum(value, axis=0)
    tl.store(y + row * N + column, {quotient}{cast}, mask=inside)
""",
    "rows": """
    row = {program} * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, BLOCK)
    inside = (row[:, None] < M) & (column[None, :] < N)
    value = tl.load(x + row[:, None] * stride + column[None, :], mask=inside, other=float("-inf"){evict}).to(tl.float32)
    value = tl.where(row[:, None] < M, value, 0.0)
    largest = tl.max(value, axis=1)[:, None]
    value = {exp_of_2d}
    total = tl.sum(value, axis=1)[:, None]
    tl.store(y + row[:, None] * N + column[None, :], {quotient}{cast}, mask=inside)
""",
    "passes": """
    row = {program}
    column = tl.arange(0, BLOCK)
    many = tl.full((BLOCK,), float("-inf"), tl.float32)
    for start in {range}(0, N, BLOCK):
        value = tl.load(x + row * stride + start + column, mask=start + column < N, other=float("-inf"){evict}).to(tl.float32)
        many = tl.maximum(many, value)
    largest = tl.max(many, axis=0)
    sums = tl.zeros((BLOCK,), tl.float32)
    for start in {range}(0, N, BLOCK):
        value = tl.load(x + row * stride + start + column, mask=start + column < N, other=float("-inf")).to(tl.float32)
        sums += {exp_less}
    total = tl.sum(sums, axis=0)
    for start in {range}(0, N, BLOCK):
        inside = start + column < N
        value = tl.load(x + row * stride + start + column, mask=inside, other=0.0).to(tl.float32)
        value = {exp_less}
        tl.store(y + row * N + start + column, {quotient}{cast}, mask=inside)
""",
    "online": """
    row = {program}
    column = tl.arange(0, BLOCK)
    largest = tl.full((), float("-inf"), tl.float32)
    total = tl.zeros((), tl.float32)
    for start in {range}(0, N, BLOCK):
        value = tl.load(x + row * stride + start + column, mask=start + column < N, other=float("-inf"){evict}).to(tl.float32)
        higher = tl.maximum(largest, tl.max(value, axis=0))
        total = total * tl.exp(largest - higher)
        largest = higher
        total += tl.sum({exp_less}, axis=0)
    for start in {range}(0, N, BLOCK):
        inside = start + column < N
        value = tl.load(x + row * stride + start + column, mask=inside, other=0.0).to(tl.float32)
        value = {exp_less}
        tl.store(y + row * N + start + column, {quotient}{cast}, mask=inside)
""",
    "lanes": """
    row = {program}
    column = tl.arange(0, BLOCK)
    high = tl.full((BLOCK,), -1.0e30, tl.float32)
    sums = tl.zeros((BLOCK,), tl.float32)
    for start in {range}(0, N, BLOCK):
        value = tl.load(x + row * stride + start + column, mask=start + column < N, other=float("-inf"){evict}).to(tl.float32)
        higher = tl.maximum(high, value)
        sums = sums * tl.exp(high - higher) + tl.exp(value - higher)
        high = higher
    largest = tl.max(high, axis=0)
    total = tl.sum(sums * tl.exp(high - largest), axis=0)
    for start in {range}(0, N, BLOCK):
        inside = start + column < N
        value = tl.load(x + row * stride + start + column, mask=inside, other=0.0).to(tl.float32)
        value = {exp_less}
        tl.store(y + row * N + start + column, {quotient}{cast}, mask=inside)
""",
    "persistent": """
    column = tl.arange(0, BLOCK)
    inside = column < N
    for index in range(tl.program_id(0), M, tl.num_programs(0)):
        row = {index}
        value = tl.load(x + row * stride + column, mask=inside, other=float("-inf"){evict}).to(tl.float32)
        value = {exp_of}
        total = tl.sum(value, axis=0)
        tl.store(y + row * N + column, {quotient}{cast}, mask=inside)
""",
}

SIGNATURE = """

@triton.jit
def {kernel}(x, y, M, N, stride, ROWS: tl.constexpr, BLOCK: tl.constexpr):{body}"""

WRAPPER = """

def softmax({arg}):
    M, N = {arg}.shape
    {out} = {make}
    if M:
        {kernel}[({grid},)]({arg}, {out}, M, N, {arg}.stride(0), ROWS={rows}, BLOCK={block}, num_warps={warps}{stages})
    return {out}
"""

# The second way: one kernel finds each row's maximum and sum, another one writes.
TWO = """

@triton.jit
def {kernel}_sums(x, largest_of, total_of, N, stride, BLOCK: tl.constexpr):
    row = {program}
    column = tl.arange(0, BLOCK)
    value = tl.load(x + row * stride + column, mask=column < N, other=float("-inf"){evict}).to(tl.float32)
    largest = tl.max(value, axis=0)
    tl.store(largest_of + row, largest)
    tl.store(total_of + row, tl.sum({exp_less}, axis=0))


@triton.jit
def {kernel}(x, y, largest_of, total_of, N, stride, BLOCK: tl.constexpr):
    row = {program}
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = column < N
    largest = tl.load(largest_of + row)
    total = tl.load(total_of + row)
    value = tl.load(x + row * stride + column, mask=inside, other=0.0).to(tl.float32)
    value = {exp_less}
    tl.store(y + row * N + column, {quotient}{cast}, mask=inside)


def softmax({arg}):
    M, N = {arg}.shape
    {out} = {make}
    largest_of = torch.empty(M, dtype=torch.float32, device={arg}.device)
    total_of = torch.empty_like(largest_of)
    if M:
        {kernel}_sums[(M,)]({arg}, largest_of, total_of, N, {arg}.stride(0), BLOCK=triton.next_power_of_2(N), num_warps={warps}{stages})
        {kernel}[(M, triton.cdiv(N, {block}))]({arg}, {out}, largest_of, total_of, N, {arg}.stride(0), BLOCK={block}, num_warps={warps})
    return {out}
"""


def holes(draw, algorithm):
    """What varies within an algorithm. All of it is right for every shape of the task."""
    less = draw.choice(["tl.exp(value - largest)", "tl.exp2((value - largest) * 1.4426950408889634)",
                        "tl.math.exp(value - largest)"])
    whole = less.replace("largest", "tl.max(value, axis=0)")
    looping = algorithm in ("passes", "online", "lanes", "two")
    rows = draw.choice([2, 4]) if algorithm == "rows" else 1
    return {
        "kernel": f"{draw.choice(WORDS[0])}_{draw.choice(WORDS[1])}_{draw.randrange(100, 1000)}",
        "program": draw.choice(["tl.program_id(0).to(tl.int64)", "tl.program_id(axis=0)"]),
        "index": draw.choice(["index", "tl.cast(index, tl.int64)"]),
        "evict": draw.choice(["", ', eviction_policy="evict_last"', ', cache_modifier=".cg"']),
        "range": draw.choice(["range", "tl.range"]),
        "exp_of": whole, "exp_of_2d": less, "exp_less": less,
        "quotient": draw.choice(["(value / total)", "(value * (1.0 / total))"]),
        "cast": draw.choice(["", ".to(y.dtype.element_ty)"]),
        "arg": draw.choice(["x", "inputs", "matrix", "logits"]),
        "out": draw.choice(["y", "out", "result"]),
        "rows": rows, "grid": {"rows": f"triton.cdiv(M, {rows})", "persistent": f"min(M, {draw.choice([2, 3, 8])})"}
        .get(algorithm, "M"),
        "block": draw.choice([256, 512, 1024]) if looping else
        draw.choice(["triton.next_power_of_2(N)", "max(16, triton.next_power_of_2(N))"]),
        "warps": draw.choice([1, 2, 4, 8]), "stages": draw.choice(["", ", num_stages=1", ", num_stages=2"]),
    }


def source(draw, algorithm):
    h = holes(draw, algorithm)
    h["make"] = draw.choice(["torch.empty((M, N), dtype={arg}.dtype, device={arg}.device)",
                             "torch.empty_like({arg}, memory_format=torch.contiguous_format)",
                             "{arg}.new_empty((M, N))"]).format(**h)
    if algorithm == "two":
        return HEAD + TWO.format(**h)
    return HEAD + SIGNATURE.format(body=KERNELS[algorithm].format(**h), **h) + WRAPPER.format(**h)


def main():
    n, seed = int(sys.argv[1]), int(sys.argv[2])
    task = json.load(sys.stdin)
    draw = random.Random(seed)
    algorithms = [*KERNELS, "two"]
    seen = set()
    while len(seen) < n:
        algorithm = algorithms[len(seen) % len(algorithms)]
        text = source(draw, algorithm)
        if text not in seen:
            seen.add(text)
            print(json.dumps({"geak": "candidate/1", "id": f"{algorithm}-{len(seen)}", "task": task, "parent": None,
                              "round": 0, "origin": {"tool": "bench"}, "language": "triton", "source": text}))


if __name__ == "__main__":
    main()
