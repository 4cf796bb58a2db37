#!/bin/bash
# The anatomy of a mismatch, on made-up ones: what the planted bugs of tests/bugs cannot show.
. "$(dirname "$0")/../tap.sh"

cat >shown.py <<'EOF_PYTHON'
import time, types
import torch
from geak_harness import anatomy, anatomy_location
from geak_harness.compare import compare

gen = torch.Generator().manual_seed(1)


def randn(*shape):
    return torch.randn(shape, generator=gen)


def show(name, got, want, inputs=(), limits=None):
    check = compare(got, want, limits or {"atol": 1e-5, "rtol": 1e-5}, "result", inputs=inputs)
    patterns = check.get("mismatch", {}).get("patterns", [])
    print(f"{name}: {'right' if check['ok'] else ' '.join(p['name'] for p in patterns)}")
    for words in (p["words"] for p in patterns):
        if len(words) > 76:  # geak-reflect puts four columns before them
            print("too long:", len(words), words)


def changed(want, where, value=7.0):
    got = want.clone()
    got[where] = value
    return got


v, m, t = randn(4096), randn(96, 200), randn(4, 8, 32)
lane = torch.arange(4096) % 256
show("nothing", v.clone(), v)
show("one wave", v + ((lane >= 64) & (lane < 128)), v)
show("every fifth", v + (torch.arange(4096) % 5 == 2), v)
show("one tile", changed(v, slice(1024, 1152)), v)
show("a range", changed(v, slice(1000, 1100)), v)
show("both ends", changed(v, [0, 4095]), v)
show("first", changed(v, 0), v)
show("last", changed(v, 4095), v)
show("at random", v + (torch.rand(4096, generator=gen) < 0.3) * randn(4096), v)
show("noise everywhere", v + randn(4096), v)
show("one batch", changed(t, 2), t)
show("a box", changed(m, (slice(32, 64), slice(64, 128))), m)
show("two tails", changed(changed(m, slice(64, 96)), (slice(None), slice(192, 200))), m)
show("some rows", changed(m, [3, 17, 18, 40, 77]), m)
show("as one vector", changed(m.reshape(-1), slice(16384, None)).view(96, 200), m)
ends = torch.tensor([(i * 37) % 150 + 20 for i in range(96)])
show("ragged", torch.where(torch.arange(200) >= ends[:, None], 7.0, m), m)
show("band", torch.where((torch.arange(200) - torch.arange(96)[:, None]).abs() < 3, 7.0, m), m)
show("neighbours", torch.where(torch.arange(4096) % 2 == 0, v.roll(-1), v), v)
show("some zero", torch.where(torch.arange(4096) % 3 == 0, 0, v) + (torch.arange(4096) % 3 == 1) * randn(4096), v)
show("clamped", (1000 * v).clamp(max=127), 1000 * v)
show("constant", torch.full_like(v, 3.5), v)
show("tf32", (m.view(torch.int32) & -8192).view(torch.float32), m)
show("whole numbers", (10 * m).trunc(), 10 * m)
show("added twice", m + 2 * m.exp(), m + m.exp(), (m, m.exp()))
show("a bias too few", m, m + v[:200], (m.exp(), v[:200]))
show("bool", torch.ones(40, dtype=torch.bool), torch.zeros(40, dtype=torch.bool))
show("float8", m.to(torch.float8_e4m3fn), (2 * m).to(torch.float8_e4m3fn))
show("complex", torch.complex(m, -m), torch.complex(m, m))
show("one value", torch.tensor(2.0), torch.tensor(1.0))
show("two values", torch.tensor([2.0, 3.0]), torch.tensor([1.0, 1.0]))
show("strided", m.T[::2], m.T[::2] * 3)
show("an empty input", v + 1, v, (torch.empty(0), torch.empty(0, 3)))
show("results", [v, v + 1, (v,)], [v, v, (v,)])
show("transposed result", m.T, m)
show("longer result", torch.cat([m, m]), m)

far = types.SimpleNamespace(first=2**30, dtype=torch.float32)
print("far:", *(p["name"] for p in anatomy_location._beyond_int32(far)))


class Broken:
    def __getattr__(self, name):
        raise RuntimeError(name)


print("broken:", anatomy.patterns(v, Broken(), v > 0, v, v.dtype), anatomy.form(Broken(), v, None))
big = randn(1000, 1000)
bad = torch.ones(1000, 1000, dtype=torch.bool)
args = [big.exp(), big.T.exp().contiguous(), big[0].clone()]
got, want, bound = (big + randn(1000, 1000)).double(), big.double(), big.double().abs() * 1e-5
least = 9.0
for _ in range(5):
    start = time.process_time()
    anatomy.patterns(got, want, bad, bound, torch.float32, args)
    least = min(least, time.process_time() - start)
print("a million values:", "quick" if least < 0.2 else f"{least:.3f} s")
EOF_PYTHON
OMP_NUM_THREADS=1 PYTHONPATH=$ROOT/lib/harness "$PYTHON" -W error shown.py >got 2>err
is "$(cat err)" '' 'nothing is said'
is "$(grep '^too long' got)" '' 'each sentence fits a line of 80 columns, indented'
while IFS= read -r line; do
	is "$(grep "^${line%%:*}:" got)" "$line" "${line%%:*}"
done <<'EOF'
nothing: right
one wave: one-wave offset
every fifth: every-kth offset
one tile: one-tile clamped
a range: range clamped
both ends: ends-only
first: first-only
last: last-only
at random: scattered
noise everywhere: everywhere
one batch: one-batch clamped
a box: one-box one-tile one-tile clamped
two tails: last-tile last-tile clamped
some rows: some-indices clamped
as one vector: past-index clamped
ragged: tail-of-each-row clamped
band: band clamped
neighbours: every-kth shifted
some zero: all-but-every-kth some-zero
clamped: scattered clamped
constant: everywhere constant
tf32: everywhere rounded
whole numbers: everywhere rounded
added twice: everywhere argument-twice
a bias too few: everywhere offset-per-index argument-missing
bool: everywhere inverted
float8: everywhere factor
complex: last-only wrong-sign
one value: 
two values: everywhere
strided: everywhere factor
an empty input: everywhere offset
results: one-output everywhere offset
transposed result: transposed
longer result: padded
far: past-2-31
broken: [] []
a million values: quick
EOF
done_testing
