# What the box refuses, and what an honest program may do; a line of what came of each.
import asyncio, ctypes, errno, mmap, os, pathlib, pwd, resource, signal, socket, subprocess, sys, tempfile
import threading, time
import multiprocessing, multiprocessing.shared_memory
import torch, triton
import triton.language as tl

libc = ctypes.CDLL(None, use_errno=True)


def call(number, *args):
    r = libc.syscall(number, *args)
    if r < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def c(name, *args):
    if getattr(libc, name)(*args) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def unix(address):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(address)


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


ATTACKS = {
    "loopback": lambda: socket.create_connection(("127.0.0.1", PORT), 2).close(),
    "udp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9)),
    "unix_socket": lambda: unix(SOCKET),
    "abstract_socket": lambda: unix("\0geak-test"),
    "ptrace": lambda: c("ptrace", 16, os.getppid(), 0, 0),
    "process_vm_readv": lambda: call(310, os.getppid(), 0, 0, 0, 0, 0),
    "parents_memory": lambda: open(f"/proc/{os.getppid()}/mem", "rb").close(),
    "parents_environment": lambda: open(f"/proc/{os.getppid()}/environ", "rb").read(),
    "parents_descriptors": lambda: [os.readlink(f"/proc/{os.getppid()}/fd/{n}") for n in range(3)],
    "write_usr": lambda: open("/usr/geak-test", "w").close(),
    "write_packages": lambda: open(os.path.join(os.path.dirname(torch.__file__), "x.py"), "w").close(),
    "write_harness": lambda: open(os.path.join(sys.path[-1], "x.py"), "w").close(),
    "write_outside": lambda: open(OUTSIDE + "/x", "w").close(),
    "read_outside": lambda: open(OUTSIDE + "/file").close(),
    "link_outside": lambda: os.link(OUTSIDE + "/file", "linked"),
    "other_roles": lambda: [open(p / "reference.py").close() for p in pathlib.Path(os.getcwd()).parent.glob("*")
                            if p != pathlib.Path(os.getcwd())] or open("/nowhere"),
    "signal": lambda: os.kill(VICTIM, signal.SIGKILL),
    "mount": lambda: c("mount", b"none", b"/tmp", b"tmpfs", 0, None),
    "umount": lambda: c("umount2", b"/proc", 2),
    "chroot": lambda: os.chroot("."),
    "setns": lambda: c("setns", os.open("/proc/self/ns/net", os.O_RDONLY), 0),
    "unshare": lambda: c("unshare", 0x10000000),
    "clone_newuser": lambda: call(56, 0x10000000 | 17, 0, 0, 0, 0),
    "bpf": lambda: call(321, 0, 0, 0),
    "perf_event_open": lambda: call(298, 0, 0, -1, -1, 0),
    "userfaultfd": lambda: call(323, 0),
    "keyctl": lambda: call(250, 0, -3, 1),
    "io_uring": lambda: call(425, 1, ctypes.create_string_buffer(120)),
    "open_by_handle_at": lambda: call(304, 3, ctypes.create_string_buffer(64), 0),
    "personality": lambda: call(135, 0x0040000),
    "shmget": lambda: call(29, 0, 4096, 0o1600),
    "memfd": lambda: os.close(os.memfd_create("x")),
    "mknod": lambda: os.mknod("disk", 0o060600, os.makedev(8, 0)),
    "raise_limits": limits,
    "parents_limits": lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (100000, 100000)),
    "parents_priority": lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 19),
    "signal_to_all": lambda: os.kill(-1, 0),
}


def work(n):
    return n * n


@triton.jit
def other(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, i, mask=i < n)


def subprocesses():
    ptxas = next(pathlib.Path(triton.__file__).parent.rglob("bin/ptxas*"))
    subprocess.run([ptxas, "--version"], check=True, capture_output=True)
    subprocess.run("echo hi >note && cat note | tr a-z A-Z >/dev/null", shell=True, check=True)


def descriptors():
    with tempfile.TemporaryFile() as f:
        subprocess.run(["cat", f"/proc/{os.getpid()}/fd/{f.fileno()}"], check=True)


def signals():
    p = subprocess.Popen(["sleep", "100"])
    p.terminate()
    assert p.wait() == -signal.SIGTERM


def lowers():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft - 1, hard))
    os.nice(1)
    os.killpg(0, 0)


def threads():
    ts = [threading.Thread(target=work, args=(i,)) for i in range(16)]
    [t.start() for t in ts], [t.join() for t in ts]


def temporary():
    with tempfile.TemporaryDirectory() as d, open(d + "/f", "wb") as f:
        f.write(bytes(64 << 20))
    with open(os.path.join(os.environ["HOME"], ".settings"), "w") as f:
        f.write("x")


def shared():
    m = multiprocessing.shared_memory.SharedMemory(create=True, size=1 << 20)
    m.close(), m.unlink()


def cache():
    os.makedirs(os.environ["TRITON_CACHE_DIR"] + "/k", exist_ok=True)
    open(os.environ["TRITON_CACHE_DIR"] + "/k/kernel.json", "w").close()


def closures():
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda a, b: 0)
    libc.qsort((ctypes.c_int * 4)(3, 1, 2, 0), 4, 4, compare)


HONEST = {
    "lowers": lowers, "threads": threads, "subprocesses": subprocesses, "descriptors": descriptors,
    "signals": signals, "temporary": temporary, "shared": shared, "cache": cache, "closures": closures,
    "pool": lambda: multiprocessing.get_context("fork").Pool(2).map(work, range(8)),
    "asyncio": lambda: asyncio.run(asyncio.sleep(0)),
    "socketpair": lambda: [s.close() for s in socket.socketpair()],
    "devices": lambda: (open("/dev/null", "w").write("x"), open("/dev/urandom", "rb").read(8)),
    "proc": lambda: [open(f"/proc/{f}").read() for f in ("self/maps", "cpuinfo", "meminfo")],
    "names": lambda: open(f"/proc/self/task/{threading.get_native_id()}/comm", "w").write("mine"),
    "users": lambda: time.localtime() and pwd.getpwuid(0),
    "anonymous": lambda: mmap.mmap(-1, 1 << 20).close(),
    "imports": lambda: __import__("sqlite3") and __import__("torch.fft"),
}
if "tried" not in globals():
    for name, act in ATTACKS.items():
        try:
            act()
            print("attack", name, "DONE")
        except (OSError, ValueError) as e:
            print("attack", name, "refused")
    for name, act in HONEST.items():
        try:
            act()
            print("honest", name, "done")
        except Exception as e:
            print("honest", name, "REFUSED", type(e).__name__, e)
