"""Prints the make variables that link the running interpreter's own library.

Where geak-eval cannot embed this interpreter it prints PY_ERROR instead: one
sentence that says why and what to do. With --library-only the modules that
geak-eval imports are not asked for, and an interpreter that does not do is a
failure.
"""
import importlib.util
import os
import sys
import sysconfig

OTHER = "or choose another with make PYTHON="
var = sysconfig.get_config_var


class Unfit(Exception):
    pass


def shared_library():
    """The folder that holds libpython3.x.so."""
    version, libdir = var("VERSION"), var("LIBDIR") or ""
    multiarch = os.path.join(libdir, var("MULTIARCH") or "")
    # Debian's python3 is linked statically, with the shared library in another package.
    for folder in (libdir, multiarch):
        for name in {var("LDLIBRARY") or "", f"libpython{version}.so"}:
            if ".so" in name and os.path.exists(os.path.join(folder, name)):
                return folder
    raise Unfit(f"it has no shared libpython{version}; install the one that belongs to it "
                f"(Debian: libpython{version}-dev) {OTHER}")


def headers():
    folder = sysconfig.get_path("include")
    if not os.path.exists(os.path.join(folder, "Python.h")):
        raise Unfit(f"{folder}/Python.h is missing; install its headers "
                    f"(Debian: python{var('VERSION')}-dev) {OTHER}")
    return folder


def modules():
    missing = [m for m in ("torch", "triton") if importlib.util.find_spec(m) is None]
    if missing:
        raise Unfit(f"it has no {' and no '.join(missing)}; run make setup for an environment "
                    f"of geak's own, {OTHER}")


def main():
    library_only = "--library-only" in sys.argv[1:]
    try:
        if sys.version_info < (3, 10):
            raise Unfit(f"it is older than 3.10; choose another with make PYTHON=")
        include, folder = headers(), shared_library()
        if not library_only:
            modules()
    except Unfit as why:
        if library_only:
            sys.exit(f"{sys.executable}: {why}")
        print(f"PY_ERROR := geak-eval cannot embed {sys.executable}: {why}")
        return
    print(f"PY_CFLAGS := -isystem {include}")
    print(f"PY_LIBS := -L{folder} -Wl,-rpath,{folder} -lpython{var('VERSION')}{sys.abiflags}")


main()
