#!/bin/bash
# geak-bench --objects: what the targets make of a kernel, side by side.
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/judge.sh"

# -- real ones: gfx942 has a product of int8 of twice gfx90a's depth
cat >task.json <<'END'
{"geak":"task/1","id":"int8","title":"t","prompt":"p","language":"triton","entry":"product","harness":"function",
 "tolerance":{"atol":0,"rtol":0},"cases":[{"name":"64","kind":"check","params":{}}],
 "reference":"import torch\ndef inputs(p, gen):\n    return [torch.randint(-9, 9, (64, 64), generator=gen, dtype=torch.int8) for _ in 'ab']\ndef reference(a, b):\n    return a.to(torch.int32) @ b.to(torch.int32)\n"}
END
cat >kernel.py <<'END'
import torch, triton, triton.language as tl

@triton.jit
def tile(a, b, o, K, N: tl.constexpr, D: tl.constexpr):
    n, d = tl.arange(0, N), tl.arange(0, D)
    acc = tl.zeros((N, N), tl.int32)
    for k in range(0, K, D):
        acc += tl.dot(tl.load(a + n[:, None] * K + k + d[None, :]), tl.load(b + (k + d)[:, None] * N + n[None, :]))
    tl.store(o + n[:, None] * N + n[None, :], acc)

def product(a, b):
    o = torch.empty((64, 64), dtype=torch.int32, device=a.device)
    tile[(1,)](a, b, o, 64, 64, 32)
    return o
END
jq -cn --slurpfile t task.json --rawfile s kernel.py '{geak: "candidate/1", id: "mine", task: $t[0], source: $s}' |
	geak-eval --targets gfx942,gfx90a,sm_90 --save-objects objects >judged.jsonl 2>err
is "$(jq -r .eval.status judged.jsonl)" pass 'a product of int8 passes' || sed 's/^/# /' err
exits 0 'its objects' geak-bench --objects judged.jsonl
is "$(sed -n '1,4p' out)" 'candidate mine
kernel tile
  a=*int8, b=*int8, o=*int32, K=64, N=64, D=32
  target    vgpr  agpr  sgpr  spill     lds  scratch  waves  limit' 'have a table'
is "$(grep -Ec '^  (gfx9|sm_)[0-9a-f]* +[0-9]+ +[-0-9]+ +[-0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+  [a-z]+$' out)" 3 'a line for each target'
like "$(cat out)" '^  gfx942    [0-9]+ i32_(32x32x16|16x16x32)_i8$' "gfx942's matrix instructions"
like "$(cat out)" '^  gfx90a    [0-9]+ i32_(32x32x8|16x16x16)_i8$' "are not gfx90a's"
like "$(cat out)" '^  sm_90     [0-9]+ m[0-9]+n[0-9]+k[0-9]+ s32 s8$' "nor NVIDIA's"
like "$(cat out)" '^  different: .*matrix instructions$' 'and that is said'
sass=$("$PYTHON" -c 'import triton; print(triton.knobs.nvidia.nvdisasm.path)' 2>/dev/null)
is "$(ls objects | sed 's/.*\.\(.*\..*\)/\1/' | sort | xargs)" \
	"gfx90a.amdgcn gfx90a.hsaco gfx942.amdgcn gfx942.hsaco sm_90.cubin sm_90.ptx${sass:+ sm_90.sass}" 'the objects and their assembly are kept'
[ -z "$sass" ] || like "$(grep MMA objects/*.sass)" 'IG?MMA\.[0-9x]+\.S8\.S8 ' "and NVIDIA's machine code in words"
for target in gfx942 gfx90a; do
	matrix=$(jq -c --arg t $target '.eval.compile[] | select(.target == $t).matrix' judged.jsonl)
	is "$(grep -oh 'v_mfma_[a-z0-9_]*' objects/*.$target.amdgcn | sort | uniq -c | awk '{printf "{\"%s\":%d}", $2, $1}')" \
		"$matrix" "$target: the record counts what the assembly has"
done

# -- those of records
one() { # one TARGET KERNEL MEMBERS
	printf '{"target":"%s","kernel":"%s","specialization":"%s","ok":true,"size":1,"vgpr":8,"agpr":0,"sgpr":9,"spill":0,"lds":0,"scratch":0,"occupancy":8,"limit":"waves"%s}' "$@"
}
show() { # show ENTRIES: of a candidate with these
	printf '{"geak":"candidate/1","id":"x","task":{"id":"t"},"eval":{"status":"pass","compile":[%s]}}\n' "$1" | geak-bench -o
}
is "$(show "$(one gfx942 k N=1),$(one gfx90a k N=1)" | tail -n 2)" '  nothing is different' 'what is the same'
is "$(show "$(one gfx942 k N=1 ',"matrix":{"v_mfma_f32_32x32x8_f16":4}'),$(one gfx90a k N=1 ',"matrix":{"v_mfma_f32_32x32x8f16":4}')" | tail -n 5)" \
	'  matrix instructions
  gfx942    4 f32_32x32x8_f16
  gfx90a    4 f32_32x32x8_f16
  nothing is different' 'two spellings of one shape are one'
is "$(show "$(one gfx942 k N=1 ',"matrix":{"v_mfma_f32_32x32x8_f16":4}'),$(one gfx90a k N=1 ',"matrix":{"v_mfma_f32_16x16x16f16":4}')" | tail -n 2)" \
	'  different: matrix instructions' 'two shapes are two'
is "$(show "$(one gfx942 k N=1),$(one gfx90a k N=1 | sed 's/"lds":0/"lds":64/; s/"vgpr":8/"vgpr":null/')" | tail -n 3)" \
	'  gfx90a       -     0     9      0      64        0      8  waves
  different: vgpr, lds' 'a figure that is not known is -, and another'
is "$(show "$(one gfx942 k N=1),$(one gfx942 k N=2),$(one gfx90a k N=2),$(one gfx942 other N=1)" | grep -A1 '^kernel')" 'kernel k
  N=2
--
kernel other
  N=1' 'of the launches of a kernel the one that most targets have'
is "$(show "$(one gfx942 k N=1),{\"target\":\"gfx1100\",\"kernel\":\"k\",\"specialization\":\"N=1\",\"ok\":false,\"error\":{\"class\":\"OutOfResources\",\"message\":\"m\"}}" | tail -n 3)" \
	'  gfx942       8     0     9      0       0        0      8  waves
  gfx1100   OutOfResources' 'a target that refuses it'
is "$(show '{"target":"gfx942","kernel":"k","ok":true,"depth":"ir"}')" '' 'what became no object is not shown'
is "$(printf '{"geak":"candidate/1","id":"x","task":{"id":"t"}}\n{"geak":"task/1","id":"t"}\n' | geak-bench -o)" '' 'nor is what was not judged'
long=$(printf 'argument_%d=*float32, ' $(seq 30))
show "$(one gfx942 "$(printf 'k%.0s' $(seq 100))" "$long" ',"matrix":{"\u001b[31mx":1,"wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16":3}')" >out
is "$(awk 'length > 80' out)" '' 'long names fit 80 columns'
like "$(cat out)" '^  gfx942    1 \?\[31mx, 3 m64n128k16 f32 f16$' 'and are masked'
for odd in '7' '{}' '{"target":7,"kernel":[],"size":"x"}' '{"target":"a","size":1,"matrix":[1],"error":"x"}' '{"size":1,"matrix":{"":1,"v_":2,"mma.sync.m":3}}'; do
	show "$odd" >out
	is "$?" 0 "no harm from $odd"
done
one gfx942 k N=1 >entry
is "$(show "$(seq 3000 | sed "s/.*/$(sed 's/"k"/"k\&"/' entry)/" | paste -sd,)" | grep -Ec '^kernel|^2000 more entries')" 1001 \
	'of very many kernels some are shown, and it is told'
is "$(show "$(seq 40 | sed "s/.*/$(sed 's/gfx942/t\&/' entry)/" | paste -sd,)" | grep -Ec '^  t[0-9]|^8 more entries')" 33 'likewise of targets'
exits 64 '--objects and --json' geak-bench -o -J judged.jsonl
exits 64 '--objects and --compare' geak-bench -o -c judged.jsonl judged.jsonl
exits 1 'a line that is no record' geak-bench -o <(echo x)
is "$(geak-bench -o judged.jsonl 2>&1 >/dev/full; echo $?)" 'geak-bench: standard output cannot be written: No space left on device
74' 'a full disk is noticed'
done_testing
