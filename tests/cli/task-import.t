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
echo '[]' >none.json
exits 0 "an empty suite" geak-task --import rocm none.json
is "$(cat out)" "" "is no task"

# -- calls that make no sense
usage() { exits 64 "$1: status" "${@:3}"; is "$(head -n 1 err)" "geak-task: $2" "$1: sentence"; }
usage "an unknown suite" "--import knows the suites tritonbench and rocm, not 'x'" geak-task --import x y
usage "no path" "--import needs the PATH of the suite" geak-task --import rocm
usage "an import and a folder" "--import and --directory exclude each other" geak-task -i rocm -d x y
usage "tests without TritonBench" "--tests goes with --import tritonbench only" geak-task -i rocm --tests x y
usage "tests without an import" "--tests goes with --import tritonbench only" geak-task --tests x
done_testing
