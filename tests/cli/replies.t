#!/bin/bash
# Real replies, where there are any: GEAK_REPLIES names a folder of .jsonl files whose
# lines have a model's reply in "predict". No reply that is Python may come out broken.
. "$(dirname "$0")/../tap.sh"

[ -n "${GEAK_REPLIES:-}" ] || skip_all "GEAK_REPLIES is not set"
exits 0 "no reply is spoiled" "$PYTHON" - "$ROOT/build/$BUILD/helper/prompt-show" "$GEAK_REPLIES" <<'END'
import ast, collections, json, pathlib, subprocess, sys

def parses(text):
    try:
        ast.parse(text)
        return bool(text.strip())
    except (SyntaxError, ValueError):
        return False

count, spoiled = collections.Counter(), 0
for file in sorted(pathlib.Path(sys.argv[2]).glob("*.jsonl")):
    for i, line in enumerate(open(file), 1):
        text = json.loads(line).get("predict")
        if text is None:
            continue
        pathlib.Path("reply").write_text(text)
        done = subprocess.run([sys.argv[1], "-", "reply"], capture_output=True, text=True)
        if done.returncode not in (0, 1) or parses(text) and not parses(done.stdout):
            print(f"{file.name}:{i}: status {done.returncode}: {done.stderr[:300]}", file=sys.stderr)
            spoiled += 1
        count["replies"] += 1
        count["empty"] += not text.strip()
        count["parse"] += parses(done.stdout)
        count["without code"] += done.returncode == 1
print(", ".join(f"{n} {k}" for k, n in count.items()))
sys.exit(spoiled > 0)
END
sed 's/^/# /' out
done_testing
