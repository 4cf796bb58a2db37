"""The vendors' profilers: which one is for a GPU, and where it lies. Nothing heavy is imported here."""
import glob
import os
import re
import shutil

from . import profiler_ncu, profiler_rocprof

ALL = (profiler_rocprof, profiler_ncu)


def of(target):
    return profiler_rocprof if target.startswith("gfx") else profiler_ncu


def _newest_first(pattern):
    """Each version has a folder of its own, with its number in the name."""
    return sorted(glob.glob(pattern), key=lambda p: [int(n) for n in re.findall(r"\d+", p)], reverse=True)


def find(vendor):
    """The tool's path, or None."""
    places = [folder for pattern in vendor.PLACES for folder in _newest_first(pattern)]
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), *places])
    return shutil.which(vendor.TOOL, path=path)
