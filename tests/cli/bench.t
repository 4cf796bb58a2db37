#!/bin/bash
# geak-bench: every figure against a second, plain computation of it.
. "$(dirname "$0")/../tap.sh"

c() { # c ID TASK DIFFICULTY EVAL [ORIGIN [ROUND]]
	printf '{"geak":"candidate/1","id":"%s","task":{"geak":"task/1","id":"%s","difficulty":%s},"round":%s,"origin":%s,"eval":%s}\n' \
		"$1" "$2" "$3" "${6:-0}" "${5:-null}" "$4"
}
v() { printf '{"status":"%s"}' "$1"; }
fast() { printf '{"status":"pass","perf":{"speedup":%s}}' "$1"; }
figure() { jq -c "$1" out; }

# -- a small run, counted by hand
{
	c a1 a 1 "$(fast 2)"; c a2 a 1 "$(v wrong_answer)"; c a3 a 1 "$(v compile_error)"; c a4 a 1 "$(fast 0.5)"
	c b1 b 3 "$(v no_kernel)"; c b2 b 3 "$(v cheat)"; c b3 b 3 "$(v sandbox_error)"; c b4 b 3 "$(v crash)"
	c c1 c 3 "$(v reference_error)"; c d1 d 5 null
	echo '{"geak":"error/1","tool":"geak-gen","reason":"no reply","record":{"geak":"task/1","id":"e","difficulty":2}}'
	echo '{"geak":"task/1","id":"f","difficulty":2}'
} > small.jsonl
exits 0 "runs" geak-bench --json small.jsonl
is "$(wc -l <out)" 1 "--json writes one record"
is "$(figure .geak)" '"summary/1"' "a summary/1"
is "$(figure '[.candidates,.judged,.decided,.called,.passed]')" "[10,9,7,4,2]" "candidates"
is "$(figure '[.call_accuracy,.execution_accuracy]|map(.*7)')" "[4,2]" "call and execution accuracy are shares of the decided"
is "$(figure '.tasks|[.count,.decided,.called,.passed]')" "[6,4,2,1]" \
	"tasks: a task that nobody delivered for is not solved, one without a verdict is left out"
is "$(figure '.tasks|[.call_accuracy,.execution_accuracy]')" "[0.5,0.25]" "accuracy of tasks at their best"
is "$(figure '.status|to_entries|map(select(.value>0)|.key+":"+(.value|tostring))|join(" ")')" \
	'"pass:2 wrong_answer:1 compile_error:1 crash:1 no_kernel:1 cheat:1 reference_error:1 sandbox_error:1"' "counts by status"
is "$(figure .errors)" '{"count":1,"by_tool":{"geak-gen":1}}' "errors"
is "$(figure '.pass_at_k|map(.k)')" "[1,2]" "pass@k: powers of two that every task has candidates for"
is "$(figure '.pass_at_k[0]|[.value,.tasks]')" "[0.25,2]" "pass@1 is the mean of the tasks' shares"
is "$(figure '.pass_at_k[1].value*12|round')" "5" "pass@2: the mean of 1 - C(2,2)/C(4,2) and 0"
is "$(figure '.speedup.candidates|[.count,.geometric_mean,.median,.min,.max]')" "[2,1,1.25,0.5,2]" "speedups of candidates"
is "$(figure '.speedup.candidates.fast_1*7|round')" "1" "fast_1 of candidates counts the failed ones as well"
is "$(figure '.speedup.tasks|[.count,.geometric_mean,.fast_1]')" "[1,2,0.25]" "speedups of tasks: the best of each"
is "$(figure '.by_difficulty|map([.difficulty,.candidates,.tasks.count,.tasks.passed])')" \
	"[[1,4,1,1],[2,0,2,0],[3,5,2,0],[5,1,1,0]]" "by difficulty"
is "$(figure '[has("by_model"),has("by_tool"),has("by_round")]')" "[false,false,false]" "no breakdown where there is one value"
is "$(figure '.per_task|map([.task,.passed,.best,.speedup])')" \
	'[["a",2,"a1",2],["b",0,null,null],["c",0,null,null],["d",0,null,null],["e",0,null,null],["f",0,null,null]]' "per task"
is "$(figure '[.cost_usd,.prompt_tokens,.eval_seconds]|unique')" '[{"sum":null,"known":0}]' "what nobody told is null, not 0"

exits 0 "-k" geak-bench -J -k 4,1,9 small.jsonl
is "$(figure '.pass_at_k|map([.k,.value,.tasks])')" "[[4,1,1],[1,0.25,2],[9,null,0]]" \
	"only tasks with k candidates count; null where there is none"

# -- the same figures by another program
"$PYTHON" - > random.jsonl <<'PY'
import json, random
random.seed(7)
status = ["pass", "wrong_answer", "call_error", "compile_error", "timeout", "sandbox_error", "no_kernel", "mine"]
for t in range(20):
    for i in range(random.randint(3, 40)):
        s = random.choices(status, [3, 2, 1, 1, 1, 1, 1, 1])[0]
        ev = {"status": s}
        if s == "pass" and random.random() < .7:
            ev["perf"] = {"speedup": random.uniform(.3, 4)}
        origin = {"tool": "geak-gen", "model": random.choice("xyz")}
        if random.random() < .9:
            origin |= {"usage": {"prompt_tokens": 10 * i, "completion_tokens": i}, "cost_usd": i / 64}
        print(json.dumps({"geak": "candidate/1", "id": f"{t}-{i}", "task": {"id": f"t{t}"},
                          "round": random.randint(0, 3), "origin": origin, "eval": ev}))
PY
exits 0 "a random run" geak-bench --json -k 1,2,3 random.jsonl
"$PYTHON" - > differences 2>&1 <<'PY'
import collections, json, math, statistics
from math import comb
rows = [json.loads(l) for l in open("random.jsonl")]
got = json.load(open("out"))
def check(name, a, b):
    if a != b and not (a and b and abs(a - b) < 1e-9 * abs(b)):
        print(name, a, b)
def group(rows):
    d = [r for r in rows if r["eval"]["status"] != "sandbox_error"]
    call = [r for r in d if r["eval"]["status"] in ("pass", "wrong_answer", "no_kernel")]
    good = [r for r in d if r["eval"]["status"] == "pass"]
    return d, call, good
def compare(name, g, rows):
    d, call, good = group(rows)
    check(name + " call", g["call_accuracy"], len(call) / len(d))
    check(name + " exec", g["execution_accuracy"], len(good) / len(d))
    tasks = {r["task"]["id"] for r in d}
    check(name + " task call", g["tasks"]["call_accuracy"], len({r["task"]["id"] for r in call}) / len(tasks))
    check(name + " task exec", g["tasks"]["execution_accuracy"], len({r["task"]["id"] for r in good}) / len(tasks))
    cost = [r["origin"]["cost_usd"] for r in rows if "cost_usd" in r["origin"]]
    check(name + " cost", g["cost_usd"]["sum"], sum(cost))
    check(name + " known", g["cost_usd"]["known"], len(cost))
    check(name + " each", g["per_pass"]["usd"], sum(cost) / len(good) if len(cost) == len(rows) and good else None)
    tokens = [r["origin"]["usage"]["prompt_tokens"] for r in rows if "usage" in r["origin"]]
    check(name + " tokens", g["prompt_tokens"]["sum"], sum(tokens))
compare("all", got, rows)
for key, of in (("model", lambda r: r["origin"]["model"]), ("round", lambda r: r["round"])):
    for g in got["by_" + key]:
        compare(f"{key} {g[key]}", g, [r for r in rows if of(r) == g[key]])
check("rounds", [g["round"] for g in got["by_round"]], [0, 1, 2, 3])
for g in got["by_round"]:
    check("so far", g["solved_so_far"], len({r["task"]["id"] for r in group(rows)[2] if r["round"] <= g["round"]}))
d, call, good = group(rows)
for p in got["pass_at_k"]:
    k, values = p["k"], []
    for t in {r["task"]["id"] for r in d}:
        n = sum(r["task"]["id"] == t for r in d)
        c = sum(r["task"]["id"] == t for r in good)
        if n >= k:
            values.append(1 - comb(n - c, k) / comb(n, k))
    check(f"pass@{k}", p["value"], statistics.fmean(values))
s = [r["eval"]["perf"]["speedup"] for r in good if "perf" in r["eval"]]
g = got["speedup"]["candidates"]
check("geomean", g["geometric_mean"], statistics.geometric_mean(s))
check("median", g["median"], statistics.median(s))
check("fast_1", g["fast_1"], sum(x > 1 for x in s) / (len(d) - len(good) + len(s)))
best = collections.defaultdict(float)
for r in good:
    if "perf" in r["eval"]:
        best[r["task"]["id"]] = max(best[r["task"]["id"]], r["eval"]["perf"]["speedup"])
check("task geomean", got["speedup"]["tasks"]["geometric_mean"], statistics.geometric_mean(best.values()))
for t in got["per_task"]:
    check("best of " + t["task"], t["speedup"], best.get(t["task"]))
check("status", sum(got["status"].values()), len(rows))
check("a status of others", got["status"]["mine"], sum(r["eval"]["status"] == "mine" for r in rows))
PY
is "$(cat differences)" "" "agrees with a second computation of every figure"

# -- the same candidate again, and records inside errors
{ c a t 1 "$(v call_error)"; c a t 1 "$(v pass)"; c a t 1 null; } | geak-bench -J > out
is "$(figure '[.candidates,.passed,.repeated]')" "[1,1,2]" "of records with one id the last judged one counts"
{ printf '{"geak":"error/1","tool":"geak-reflect","record":%s}\n' "$(c a t 1 "$(v call_error)")"; c b t 1 "$(v pass)"; } | geak-bench -J > out
is "$(figure '[.candidates,.passed,.errors.count]')" "[2,1,1]" "a candidate inside an error/1 counts"

{ c a t 1 "$(v pass)"; c a u 1 "$(v call_error)"; c a u 1 null; } | geak-bench -J > out
is "$(figure '[.candidates,.passed,.repeated]')" "[2,1,1]" "one id in two tasks is two candidates"
is "$(figure '.per_task|map([.task,.candidates,.best])')" '[["t",1,"a"],["u",1,null]]' "each its own task's"
paid() { printf '{"cost_usd":%s,"usage":{"prompt_tokens":%s,"completion_tokens":%s}}' "$1" "$1" "$1"; }
{
	c a t 1 "$(fast 2)" "$(paid 5)"
	c b t 1 "$(fast -1)" "$(paid -5)"; c d t 1 "$(fast 0)"; c e t 1 "$(fast '"3"')"; c f t 1 "$(fast 1e999)"
} | geak-bench -J > out
is "$(figure '[.passed,.speedup.candidates.count,.speedup.candidates.geometric_mean]')" "[5,1,2]" \
	"a speedup that cannot be is none, and leaves the others their mean"
is "$(figure '[.cost_usd,.prompt_tokens,.completion_tokens]|map(.sum)')" "[5,5,5]" "nobody is paid for asking"

# -- bad input
{ echo '{"geak":"candidate/1","id":"x"}'; echo 'nonsense'; c a t 1 "$(v pass)"; echo '{"geak":"mine/1"}'; } > bad.jsonl
exits 1 "bad records: exit 1" geak-bench -J bad.jsonl
is "$(jq -r .geak out | xargs)" "error/1 error/1 mine/1 summary/1" "--json: errors and other kinds go through, the summary comes last"
is "$(tail -n1 out | jq -c '[.candidates,.errors.count]')" "[1,0]" "and the rest is counted"
exits 1 "the table: exit 1 as well" geak-bench bad.jsonl
unlike "$(cat out)" '[{]' "no record stands in the table"
like "$(cat err)" "^geak-bench: bad.jsonl:1: the candidate cannot be counted: it has no task with an \"id\"$" "what is wrong is said"
exits 0 "nothing at all" geak-bench /dev/null
like "$(cat out)" "^call accuracy +0/0 +- +0/0 +-$" "gives no figure"
for list in "" 0 "1," x 1,,2 99999999999999999999; do
	exits 64 "-k '$list' is refused" geak-bench -k "$list" /dev/null
done
like "$(cat err)" "^geak-bench: --pass-at takes up to 32 whole numbers from 1 to 1000000" "with a sentence"

# -- the table
exits 0 "the table" geak-bench --tasks small.jsonl random.jsonl
is "$(awk 'length > 80' out)" "" "fits 80 columns"
like "$(cat out)" '^call accuracy +[0-9]+/[0-9]+ +[0-9.]+ % +[0-9]+/[0-9]+ +[0-9.]+ %$' "accuracy"
like "$(cat out)" '^every passing one +[0-9]+ +[0-9.]+x +[0-9.]+x +[0-9.]+x +[0-9.]+x +[0-9.]+ %$' "speedups"
like "$(cat out)" '^a +4 +3 +2 +2.00x +a1$' "a line for each task"
like "$(cat out)" "^cost +[$][0-9.]+ \(known of [0-9]+ of [0-9]+ candidates\)$" "cost"
{
	for i in 1 2 3 4; do
		jq -nc --arg id $i '{geak: "candidate/1", id: $id, task: {id: "t"}, origin: {tool: "geak-gen", usage: {prompt_tokens: 100, completion_tokens: 20}, cost_usd: 0.5},
			eval: {status: (if $id == "1" then "timeout" else "pass" end), perf: {speedup: 2, verdict: (if $id == "3" then "faster" else "same" end)}}}'
	done
} >told.jsonl
exits 0 "a run that tells all it took" geak-bench told.jsonl
like "$(cat out)" '^ +[$]0.67 and 160 tokens for each kernel that passed$' "what a passing kernel took"
like "$(cat out)" '^ +[$]2.00 and 480 tokens for each kernel that is faster$' "and a faster one"
exits 0 "one that does not" geak-bench told.jsonl <(c a t 1 "$(v pass)")
unlike "$(cat out)" 'for each' "says nothing of it"
exits 0 "a run that was never timed" geak-bench <(c a t 1 "$(v pass)")
like "$(cat out)" "^speedup   -  \(no candidate was timed\)$" "says so"
like "$(cat out)" "^cost      -$" "and an unknown cost is -"
{ c a t 1 "$(v pass)" '{"model":"\u001b[31mred and a name that is far too long for its column"}'; c b t 1 "$(v pass)" '{"model":"m"}'; } > names.jsonl
exits 0 "names from records" geak-bench names.jsonl
like "$(cat out)" '^[?]\[31mred and a name' "are masked"
is "$(geak-bench small.jsonl 2>&1 > /dev/full; echo $?)" \
	"geak-bench: standard output cannot be written: No space left on device
74" "a full disk: 74 and a sentence"

# -- speeds with intervals
t() { # t ID TASK STATUS [SPEEDUP [RELATIVE WIDTH OF ITS INTERVAL [VERDICT [DEVICE]]]]
	jq -cn --arg id "$1" --arg task "$2" --arg status "$3" --argjson s "${4:-1}" --argjson w "${5:-null}" \
		--arg v "${6:-faster}" --arg d "${7:-GPU}" '{geak: "candidate/1", id: $id, task: {id: $task}, eval: {status: $status,
		perf: ({device: $d, baseline: "reference", speedup: $s, cases: [{roofline: 0.4}, {roofline: 0.9}]} +
		(if $w then {speedup_lo: ($s / (1 + $w)), speedup_hi: ($s * (1 + $w)), floor: 0.01, verdict: $v} else {} end))}}'
}
{ t a a pass 2 0.01; t b a pass 0.5 0.01 slower; t c b pass 1 0.01 same; t d b wrong_answer 9 0.01; } >told.jsonl
exits 0 "verdicts" geak-bench -J told.jsonl
is "$(figure '.speedup|[.candidates,.tasks]|map(.verdicts)')" \
	'[{"faster":1,"same":1,"slower":1},{"faster":1,"same":1,"slower":0}]' "are counted, of those that passed"
is "$(figure '.speedup.candidates.roofline*1000|round')" 600 "the share of the roofline is a geometric mean"
like "$(geak-bench told.jsonl)" '^every passing one +1 +1 +1 +60\.0 %$' "and both are in the table"
exits 0 "without intervals" geak-bench -J small.jsonl
is "$(figure '.speedup.candidates|has("verdicts") or has("roofline")')" false "there are none"
unlike "$(geak-bench small.jsonl)" '^speed  ' "nor in the table"

# -- against an earlier run
{ t a a pass 2 0.01; t b b pass 2 0.01; t c c pass 2 0.01; t d d pass 2; t e e pass 2 0.01; t f f wrong_answer; t g g pass 2; } >before.jsonl
against() { # against STATUS NAME: standard input is the run
	geak-bench -J -c before.jsonl >out 2>err
	is "$?" "$1" "$2"
}
counts() { figure '.comparison.tasks|[.faster,.same,.slower,.untold,.gained,.lost]'; }
{ t a a pass 2.2 0.01; t b b pass 2 0.01; t c c pass 2.01 0.01; } | against 0 "a run that is faster"
is "$(counts)" '[1,2,0,0,0,0]' "one task is, two are the same, and those that it has not do not count"
is "$(figure '.comparison.ratio*1e4|round')" "$("$PYTHON" -c 'print(round(1e4 * (1.1 * 1.005) ** (1 / 3)))')" "the geometric mean"
is "$(figure '[.comparison|.ratio/.ratio_lo,.ratio_hi/.ratio]|map(log*1e5|round)')" \
	"$("$PYTHON" -c 'import math; x = round(1e5 * math.log(1.01) * math.sqrt(6) / 3); print(f"[{x},{x}]")')" "with its interval"
is "$(figure '.comparison.per_task|map([.task,.before,.verdict])')" '[["a",2,"faster"],["b",2,"same"],["c",2,"same"]]' "task by task"
t a a pass 2 0.01 | against 2 "the same run again is the same"
t a a pass 2.015 0.001 | against 2 "so is one whose interval holds 1"
t a a pass 1.985 0.0001 | against 2 "on either side"
t a a pass 1.9 0.01 | against 3 "one that is slower"
{ t a a pass 2.4 0.01; t b b pass 1.6 0.01; } | against 3 "as a whole, if not in everything"
is "$(counts)" '[1,0,1,0,0,0]' "and the counts tell"
{ t a a pass 4 0.01; t c c crash; } | against 3 "one that lost a task is slower, whatever else"
is "$(counts)" '[1,0,0,0,0,1]' "and that is told"
{ t a a pass 2.2 0.01; t f f pass; } | against 0 "one that gained a task"
is "$(counts)" '[1,0,0,0,1,0]' "tells it"
{ t c c sandbox_error; t x x pass 9 0.01; } | against 2 "who decided nothing lost nothing"
is "$(counts)" '[0,0,0,0,0,0]' "and a new task is none of it"
{ t a a pass 9; t d d pass 9 0.01; t b b pass 9 0.01 faster other-GPU; } | against 2 "without an interval, or on another GPU"
is "$(counts)" '[0,0,0,3,0,0]' "nothing is told"
is "$(figure '.comparison|[.ratio,.per_task[2].ratio,.per_task[2].verdict]')" '[null,null,null]' "and no ratio"
impossible() { sed 's/"speedup_\(..\)":[0-9.]*/"speedup_\1":0/g'; }
geak-bench -J -c <(t a a pass 2 0.01; t b b pass 2 0.01 | impossible) <(t a a pass 1 0.01; t b b pass -1 0.01) >out
is $? 3 "a speedup that cannot be hides no other"
is "$(counts)" '[0,0,1,1,0,0]' "and is untold"
run_of() { for task; do printf '{"geak":"error/1","tool":"geak-gen","input":"-","line":1,"reason":"no reply","record":{"geak":"task/1","id":"%s"}}\n' "$task"; done; }
run_of a | against 3 "one that got no reply to a task has lost it"
is "$(counts)" '[0,0,0,0,0,1]' "and that is told"
geak-bench -J -c <(run_of a) <(t a a pass 2 0.01) >out
is "$(counts)" '[0,0,0,0,1,0]' "or gained, the other way round"
t a a pass 2 0.01 | against 2 "tasks that it has not"
is "$(figure .comparison.tasks.missing) $(cat err)" '6 ' "are counted"
against 4 "a run without records is not the same" </dev/null
is "$(figure '.comparison|[.verdict,.tasks.missing]')" '[null,7]' "and gets no verdict"
is "$(cat err)" "geak-bench: nothing could be compared with before.jsonl: this run has no task; give a run of the same tasks" "but a sentence"
t x x pass 9 0.01 | against 4 "nor is one of other tasks"
is "$(cat err)" "geak-bench: nothing could be compared with before.jsonl: the two have no task in common; give a run of the same tasks" "which says so"
exits 4 "as a table" geak-bench -c before.jsonl <(t x x pass 9 0.01)
like "$(cat out)" "^missing +7 of before are not in this run$" "counts what is missing"
like "$(cat out)" "^geo\. mean +-  -$" "and has no verdict"
{ t a a wrong_answer; t a2 a pass 2.2 0.01; t a3 a pass 1 0.01; } | against 0 "the best of each task counts"
exits 64 "two tables at once" geak-bench -o -T before.jsonl
exits 64 "figures of a run, and a table of candidates" geak-bench -o -t before.jsonl
exits 2 "the file may be given again" geak-bench -c before.jsonl before.jsonl
exits 1 "a line that is no record goes first" geak-bench -c before.jsonl <(echo x; t a a pass 1.5 0.01)
exits 64 "standard input is no earlier run" geak-bench -c - before.jsonl
exits 64 "one that is not there" geak-bench -c none.jsonl before.jsonl
exits 0 "as a table" geak-bench -t -c before.jsonl <(t a a pass 2.2 0.01)
like "$(cat out)" '^tasks +1 +0 +0 +0 +0 +0$' "counts"
like "$(cat out)" '^geo\. mean +1\.10x +\(1\.085 to 1\.116\)  faster$' "the whole"
like "$(cat out)" '^a +2\.00x +2\.20x +1\.10x  \(1\.085 to 1\.116\)  faster$' "and each task"
is "$(awk 'length > 80' out)" "" "fits 80 columns"
done_testing
