#!/bin/bash
# geak-task --import: other people's suites, in files of the same shape.
. "$(dirname "$0")/../tap.sh"

marks=$(printf '%146s' '' | tr ' ' '#')
kernel=$'import torch\nimport triton\n\n@triton.jit\ndef add_kernel(x): pass\n\ndef add(x):\n    return x\n'
tests=$'\ndef test_add():\n    return add(1)\n\nresult_gold = test_add()\n'
says() { # says STATUS SENTENCE NAME COMMAND...
	exits "$1" "$3: status" "${@:4}"; is "$(cat err)" "$2" "$3: sentence"
}
entry() { # entry FILE [JQ]: an entry as TritonBench has it, changed by a filter
	jq -n --arg f "$1" --arg k "$kernel" '{instruction: "Add.", input: "", output: $k, file: $f,
		difficulty: "3"} | '"${2:-.}"
}
suite() { jq -s . >"$1"; }

# -- TritonBench, the JSON alone
mkdir tb
json=tb/TritonBench_G_comp_alpac_v1_fixed_with_difficulty.json
{ entry add.py; entry sub.py '.difficulty = 5'; } | suite $json
exits 0 "TritonBench's JSON" geak-task --import tritonbench $json
is "$(jq -r 'keys_unsorted | join(" ")' out | sort -u)" "geak id title prompt language entry reference cases \
tolerance tags difficulty harness source_suite" "its keys, with no tests"
is "$(head -n 1 out | jq -c '[.id, .entry, .difficulty, .harness, .cases, .source_suite]')" \
	'["add","add",3,"script",[],{"name":"tritonbench","file":"add.py"}]' "its values"
is "$(head -n 1 out | jq -c .tolerance)" '{"atol":0.001,"rtol":0.001,"equal_nan":true}' "its tolerance"
is "$(head -n 1 out | jq -r .reference)" "$(echo "$kernel")" "the expert's source is the reference"
exits 0 "a name chooses" geak-task -i tritonbench $json sub
is "$(jq -c '[.id, .difficulty]' out)" '["sub",5]' "that one; a number is a difficulty too"
exits 0 "listing" geak-task -i tritonbench -l tb
is "$(cat out)" "add  3  tritonbench  TritonBench: add
sub  5  tritonbench  TritonBench: sub" "a folder with the JSON will do"

# -- with the files that hold the tests
mkdir tb/TritonBench_G_v1
printf '%s\n%s  \n%s' "# changed"$'\n'"$kernel" "$marks" "$tests" >tb/TritonBench_G_v1/add.py
printf '%s%s\n%s' "$kernel" "$marks" "${tests/result_gold/result_half}" >tb/TritonBench_G_v1/sub.py
exits 0 "the folder beside it" geak-task --import tritonbench tb
is "$(head -n 1 out | jq -r .tests)" "$(printf '\n%s' "$tests")" "the tests come along"
like "$(head -n 1 out | jq -r .reference)" '^# changed' "and the kernel that they were written for"
is "$(jq -c .result out | tr '\n' ' ')" 'null "result_half" ' "a result of another name is named"
mv tb/TritonBench_G_v1 elsewhere
exits 0 "a folder elsewhere" geak-task --import tritonbench tb --tests elsewhere
is "$(jq -r .tests out | grep -c test_add)" 4 "is used as well"
mkdir -p checkout/data; cp $json checkout/data; cp -r elsewhere checkout/data/TritonBench_G_v1
exits 0 "a checkout" geak-task --import tritonbench checkout
is "$(jq -r 'has("tests")' out | tr '\n' ' ')" "true true " "has both in data/"
jq '[.[] | .comp_instru = .instruction | del(.instruction)]' $json >v1.json
exits 0 "the suite's other JSON" geak-task --import tritonbench v1.json
is "$(head -n 1 out | jq -r .prompt)" "Add." "calls the instruction comp_instru"

# -- odd entries
rm elsewhere/sub.py; echo "$kernel" >elsewhere/mul.py; printf 'x\351' >elsewhere/latin.py
{ entry add.py; entry sub.py; entry mul.py; entry add.py; entry x.py 'del(.file)'; entry ../add.py
  entry x.py 'del(.instruction)'; entry x.py 'del(.output)'; echo 7; entry "a b.py"
  entry latin.py; } | suite odd.json
exits 1 "odd entries" geak-task --import tritonbench odd.json --tests elsewhere
is "$(jq -r .geak out | sort | uniq -c | tr -s ' ' | tr '\n' ',')" " 10 error/1, 1 task/1," "ten become errors"
is "$(jq -c 'select(.geak == "error/1") | .line' out | tr '\n' ' ')" "2 3 4 5 6 7 8 9 10 11 " "numbered"
cat >want <<'EOF'
geak-task: odd.json: entry 2 (sub) cannot be made a task: elsewhere/sub.py cannot be opened: No such file or directory
geak-task: odd.json: entry 3 (mul) cannot be made a task: elsewhere/mul.py: the kernel cannot be told from its tests: no line of 146 '#' stands between them
geak-task: odd.json: entry 4 (add) cannot be made a task: the task "add" came before; ids must differ
geak-task: odd.json: entry 5 cannot be made a task: it has no "file"; the suite's TritonBench_G_v1.json tells the files
geak-task: odd.json: entry 6 cannot be made a task: the "file" must be the plain name of a Python file, not "../add.py"
geak-task: odd.json: entry 7 (x) cannot be made a task: it has no "instruction"
geak-task: odd.json: entry 8 (x) cannot be made a task: it has no "output", the expert's kernel
geak-task: odd.json: entry 9 cannot be made a task: it has no "file"; the suite's TritonBench_G_v1.json tells the files
geak-task: odd.json: entry 10 (a b) cannot be made a task: elsewhere/a b.py cannot be opened: No such file or directory
geak-task: odd.json: entry 11 (latin) cannot be made a task: elsewhere/latin.py: the kernel cannot be told from its tests: no line of 146 '#' stands between them
EOF
is "$(cat err)" "$(cat want)" "each with its reason"
entry "a b.py" | suite one.json
exits 1 "a file name that makes no id" geak-task --import tritonbench one.json
like "$(cat err)" 'the task.s "id" must be a name of at most 128 letters' "is refused"
entry add.py '.difficulty = "hard"' | suite one.json
exits 0 "a difficulty that is none" geak-task --import tritonbench one.json
is "$(jq 'has("difficulty")' out)" false "is left out"

# -- ROCm
rocm() { # rocm FILE [JQ]
	jq -n --arg f "$1" --arg l "$kernel$marks  "$'\n'"$tests" '{file: $f, target_kernel_name: "add_kernel",
		instruction: "Complete.", label: $l} | '"${2:-.}"
}
mkdir rocm
{ rocm add.py; rocm two.py '.target_kernel_name = "a_kernel, b_kernel"'; } \
	| suite rocm/ROCm_eval_complex_instruct_v1.json
exits 0 "the ROCm suite" geak-task --import rocm rocm
is "$(head -n 1 out | jq -r 'keys_unsorted | join(" ")')" "geak id title prompt language entry reference cases \
tolerance tags harness tests source_suite" "its keys"
is "$(jq -c '[.id, .entry, .harness, .source_suite.kernels]' out | tr '\n' ' ')" \
	'["add","add_kernel","pytest",["add_kernel"]] ["two","a_kernel","pytest",["a_kernel","b_kernel"]] ' \
	"its values"
is "$(head -n 1 out | jq -j .reference)" "$(printf %s "$kernel")" "the kernel"
is "$(head -n 1 out | jq -r .tests)" "$(printf '\n%s' "$tests")" "and the tests"
{ rocm add.py; rocm x.py 'del(.label)'; rocm y.py '.label = "x"'; rocm z.py '.target_kernel_name = "1"'
  echo null; } | suite odd.json
exits 1 "odd entries there" geak-task --import rocm odd.json
cat >want <<'EOF'
geak-task: odd.json: entry 2 cannot be made a task: it has no "label"
geak-task: odd.json: entry 3 (y) cannot be made a task: the kernel cannot be told from its tests: no line of 146 '#' stands between them
geak-task: odd.json: entry 4 (z) cannot be made a task: the task's "entry" must be the name of a Python function, not "1"
geak-task: odd.json: entry 5 cannot be made a task: it has no "file"
EOF
is "$(cat err)" "$(cat want)" "each with its reason"
is "$(jq -r .geak out | head -n 1)" "task/1" "and the good one is emitted"

# -- KernelBench: a file for each problem, in a folder for each level
problem() { # problem LEVEL/FILE [SED]
	mkdir -p "kb/KernelBench/${1%/*}"
	sed "${2:-}" >"kb/KernelBench/$1" <<'PY'
import torch

class Model(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()

    def forward(self, x):
        return x

batch_size = 1024
dim = 2 * 4096
eps = 1e-5

def get_inputs():
    return [torch.rand(batch_size, dim)]

def get_init_inputs():
    return [dim]
PY
}
problem level1/2_Pass_it_on_.py
problem level1/10_Small.py 's/1024/2/; s/2 \* 4096/16/'
problem level3/1_Other.py
echo 'import torch' >kb/KernelBench/level1/notes.py; echo 'no' >kb/KernelBench/level1/1_notes.txt
exits 0 "KernelBench" geak-task --import kernelbench kb
is "$(jq -r .id out | paste -sd' ')" "level1_2_Pass_it_on_ level1_10_Small level3_1_Other" "by level and number"
is "$(head -n 1 out | jq -r 'keys_unsorted | join(" ")')" "geak id title prompt language entry reference cases \
tolerance deterministic tags difficulty harness source_suite" "its keys"
is "$(head -n 1 out | jq -c '[.title, .entry, .difficulty, .harness, .tolerance.atol, .tags, .source_suite.file]')" \
	'["KernelBench 1/2: Pass it on","ModelNew",1,"module",0.0001,["kernelbench","level1"],"level1/2_Pass_it_on_.py"]' \
	"its values"
is "$(head -n 1 out | jq -c .cases)" '[{"name":"small","kind":"check","params":{"batch_size":4,"dim":256}},{"name":"full","kind":"time","params":{}}]' \
	"smaller sizes to check, the suite's own to time"
is "$(jq -c .allow out | paste -sd' ')" 'null null ["part"]' "of many operators some may stay torch's"
is "$(sed -n 2p out | jq -c .cases)" '[{"name":"full","kind":"check","params":{}}]' "sizes that are small already stay"
is "$(head -n 1 out | jq -j .reference)" "$(cat kb/KernelBench/level1/2_Pass_it_on_.py)" "the file is the reference"
exits 0 "the folder with the levels" geak-task -i kernelbench -l kb/KernelBench level3_1_Other
is "$(cat out)" "level3_1_Other  3  kernelbench,level3  KernelBench 3/1: Other" "does as well"
geak-task -i kernelbench kb level1_2_Pass_it_on_ | geak-gen -q -m exec:'tee asked' >/dev/null
like "$(cat asked)" '^`ModelNew` is a class derived from' "a prompt tells what is asked"
like "$(cat asked)" '^- check small: batch_size=4, dim=256$' "and on which sizes"
problem level2/3_No_model.py 's/class Model/class Net/'
problem level2/4_No_inputs.py 's/def get_inputs/def inputs/'
problem "level2/5 blank.py"
problem level2/7_Latin.py 's/return x/return x # \xe9/'
exits 1 "odd problems" geak-task --import kernelbench kb
cat >want <<'EOF'
geak-task: kb/KernelBench/level2/3_No_model.py: it cannot be made a task: it does not define "Model", as a problem of KernelBench does
geak-task: kb/KernelBench/level2/4_No_inputs.py: it cannot be made a task: it does not define "get_inputs", as a problem of KernelBench does
geak-task: kb/KernelBench/level2/5 blank.py: it cannot be made a task: the task's "id" must be a name of at most 128 letters, digits, '_', '-' and '.', with a letter, digit or '_' first
geak-task: kb/KernelBench/level2/7_Latin.py: it cannot be made a task: kb/KernelBench/level2/7_Latin.py is not UTF-8 text
EOF
is "$(cat err)" "$(cat want)" "each with its reason"
is "$(jq -r .geak out | sort | uniq -c | tr -s ' ' | tr '\n' ',')" " 4 error/1, 3 task/1," "and the good ones are emitted"

# -- files of another shape
echo '{"tasks": []}' >object.json
says 1 "geak-task: object.json is not such a suite: it must hold a JSON array with an object for each task" \
	"an object" geak-task --import tritonbench object.json
printf '[\n{"file": }]' >broken.json
exits 1 "broken JSON" geak-task --import rocm broken.json
like "$(cat err)" '^geak-task: broken.json: not valid JSON: .* at byte 12 \(line 2\)$' "with its place"
says 74 "geak-task: nosuch.json cannot be opened: No such file or directory" "a missing file" \
	geak-task --import rocm nosuch.json
mkdir empty
says 64 "geak-task: the folder empty does not hold TritonBench: there is no TritonBench_G_comp_alpac_v1_fixed_with_difficulty.json in it; name the JSON file itself" \
	"a folder without the JSON" geak-task --import tritonbench empty
says 64 "geak-task: the folder empty does not hold KernelBench: there are no problems in its KernelBench/level1 or level1" \
	"a folder without levels" geak-task --import kernelbench empty
echo '[]' >none.json
exits 0 "an empty suite" geak-task --import rocm none.json
is "$(cat out)" "" "is no task"

# -- calls that make no sense
usage() { exits 64 "$1: status" "${@:3}"; is "$(head -n 1 err)" "geak-task: $2" "$1: sentence"; }
usage "an unknown suite" "--import knows the suites tritonbench, rocm and kernelbench, not 'x'" geak-task --import x y
usage "no path" "--import needs the PATH of the suite" geak-task --import rocm
usage "an import and a folder" "--import and --directory exclude each other" geak-task -i rocm -d x y
usage "tests without TritonBench" "--tests goes with --import tritonbench only" geak-task -i rocm --tests x y
usage "tests without an import" "--tests goes with --import tritonbench only" geak-task --tests x
done_testing
