#!/bin/bash
# geak-opt: whom it chooses as parents, what the model is told, what the children say.
. "$(dirname "$0")/../tap.sh"

task() { # task ID [JQ-FILTER]
	jq -nc --arg id "$1" '{geak: "task/1", id: $id, title: $id, prompt: "Negate.", language: "triton",
		entry: "neg", signature: "neg(x: Tensor[N]) -> Tensor[N]", harness: "function",
		cases: [{name: "small", kind: "check", params: {N: 7}, flops: 7, bytes: 56},
			{name: "big", kind: "time", params: {N: 100000000}, flops: 100000000, bytes: 800000000}]}'" ${2:-}"
}
candidate() { # candidate ID TASK STATUS [JQ-FILTER]
	jq -nc --argjson task "$(task "$2")" --arg id "$1" --arg status "$3" \
		'{geak: "candidate/1", id: $id, task: $task, parent: null, round: 0,
		origin: {tool: "geak-gen"}, language: "triton", source: ("# source of " + $id),
		eval: {status: $status, target: "gfx942", compile: [{target: "gfx942", kernel: "k",
			ok: true, vgpr: 40, spill: 0, lds: 0, occupancy: 8, mfma: 0}]}}'" ${4:-}"
}
replies() { # replies TASK N: N recorded replies
	local i
	for ((i = 0; i < $2; i++)); do
		jq -nc --arg t "$1" --arg i "$i" '{task: $t, tool: "geak-opt",
			text: ("```python\nimport triton\n\ndef neg(x):\n    return x  # " + $t + $i + "\n```\n")}'
	done
}
told() { # told ARGUMENT...: what the model is asked, all prompts one after the other
	rm -f prompt
	geak-opt -m "exec:cat >>$WORK/prompt; echo 'No.'" -j 1 "$@" >out 2>err
	cat prompt
}

# -- parents and children
{
	candidate slow a pass '| .eval.perf = {speedup: 0.5}'
	candidate fast a pass '| .eval.perf = {speedup: 2.5}'
	candidate bad a wrong_answer
	candidate middle a pass '| .eval.perf = {speedup: 1.5}'
	candidate slowest a pass '| .eval.perf = {speedup: 0.1}'
	candidate only b pass '| .round = 3'
	candidate hopeless c compile_error
} >all
{ replies a 4; replies b 4; } >recorded
exits 0 "parents have children" geak-opt -m replay:recorded all
is "$(head -n 7 out | cmp - all 2>&1)" "" "every candidate goes through first, byte for byte"
is "$(tail -n +8 out | jq -c '[.task.id, .parent, .round, .origin.sample]' | xargs)" \
	"[a,fast,1,0] [a,fast,1,1] [a,fast,1,2] [a,fast,1,3] [b,only,4,0] [b,only,4,1] [b,only,4,2] [b,only,4,3]" \
	"four of the best of each task, task after task"
is "$(cat err)" "geak-opt: task c: no candidate of 1 passed; there is nothing to improve" \
	"a task where none passed is named"
tail -n +8 out >children
is "$(jq -r 'select(.task.id == "a").source | capture("# (?<n>.*)").n' children | xargs)" "a0 a1 a2 a3" "in the order of the replies"
is "$(jq -r .origin.bottleneck children | sort -u)" "memory" "the bottleneck is in the origin"
is "$(jq -r 'select(.task.id == "a").origin.strategy' children | sort -u | wc -l)" 4 "each child has a strategy of its own"
is "$(jq -r .origin.tool children | sort -u)" "geak-opt" "and the tool"
is "$(jq 'has("eval")' children | sort -u)" false "no child has a verdict"
is "$(jq -c 'select(.task.id == "b").history | map([.id, .status])' children | sort -u)" '[["only","pass"]]' "the parent is in the history"
cp out once
geak-opt -m replay:recorded <all >out 2>err
is "$(cmp out once 2>&1)" "" "asked again, the records are the same to the byte"

jq -c '.round = 1' <(candidate only b pass) >next
replies b 4 >recorded
geak-opt -m replay:recorded next >out 2>err
is "$({ geak-opt -m replay:recorded <(candidate only b pass); cat out; } 2>/dev/null | jq -r '.origin.strategy // empty' | sort -u | wc -l)" 8 \
	"the next round goes on with the next strategies"
exits 0 "one child" geak-opt -n 1 -m replay:recorded next
is "$(jq -r .geak out | wc -l)" 2 "besides its parent"

# -- what the model is told
prompt=$(told -n 1 -k 3 all)
is "$(grep -o '^# source of .*' prompt | head -n 3 | xargs)" "# source of slow # source of middle # source of fast" \
	"the three best, the worst of them first"
unlike "$prompt" 'source of (slowest|bad|hopeless)' "and no other"
like "$prompt" '^## File 3, the best so far$' "the best is marked"
like "$prompt" '^- 2\.5 times as fast as the reference$' "with its speedup"
like "$prompt" '^- kernel k\(\) for gfx942: 40 vector registers a thread, 0 spilled, 0 bytes of LDS, 8 waves a SIMD, 0 matrix instructions$' "and what the code object tells"
like "$prompt" '^# What holds it back: memory$' "the bottleneck"
like "$prompt" 'The case big moves at least 8e\+08 bytes' "and why"
like "$prompt" '^# The strategy to try: Fuse passes over memory$' "the strategy"
like "$prompt" 'faster than$' "what to answer"
unlike "$prompt" '\{\{' "no tag is left"
prompt=$(told -n 1 -k 1 <(candidate one a pass '| .eval.perf = {cases: [{case: "big", ms: 0.6, gbps: 1333.3, speedup: 1.25}]}'))
like "$prompt" '^## File 1$' "one parent alone is not called the best"
like "$prompt" '^- case big: 0\.6 ms, 1\.25 times as fast, 1333 GB/s$' "times are told"
like "$prompt" 'Measured on the case big: 0\.6 ms, 1333 GB/s \(25% of the peak\)' "and held against the peak"
prompt=$(told -n 1 -k 1 <(candidate one a pass '| .eval.profile = {tool: "rocprofv3", version: "1", case: "big", kernels: [
	{kernel: "k", ms: 0.5, dram_gbps: 300, occupancy_percent: 43.75, active_lanes_percent: 25, shared_conflict_percent: 12.5}]}'))
like "$prompt" '^- counters of kernel k in case big: 0\.5 ms, 300 GB/s from and to memory, occupancy 43\.75 %, active lanes 25 %, bank conflicts 12\.5 % of shared-memory cycles$' \
	"hardware counters are told"
like "$prompt" '^# What holds it back: divergence$' "and decide"
prompt=$(told -n 1 -k 1 <(candidate one a pass '| .eval.profile = {tool: "rocprofv3", unavailable: "rocprofv3 is gone"}'))
unlike "$prompt" 'counters|rocprofv3' "but not that there are none"
like "$prompt" '^# What holds it back: memory$' "which decides nothing"
for wall in memory compute launch 'x\ny'; do
	prompt=$(told -n 1 -k 1 <(candidate one a pass "| .eval.perf = {cases: [{case: \"big\", ms: 2, roofline: 0.25, wall: \"$wall\"}]}"))
	grep '^- case big' <<<"$prompt"
done >walls
is "$(cat walls)" '- case big: 2 ms, 0.25 of what the GPU can at best, held by memory
- case big: 2 ms, 0.25 of what the GPU can at best, held by its operations
- case big: 2 ms, 0.25 of what the GPU can at best, most of the time its launch
- case big: 2 ms, 0.25 of what the GPU can at best' "and what the time stands at"
told -n 30 -k 1 <(candidate one a pass) >/dev/null
unlike "$(cat prompt)" 'tensor cores' "advice for the other vendor is not given"
told -n 30 -k 1 --target sm_90 <(candidate one a pass) >/dev/null
unlike "$(cat prompt)" 'waves_per_eu=2' "nor for AMD on NVIDIA"

candidate dot a pass '| .task.signature = "f(x: float16)" | .source = "tl.dot(" | .task.cases[1].flops = 1e15' >dot
geak-opt -n 30 -m "exec:echo No." dot >out 2>err
is "$(jq -r '.origin.bottleneck // empty' out | sort -u)" "compute" "much arithmetic is bound by it"
like "$(jq -r '.origin.strategy // empty' out)" '^matrix-unit-amd$' "and gets its strategies"
candidate flow a pass '| .task.tags = ["control-flow"]' >flow
geak-opt -n 1 -m "exec:echo No." flow >out 2>err
is "$(jq -r '.origin.bottleneck // empty' out)" "divergence" "control flow is divergence"
candidate bare a pass '| del(.task.cases, .eval.compile)' >bare
geak-opt -n 1 -m "exec:echo No." bare >out 2>err
is "$(jq -r '.origin.bottleneck // empty' out)" "unknown" "of what nothing is known, the bottleneck is not either"

# -- bad input
replies a 1 >recorded
{
	candidate noeval a pass '| del(.eval)'
	candidate badstatus a pass '| .eval.status = []'
	candidate notask a pass '| del(.task)'
	candidate noid a pass '| .id = 7'
	candidate badround a pass '| .round = 1.5'
	echo 'not json'
	candidate fine a pass '| .eval.compile = {a: [1]} | .eval.perf = "x" | .history = 3'
	echo '{"geak":"task/1","id":"t"}'
} >broken
exits 1 "broken candidates" geak-opt -n 1 -m replay:recorded broken
is "$(jq -r '.geak' out | xargs)" \
	"error/1 error/1 error/1 error/1 error/1 error/1 candidate/1 task/1 candidate/1" \
	"become errors in their places, and the good one has its child"
like "$(sed -n 1p err)" '^geak-opt: broken:1: candidate noeval was not judged: judge it with geak-eval first$' "the first is told"
is "$(wc -l <err)" 6 "and so is each"
candidate noprompt a pass '| del(.task.prompt)' >noprompt
exits 1 "a task without a prompt" geak-opt -n 1 -m replay:recorded noprompt
is "$(jq -r .geak out | xargs)" "candidate/1 error/1" "is an error after its candidate"
exits 1 "no reply is left" geak-opt -n 2 -m replay:recorded <(candidate fine a pass)
is "$(jq -c '[.geak, .parent, .record.id]' out | xargs)" \
	"[candidate/1,null,null] [candidate/1,fine,null] [error/1,null,fine]" "an error/1 that carries the parent"
exits 0 "no input" geak-opt -m replay:recorded /dev/null
is "$(cat out err)" "" "gives nothing"
exits 64 "no parents at all" geak-opt -k 0 -m replay:recorded all
exits 64 "an unknown option" geak-opt --no-such
exits 69 "a key that is not there" geak-opt -m openai:x next
like "$(cat err)" "OPENAI_API_KEY" "the variable is named"
is "$(jq -r .geak out | xargs)" "candidate/1 error/1" "the parent has gone through"
geak-opt -n 1 -m replay:recorded all >/dev/full 2>err
is "$?" 74 "a full disk"
mkdir data && cp -r "$ROOT/prompts" data/ && echo "no front matter" >data/prompts/strategies/99-mine.md
exits 70 "a strategy that cannot be read" env GEAK_DATADIR="$WORK/data" geak-opt -m replay:recorded all
like "$(cat err)" "99-mine.md cannot be used: the first line is not '---'$" "is named"
rm data/prompts/strategies/*
printf -- '---\ntitle: My own\nbottlenecks: memory\n---\nDo this.\n' >data/prompts/strategies/mine.md
replies a 1 >recorded
GEAK_DATADIR=$WORK/data geak-opt -n 1 -m replay:recorded <(candidate fine a pass) >out 2>err
is "$(jq -r '.origin.strategy // empty' out)" "mine" "a strategy of one's own is taken"
# -- no room for the temporary file
for i in $(seq 100); do candidate "c$i" a pass; done >many
(trap '' XFSZ; ulimit -f 4; exec geak-opt -m "exec:echo No." -n 1 many) 2>err | cat >out
is "${PIPESTATUS[0]}" 74 "a temporary file that cannot grow"
is "$(jq -r 'select(.geak == "error/1").reason' out | sort -u)" \
	"the temporary file (TMPDIR says where) cannot be written: File too large" "is told of all that it could not keep"
done_testing
