"""Runs a command with standard error on a terminal, and prints what it showed there.

    terminal.py COMMAND...

Its standard output goes to the file "out".
"""
import os
import pty
import subprocess
import sys

master, slave = pty.openpty()
with open("out", "w") as out:
    child = subprocess.Popen(sys.argv[1:], stdout=out, stderr=slave)
os.close(slave)
shown = b""
while True:
    try:
        piece = os.read(master, 4096)
    except OSError:  # the other side is closed
        break
    if not piece:
        break
    shown += piece
sys.stdout.write(shown.decode().replace("\r", "\n"))
sys.exit(child.wait())
