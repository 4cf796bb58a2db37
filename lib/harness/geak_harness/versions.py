"""The versions that a verdict depends on, read from files: importing them takes seconds."""
import importlib.util
import os
import re
import sys

_WHERE = {"torch": "version.py", "triton": "__init__.py", "numpy": "version.py"}


def _version(package, file):
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ImportError(f"no module named {package}")
    with open(os.path.join(os.path.dirname(spec.origin), file), encoding="utf-8") as f:
        found = re.search(r"^(?:__version__|version)\b[^=\n]*=\s*['\"]([^'\"]+)", f.read(), re.M)
    return found.group(1) if found else "unknown"


def versions():
    return {"python": sys.version.split()[0],
            **{package: _version(package, file) for package, file in _WHERE.items()}}
