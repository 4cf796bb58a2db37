"""What Python makes of a module's text, where nothing of it lies beside the module.

Some that install packages leave that to the first import, which may not write there, or is told not
to write at all. To compile torch anew takes half of a zygote's start, so then all that is imported is
kept in a folder of the user's instead. What lies there is run by whoever judges next: it has to be the
user's alone, and a box has it not.
"""
import importlib.util
import os
import stat
import sys


def _is_compiled(package):
    """Its first module is: then the others are."""
    spec = importlib.util.find_spec(package)  # which imports nothing
    return spec is None or not spec.cached or os.path.exists(spec.cached)


def _is_private(folder):
    """It is there, or is made, and nobody else can write to it."""
    try:
        os.makedirs(os.path.dirname(os.path.dirname(folder)), 0o700, exist_ok=True)
        for path in (os.path.dirname(folder), folder):
            try:
                os.mkdir(path, 0o700)
            except FileExistsError:
                pass
            found = os.lstat(path)
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
                return False
    except OSError:
        return False
    return True


def keep_in(folder):
    """From now on, if torch is not compiled at its own place. folder: a path, or None."""
    if folder and not _is_compiled("torch") and _is_private(folder):
        sys.pycache_prefix, sys.dont_write_bytecode = folder, False


def keep_no_more():
    """Modules are found compiled at their own places, or are not kept."""
    sys.pycache_prefix, sys.dont_write_bytecode = None, True
