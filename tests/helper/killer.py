#!/usr/bin/env python3
"""killer.py KEEPER IN OUT TURNS SEED COUNT ROLE...: kills processes of a geak-eval at work, COUNT of them.

For each kill a ROLE is drawn, without repeating one before all have had their turn: zygote, holder,
oracle, candidate, frontend, builder, sweeper, or any. Whose turn it still is when the keeper ends is
written to the file TURNS, which the next call begins with. When a process with that role is there it is
killed after a moment, also drawn. When it is dead, and those below it, the
candidates that were being judged are let come to their verdict, so that each of them bears one
kill at most. IN and OUT are the keeper's input and its --unordered output. Every kill is
printed; fewer than COUNT are done when the keeper ends first.
"""
import json
import os
import random
import signal
import sys
import time

JOBS = 2
UNSEEN = 2  # verdicts that are made and not yet to be read


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError:
        return b""


def lives(pid):
    return read(f"/proc/{pid}/stat").rpartition(b") ")[2][:1] not in (b"", b"Z")


def await_deaths(pids):
    """On a busy machine they take a while to die; meanwhile other candidates would come to them."""
    until = time.monotonic() + 5  # a zygote that has just begun does not go with its first process
    while any(map(lives, pids)) and time.monotonic() < until:
        time.sleep(0.002)


class Judge:
    """The processes of one keeper: they carry its TMPDIR, or its scratch folder in there."""

    def __init__(self, keeper):
        self.keeper = keeper
        self.mark = None
        while self.alive() and not self.mark:
            time.sleep(0.005)  # the shell has not become it yet
            if read(f"/proc/{keeper}/comm") == b"geak-eval\n":
                self.mark = next((e for e in read(f"/proc/{keeper}/environ").split(b"\0")
                                  if e.startswith(b"TMPDIR=")), None)

    def alive(self):
        return lives(self.keeper)

    def processes(self):
        """(pid, role) of each but the keeper."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            name = read(f"/proc/{pid}/comm").decode().strip()
            if not name.startswith("geak-") or not self._bears_mark(pid):
                continue
            role = name.removeprefix("geak-")
            if role == "zygote" and self.parent(pid) != self.keeper:
                role = "holder"
            if pid != self.keeper:
                yield int(pid), role

    def below(self, pid):
        """pid, and its children's children and so on."""
        parents = {p: int(self.parent(p) or 0) for p, _ in self.processes()}
        family, size = {pid}, 0
        while size != len(family):
            size = len(family)
            family |= {p for p, parent in parents.items() if parent in family}
        return family

    def _bears_mark(self, pid):
        return any(entry == self.mark or entry.startswith(self.mark + b"/")
                   for entry in read(f"/proc/{pid}/environ").split(b"\0"))

    @staticmethod
    def parent(pid):
        return (read(f"/proc/{pid}/stat").rpartition(b") ")[2].decode().split() + ["", ""])[1]


def kill_one(judge, draw, role):
    """True when a process with that role was there to be killed."""
    until = time.monotonic() + 10
    moment = draw.random() * draw.choice([0, 0.05, 0.3])
    while time.monotonic() < until and judge.alive():
        there = [pid for pid, r in judge.processes() if role in (r, "any")]
        if not there:
            time.sleep(0.005)
            continue
        pid = draw.choice(sorted(there))
        time.sleep(moment)
        family = judge.below(pid)
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            moment /= 2  # it lives shorter than that on this machine
            continue
        print(f"{role} {pid}", flush=True)
        await_deaths(family)
        return True
    return False


def judged(path):
    return {json.loads(line)["id"] for line in read(path).splitlines(keepends=True) if line.endswith(b"\n")}


def let_them_finish(judge, ids, out):
    done = judged(out)
    at_work = set(ids[:len(done) + UNSEEN + JOBS]) - done
    while judge.alive() and not at_work <= judged(out):
        time.sleep(0.02)


def main():
    keeper, source, out, left, seed, count, *roles = sys.argv[1:]
    judge, draw = Judge(keeper), random.Random(int(seed))
    ids = [json.loads(line)["id"] for line in read(source).splitlines()]
    done, turns = 0, read(left).decode().split()
    while done < int(count) and judge.alive():
        turns = turns or draw.sample(roles, len(roles))
        role = turns.pop()
        if kill_one(judge, draw, role):
            done += 1
        else:
            turns.insert(0, role)
        let_them_finish(judge, ids, out)
    with open(left, "w") as f:
        f.write(" ".join(turns))


if __name__ == "__main__":
    main()
