#!/bin/bash
# geak-task --lint: does a task's checker refuse what is wrong?
# slow: the judge, a dozen times
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/judge.sh"

"$PYTHON" -c 'import torch, triton' 2>/dev/null || skip_all "the Python of this build has no torch and triton"
export TMPDIR=$WORK/tmp; mkdir "$TMPDIR"

# task ID REFERENCE-LINES [JQ]: plus_one with another reference, whose inputs are one random vector
task() {
	jq -c --arg id "$1" --arg lines "$2" '.id = $id | .prompt = "Write plus_one." | .reference =
		"import torch\ndef inputs(p, gen):\n    return (torch.randn(p[\"n\"], generator=gen),)\ndef reference(x):\n"
		+ ($lines | split("\n") | map("    " + .) | join("\n")) + "\n" | '"${3:-.}" "$WORK/task.json"
}
# suite ID TESTS [JQ]: a script task of a suite, whose kernel adds one
suite() {
	jq -nc --arg id "$1" --rawfile reference <(kernel) --arg tests "$2" '{geak:"task/1", id:$id,
		prompt:"Write plus_one.", language:"triton", harness:"script", entry:"plus_one",
		reference:$reference, tests:$tests, cases:[],
		tolerance:{atol:1e-5, rtol:1e-5, equal_nan:true}} | '"${3:-.}"
}
lint() { # lint: of all tasks on standard input; the records to records.jsonl
	geak-eval --lint -q -t gfx942 -T 60 >records.jsonl 2>err
}
found() { jq -c "select(.id == \"$1\").lint | $2" records.jsonl; }

# -- our own
exits 0 "our tasks" geak-task --lint -q
like "$(tail -n 1 out)" '^8 tasks, 1[5-9] to 1[5-9] wrong answers each: 0 accepted$' "refuse everything"
is "$(awk 'length > 80' out)" "" "within 80 columns"
is "$(grep -c ' -$' out)" 8 "a row for each"
is "$(cat err)" "" "and not a word on standard error"

# -- a good task, and one for each answer that a bad one accepts
big='.tolerance = {atol:1e-4, rtol:0, equal_nan:true}'
{
	task good 'return x + 1'
	task zeros 'return x * 1e-9' "$big"
	task mean 'return x * 1e-6 + 5' "$big"
	task copy 'return x + 1e-5' "$big"
	task nan 'return x * float("nan")'
	task no_nan 'return x * float("nan")' '.tolerance.equal_nan = false'
	task stale 'return torch.arange(x.numel()) + x * 1e-9' "$big"
	task fixed 'return torch.arange(x.numel())'
	task rounded 'return x + 1' '.tolerance = {atol:1e-4, rtol:1e-3}'
	task tolerant 'return x + 1' '.tolerance = {atol:1e-4, rtol:1e-3} | .tolerates = ["float16"]'
	task in_place 'x += 1'
	task weak 'return x * (1e-9 if x.numel() == 50 else 1)' \
		"$big"' | .cases += [{"name":"n50","kind":"check","params":{"n":50}}]'
	task two 'return x + 1, x * 1e-9' "$big"
	task random 'return x + 0 * torch.rand(1) + (torch.rand(x.shape) < 0.5)'
	task raises 'raise ValueError("no such luck")'
	task dies 'import os; os.abort()'
	task bare 'return x + 1' '.cases |= [.[0], (.[2] | del(.flops, .bytes))] | .cases[0].valeus = ["nan"] | .prompt = "Add."'
	task untimed 'return x + 1' '.cases |= .[:2]'
} | lint
is "$?" 0 "all kinds of tasks are tried"
is "$(found good '[.status, .cases, .accepted, .weak, .faults]')" '["refuses",2,[],[],[]]' "a good one refuses all"
is "$(found good '.tried | join(" ")')" '"zeros ones mean nan inf negated shifted float16 bfloat16 dtype empty none stale half_zero half_stale one_changed copy"' \
	"these were tried"
is "$(found good .skipped)" '[{"answer":"transposed","why":"it has fewer than two dimensions"}]' "what cannot be tried says why"
like "$(found zeros '.accepted | join(" ")')" '^"zeros .*copy|^"zeros ' "zeros are told"
is "$(found zeros '.accepted | contains(["half_zero", "negated"])')" true "and what is near to them"
is "$(found mean '.accepted | contains(["mean"])')" true "the mean"
is "$(found copy '[.accepted[] | select(. == "copy" or . == "zeros")]')" '["copy"]' "a copied input"
is "$(found nan '[.status, .accepted, [.faults[].kind]]')" '["refuses",[],["fixed","constant"]]' "NaN is right where all is NaN, which is a fault"
like "$(found no_nan '.error.message')" "the reference's own result is refused" "a tolerance that the reference does not meet"
is "$(found stale '[.accepted[] | select(. == "stale")]')" '["stale"]' "a stale answer"
is "$(found fixed '[.status, [.faults[].kind]]')" '["refuses",["fixed"]]' "a result that no seed changes"
like "$(found fixed '.faults[0].message')" 'learned by heart' "in words"
is "$(found rounded .accepted)" '["float16"]' "float16 within the tolerance"
is "$(found tolerant '[.status, .accepted, .tolerated]')" '["refuses",[],["float16"]]' "which the task may be meant to allow"
is "$(found in_place '[.status, (.tried | contains(["none", "zeros", "copy"]))]')" '["refuses",true]' \
	"a task that writes to its argument: nothing written is refused"
is "$(found weak '[.status, .weak[0]]')" '["refuses",{"answer":"zeros","cases":["n50"],"of":3}]' "cases that accept what others refuse"
is "$(found two .accepted)" '[]' "an output that nothing can miss does not hide the other"
is "$(found random '[.faults[].kind]')" '["unstable"]' "a reference that differs from itself"
is "$(found raises '[.status, .error.class, .error.message]')" '["reference_error","ValueError","no such luck"]' "a reference that fails"
is "$(found dies '[.status, .error.class]')" '["reference_error","crash"]' "one that dies"
like "$(found dies .error.message)" 'SIGABRT' "and of what"
is "$(found bare '[.faults[].kind]')" '["no_amounts","prompt","unknown_key"]' "a timed case without amounts, a prompt without the name, a key misspelt"
is "$(found untimed '[.faults[].kind]')" '["no_time_case"]' "no case for timing"
"$PYTHON" -c 'import jsonschema' 2>/dev/null && {
	"$PYTHON" "$ROOT/tests/helper/validate.py" "$ROOT/man/geak-record.schema.json" records.jsonl >violations 2>&1
	ok $? "the records are valid" || sed 's/^/# /' violations | head -n 5
}

# -- the tasks of suites
{
	suite right $'def test_a():\n    return {"a": plus_one(torch.randn(100)), "ok": torch.ones(1), "b": plus_one(torch.ones(3)) * torch.rand(3)}\nresult_gold = test_a()'
	suite idle $'def test_a():\n    plus_one(torch.randn(100))\n    return {"a": torch.zeros(3), "b": True}\nresult_gold = test_a()'
	suite seeded $'def test_a():\n    torch.manual_seed(0)\n    return {"a": plus_one(torch.randn(100))}\nresult_gold = test_a()'
	suite tiny $'def test_a():\n    return {"a": 1e-6 * plus_one(torch.randn(100))}\nresult_gold = test_a()'
	suite asserted $'result_gold = {}\ndef test_a():\n    x = torch.randn(100)\n    y = plus_one(x)\n    result_gold["a"] = 1e-6 * y\n    torch.testing.assert_close(y, x + 1)' '.harness = "pytest"'
	suite failing $'def test_a():\n    assert plus_one(torch.ones(1)) == 3' '.harness = "pytest"'
	suite words $'result_gold = "passed"'
	suite untested '' 'del(.tests)'
	suite broken 'result_gold = 1 / 0'
} | lint
is "$(found right '[.status, .cases, .accepted, .weak, .faults]')" '["refuses",2,[],[],[]]' "a script that shows its kernel's work"
is "$(found right '.tried[0]')" '"no_launch"' "also without a launch"
is "$(found idle '[.status, .accepted]')" '["accepts",["no_launch"]]' "a script whose result needs no launch"
is "$(found seeded '[.status, [.faults[].kind]]')" '["refuses",["fixed"]]' "a script that seeds itself"
is "$(found tiny '.accepted | contains(["zeros", "half_zero", "stale", "nan"]), contains(["zeros"])' | tail -n 1)" true \
	"results smaller than the tolerance"
is "$(found asserted '[.status, .accepted]')" '["accepts",["stale","half_stale"]]' "assertions refuse what the entries let pass"
like "$(found failing .error.message)" "^.not one of the reference's tests passes: failed: (Assertion|assert)" "a reference that fails its tests"
is "$(found words '[.status, .accepted]')" '["accepts",["no_launch"]]' "a result without a number"
is "$(found untested '[.status, [.faults[].kind]]')" '["unverified",["no_tests"]]' "no tests at hand"
is "$(found broken '[.status, .error.class]')" '["reference_error","ZeroDivisionError"]' "tests that fail"

# -- what a person sees
task loose 'return x * 1e-9' "$big" >mine.jsonl
task raises 'raise ValueError("no such luck")' >>mine.jsonl
{ task untimed 'return x + 1' '.cases |= .[:2]'; echo '{"geak":"task/1","id":"half"}'; } >>mine.jsonl
exits 1 "a file of records" geak-task --lint -q ./mine.jsonl
is "$(awk 'length > 80' out)" "" "within 80 columns, too"
like "$(cat out)" '^loose +17  zeros, half_zero|^loose +17  zeros, ' "what is accepted"
like "$(cat out)" '^raises +-  reference_error: ValueError: no such luck$' "what could not be tried"
like "$(cat out)" '^ +fault: no_time_case$' "faults, under the task"
like "$(cat out)" '^no_time_case +1  no case has the kind "time": nothing is timed$' "and explained"
like "$(tail -n 2 out | head -n 1)" '^2 tasks, 17 wrong answers each: [0-9]+ accepted, by 1 of the tasks$' "totals"
is "$(tail -n 1 out)" "1 could not be tried: 1 reference_error" "and the rest"
like "$(cat err)" '^geak-task: ./mine.jsonl: line 4: the task has no "prompt"' "a broken record is told"
task raises 'raise ValueError("no such luck")' >mine.jsonl
exits 1 "a task that cannot be tried" geak-task --lint -q ./mine.jsonl
task slow 'import time; time.sleep(60)' >slow.jsonl
exits 1 "a reference without end" geak-task --lint -q -T 2 - <slow.jsonl
like "$(cat out)" '^slow +-  reference_error: Timeout: the reference has not ended within 2 s$' "is given up"
{ echo '{"geak":"task/1","id":"half"}'; task good 'return x + 1'; } >two.jsonl
exits 1 "from standard input, as records" geak-task --lint -q --json -j 1 - <two.jsonl
is "$(jq -r '[.geak, .id // .record.id, .lint.status // "-"] | join(" ")' out | paste -sd,)" \
	"error/1 half -,task/1 good refuses" "with what was found; broken ones are errors"
{ task good 'return x + 1'; kernel | candidate x; echo '{"geak":"mine/1"}'; } | geak-eval --lint -q >out
is "$(jq -r '.geak + " " + (has("lint") or has("eval") | tostring)' out | paste -sd,)" \
	"task/1 true,candidate/1 false,mine/1 false" "geak-eval --lint leaves other records alone"

# -- without geak-eval
mkdir alone; cp "$(command -v geak-task)" alone/
ok "$(! GEAK_DATADIR=$ROOT PATH=/usr/bin:/bin alone/geak-task --lint flip >out 2>err; echo $?)" "without geak-eval it fails"
GEAK_DATADIR=$ROOT PATH=/usr/bin:/bin exits 70 "without geak-eval: status" alone/geak-task --lint flip
is "$(cat err)" "geak-task: geak-eval cannot be run: No such file or directory; it tries the answers, and comes with geak where Python has torch and triton" \
	"without geak-eval: sentence"
ln -s "$(command -v geak-eval)" alone/elsewhere; mkdir path; ln -s "$(command -v geak-eval)" path/geak-eval
GEAK_DATADIR=$ROOT PATH=$WORK/path:/usr/bin:/bin exits 0 "one on PATH will do" alone/geak-task --lint -q flip
exits 64 "a timeout that is none" geak-task --lint -T x flip
is "$(cat out)" "" "and no table of nothing"
like "$(cat err)" "^geak-eval: --timeout" "is told by geak-eval"
exits 64 "lint and list" geak-task --lint --list
exits 64 "json without lint" geak-task --json
exits 64 "an unknown task" geak-task --lint sofmax
is "$(ls "$TMPDIR")" "" "nothing is left behind"
done_testing
