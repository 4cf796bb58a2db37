"""took.py FILE COMMAND...: runs it, and writes to FILE its seconds of processor time and of the
clock, and the most memory that it had, in KiB."""
import os
import sys
import time

begin = time.monotonic()
pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
with open(sys.argv[1], "w") as f:
    print(f"{usage.ru_utime + usage.ru_stime:.3f} {time.monotonic() - begin:.3f} {usage.ru_maxrss}", file=f)
sys.exit(os.waitstatus_to_exitcode(status))
