#!/bin/bash
# Our reading of JSON against Python's: what we accept it accepts, with the same value.
. "$(dirname "$0")/../tap.sh"

# Each text of the fuzzing corpus that fits a line, and random ones, inside a candidate: geak-top
# reads it, keeps it and prints it anew.
"$PYTHON" - "$ROOT/tests/fuzz/corpus/fuzz_json" > in.jsonl <<'PY'
import json, os, random, sys
random.seed(3)
texts = [open(os.path.join(sys.argv[1], n), "rb").read() for n in sorted(os.listdir(sys.argv[1]))]
def value(depth):
    kind = random.randrange(7 if depth else 5)
    if kind == 0:
        return random.choice([None, True, False])
    if kind == 1:
        return random.choice([random.getrandbits(random.choice([3, 60, 400])), -random.getrandbits(30)])
    if kind == 2:
        return random.choice([random.random(), random.uniform(-1e9, 1e9) * 10.0 ** random.randint(-290, 290)])
    if kind in (3, 4):
        return "".join(chr(random.choice([random.randint(1, 126), random.randint(160, 0xD7FF), 0x1F600])) for _ in range(random.randrange(9)))
    if kind == 5:
        return [value(depth - 1) for _ in range(random.randrange(5))]
    return {f"{value(0)}": value(depth - 1) for _ in range(random.randrange(5))}
for i in range(2000):
    texts.append(json.dumps(value(4), ensure_ascii=bool(i % 2)).encode("utf-8", "surrogatepass"))
for i in range(2000):  # and with one byte changed
    text = bytearray(random.choice(texts))
    if text:
        text[random.randrange(len(text))] = random.randrange(256)
    texts.append(bytes(text))
for i, text in enumerate(texts):
    if b"\n" not in text:
        sys.stdout.buffer.write(b'{"geak":"candidate/1","id":"%d","task":{"id":"t"},"x":%s}\n' % (i, text))
PY
geak-top -a -k 100000 in.jsonl > out.jsonl 2>/dev/null
is "$(jq -s 'length' out.jsonl 2>/dev/null)" "$(wc -l < in.jsonl)" "as many records come out as went in"
"$PYTHON" - > differences 2>&1 <<'PY'
import json, math
def unique(pairs):
    assert len({k for k, _ in pairs}) == len(pairs), "a key twice"
    return dict(pairs)
def strict(line):
    return json.loads(line, object_pairs_hook=unique, parse_constant=lambda c: 1 / 0)
given = {}
for number, line in enumerate(open("in.jsonl", "rb").read().split(b"\n")[:-1], 1):
    given[number] = line
accepted = {}
for line in open("out.jsonl", encoding="utf-8"):
    record = json.loads(line)
    if record["geak"] == "candidate/1":
        accepted[record["id"]] = record
    else:
        assert record["geak"] == "error/1"
        given[-record["line"]] = record["reason"]
kept = refused = 0
for number, line in list(given.items()):
    if number < 0:
        continue
    try:
        theirs = strict(line.decode("utf-8"))
    except (ValueError, AssertionError, ZeroDivisionError, RecursionError):
        theirs = None
    if -number in given:
        refused += 1
        # We refuse more: NUL, lone surrogates, depth. Nothing else that Python takes.
        reason = given[-number]
        if theirs is not None and not any(w in reason for w in ("NUL", "lone surrogate", "deeper", "not a geak record", "cannot be ranked")):
            print("refused", line[:200], reason)
        continue
    if theirs is None:
        print("accepted, Python refuses", line[:200])
    elif accepted.get(theirs["id"]) != theirs:
        print("differs", line[:200])
    kept += 1
print(f"# {kept} accepted, {refused} refused") if kept < 1500 or refused < 200 else None
PY
is "$(cat differences)" "" "accepted and refused as Python does, with the same values"
done_testing
