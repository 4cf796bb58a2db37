"""Prints the make variables that link the running interpreter's own library."""
import os
import sys
import sysconfig

var = sysconfig.get_config_var
library_dir = var("LIBDIR")
name = var("LDLIBRARY") or ""
if not (var("Py_ENABLE_SHARED") and os.path.exists(os.path.join(library_dir, name))):
    # Debian's python3 is linked statically, with the shared library in another package.
    multiarch = os.path.join(library_dir, var("MULTIARCH") or "")
    shared = [os.path.join(d, f"libpython{var('VERSION')}.so") for d in (library_dir, multiarch)]
    found = [p for p in shared if os.path.exists(p)]
    if not found:
        sys.exit(f"geak-eval cannot embed {sys.executable}: it has no shared libpython; install its "
                 "-dev package (Debian: libpython3-dev) or choose another with make PYTHON=")
    library_dir = os.path.dirname(found[0])
header = os.path.join(var("INCLUDEPY"), "Python.h")
if not os.path.exists(header):
    sys.exit(f"geak-eval cannot embed {sys.executable}: {header} is missing; install its -dev "
             "package or choose another with make PYTHON=")
print(f"PY_CFLAGS := -isystem {var('INCLUDEPY')}")
print(f"PY_LIBS := -L{library_dir} -Wl,-rpath,{library_dir} -lpython{var('VERSION')}{sys.abiflags}")
