"""Turning source text into a module, and an exception into what a record says of it."""
import builtins
import importlib.util
import linecache
import os
import re
import sys
import traceback
import types

SOURCE = "candidate.py"  # where a candidate's source lies, in its own folder
TRACE_BYTES = 16 * 1024
MESSAGE_BYTES = 4 * 1024


def load(source, name, path):
    """Writes source to path (Triton reads a kernel's source from its file) and runs it as a module."""
    source = source.removeprefix("\ufeff")  # a byte order mark, which Python skips in a file
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        f.write(source)
    # Whatever becomes of the folder or the file, this is the text: without a time it is not looked at again.
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    module = types.ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    code = compile(source, path, "exec", dont_inherit=True)
    exec(code, module.__dict__)
    return module


def load_again(name):
    """A module of the harness once more, for its caller alone: with functions and builtins that
    nobody else has, and so nobody can replace."""
    path = os.path.join(os.path.dirname(__file__), name + ".py")
    spec = importlib.util.spec_from_file_location(f"{__package__}.{name}", path)
    module = importlib.util.module_from_spec(spec)
    module.__dict__["__builtins__"] = dict(vars(builtins))
    spec.loader.exec_module(module)
    return module


def _clip(text, limit):
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return data.decode("utf-8", "replace")
    head = data[:limit // 4].decode("utf-8", "ignore")
    tail = data[-limit * 3 // 4:].decode("utf-8", "ignore")
    return f"{head}\n[{len(data) - limit} bytes left out]\n{tail}"


def root_cause(error):
    """The exception that a person should read: Triton wraps what happened in layers of its own."""
    seen = set()
    while id(error) not in seen:
        seen.add(id(error))
        wrapped = type(error).__name__ in ("InterpreterError", "CompilationError", "CompileTimeAssertionFailure")
        if not (wrapped and error.__cause__ is not None):
            break
        error = error.__cause__
    return error


def _unknown_types(error):
    """Of a function of libdevice that was called with types that it has not: Triton names only those."""
    frames = [f for f, _ in traceback.walk_tb(error.__traceback__)]
    if not isinstance(error, KeyError) or frames[-1].f_code.co_name != "extern_elementwise":
        return None
    given, known = (frames[-1].f_locals[n] for n in ("arg_types", "arg_type_symbol_dict"))
    codes = [f.f_code for f in frames if os.path.basename(f.f_code.co_filename) == "libdevice.py"]

    def call(types):
        return f"{codes[-1].co_name}({', '.join(map(str, types))})"
    return f"libdevice has no {call(given)}, but {', '.join(map(call, known))}: convert the arguments"


def _message(error):
    try:
        return _unknown_types(error) or str(error)
    except Exception:  # it did not come out of Triton after all
        return str(error)


def describe(error):
    """class, message and trace of an exception, without our own frames."""
    cause = root_cause(error)
    message = _message(cause)
    name = type(cause).__name__
    if name == "CompilationError":
        # Some of what Triton's front end catches is left only as repr() in its own error.
        wrapped = re.match(r"(\w+(?:Error|Exception))\(", str(getattr(cause, "error_message", "")))
        name = wrapped.group(1) if wrapped else name
    if cause is not error and type(error).__name__ == "CompilationError":
        message = f"{message}\n{error}" if message not in str(error) else str(error)
    try:
        trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    except Exception:  # it looks for the lines in files, which need not be readable
        trace = ""
    here = os.path.dirname(__file__)
    return {"class": name, "message": _clip(message, MESSAGE_BYTES),
            "trace": _clip(_without(trace, here), TRACE_BYTES)}


def _without(trace, folder):
    """Drops the frames of files in folder from a formatted traceback."""
    kept, dropping = [], False
    for line in trace.splitlines(keepends=True):
        if line.startswith('  File "'):
            dropping = line.startswith(f'  File "{folder}')
        elif not line.startswith("    "):
            dropping = False
        if not dropping:
            kept.append(line)
    return "".join(kept)
