#!/bin/bash
# What the harness changes in Triton's interpreter.
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/judge.sh"
export PYTHONPATH=$ROOT/lib/harness PYTHONDONTWRITEBYTECODE=1 TRITON_INTERPRET=1

# -- faster, and the same to the bit
cat >bits.py <<'EOF'
import hashlib, sys
import torch, triton, triton.language as tl
if sys.argv[1] == "ours":
    from geak_harness import boot
    boot.start_interpreter()

@triton.jit
def twice(v):
    return tl.sum(v, axis=1)[:, None] + tl.zeros_like(v)

@triton.jit
def kernel(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = i[:, None] * B + tl.arange(0, B)[None, :]
    v = tl.load(x + j, mask=j < n, other=0.0)
    w = tl.softmax(v.to(tl.float32), 1).to(tl.bfloat16)
    w = tl.dot(w, tl.trans(w)) + tl.cumsum(v.to(tl.float32), axis=0)
    w += twice(v).to(tl.float32) * tl.cdiv(n, B) + tl.argmax(v, axis=1)[:, None]
    w += tl.rand(n, j) + tl.sort(v.to(tl.float32)) + tl.flip(w, 1)
    w += tl.max(v, axis=0, return_indices=True)[1][None, :] + tl.xor_sum(j, axis=1)[:, None]
    tl.store(y + j, w, mask=j < n)

digest = hashlib.sha256()
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    x = torch.randn(1000, generator=torch.Generator().manual_seed(1)).to(dtype)
    y = torch.zeros(1000, dtype=dtype)
    before = dict(vars(tl)), dict(vars(tl.tensor))
    kernel[(4,)](x, y, 1000, B=16)
    after = dict(vars(tl)), dict(vars(tl.tensor))
    assert before == after or sys.argv[1] == "theirs", "triton.language is not as it was"
    digest.update(y.view(torch.uint8).numpy().tobytes())
print(digest.hexdigest())
EOF
theirs=$("$PYTHON" -W ignore bits.py theirs 2>&1)
like "$theirs" '^[0-9a-f]{64}$' 'a kernel of many operations runs in the interpreter as Triton ships it'
is "$("$PYTHON" -W ignore bits.py ours 2>&1)" "$theirs" 'and in ours with the same bits'
done_testing
