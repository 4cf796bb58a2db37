#!/bin/bash
# Fan-out: xargs and GNU parallel give the records that one process gives.
# slow: five times the judge, on the same six kernels
. "$(dirname "$0")/../tap.sh"
type parallel >/dev/null 2>&1 || skip_all "GNU parallel is not installed"
printf '#!/bin/sh\nexec geak-eval -q -j1 --seed=1 --targets=gfx942 "$@"\n' >judge
chmod +x judge
# Every field but those that tell the time; the order is not promised.
same() { jq -cS 'del(.eval.seconds, .eval.compile[]?.ms, .origin.latency_s)' "$@" | sort; }

# -- asking: a process a task

for task in flip softmax rmsnorm; do
	for n in 1 2 3; do
		jq -nc --arg t "$task" --arg n "$n" '{task: $t, text: "```python\nimport triton # \($t) \($n)\n```"}'
	done
done >replies.jsonl
export GEAK_MODEL=replay:$WORK/replies.jsonl
geak-task flip softmax rmsnorm | geak-gen -n 3 | same >one
is "$(wc -l <one)" 9 "geak-gen: one process, nine candidates"
printf '%s\n' flip softmax rmsnorm | xargs -P3 -I{} sh -c 'geak-task {} | geak-gen -n 3 >{}.gen'
cmp -s one <(same ./*.gen); ok $? "geak-gen: three by xargs, the same records"
geak-task flip softmax rmsnorm | parallel --pipe -N1 -j3 geak-gen -n 3 | same >two
cmp -s one two; ok $? "geak-gen: three by parallel --pipe, the same records"

# -- judging: good ones, wrong ones, one that is not Python, one without code

good=$(cat "$ROOT/tests/kernels/flip.py")
for source in "$good" "${good/row \* x_row/row * N}" "${good/COLUMNS: tl.constexpr/COLUMNS}" \
	"def flip(x) return x" "" "${good/ROWS \* 1/ROWS} # again"; do
	geak-task flip | jq -c --arg s "$source" --arg id "c$((++n))" '{geak: "candidate/1", id: $id, task: .,
		parent: null, round: 0, origin: {tool: "test"}, language: "triton", source: $s}'
done >in.jsonl
echo 'half a {' >>in.jsonl
./judge in.jsonl >one.eval 2>err
is $? 1 "geak-eval: one process; a bad line, so it exits 1"
same one.eval >one
is "$(jq -r '.eval.status // .geak' one.eval | sort | uniq -c | xargs)" \
	"3 compile_error 1 error/1 2 pass 1 wrong_answer" "what they come to"

# A line's number is that in its own file or block.
without_place() { sed -E 's/"line":[0-9]+,?//; s/"input":"[^"]*",?//'; }
split -n l/3 in.jsonl part.
printf '%s\n' part.a? | xargs -P2 -I{} sh -c './judge {} >{}.eval' 2>err
is $? 123 "geak-eval: three by xargs, whose own status says that one failed"
cmp -s <(without_place <one) <(same part.*.eval | without_place); ok $? "the same records"
parallel --pipe -j2 -N3 ./judge <in.jsonl >two.eval 2>err
is $? 1 "geak-eval: by parallel --pipe, which counts the jobs that failed"
cmp -s <(without_place <one) <(same two.eval | without_place); ok $? "the same records"
parallel -j2 './judge {} >{}.par' ::: part.a? 2>err
cmp -s <(without_place <one) <(same part.*.par | without_place); ok $? "by parallel over several files, the same records"
./judge -j2 part.a? >three.eval 2>err
cmp -s <(without_place <one) <(same three.eval | without_place); ok $? "by one process over several files, the same records"
is "$(jq -r .id three.eval | xargs)" "$(jq -r .id one.eval | xargs)" "in the order of the input"

done_testing
