"""What Python makes of a module's text, where nothing of it lies beside the module.

Some that install packages leave that to the first import, which may not write there, or is told not
to write at all. To compile torch anew takes half of a zygote's start, so it is kept in a folder of the
user's instead. No child has that folder.
"""
import importlib.util
import os
import sys


def _is_compiled(package):
    spec = importlib.util.find_spec(package)  # which imports nothing
    return spec is None or not spec.cached or os.path.exists(spec.cached)


def keep_in(folder):
    """From now on, if torch is not compiled at its own place. folder: a path, or None."""
    if folder and not _is_compiled("torch"):
        sys.pycache_prefix, sys.dont_write_bytecode = folder, False


def keep_no_more():
    """Modules are found compiled at their own places, or are not kept."""
    sys.pycache_prefix, sys.dont_write_bytecode = None, True
