"""Runs the worked examples of prompts/examples: check (in the interpreter) or compile (for gfx942).

Speaks TAP. Every example file has an entry in CASES: its function, inputs that are not the
kernel's favourite sizes, strided ones among them, and what PyTorch says is right.
"""
import importlib.util
import os
import pathlib
import sys

import torch

FOLDER = pathlib.Path(os.environ["ROOT"]) / "prompts" / "examples"
gen = torch.Generator().manual_seed(7)


def rand(*shape, dtype=torch.float32):
    return torch.randn(shape, generator=gen).to(dtype)


def bag_reference(table, indices, offsets):
    rows = table.float()
    return torch.stack([rows[indices[a:b].long()].sum(0) for a, b in zip(offsets[:-1], offsets[1:])])


def topk_reference(x, k):
    values, indices = torch.sort(x, dim=1, descending=True, stable=True)
    return values[:, :k], indices[:, :k].int()


def grouped_reference(x, w, offsets):
    parts = zip(offsets[:-1], offsets[1:], w.float())
    return torch.cat([x[a:b].float() @ m for a, b, m in parts])


def recurrence_reference(a, x):
    h, out = torch.zeros(x.shape[0]), []
    for t in range(x.shape[1]):
        h = a[:, t] * h + x[:, t]
        out.append(h)
    return torch.stack(out, 1)


def attention_reference(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=True)


def int8(*shape):
    return torch.randint(-128, 128, shape, generator=gen, dtype=torch.int8)


def bags(n_rows, *lengths):
    offsets = torch.tensor([0, *lengths]).cumsum(0).int()
    return torch.randint(n_rows, (int(offsets[-1]),), generator=gen).int(), offsets


ties = torch.randint(3, (4, 20), generator=gen).float()
CASES = {
    "elementwise": ("bias_silu", lambda x, b: torch.nn.functional.silu(x.float() + b.float()), [
        (rand(7, 300), rand(300)),
        (rand(33, 5, dtype=torch.float16).t(), rand(33, dtype=torch.float16)),
        (rand(0, 4), rand(4)),
    ]),
    "reduction": ("column_rms", lambda x: x.float().square().mean(0).sqrt(), [
        (rand(50, 77),), (rand(70, 9, dtype=torch.float16).t(),), (rand(1, 1),), (rand(0, 3),),
    ]),
    "logsumexp": ("row_logsumexp", lambda x: torch.logsumexp(x.float(), 1), [
        (rand(3, 1500) + 500,), (rand(9, 4).t(),),
        (torch.tensor([[float("-inf")] * 5, [1, float("-inf"), 2, 3, 4]]),), (rand(2, 1),),
    ]),
    "norm": ("layer_norm", lambda x, w, b: torch.nn.functional.layer_norm(
        x.float(), x.shape[1:], w.float(), b.float()), [
        (rand(3, 781) + 10, rand(781), rand(781)),
        (rand(40, 4, dtype=torch.float16).t(), rand(40, dtype=torch.float16), rand(40, dtype=torch.float16)),
    ]),
    "matmul": ("matmul_relu", lambda a, b: torch.relu(a.float() @ b.float()), [
        (rand(70, 45, dtype=torch.float16), rand(45, 130, dtype=torch.float16)),
        (rand(33, 9, dtype=torch.float16).t(), rand(20, 33, dtype=torch.float16).t()),
        (rand(3, 0, dtype=torch.float16), rand(0, 2, dtype=torch.float16)),
    ]),
    "layout": ("swap_last_axes", lambda x: x.transpose(1, 2).contiguous(), [
        (rand(2, 33, 70),), (rand(5, 3, 40, dtype=torch.float16).transpose(0, 2),), (rand(1, 1, 1),),
    ]),
    "topk": ("row_topk", topk_reference, [(rand(5, 60), 4), (ties, 20), (rand(8, 3).t(), 1)]),
    "gather": ("bag_sum", bag_reference, [
        (rand(20, 300), *bags(20, 3, 0, 5, 1)),
        (rand(7, 10, dtype=torch.float16).t(), *bags(10, 2, 2)),
    ]),
    "attention": ("causal_attention", attention_reference, [
        [rand(1, 2, 70, 24, dtype=torch.float16) for _ in range(3)],
        [rand(2, 5, 1, 16, dtype=torch.float16).transpose(1, 2) for _ in range(3)],
    ]),
    "batched_matmul": ("bmm", lambda a, b: a.float() @ b.float(), [
        (rand(3, 40, 21, dtype=torch.float16), rand(3, 21, 70, dtype=torch.float16)),
        (rand(9, 5, 2, dtype=torch.float16).permute(2, 1, 0), rand(1, 9, 3, dtype=torch.float16).expand(2, 9, 3)),
    ]),
    "grouped_matmul": ("grouped_matmul", grouped_reference, [
        (rand(50, 20, dtype=torch.float16), rand(4, 20, 70, dtype=torch.float16), torch.tensor([0, 3, 3, 43, 50]).int()),
        (rand(9, 4, dtype=torch.float16).t(), rand(1, 9, 2, dtype=torch.float16), torch.tensor([0, 4]).int()),
    ]),
    "scan": ("recurrence", recurrence_reference, [
        (torch.rand((3, 1100), generator=gen), rand(3, 1100)), (rand(9, 2).t(), rand(9, 2).t()), (rand(1, 1), rand(1, 1)),
    ]),
    "quantized_matmul": ("int8_matmul", lambda a, b, s, t: (a.int() @ b.int()).float() * s[:, None] * t[None, :], [
        (int8(70, 100), int8(100, 30), rand(70) / 100, rand(30) / 100),
        (int8(20, 5).t(), int8(20, 3), rand(5), rand(3)),
    ]),
}


def load(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check(module, entry, reference, cases):
    for args in cases:
        before = [a.clone() if torch.is_tensor(a) else a for a in args]
        got, want = getattr(module, entry)(*args), reference(*args)
        if torch.is_tensor(got):
            got, want = (got,), (want,)
        for g, w in zip(got, want):
            assert g.shape == w.shape and g.is_contiguous(), (g.shape, w.shape)
            low = g.dtype == torch.float16
            torch.testing.assert_close(g.float(), w.float(), atol=2e-3 if low else 1e-5,
                                       rtol=2e-3 if low else 1e-5, equal_nan=True)
        for a, b in zip(args, before):
            assert not torch.is_tensor(a) or torch.equal(a, b), "an input was changed"


def compile_all(module, entry, _, cases):
    """Calls the entry with launches replaced by a compilation with the same arguments."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    types = {torch.float32: "fp32", torch.float16: "fp16", torch.int32: "i32", torch.int8: "i8"}
    options = {"num_warps", "num_stages"}

    def run(self, *args, grid, warmup, **kwargs):
        given = dict(zip(self.arg_names, args), **kwargs)
        constants = {p.name: given[p.name] for p in self.params if p.is_constexpr}
        signature = {n: "constexpr" if n in constants else "*" + types[v.dtype] if torch.is_tensor(v)
                     else "fp32" if isinstance(v, float) else "i32"
                     for n, v in given.items() if n in self.arg_names}
        triton.compile(ASTSource(self, signature, constants), target=GPUTarget("hip", "gfx942", 64),
                       options={k: v for k, v in given.items() if k in options})
        compiled.append(self)

    compiled = []
    triton.runtime.jit.JITFunction.run = run
    for args in cases[:2]:
        getattr(module, entry)(*args)
    assert compiled, "nothing was launched"


what = {"check": check, "compile": compile_all}[sys.argv[1]]
names = sorted(p.stem for p in FOLDER.glob("*.py"))
failed = 0
print(f"1..{len(names) + 1}")
print("ok 1 - every example has a case" if names == sorted(CASES) else f"not ok 1 - {names}")
for i, name in enumerate(names, 2):
    try:
        what(load(name), *CASES[name])
        print(f"ok {i} - {sys.argv[1]} {name}")
    except Exception as e:  # one bad example must not hide another
        failed += 1
        print(f"not ok {i} - {sys.argv[1]} {name}")
        print("# " + f"{type(e).__name__}: {e}"[:1500].replace("\n", "\n# "))
sys.exit(failed > 0 or names != sorted(CASES))
