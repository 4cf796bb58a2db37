"""Compiles kernels for every target and holds what codeobj-show reads from the
objects against what the compiler itself says in the assembly text. TAP."""
import json
import re
import subprocess
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

SHOW = sys.argv[1]
TARGETS = [GPUTarget("hip", "gfx90a", 64), GPUTarget("hip", "gfx942", 64),
           GPUTarget("hip", "gfx950", 64), GPUTarget("hip", "gfx1100", 32), GPUTarget("cuda", 90, 32)]


@triton.jit
def copy(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def softmax(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, 0))
    tl.store(o + tl.program_id(0) * n + i, e / tl.sum(e, 0), mask=i < n)


@triton.jit
def matmul(a, b, o, K, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    m, n, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    acc = tl.zeros((M, N), tl.float32)
    for k in range(0, K, D):
        acc = tl.dot(tl.load(a + m[:, None] * K + k + d[None, :]),
                     tl.load(b + (k + d)[:, None] * N + n[None, :]), acc)
    tl.store(o + m[:, None] * N + n[None, :], acc)


@triton.jit
def transpose(x, o, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    tl.store(o + n[:, None] * M + m[None, :], tl.trans(tl.load(x + m[:, None] * N + n[None, :])))


ROW = {"x": "*fp32", "o": "*fp32", "n": "i32", "B": "constexpr"}
HALF = {"a": "*fp16", "b": "*fp16", "o": "*fp32", "K": "i32",
        "M": "constexpr", "N": "constexpr", "D": "constexpr"}
TILE = {"x": "*fp16", "o": "*fp16", "M": "constexpr", "N": "constexpr"}
KERNELS = [
    (copy, ROW, (256,), 1), (copy, ROW, (1024,), 4), (copy, ROW, (16384,), 8),
    (softmax, ROW, (1024,), 2), (softmax, ROW, (32768,), 4), (softmax, ROW, (65536,), 16),
    (matmul, HALF, (16, 16, 32), 1), (matmul, HALF, (64, 64, 32), 4), (matmul, HALF, (128, 64, 64), 4),
    (matmul, HALF, (128, 128, 64), 8), (matmul, HALF, (256, 128, 32), 4),
    (transpose, TILE, (64, 64), 4), (transpose, TILE, (128, 256), 8),
]

count = 0


def check(ok, name, why=""):
    global count
    count += 1
    print(f"{'ok' if ok else 'not ok'} {count} - {name}")
    if not ok:
        print(f"# {why}")


def show(object_, text, target, shared):
    with open("object", "wb") as f:
        f.write(object_)
    with open("text", "w") as f:
        f.write(text)
    out = subprocess.run([SHOW, "object", "text", target, str(shared)], stdout=subprocess.PIPE, text=True)
    return json.loads(out.stdout) if out.returncode == 0 else {"refused": out.stdout}


def amd_says(text, shared):
    """The figures that LLVM prints beside the code, where it prints them, not those of the note."""
    def of(pattern):
        found = re.search(pattern, text, re.M)
        return int(found[1]) if found else -1
    total = of(r"^; TotalNumVgprs: (\d+)")
    return {"vgpr": total if total >= 0 else of(r"^; NumVgprs: (\d+)"), "agpr": of(r"^; NumAgprs: (\d+)"),
            "sgpr": of(r"^; TotalNumSgprs: (\d+)"), "scratch": of(r"^; ScratchSize: (\d+)"),
            "spill": of(r"\.vgpr_spill_count: +(\d+)"), "sgpr_spill": of(r"\.sgpr_spill_count: +(\d+)"),
            "lds": of(r"^; LDSByteSize: (\d+)") + shared, "occupancy_regs": of(r"^; Occupancy: (\d+)"),
            "max_threads": of(r"\.max_flat_workgroup_size: +(\d+)"),
            "mfma": len(re.findall(r"^\s*v_(?:mfma|smfmac)", text, re.M)),
            "wmma": len(re.findall(r"^\s*v_s?wmma", text, re.M))}


def nvidia_says(text, shared):
    threads = re.search(r"\.reqntid (\d+)", text)
    return {"max_threads": int(threads[1]), "lds": shared, "mfma": 0,
            "wmma": len(re.findall(r"wgmma\.mma_async|\bmma\.sync", text))}


def judge(fn, sig, size, warps, target):
    first = len(sig) - len(size)
    constants = {(first + i,): value for i, value in enumerate(size)}
    aligned = {(i,): [["tt.divisibility", 16]] for i, kind in enumerate(sig.values()) if kind[0] == "*"}
    compiled = triton.compile(ASTSource(fn, sig, constants, aligned), target=target,
                              options={"num_warps": warps})
    amd = target.backend == "hip"
    arch = target.arch if amd else f"sm_{target.arch}"
    text, shared = compiled.asm["amdgcn" if amd else "ptx"], compiled.metadata.shared
    got = show(compiled.asm["hsaco" if amd else "cubin"], text, arch, shared)
    wanted = amd_says(text, shared) if amd else nvidia_says(text, shared)
    wanted["kernel"] = fn.__name__
    differs = {k: (got.get(k), v) for k, v in wanted.items() if got.get(k) != v}
    name = f"{fn.__name__} {size} warps={warps} on {arch}"
    check(not differs, name, f"got and wanted: {differs} {got.get('refused', '')}")
    if not amd:
        check(0 < got["vgpr"] <= 255 and got["spill"] * 4 <= got["scratch"],
              f"{name}: registers and spills are told", str(got))
    return got


all_got = [judge(*kernel, target) for kernel in KERNELS for target in TARGETS]
spilled = sum(got.get("spill", 0) > 0 for got in all_got)
matrix = sum(got.get("mfma", 0) + got.get("wmma", 0) > 0 for got in all_got)
check(spilled > 0, "some of the kernels spill")
check(matrix >= 20, "kernels with a dot use matrix instructions", str(matrix))
print(f"1..{count}")
