#!/bin/bash
# geak-eval's sandbox: what a candidate can reach, as root, as somebody else, and where no
# namespace can be made.
# slow
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/judge.sh"
[ -x "$ROOT/build/$BUILD/helper/forbid" ] || make -s -C "$ROOT" BUILD="$BUILD" PYTHON="$PYTHON" "build/$BUILD/helper/forbid"
FORBID=$ROOT/build/$BUILD/helper/forbid
export TMPDIR=$WORK/tmp HOME=$WORK/home
mkdir "$TMPDIR" "$HOME" outside; chmod 755 "$WORK"; chmod 1777 "$TMPDIR"
log() { jq -r --arg id "$1" 'select(.id == $id).eval.log' records.jsonl; }
held() { jq -c '.eval.sandbox | [.pid_namespace, .mount_namespace, .net_namespace, .landlock > 0, .seccomp]' "$@"; }

# -- secrets: each planted where it lies in an honest run, and sought everywhere
hex() { head -c 8 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
key=geak-key-$(hex) reference=geak-reference-$(hex) home=geak-home-$(hex) record=geak-record-$(hex)
seed=$((RANDOM % 9 + 1))$(od -An -N7 -tu8 /dev/urandom | tr -d ' ' | tail -c 16)
echo "$home" >"$HOME/.secret"
jq -c --arg mark "$reference" '.cases |= map(select(.kind == "check")) | .reference |= sub("x \\+ 1"; "torch.where(torch.arange(len(x)) % 2 == 0, 71355.40625, -0.0078431) + 0 * x  # " + $mark)' \
	"$WORK/task.json" >secret.json
python3 - "$key" "$reference" "$home" "$record" "$seed" "$WORK" >sought.py <<'EOF'
import struct, sys
key, reference, home, record, seed, work = sys.argv[1:]
raised = lambda data: bytes((b + 1) % 256 for b in data).hex()
sought = {"key": key.encode(), "reference": reference.encode(), "home": home.encode(),
          "record": record.encode(), "seed": seed.encode(), "seed as a number": struct.pack("<q", int(seed)),
          "expected": struct.pack("<4f", *[71355.40625, -0.0078431] * 2)}
print("SOUGHT =", {name: raised(data) for name, data in sought.items()})
print("PLACES =", [work + "/home", work + "/tmp", work])
EOF
cat sought.py "$ROOT/tests/sandbox/seek.py" | candidate seeks secret.json | jq -c --arg m "$record" '.note = $m' >seek.jsonl
export OPENAI_API_KEY=$key
seek() { verdicts -T 120 -t gfx942 --seed="$seed" "$@" <seek.jsonl >got; }
seek --sandbox=require
like "$(log seeks)" '^looked at descriptors=[1-9].* files=.* mib=[1-9][0-9][0-9].* objects=[1-9][0-9]{3}' 'a candidate looks everywhere'
is "$(log seeks | grep -E 'FOUND|stopped')" '' 'and finds no secret'
is "$(held records.jsonl)" '[true,true,true,true,true]' 'in a box that was whole'
is "$(cat got)" 'seeks wrong_answer Mismatch' 'nor what was expected'
seek --sandbox=off
like "$(log seeks)" 'FOUND home in .*/home/.secret' 'without a box it finds what lies in the home folder'
is "$(held records.jsonl)" '[false,false,false,false,false]' 'and the record says that there was none'
unlike "$(log seeks)" 'FOUND expected' 'but no expected value even so'
# Somebody else's candidate may look at all processes of that user, those of this test too.
[ "$(id -u)" -ne 0 ] || unlike "$(log seeks)" 'FOUND key' 'nor, as root without its powers, a key'

# -- attacks, and honest neighbours
echo x >outside/file
listen() { # notes whoever connects; prints the port
	python3 - "$WORK/sock" <<'EOF'
import os, socket, sys, threading
def serve(s):
    while True:
        s.accept()
        open("connected", "a").write("x")
net = socket.create_server(("127.0.0.1", 0))
unix, abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
unix.bind(sys.argv[1]), abstract.bind("\0geak-test"), unix.listen(), abstract.listen()
os.chmod(sys.argv[1], 0o777)
print(net.getsockname()[1], flush=True)
if os.fork():
    os._exit(0)
os.close(1)
for s in net, unix:
    threading.Thread(target=serve, args=(s,), daemon=True).start()
open("listener", "w").write(str(os.getpid()))
serve(abstract)
EOF
}
port=$(listen)
sleep 1000 & victim=$!
until [ -s listener ]; do sleep 0.1; done
cleanup "kill $victim \$(cat '$WORK/listener') 2>/dev/null"
{
	printf 'PORT = %s\nVICTIM = %s\nSOCKET = "%s"\nOUTSIDE = "%s"\n' "$port" $victim "$WORK/sock" "$WORK/outside"
	cat "$ROOT/tests/sandbox/try.py"; kernel; echo tried = True
} | candidate tries >try.jsonl
n_attacks=$(sed -n '/^ATTACKS/,/^}/s/^    "\([a-z_]*\)":.*/\1/p' "$ROOT/tests/sandbox/try.py" | wc -l)
n_honest=$(sed -n '/^HONEST/,/^}/p' "$ROOT/tests/sandbox/try.py" | grep -oE '"[a-z]+": ' | wc -l)
try() { verdicts -t gfx942 "$@" <try.jsonl >got; }
survives() { # survives NAME: what the attacks were at is whole
	ok "$(kill -0 $victim; echo $?)" "$1: a process outside was not ended"
	is "$(cat connected 2>/dev/null)$(ls outside)" file "$1: nobody connected, nothing was written"
	is "$(log tries | grep -c '^honest .* done$') of $n_honest" "$n_honest of $n_honest" "$1: honest neighbours do the like" ||
		log tries | grep '^honest .* REFUSED' | sed 's/^/# /'
	is "$(cat got)" 'tries pass -' "$1: and pass"
}
try --sandbox=require
is "$(log tries | grep -c '^attack .* refused$') of $n_attacks" "$n_attacks of $n_attacks" 'every attack is refused' ||
	log tries | grep 'DONE$' | sed 's/^/# /'
survives 'boxed'

# -- those who take too much
{
	before 'while True: os.fork()' | candidate fork_bomb
	before '[os.fork() for _ in range(3)]; a = bytearray(b"x") * (500 << 20); time.sleep(1000)' | candidate hoards_together
	before 'import mmap; [os.fork() for _ in range(3)]; mmap.mmap(-1, 500 << 20).write(b"x" * (500 << 20)); time.sleep(1000)' | candidate hoards_shared
	before '[open(f"{i}", "wb").write(b"x" * (100 << 20)) for i in range(30)]' | candidate fills_the_disk
	before 'import resource, subprocess; soft, hard = resource.getrlimit(resource.RLIMIT_CPU); assert soft < hard; os.kill(os.getpid(), 24)' |
		candidate runs_on
	before 'import subprocess; [subprocess.run(["true"]) for _ in range(40)]; p = [subprocess.Popen(["sleep", "0.2"]) for _ in range(20)]; [q.wait() for q in p]' |
		candidate starts_some
	before 'open("f", "wb").write(b"x" * (200 << 20)); p = os.fork(); a = bytearray(b"x") * (200 << 20); p or os._exit(0); os.wait()' |
		candidate takes_some
} >greedy.jsonl
verdicts -T 60 --memory=1024 -t gfx942 <greedy.jsonl >got
is "$(jq -c .eval.sandbox records.jsonl | sort -u | wc -l)" 1 'what held those that were killed is in their records, too'
is "$(cat got)" "fork_bomb crash Processes
hoards_together out_of_memory Memory
hoards_shared out_of_memory Memory
fills_the_disk call_error OSError
runs_on timeout Timeout
starts_some pass -
takes_some pass -" 'too many processes, too much memory of several, a full disk, no end; and those who take some'
is "$(ours)" '' 'no process is left'

# -- not as root, and where nobody may make a namespace
reach() { # reach COMMAND...: as nobody, who may be kept from the Python environment by a folder on the way
	unshare -m bash -c '
		base=$1 top= rest=; shift
		for part in ${base//\// }; do
			top=$top/$part
			setpriv --reuid=65534 --clear-groups test -x "$top" || break
		done
		if ! setpriv --reuid=65534 --clear-groups test -x "$base"; then
			mkdir -p base && mount --bind "$base" base && mount -t tmpfs -o mode=755 none "$top" &&
				mkdir -p "$base" && mount --bind base "$base"
		fi
		exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"' \
		reach "$("$PYTHON" -c 'import sys; print(sys.base_prefix)')" "$@"
}
chmod -R a+rX .
if [ "$(id -u)" = 0 ] && reach "$PYTHON" -c 'import torch' 2>/dev/null; then
	if reach unshare -Ur true 2>/dev/null; then
		reach geak-eval -q -t gfx942 --sandbox=require try.jsonl >records.jsonl
		jq -r '"\(.id) \(.eval.status) -"' records.jsonl >got
		is "$(jq -c '.eval.sandbox.user_namespace' records.jsonl) $(held records.jsonl)" \
			'true [true,true,true,true,true]' 'nobody has the whole box, by a user namespace'
		is "$(log tries | grep -c '^attack .* refused$') of $n_attacks" "$n_attacks of $n_attacks" \
			'nobody: every attack is refused' || log tries | grep 'DONE$' | sed 's/^/# /'
		survives 'nobody'
	fi
	reach "$FORBID" unshare geak-eval -q -t gfx942 try.jsonl >records.jsonl
	jq -r '"\(.id) \(.eval.status) -"' records.jsonl >got
	is "$(held records.jsonl)" '[false,false,false,true,true]' 'without namespaces Landlock and seccomp hold'
	is "$(log tries | grep '^attack .* DONE$' | grep -v parents_)" '' 'and refuse the attacks'
	ok "$(kill -0 $victim; echo $?)" 'a process outside was not ended'
	is "$(cat connected 2>/dev/null)$(ls outside)" file 'nobody connected, nothing was written'
	is "$(cat got)" 'tries pass -' 'an honest candidate passes'
	reach "$FORBID" unshare geak-eval -q -t gfx942 --sandbox=require try.jsonl >out 2>err
	is "$? $(jq -r '.eval.status' out)" '70 null' '--sandbox=require refuses to run there'
	like "$(cat err)" 'the sandbox lacks process namespaces .*--sandbox=require' 'and names what is missing'
else
	echo "# what is not root, and what is forbidden: not asked here"
fi

# -- a box that cannot be closed, or not be watched: the judge's fault, whoever it was for
if "$FORBID" landlock_restrict_self true 2>/dev/null; then
	kernel | candidate x >x.jsonl
	"$FORBID" landlock_restrict_self geak-eval -q -t gfx942 x.jsonl >records.jsonl
	is "$(jq -r '"\(.eval.status) \(.eval.error.class)"' records.jsonl)" 'sandbox_error Open' \
		'a box that cannot be closed round the reference is no fault of the task'"'s"
	like "$(log x)" '^the box cannot be closed: Landlock: ' 'and the log says what failed'
	exits 1 'nor a result of a lint' "$FORBID" landlock_restrict_self geak-eval -q --lint <(jq -c . "$WORK/task.json")
	like "$(jq -r .reason out)" 'was lost: the box cannot be closed: Landlock: [^:]*$' 'which says so'
	exits 70 'without pidfds nothing is judged' "$FORBID" pidfd_open geak-eval -q -t gfx942 x.jsonl
	like "$(cat err)" 'gives no pidfd .*: Operation not permitted' 'and it says why'
fi

# -- the key tells
a=$(kernel | candidate x | geak-eval -q -t gfx942 | tee x.jsonl | jq -r .eval.key)
b=$(geak-eval -q -t gfx942 --sandbox=off x.jsonl | jq -r .eval.key)
ok "$([ "$a" != "$b" ]; echo $?)" 'a verdict without a sandbox is another verdict'
is "$(geak-eval -q -t gfx942 --sandbox=require x.jsonl | jq -r .eval.key)" "$a" 'one in a whole sandbox is kept'
exits 64 '--sandbox knows three words' geak-eval --sandbox=maybe x.jsonl
done_testing
