"""The profiler's role: has a vendor's tool run the candidate, and reports the counters.

A profiler has to start the process itself, so what it starts is no fork of a zygote but a Python of
its own; yet this role is a candidate's child like any other, in the same box, and what it starts
stays in there with it. So the candidate might write into the tables that are read here: they are
read up to a limit, and the keeper takes nothing from them but numbers in their range.
"""
import json
import math
import os
import re
import subprocess
import sys

from . import channel, loader, profiled, profilers

FILES_MAX, FILE_MAX = 32, 8 << 20  # bytes
KERNELS_MAX = 8
OUTPUT = "output.txt"
_FORBIDDEN = ("ERR_NVGPUCTRPERM", "perf_event_paranoid", "SYS_PERFMON", "CAP_PERFMON")


class Unavailable(Exception):
    """In a sentence, why there is no profile."""


def _program():
    harness = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return [sys.executable, "-I", "-B", "-c",
            f"import sys; sys.path.insert(0, {harness!r}); "
            "from geak_harness import profiled; profiled.main()"]


def _text(path):
    """Of a file that may be anything by now: a link, a pipe, a disk full."""
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(fd, "rb") as f:
        return (f.read(FILE_MAX) or b"").decode("utf-8", "replace")


def _version(tool):
    said = subprocess.run([tool, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False).stdout.decode("utf-8", "replace")
    found = re.search(r"version:?\s+(\d[\w.+-]*)", said, re.IGNORECASE)
    return found.group(1) if found else "unknown"


def _tables(folder):
    paths = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names
             if name.endswith(".csv")]
    return [_text(p) for p in sorted(paths)[:FILES_MAX]]


def _why_nothing(vendor, said, status):
    """In a sentence, of a tool that told no counters."""
    for line in said.splitlines():
        if any(word in line for word in _FORBIDDEN):
            return f"{vendor.TOOL} may not read the GPU's counters: {line.strip()[:200]}"
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    wrong = [line for line in lines if re.search("error|fatal", line, re.IGNORECASE)] or lines
    told = f": {wrong[-1][:200]}" if wrong else ""
    return f"{vendor.TOOL} counted nothing (it exited with {status}){told}"


def _kernels(vendor, names, texts):
    kernels = []
    for name, metrics in vendor.read(texts).items():
        if name in names and len(kernels) < KERNELS_MAX:
            figures = {k: x for k, x in vendor.normal(metrics).items()
                       if x is not None and math.isfinite(x)}
            if figures:
                kernels.append({"kernel": name, **figures})
    return kernels


def _profile(request):
    vendor = profilers.of(request["targets"][0])
    tool = profilers.find(vendor)
    if tool is None:
        raise Unavailable(f"{vendor.TOOL} is neither on PATH nor in {' or '.join(vendor.PLACES)}")
    names = [n for n in request["kernels"] if re.fullmatch(r"[A-Za-z_]\w*", n, re.ASCII)]
    if not names:
        raise Unavailable("no kernel has a name that could be told to a profiler")
    with open(profiled.REQUEST, "w", encoding="utf-8") as f:
        # The file is there under this name for as long as we are: a tool may close what it inherits.
        json.dump({**request, "inputs": f"/proc/{os.getpid()}/fd/{channel.INPUTS_FD}"}, f)
    folder = os.path.join(os.getcwd(), "profile")
    os.mkdir(folder)
    version = _version(tool)
    with open(OUTPUT, "wb") as output:
        ended = subprocess.run(vendor.command(tool, names, _program(), folder, request["targets"][0]),
                               stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                               env={**os.environ, **vendor.ENVIRONMENT}, check=False)
    texts = _tables(folder)
    kernels = _kernels(vendor, names, texts)
    if not kernels:
        # ncu complains in its table.
        raise Unavailable(_why_nothing(vendor, "\n".join([*texts, _text(OUTPUT)]), ended.returncode))
    return {"version": version, "kernels": kernels}


def run(ch, request):
    ch.send(next=request["number"])
    ch.receive()
    try:
        ch.send(profile=_profile(request))
    except Unavailable as e:
        ch.send(unavailable=str(e))
    except BaseException as e:
        told = loader.describe(e)
        ch.send(unavailable=f"the profile failed: {(told['message'] or told['class'])[:300]}")
