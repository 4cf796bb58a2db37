# Walks all that a candidate can reach, looking for what it must not have, and says what it
# found. SOUGHT maps a name to bytes each of which has been raised by one, so that what is
# sought is never in this process's memory only because it is sought.
import gc, os, re, stat, sys, threading, time, types
import torch

RAISE = bytes((b + 1) % 256 for b in range(256))
LOWER = bytes((b - 1) % 256 for b in range(256))
NEEDLES = {name: bytes.fromhex(hexed) for name, hexed in SOUGHT.items()}
SECONDS = 10  # for the file system
FILE_BYTES = 1 << 20
done = {}
told = set()


def scan(data, where):
    raised = bytes(data).translate(RAISE)
    for name, needle in NEEDLES.items():
        if needle in raised and (name, where) not in told and len(told) < 20:
            told.add((name, where))
            print("FOUND", name, "in", where)


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read(FILE_BYTES)
    except (OSError, ValueError):
        return b""


def descriptors():
    for fd in range(256):
        try:
            st = os.fstat(fd)
        except OSError:
            continue
        done["descriptors"] = done.get("descriptors", 0) + 1
        if stat.S_ISREG(st.st_mode):
            scan(os.pread(fd, 1 << 24, 0), f"descriptor {fd}")


def processes():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        done["processes"] = done.get("processes", 0) + 1
        for file in "environ", "cmdline", "status", "maps", "mountinfo", "comm":
            scan(read(f"/proc/{pid}/{file}"), f"/proc/{pid}/{file}")
        if int(pid) != os.getpid() and read(f"/proc/{pid}/mem"):
            print("FOUND memory of process", pid)
        try:
            for fd in os.listdir(f"/proc/{pid}/fd"):
                if int(pid) != os.getpid() and os.path.isfile(f"/proc/{pid}/fd/{fd}"):
                    scan(read(f"/proc/{pid}/fd/{fd}"), f"/proc/{pid}/fd/{fd}")
        except OSError:
            pass


def files():
    until = time.monotonic() + SECONDS
    visited = set()
    mounts = [line.split()[4] for line in open("/proc/self/mountinfo")]
    for top in [*PLACES, "/tmp", "/dev/shm", "/etc", "/root", "/home", "/run", "/var", "/mnt", "/opt",
                *sys.path, *reversed(mounts), "/"]:
        for folder, folders, names in os.walk(top):
            folders[:] = [f for f in folders if os.path.join(folder, f) not in ("/proc", "/sys")]
            if folder in visited or folder.startswith(("/proc", "/sys")):
                continue
            visited.add(folder)
            for name in names:
                path = os.path.join(folder, name)
                if path != os.path.abspath(__file__) and os.path.isfile(path):
                    done["files"] = done.get("files", 0) + 1
                    scan(read(path), path)
                if time.monotonic() > until:
                    return


def inner(o):
    """What can be reached from an object."""
    if isinstance(o, dict):
        yield from o.values()
    elif isinstance(o, (list, tuple, set, frozenset)):
        yield from o
    elif isinstance(o, types.FrameType):
        yield from (o.f_locals, o.f_globals, o.f_back)
    elif isinstance(o, types.FunctionType):
        yield from (o.__globals__, o.__defaults__, o.__kwdefaults__)
        for cell in o.__closure__ or ():
            try:
                yield cell.cell_contents
            except ValueError:
                pass
    else:
        yield getattr(o, "__self__", None)
        yield getattr(o, "__wrapped__", None)
        yield getattr(o, "__func__", None)
        yield getattr(o, "__dict__", None)


def objects():
    """Everything that hangs on the modules and on the frames below; the collector is asked, too."""
    left, seen = [sys.modules, sys._getframe()], set()
    try:
        left += gc.get_objects()
    except RuntimeError:
        pass
    while left and len(seen) < 1000000:
        o = left.pop()
        if isinstance(o, (str, bytes)):
            scan(o.encode("utf-8", "replace") if isinstance(o, str) else o, "an object")
        elif id(o) not in seen and not isinstance(o, (int, float, type(None))):
            seen.add(id(o))
            try:
                left += list(inner(o))
            except Exception:  # what its attributes do when they are asked for is its own affair
                pass
    done["objects"] = len(seen)


def memory():
    with open("/proc/self/mem", "rb", 0) as mem, open("/proc/self/maps") as maps:
        for line in maps.readlines():
            span = re.match(r"([0-9a-f]+)-([0-9a-f]+) (r\S*) \S+ \S+ \S+ *(.*)", line)
            if not span or span[4].startswith(("[vvar", "[vsyscall")):
                continue
            at, end = int(span[1], 16), int(span[2], 16)
            if end - at > 1 << 32:  # a sanitizer's shadow, which has no end
                continue
            while at < end:
                size = min(end - at, 1 << 24)
                try:
                    mem.seek(at)
                    data = mem.read(size)
                except OSError:
                    break
                done["mib"] = done.get("mib", 0) + len(data) / (1 << 20)
                scan(data, f"memory, {span[4] or 'anonymous'}")
                at += size


def plus_one(x):
    if done:
        return x
    for step in descriptors, processes, objects, memory, files:
        try:
            step()
        except Exception as e:
            print("stopped:", step.__name__, type(e).__name__, e)
    scan("\0".join(f"{k}={v}" for k, v in os.environ.items()).encode(), "the environment")
    print("looked at", *(f"{k}={int(v)}" for k, v in sorted(done.items())))
    return x
