"""The vendors' profilers: which one is for a GPU, and where it lies. Nothing heavy is imported here."""
import os
import shutil

from . import profiler_ncu, profiler_rocprof

ALL = (profiler_rocprof, profiler_ncu)


def of(target):
    return profiler_rocprof if target.startswith("gfx") else profiler_ncu


def find(vendor):
    """The tool's path, or None."""
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), *vendor.PLACES])
    return shutil.which(vendor.TOOL, path=path)
