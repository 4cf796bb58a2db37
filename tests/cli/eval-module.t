#!/bin/bash
# geak-eval: tasks in KernelBench's form, a class ModelNew held against the reference's Model.
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/judge.sh"

task() { # task FILE [JQ] <REFERENCE
	jq -nc --rawfile reference /dev/stdin '{geak:"task/1",id:"m",prompt:"p",language:"triton",
		harness:"module",entry:"ModelNew",reference:$reference,cases:[{name:"small",kind:"check",params:{dim:70}}],
		tolerance:{atol:1e-4,rtol:1e-4,equal_nan:true}} | '"${2:-.}" >"$1"
}
kernels() { # what every ModelNew here begins with
	cat <<'PY'
import torch, triton
import torch.nn as nn
import triton.language as tl

@triton.jit
def relu_kernel(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(y + i, tl.maximum(v, 0.0), mask=i < n)

def relu(x):
    y = torch.empty_like(x)
    relu_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), B=256)
    return y

@triton.jit
def linear_kernel(x, w, b, y, M, N, K, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tl.program_id(0), tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BN,), dtype=tl.float32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        xs = tl.load(x + m * K + k, mask=k < K, other=0.0)
        ws = tl.load(w + n[:, None] * K + k[None, :], mask=(n < N)[:, None] & (k < K)[None, :], other=0.0)
        acc += tl.sum(ws * xs[None, :], axis=1)
    acc += tl.load(b + n, mask=n < N, other=0.0)
    tl.store(y + m * N + n, acc, mask=n < N)

def linear(x, w, b):
    (M, K), N = x.shape, w.shape[0]
    y = torch.empty((M, N), dtype=x.dtype, device=x.device)
    linear_kernel[(M, triton.cdiv(N, 32))](x, w, b, y, M, N, K, BN=32, BK=32)
    return y
PY
}
with() { # with ID TASK: a candidate, its ModelNew from standard input
	{ kernels; cat; } >source.py; candidate "$1" "$2" <source.py
}

# -- without parameters; sizes that follow from others
task relu.json <<'PY'
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, slope):
        super().__init__()
        self.slope = slope

    def forward(self, x):
        return torch.relu(x)

batch_size = rows = 3
dim = 393216
shape = (rows, dim)

def get_inputs():
    return [torch.randn(shape)]

def get_init_inputs():
    return [0.5]
PY
relu_new='
class ModelNew(nn.Module):
    def __init__(self, slope):
        super().__init__()
        assert slope == 0.5

    def forward(self, x):
        assert x.is_cuda and x.shape == (3, 70)
        return relu(x)'
jq -c '.cases[0].params = {}' relu.json >no_params.json
jq -c '.cases[0].params = {shape: [2, 5]}' relu.json >tuple.json
jq -c '.cases[0].params = {width: 5}' relu.json >bad_params.json
jq -c '.reference |= sub("get_init_inputs"; "init_inputs")' relu.json >no_init.json
jq -c '.reference |= sub("torch.relu\\(x\\)"; "torch.rely(x)")' relu.json >broken.json
jq -c '.reference |= sub("\\[0.5\\]"; "[object()]")' relu.json >odd_init.json
jq -c '.entry = "Mine"' relu.json >named.json
jq -c '.cases += [{name:"other",kind:"check",params:{dim:-1}}]' relu.json >two.json
{
	with right relu.json <<<"$relu_new"
	with wrong relu.json <<<"${relu_new/relu(x)/relu(x - 1)}"
	with torch_only relu.json <<<"${relu_new/relu(x)/torch.relu(x)}"
	with no_class relu.json <<<"${relu_new/ModelNew/Model}"
	with a_function relu.json <<<"def ModelNew(slope): return relu"
	with no_module relu.json <<<"${relu_new/nn.Module/object}"
	with leans_on_model relu.json <<<"${relu_new/nn.Module/Model}"
	with constructor relu.json <<<"${relu_new/self, slope/self}"
	with forward relu.json <<<"${relu_new/self, x/self, x, y}"
	with in_place relu.json <<<"${relu_new/return relu(x)/y = relu(x); x.zero_(); return y}"
	with tuple_for_one relu.json <<<"${relu_new/return relu(x)/return relu(x),}"
	with shape_as_array tuple.json <<<"${relu_new/(3, 70)/(2, 5)}"
	with bad_params bad_params.json <<<"$relu_new"
	with no_init no_init.json <<<"$relu_new"
	with broken broken.json <<<"$relu_new"
	with odd_init odd_init.json <<<"$relu_new"
	with remembers relu.json <<<"${relu_new/return relu(x)/y = SEEN.get(x.shape); SEEN[x.shape] = y = relu(x) if y is None else y; return y}
SEEN = dict()"
	with counts relu.json <<<"${relu_new/return relu(x)/ModelNew.calls += 1; return relu(x) + max(0, ModelNew.calls - 2)}
    calls = 0"
	with one_of_two two.json <<<"$relu_new"
	with named named.json <<<"${relu_new/ModelNew/Mine}"
} | verdicts -t gfx942 >got
cat >wanted <<'E'
right pass -
wrong wrong_answer Mismatch
torch_only no_kernel NoKernel
no_class call_error AttributeError
a_function call_error TypeError
no_module call_error TypeError
leans_on_model call_error NameError
constructor call_error TypeError
forward call_error TypeError
in_place wrong_answer Mismatch
tuple_for_one wrong_answer Mismatch
shape_as_array pass -
bad_params reference_error NameError
no_init reference_error AttributeError
broken reference_error AttributeError
odd_init reference_error WireError
remembers wrong_answer Mismatch
counts wrong_answer Mismatch
one_of_two pass -
named pass -
E
is "$(cat got)" "$(cat wanted)" 'an operator gets its verdicts'
says() { like "$(jq -r --arg id "$1" 'select(.id == $id).eval.error.message' records.jsonl)" "$2" "$1: in words"; }
says no_class 'the source defines no class named ModelNew'
says no_module 'ModelNew is not a class derived from torch.nn.Module'
says constructor '__init__\(\) takes 1 positional argument but 2 were given'
says forward "missing 1 required positional argument: 'y'"
says in_place 'argument 0 after the call'
says bad_params "params hold width, which the reference does not set at its top level"
says odd_init 'what get_init_inputs\(\) returns cannot be handed to another process: a value of type builtins.object'
says no_init 'the reference defines no get_init_inputs'
is "$(jq -c 'select(.id == "one_of_two").eval.checks[] | [.case, .ok, .skipped[:48]]' records.jsonl | paste -sd' ')" \
	'["other",null,"the reference does not run with these params: Ru"] ["small",true,null]' \
	'of sizes that the reference does not run with nothing is held against anybody'
is "$(jq -c 'select(.id == "right").eval.compile[] | [.kernel, .target, .ok]' records.jsonl)" \
	'["relu_kernel","gfx942",true]' 'and its kernels are compiled'

# -- parameters
task mlp.json <<'PY'
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.first = nn.Linear(dim, hidden)
        self.second = nn.Linear(hidden, hidden)

    def forward(self, x):
        y = self.second(torch.relu(self.first(x)))
        return y, {"sum": y.sum(), "shape": list(y.shape)}

hidden = 33
dim = 1024

def get_inputs():
    return [torch.randn(2, dim)]

def get_init_inputs():
    return [dim, hidden]
PY
mlp_new='
class ModelNew(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.first = nn.Linear(dim, hidden)
        self.second = nn.Linear(hidden, hidden)

    def forward(self, x):
        y = linear(relu(linear(x, self.first.weight, self.first.bias)), self.second.weight, self.second.bias)
        return y, {"sum": y.sum(), "shape": list(y.shape)}'
carried='z = self.second(relu(self.first(x))); y = relu(z) - relu(-z)'
jq -c '.allow = ["part"]' mlp.json >part.json
first='        self.first = nn.Linear(dim, hidden)'
second='        self.second = nn.Linear(hidden, hidden)'
swapped=${mlp_new/$first/FIRST}; swapped=${swapped/$second/$first}; swapped=${swapped/FIRST/$second}
renamed=${mlp_new//self.first/self.a}; renamed=${renamed//self.second/self.b}
renamed_swapped=${swapped//self.first/self.a}; renamed_swapped=${renamed_swapped//self.second/self.b}
transposed=${mlp_new/$second/$second
        self.second.weight = nn.Parameter(self.second.weight.detach().t().contiguous())}
{
	with right mlp.json <<<"$mlp_new"
	with another_order mlp.json <<<"$swapped"
	with other_names mlp.json <<<"$renamed"
	with other_names_and_order mlp.json <<<"$renamed_swapped"
	with laid_out_anew mlp.json <<<"${transposed/self.second.weight, self/self.second.weight.t().contiguous(), self}"
	with other_seed mlp.json <<<"${mlp_new/$first/        torch.manual_seed(3)
$first}"
	with no_bias mlp.json <<<"${mlp_new/, self.second.bias/, 0 * self.second.bias}"
	with carried mlp.json <<<"${mlp_new/y = linear(*self.second.bias)/$carried}"
	with carried_in_part part.json <<<"${mlp_new/y = linear(*self.second.bias)/$carried}"
	with one_missing mlp.json <<<"${mlp_new/, {\"sum\": y.sum(), \"shape\": list(y.shape)\}}"
} | verdicts -t gfx942 >got
cat >wanted <<'E'
right pass -
another_order pass -
other_names pass -
other_names_and_order wrong_answer Mismatch
laid_out_anew pass -
other_seed pass -
no_bias wrong_answer Mismatch
carried no_kernel NoKernel
carried_in_part pass -
one_missing wrong_answer Mismatch
E
is "$(cat got)" "$(cat wanted)" 'parameters: the values of Model, by name or by the order of their making'

# -- a call that draws, and one that remembers
task dropout.json '.allow = ["part"]' <<'PY'
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop, self.norm = nn.Dropout(0.5), nn.BatchNorm1d(4)

    def forward(self, x):
        return self.drop(self.norm(x))

dim = 1

def get_inputs():
    return [torch.rand(70, 4)]

def get_init_inputs():
    return []
PY
drop_new='
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop, self.norm = nn.Dropout(0.5), nn.BatchNorm1d(4)

    def forward(self, x):
        y = self.drop(self.norm(x))
        return relu(y) - relu(-y)'
jq -c '.reference |= sub("return self.drop\\(self.norm\\(x\\)\\)"; "return self.norm(x)")' dropout.json >norm.json
{
	with draws_the_same dropout.json <<<"$drop_new"
	with draws_its_own dropout.json <<<"${drop_new/y = self/torch.rand(1); y = self}"
	with trains norm.json <<<"${drop_new/self.drop(self.norm(x))/self.norm(x)}"
	with evaluates norm.json <<<"${drop_new/self.drop(self.norm(x))/self.norm.eval()(x)}"
	with no_gradient norm.json <<<"${drop_new/y = self.drop(self.norm(x))/assert not torch.is_grad_enabled() and self.training; y = self.norm(x)}"
} | verdicts -t gfx942 >got
cat >wanted <<'E'
draws_the_same pass -
draws_its_own reference_error ValueError
trains pass -
evaluates wrong_answer Mismatch
no_gradient pass -
E
is "$(cat got)" "$(cat wanted)" 'modules stay in training mode; what is random in the reference is held against nobody'
done_testing
