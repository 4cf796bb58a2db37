#!/usr/bin/env python3
"""linger.py KEEPER OUT [again]: kills the compiler's zygote of a geak-eval -j 1 that has its second
candidate's front end at work, and has a builder that was idle die last of all.

On a busy machine one that is killed dies late. Here it is traced, and stops at its exit, until the
front end of the second try is there: so the judge takes it for alive when that begins. With again
the second try's front end loses its holder, too. Exits 77 where nothing can be traced.
"""
import ctypes
import os
import signal
import sys
import time

from killer import Judge, judged

SEIZE, DETACH, TRACE_EXIT, WALL = 0x4206, 17, 0x40, 0x40000000  # linux/ptrace.h, linux/wait.h
AT_EXIT = signal.SIGTRAP | 6 << 8

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def await_one(judge, role, but=()):
    """The process with that role, when there is one that is not among those."""
    while judge.alive():
        for pid, r in judge.processes():
            if r == role and pid not in but:
                return pid
        time.sleep(0.005)
    sys.exit(f"the judge ended without a {role}")


def main():
    judge, out = Judge(int(sys.argv[1])), sys.argv[2]
    while judge.alive() and not judged(out):
        time.sleep(0.005)
    first = await_one(judge, "frontend")
    holder = int(judge.parent(await_one(judge, "builder")))
    if libc.ptrace(SEIZE, holder, None, TRACE_EXIT):
        sys.exit(77)
    os.kill(int(judge.parent(holder)), signal.SIGKILL)
    while os.waitpid(holder, WALL)[1] >> 8 != AT_EXIT:
        pass
    second = await_one(judge, "frontend", but=[first])
    if "again" in sys.argv:
        os.kill(int(judge.parent(second)), signal.SIGKILL)
    libc.ptrace(DETACH, holder, None, None)


if __name__ == "__main__":
    main()
