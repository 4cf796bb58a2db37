"""Writes each worked example of prompts/examples as a candidate for geak-eval, with a task of its own."""
import json
import os
import pathlib

FOLDER = pathlib.Path(os.environ["ROOT"]) / "prompts" / "examples"
HALVES = """
def rand(gen, *shape):
    return torch.randn(shape, generator=gen).to(torch.float16)
"""
# name: the entry, inputs and reference, and the parameters of two cases; the first is laid out strided
TASKS = {
    "elementwise": ("bias_silu", """
def inputs(p, gen):
    return torch.randn((p["M"], p["N"]), generator=gen), torch.randn((p["N"],), generator=gen)


def reference(x, bias):
    return torch.nn.functional.silu(x + bias)
""", {"M": 5, "N": 300}, {"M": 1, "N": 1}),
    "reduction": ("column_rms", """
def inputs(p, gen):
    return (torch.randn((p["M"], p["N"]), generator=gen),)


def reference(x):
    return x.double().square().mean(0).sqrt().float()
""", {"M": 50, "N": 77}, {"M": 1, "N": 3}),
    "logsumexp": ("row_logsumexp", """
def inputs(p, gen):
    return (3 * torch.randn((p["M"], p["N"]), generator=gen),)


def reference(x):
    return torch.logsumexp(x.double(), 1).float()
""", {"M": 3, "N": 1100}, {"M": 4, "N": 1}),
    "norm": ("layer_norm", """
def inputs(p, gen):
    return tuple(torch.randn(s, generator=gen) for s in ((p["M"], p["N"]), (p["N"],), (p["N"],)))


def reference(x, weight, bias):
    return torch.nn.functional.layer_norm(x.double(), x.shape[1:], weight.double(), bias.double()).float()
""", {"M": 3, "N": 781}, {"M": 2, "N": 64}),
    "matmul": ("matmul_relu", HALVES + """
def inputs(p, gen):
    return rand(gen, p["M"], p["K"]), rand(gen, p["K"], p["N"])


def reference(a, b):
    return torch.relu(a.double() @ b.double()).half()
""", {"M": 70, "N": 33, "K": 45}, {"M": 1, "N": 130, "K": 64}),
    "batched_matmul": ("bmm", HALVES + """
def inputs(p, gen):
    return rand(gen, p["B"], p["M"], p["K"]), rand(gen, p["B"], p["K"], p["N"])


def reference(a, b):
    return (a.double() @ b.double()).half()
""", {"B": 2, "M": 40, "N": 70, "K": 21}, {"B": 3, "M": 1, "N": 5, "K": 33}),
    "grouped_matmul": ("grouped_matmul", HALVES + """
def inputs(p, gen):
    offsets = torch.tensor(p["offsets"], dtype=torch.int32)
    return rand(gen, p["offsets"][-1], p["K"]), rand(gen, len(p["offsets"]) - 1, p["K"], p["N"]), offsets


def reference(x, w, offsets):
    ends = offsets.tolist()
    return torch.cat([x[a:b].double() @ m.double() for a, b, m in zip(ends, ends[1:], w)]).half()
""", {"offsets": [0, 3, 3, 43, 50], "K": 20, "N": 70}, {"offsets": [0, 4], "K": 9, "N": 2}),
    "attention": ("causal_attention", HALVES + """
def inputs(p, gen):
    return tuple(rand(gen, 1, p["H"], p["S"], p["D"]) for _ in range(3))


def reference(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=True).half()
""", {"H": 2, "S": 70, "D": 24}, {"H": 1, "S": 1, "D": 16}),
    "scan": ("recurrence", """
def inputs(p, gen):
    return torch.rand((p["M"], p["N"]), generator=gen), torch.randn((p["M"], p["N"]), generator=gen)


def reference(a, x):
    h, out = torch.zeros(x.shape[0], dtype=torch.float64), []
    for t in range(x.shape[1]):
        h = a[:, t] * h + x[:, t]
        out.append(h)
    return torch.stack(out, 1).float()
""", {"M": 3, "N": 700}, {"M": 1, "N": 1}),
    "gather": ("bag_sum", """
def inputs(p, gen):
    indices = torch.randint(p["rows"], (p["offsets"][-1],), generator=gen).int()
    return torch.randn((p["rows"], p["N"]), generator=gen), indices, torch.tensor(p["offsets"], dtype=torch.int32)


def reference(table, indices, offsets):
    rows, ends = table.double()[indices.long()], offsets.tolist()
    return torch.stack([rows[a:b].sum(0) for a, b in zip(ends, ends[1:])]).float()
""", {"rows": 20, "N": 300, "offsets": [0, 3, 3, 8]}, {"rows": 7, "N": 1, "offsets": [0, 2]}),
    "quantized_matmul": ("int8_matmul", """
def inputs(p, gen):
    a, b = (torch.randint(-128, 128, s, generator=gen, dtype=torch.int8) for s in ((p["M"], p["K"]), (p["K"], p["N"])))
    return a, b, torch.rand((p["M"],), generator=gen) / 100, torch.rand((p["N"],), generator=gen) / 100


def reference(a, b, a_scale, b_scale):
    return ((a.double() @ b.double()) * a_scale[:, None] * b_scale[None, :]).half()
""", {"M": 70, "N": 30, "K": 100}, {"M": 3, "N": 5, "K": 16}),
    "layout": ("swap_last_axes", """
def inputs(p, gen):
    return (torch.randn((2, p["M"], p["N"]), generator=gen),)


def reference(x):
    return x.transpose(1, 2).contiguous()
""", {"M": 33, "N": 70}, {"M": 1, "N": 5}),
    "topk": ("row_topk", """
def inputs(p, gen):
    return torch.randint(9, (p["M"], p["N"]), generator=gen).float(), p["k"]


def reference(x, k):
    values, indices = torch.sort(x, dim=1, descending=True, stable=True)
    return values[:, :k], indices[:, :k].int()
""", {"M": 4, "N": 60, "k": 5}, {"M": 2, "N": 3, "k": 3}),
}

for name, (entry, reference, strided, plain) in TASKS.items():
    cases = [{"name": "strided", "kind": "check", "params": strided, "layout": "strided"},
             {"name": "plain", "kind": "check", "params": plain}]
    task = {"geak": "task/1", "id": name, "title": name, "prompt": "As the reference.", "language": "triton",
            "entry": entry, "harness": "function", "reference": "import torch\n\n" + reference, "cases": cases}
    source = (FOLDER / f"{name}.py").read_text()
    print(json.dumps({"geak": "candidate/1", "id": name, "task": task, "parent": None, "round": 0,
                      "origin": {"tool": "test"}, "language": "triton", "source": source}))
