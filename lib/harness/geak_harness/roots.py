"""What of the file system this Python has to read: its own folders, its packages', and those
that the environment names (CUDA, ROCm, a compiler). Everything else is out of a child's sight."""
import os
import sys

from . import profilers


def _modules():
    """Packages and modules that were imported from elsewhere than sys.path: editable installs."""
    for name, module in list(sys.modules.items()):
        if "." in name:
            continue
        paths = list(getattr(module, "__path__", None) or [getattr(module, "__file__", None)])
        yield from (p for p in paths if isinstance(p, str))


def _environment():
    for name, value in os.environ.items():
        if name == "LD_LIBRARY_PATH" or name.startswith(("CUDA_", "HIP_", "ROCM_", "TRITON_")):
            yield from value.split(os.pathsep)


def _profilers():
    """Where the tools lie that --profile would run; and where a link to one leads."""
    if os.environ.get("GEAK_PROFILE"):
        for tool in filter(None, map(profilers.find, profilers.ALL)):
            yield from (os.path.dirname(p) for p in (tool, os.path.realpath(tool)))


def roots():
    found = [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix,
             *sys.path, *_modules(), *_environment(), *_profilers()]
    return [p for p in dict.fromkeys(found) if os.path.isabs(p) and os.path.exists(p)]
