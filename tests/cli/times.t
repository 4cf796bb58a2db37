#!/bin/bash
# geak-bench --times: what a person sees of the times of a run.
. "$(dirname "$0")/../tap.sh"
cat >timed.jsonl <<'END'
{"geak":"candidate/1","id":"mine","task":{"id":"t"},"source":"","eval":{"status":"pass","perf":{"device":"NVIDIA H200","baseline":"eager","method":"interleaved","cases":[{"case":"4096x4096","ms":0.0359,"base_ms":0.0563,"speedup":1.568,"verdict":"faster","gbps":3735.2,"tflops":2.334,"roofline":0.778,"wall":"memory"},{"case":"a-name-that-is-far-too-long-for-any-table","ms":1.88,"base_ms":1.41,"speedup":0.75,"verdict":"slower","tflops":292.6}],"speedup":1.084,"verdict":"same","others":[{"baseline":"/some/where/winners.jsonl","cases":[{"case":"4096x4096","base_ms":0.0359,"speedup":1,"verdict":"same"}],"speedup":1,"verdict":"same"}],"untimed":{"compile":"it \u001b[31mfailed"}}}}
{"geak":"candidate/1","id":"wrong","task":{"id":"t"},"source":"","eval":{"status":"wrong_answer"}}
END
exits 0 'times are shown' geak-bench --times timed.jsonl
is "$(cat out)" 'candidate mine on NVIDIA H200
  case                              us   GB/s   TF/s    %     eager  rs.jsonl
  4096x4096                       35.9   3735   2.33 77.8 m   1.57x +   1.00x =
  a-name-that-is-far-too-long-    1880      -    293    -     0.75x -       -  
  all cases, geometric mean                                   1.08x =   1.00x =
  not timed: compile, it ?[31mfailed' 'a line a case, a column a baseline, and nothing for who was not timed'
is "$(geak-bench -T <(jq -c '.eval.perf.others += [.eval.perf.others[0], .eval.perf.others[0]]' <(head -n 1 timed.jsonl)) | awk 'length > w {w = length} END {print w <= 88}')" 1 \
	'with four baselines it is still a table'
perf() { # perf FILTER: what is shown of those times, changed by it
	jq -c ".eval.perf |= ($1)" <(head -n 1 timed.jsonl) | geak-bench -T 2>&1
	echo "${PIPESTATUS[1]}"
}
for odd in '.untimed = [1]' '.untimed = 7' '.untimed = {eager: 7}' '.cases = {a: 1}' '.cases = [1, null, [], {}]' \
	'.others = [1, {}, []]' '.others = {a: 1}' '.baseline = 7' '.device = []' '.cases[0].wall = ""' \
	'.cases[0].ms = "1" | .cases[1].speedup = [1]' '.verdict = "" | .cases[0].verdict = 1'; do
	is "$(perf "$odd" | tail -n 1)" 0 "no harm from $odd"
done
perf '.others = [range(12) as $i | .others[0]]' >out
is "$(grep 'more' out)" '  4 more baselines are in the record' 'of many baselines some are shown, and it is told'
perf '.cases = [range(3000) as $i | {case: "c\($i)", ms: 1}] | .others = [{baseline: "x", cases: .cases}]' >out
is "$(grep -c '^  c[0-9]' out) $(grep more out)" '1000   2000 more cases are in the record' 'likewise of cases'
many=$(seq 300000 | sed 's/.*/{"case":"c&"}/' | paste -sd,)
printf '{"geak":"candidate/1","id":"x","task":{"id":"t"},"eval":{"perf":{"cases":[%s],"others":[{"cases":[%s]}]}}}\n' \
	"$many" "$many" >huge.jsonl
is "$(timeout 20 geak-bench -T huge.jsonl | grep more)" '  299000 more cases are in the record' 'as many as a record holds take no time'
jq -c '.eval = {status: "pass", untimed: {candidate: "it was too hot"}}' <(head -n 1 timed.jsonl) >untimed.jsonl
is "$(geak-bench --times untimed.jsonl)" 'candidate mine
  not timed: candidate, it was too hot' 'and why there are no times'
exits 64 'and no summary with it' geak-bench --times --json timed.jsonl
like "$(cat err)" 'have tables of their own' 'in words'
[ ! -e "$ROOT/tests/gpu/kernels.jsonl" ] || is "$(jq -c '{geak: "candidate/1", id: .kernel, task: {id: .kernel}, source: "", eval: {status: "pass", perf: .perf}}' \
	"$ROOT/tests/gpu/kernels.jsonl" | geak-bench -T | awk 'length > 79' | wc -l)" 0 'what was measured fits 80 columns'
done_testing
