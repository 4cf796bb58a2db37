"""Messages to and from the keeper, one JSON object a line, and the shared memory beside them."""
import json
import mmap
import os
import socket

INPUTS_FD = 4   # written by the oracle, read-only for the candidate
OUTPUTS_FD = 5  # written by the candidate, read by the oracle when the candidate has ended
EXTRA_FD = 6    # of the oracle: results without kernels; of the front end: Triton's IR
KEPT_MAX = 1 << 16
ALIGN = 256     # of every tensor, so that pointers are as aligned as an allocator's


def _text(message):
    return json.dumps(message, default=str, ensure_ascii=False).replace("\\u0000", "\ufffd")


class Channel:
    """The conversation with the keeper over descriptor 3."""

    def __init__(self, fd=3):
        self._in = os.fdopen(os.dup(fd), "rb")
        self._out = os.fdopen(fd, "wb", buffering=0)
        self._say = self._write
        self._mark = None
        self._kept = ""

    def receive(self):
        """The next message, or None when the keeper has closed its end."""
        line = self._in.readline()
        if not line.endswith(b"\n"):
            return None
        message = json.loads(line)
        self._mark = message.pop("mark", None)
        return message

    def take_memory(self):
        """Shared memory that comes now, from INPUTS_FD on, in a process that was started before it was there."""
        with socket.socket(fileno=os.dup(self._out.fileno())) as s:
            fds = socket.recv_fds(s, 1, 3)[1]
        for place, fd in enumerate(fds, INPUTS_FD):
            os.dup2(fd, place)
            os.close(fd)

    def _write(self, text):
        data = memoryview(text.encode("utf-8", "replace") + b"\n")
        while data:
            data = data[self._out.write(data):]

    def send(self, **message):
        self._say(self._kept + _text(message))
        self._kept = ""

    def keep(self, **message):
        """For what nobody waits for: it goes with what is sent next, and the keeper is woken once.

        Not beside a witness, which takes one message at a time.
        """
        self._kept += _text(message) + "\n"
        if len(self._kept) > KEPT_MAX:
            self._say(self._kept[:-1])
            self._kept = ""

    def hand_to(self, make_witness):
        """From now on a witness speaks; what the keeper knows it by is known to nobody else."""
        witness = make_witness(self._out.fileno(), self._mark)
        self._say, self._mark = witness.say, None
        return witness


class Writer:
    """Appends byte strings to a shared memory file; add() returns where each one went."""

    def __init__(self, fd):
        self._fd = fd
        self._end = 0

    def add(self, data):
        start = -(-self._end // ALIGN) * ALIGN
        data = memoryview(data).cast("B")
        self._end = start + len(data)
        while data:
            n = os.pwrite(self._fd, data, self._end - len(data))
            data = data[n:]
        return start


def private_view(fd):
    """The whole of a shared memory file, as bytes that can be changed without anybody seeing it."""
    size = os.fstat(fd).st_size
    if size == 0:
        return bytearray()
    return mmap.mmap(fd, size, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
