#!/bin/bash
# geak-task: listing, emitting, and folders of a user's own.
. "$(dirname "$0")/../tap.sh"

good() { # good DIR [KEY VALUE]: a task's folder, with one key of task.json set (jq)
	mkdir -p "$1"
	echo 'Add two vectors.' >"$1/prompt.md"
	echo 'def inputs(p, gen): ...' >"$1/reference.py"
	jq -n --argjson v "${3:-null}" '{entry: "add", cases: [{name: "a", kind: "check", params: {}}],
		tolerance: {atol: 0, rtol: 0}} + if "'"${2:-}"'" == "" then {} else {"'"${2:-x}"'": $v} end' \
		>"$1/task.json"
}
says() { # says STATUS SENTENCE NAME COMMAND...
	exits "$1" "$3: status" "${@:4}"; is "$(cat err)" "$2" "$3: sentence"
}

# -- those that come with geak
exits 0 "lists" geak-task -l
is "$(awk '{print $1}' out | tr '\n' ' ')" \
	"flip matmul_fp16 matmul_fp8 moe_gate reduce_until rmsnorm softmax transpose_fp16 " "all eight"
is "$(awk 'length > 80' out)" "" "within 80 columns"
like "$(grep softmax out)" '^softmax +2  memory-bound,reduction +Softmax along rows$' \
	"name, difficulty, tags and title"
exits 0 "emits one" geak-task softmax
is "$(jq -r 'keys_unsorted | join(" ")' out)" "geak id title prompt language entry signature reference \
cases tolerance strides tags difficulty harness tolerance_note" "the keys in their order, others last"
is "$(jq -r '.geak, .id, .language, .harness, (.cases | length > 5)' out | tr '\n' ' ')" \
	"task/1 softmax triton function true " "and their values"
is "$(jq -j .prompt out | cksum)" "$(cksum <"$ROOT/tasks/softmax/prompt.md")" "prompt.md, byte for byte"
is "$(jq -j .reference out | cksum)" "$(cksum <"$ROOT/tasks/softmax/reference.py")" "reference.py too"
exits 0 "emits several" geak-task rmsnorm flip flip
is "$(jq -r .id out | tr '\n' ' ')" "rmsnorm flip flip " "in the order of the names"
exits 0 "emits all without a name" geak-task
is "$(wc -l <out)" 8 "eight lines"
says 64 'geak-task: there is no task named "sofmax"; is it "softmax"?' \
	"an unknown name" geak-task flip sofmax
is "$(cat out)" "" "and nothing was emitted before it"
exits 0 "lists what is named" geak-task -l flip
is "$(wc -l <out)" 1 "one line"

# -- folders
good mine/add
exits 0 "a folder of one's own" geak-task -d mine/add
is "$(jq -c '[.id, .title, .language, .harness, .entry]' out)" '["add","add","triton","function","add"]' \
	"what task.json leaves out is filled in"
exits 0 "a name with a slash is a folder" geak-task mine/add flip ./mine/add/
is "$(jq -r .id out | tr '\n' ' ')" "add flip add " "its task comes in its place"
says 64 'geak-task: there is no task named "mine"; --list shows those that there are; the folder is named ./mine' \
	"a folder without a slash" geak-task mine
good mine/sub id '"other"'
good mine/other title '"T"'
mkdir mine/empty; touch mine/file
says 64 'geak-task: there is no task named "nosuch"; --list shows those that there are' \
	"a name that the folder does not have" geak-task -d mine nosuch
exits 1 "two folders with the same id" geak-task -d mine
is "$(cat err)" 'geak-task: mine/sub/task.json: the task "other" came before; ids must differ' "are named"
is "$(jq -r '.geak + " " + (.id // .record.id)' out | tr '\n' ',')" \
	"task/1 add,task/1 other,error/1 other," "the good ones come, the other is an error/1"
rm -r mine/sub
exits 0 "by name out of a folder" geak-task -d mine other
is "$(jq -r .id out)" "other" "only that"
printf 'x = 1\n' >mine/add/tests.py; printf 'y = 2\n' >mine/add/seed.py
exits 0 "tests.py and seed.py" geak-task -d mine add
is "$(jq -c '[.tests, .seed_source]' out)" '["x = 1\n","y = 2\n"]' "are taken in"

# -- broken folders
cat >want <<'EOF'
geak-task: bad/prompt/task.json: bad/prompt/prompt.md cannot be opened: No such file or directory
EOF
good bad/prompt; rm bad/prompt/prompt.md
exits 1 "no prompt.md" geak-task -d bad
is "$(cat err)" "$(cat want)" "no prompt.md: sentence"
is "$(jq -c '[.geak, .tool, .input, .line, .record.entry]' out)" \
	'["error/1","geak-task","bad/prompt/task.json",1,"add"]' "no prompt.md: record"
good bad/prompt; rm bad/prompt/reference.py
says 1 'geak-task: bad/prompt/task.json: bad/prompt/reference.py cannot be opened: No such file or directory' \
	"no reference.py" geak-task -d bad
good bad/prompt; rm bad/prompt/task.json
says 1 'geak-task: bad/prompt/task.json: bad/prompt/task.json cannot be opened: No such file or directory' \
	"no task.json" geak-task -d bad
good bad/prompt; printf 'caf\351' >bad/prompt/prompt.md
says 1 'geak-task: bad/prompt/task.json: bad/prompt/prompt.md is not UTF-8 text' "Latin-1" geak-task -d bad
good bad/prompt; printf 'a\0b' >bad/prompt/prompt.md
says 1 'geak-task: bad/prompt/task.json: bad/prompt/prompt.md is not UTF-8 text' "a NUL" geak-task -d bad
good bad/prompt; head -c 2000000 /dev/zero | tr '\0' x >bad/prompt/prompt.md
says 1 'geak-task: bad/prompt/task.json: bad/prompt/prompt.md is larger than the 1048576 bytes allowed for it' \
	"a huge prompt" geak-task -d bad
good bad/prompt; : >bad/prompt/prompt.md
says 1 'geak-task: bad/prompt/task.json: the task'"'"'s "prompt" must be a description of the operator' \
	"an empty prompt" geak-task -d bad
good bad/prompt; printf '{\n "entry": "add",\n "cases" []\n}\n' >bad/prompt/task.json
exits 1 "bad JSON" geak-task -d bad
like "$(cat err)" '^geak-task: bad/prompt/task.json: not valid JSON: .* at byte 29 \(line 3\)$' "with its place"
is "$(jq -r '.text' out)" "$(cat bad/prompt/task.json)" "and its text in the record"
printf '[]' >bad/prompt/task.json
says 1 'geak-task: bad/prompt/task.json: it must hold a JSON object' "an array" geak-task -d bad
good bad/prompt prompt '"x"'
says 1 'geak-task: bad/prompt/task.json: "prompt" does not belong in task.json but in bad/prompt/prompt.md' \
	"a prompt in task.json" geak-task -d bad
good bad/prompt cases '[]'
says 1 'geak-task: bad/prompt/task.json: the task has no case of the kind "check"; with the harness "function" it needs one at least' \
	"no cases" geak-task -d bad
good bad/prompt cases '[{"name":"a","kind":"check","params":{}},{"name":"a","kind":"time","params":{}}]'
says 1 'geak-task: bad/prompt/task.json: cases 1 and 2 have the same name "a"' "a name twice" geak-task -d bad
good bad/prompt entry '"my op"'
says 1 'geak-task: bad/prompt/task.json: the task'"'"'s "entry" must be the name of a Python function, not "my op"' \
	"no identifier" geak-task -d bad
good bad/prompt harness '"magic"'
says 1 'geak-task: bad/prompt/task.json: the task'"'"'s "harness" is "magic", which nobody knows; it must be "function", "script", "pytest" or "module"' \
	"an unknown harness" geak-task -d bad
good bad/fine
exits 1 "a broken one beside a good one" geak-task -d bad
is "$(jq -r '.geak' out | tr '\n' ' ')" "task/1 error/1 " "the good one is emitted"
exits 1 "listing says so too" geak-task -l -d bad
is "$(wc -l <out) $(wc -l <err)" "1 1" "one line for each"
exits 0 "a broken one that nobody asked for" geak-task -d bad fine

# -- folders that are none
says 64 "geak-task: mine/empty holds no task: neither it nor a folder in it has a task.json" \
	"an empty folder" geak-task -d mine/empty
says 64 "geak-task: the folder mine/nosuch cannot be read: No such file or directory" \
	"a missing folder" geak-task mine/nosuch
says 64 "geak-task: the folder mine/file cannot be read: Not a directory" "a file" geak-task -d mine/file

# -- a terminal, a full disk, a reader that went away
good mine/add title '"\u001b[31mred, and a title so long that it would not fit into a line of 80 columns \u00e9\u00e9\u00e9"'
exits 0 "a title with an escape" geak-task -l -d mine/add
is "$(grep -c "$(printf '\033')" out) $(awk 'length > 80' out | wc -l)" "0 0" "is masked and cut"
geak-task >/dev/full 2>err; is "$?" 74 "a full disk: status"
like "$(cat err)" '^geak-task: standard output cannot be written: No space left on device$' "a full disk: sentence"
geak-task -l >/dev/full 2>err; is "$?" 74 "a full disk while listing"
geak-task softmax | jq -c 'range(60) as $i | .id = "t\($i)"' >many.jsonl # more than a pipe holds
geak-task ./many.jsonl 2>err | head -c 1 >/dev/null; is "${PIPESTATUS[0]}" 141 "a reader that went away: SIGPIPE"
is "$(cat err)" "" "and not a word"
{ printf '{"a\0b"x}\n'; head -c 17000000 /dev/zero | tr '\0' y; } >odd.jsonl
exits 1 "records that are none" geak-task ./odd.jsonl
is "$(jq -c '[.bytes, (.text | length)]' out | xargs)" "[8,8] [17000000,4096]" "are whole in their errors, a NUL too, and told in length"
mkdir -p odd/nul; head -n 1 odd.jsonl >odd/nul/task.json
exits 1 "a task.json with a NUL" geak-task -d odd
is "$(jq -c '[.bytes, (.text | length)]' out)" "[9,9]" "likewise"
mkdir -p other; cp -r mine/add other/add; echo "Again." >>other/add/prompt.md
exits 64 "two tasks of one id" geak-task ./mine/add ./other
is "$(cat err)" 'geak-task: two tasks that differ have the id "add"; ids must differ, too' "is told, and nothing emitted"
exits 0 "one task twice" geak-task ./mine/add flip ./mine
mkdir -p away/lost; ln -s nowhere away/lost/task.json
exits 1 "a task.json that leads nowhere" geak-task -d away
like "$(jq -r .reason out)" 'lost/task.json.*No such file' "is no absence"
exits 0 "a line of blanks" geak-task - < <(printf '  \t\r\n')
jq -cn '[range(100000)] | map({key: "k\(.)", value: 1}) | from_entries' >keys.json
geak-task flip | jq -c --slurpfile k keys.json '. + $k[0]' >keys.jsonl
exits 0 "a record of many keys" timeout 20 geak-task ./keys.jsonl
many=100000; [ "$BUILD" = asan ] && many=10000
seq $many | jq -Rc --argjson t "$(geak-task flip)" '. as $i | $t | .id = $i | .reference = "x"' >tasks.jsonl
exits 0 "a file of many tasks" timeout 60 geak-task ./tasks.jsonl
is "$(wc -l <out)" $many "all of them"
head -c 1000000 /dev/zero | tr '\0' '\377' >bytes
exits 1 "a line that is no UTF-8 all over" timeout 20 geak-task ./bytes
geak-task flip | jq -c '.note = ("x" * 16776200)' >wide.jsonl
geak-task ./wide.jsonl >out 2>err; is $? 1 "a record that only just fits, and does not with what is added"
exits 64 "an unknown option" geak-task --nosuch
exits 64 "a directory and an import" geak-task --import rocm -d x y
GEAK_DATADIR=$WORK/nosuch exits 64 "no data folder" geak-task
done_testing
