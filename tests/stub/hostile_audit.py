"""Holds what geak-gen wrote against what the hostile server did.

    hostile_audit.py LOG TASKS OUT...

OUT are the records of one run after the other, all of the same TASKS and with the same cache.
Prints what is wrong, a line each: a record that is missing, out of order or of the wrong
question, a reply that was paid for and lost, one that was paid for twice. The last line tells
how many requests there were and how many of the tasks have a kernel in the end.
"""
import json
import sys


def lines(path):
    with open(path) as f:
        return [json.loads(line) for line in f]


def main():
    ids = [t["id"] for t in lines(sys.argv[2])]
    known = set(ids)
    log = [entry for entry in lines(sys.argv[1]) if entry.get("question") in known]
    paid = {}
    for entry in log:
        if entry["paid"]:
            paid[entry["question"]] = paid.get(entry["question"], 0) + 1
    for question, times in paid.items():
        if times > 1:
            print(f"{question} was paid for {times} times")
    for path in sys.argv[3:]:
        records = lines(path)
        got = [(r.get("task") or r["record"])["id"] for r in records]
        if got != ids:
            print(f"{path}: the records are not one a task, in order: {len(got)} of {len(ids)}")
        made = {r["task"]["id"] for r in records if r["geak"] == "candidate/1"}
        for r in records:
            if r["geak"] == "candidate/1" and f"# {r['task']['id']} é" not in r["source"]:
                print(f"{path}: {r['task']['id']} has a reply that is not its own")
    for question in sorted(paid.keys() - made):
        print(f"{question} was paid for, and is lost")
    print(f"{len(log)} requests, {len(made)} of {len(ids)} answered")


main()
