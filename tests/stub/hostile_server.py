"""A model's service as bad as they come, for tests: HTTP by hand, so that every byte can be wrong.

    hostile_server.py LOG [CERTIFICATE.pem...]

serves on loopback until it is killed, and prints its ports on one line: its own, that of
another host which only takes notes, and one with TLS for each certificate. What a request
gets is said by the model's name, FAULT[=ARGUMENT][:TIMES]: the fault for the first TIMES
requests of the same question (for all of them when it is not said), then a good reply.
The model "mixed" draws one of MIXED for each request, after twenty good replies.

A question that holds "question-N" is known by that. Each answer is a JSON line in LOG when it
is over: which question it was and which try, what it got, and whether a reply has been sent in
full, which is when a service charges for it.
"""
import asyncio
import email.utils
import gzip
import hashlib
import itertools
import json
import random
import re
import socket
import ssl
import struct
import sys
import time

TEXT = "Here:\n```python\nimport triton\n\ndef flip(x):\n    return x  # {id} é\n```\n"
END = b"0\r\n\r\n"
FAULTS = {}
MIXED = ["ok"] * 24 + ["nine"] * 4 + [
    "after=0", "after=1", "after=date", "after=rfc850", "after=asctime", "after=soon", "after=-5",
    "after=99999999999", "after-ms=200", "status=503", "status=400", "status=408", "html=502", "html=200",
    "half", "cut", "cut", "reset", "break", "long", "long-open", "short", "extra", "redirect=302",
    "redirect=308", "utf8", "nul=raw", "nul=escaped", "garbage", "bare", "hangup", "zipped", "bom",
    "twice", "deep", "empty", "quiet", "trickle", "endless", "pings", "headers", "continue",
]


def fault(f):
    FAULTS[f.__name__.replace("_", "-")] = f
    return f


class Request:
    """A question, and the ways to answer it."""

    def __init__(self, reader, writer, ports):
        self.reader, self.writer, self.ports = reader, writer, ports
        self.paid = self.close = False
        self.at = None  # where it was cut, and of how many bytes

    async def read(self):
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        self.headers = dict(h.lower().split(": ", 1) for h in head[1:] if h)
        raw = await self.reader.readexactly(int(self.headers["content-length"]))
        self.body = json.loads(raw)
        self.anthropic = head[0].split()[1] == "/v1/messages"
        messages = json.dumps(self.body["messages"])
        named = re.search("question-[0-9]+", messages)
        self.id = named[0] if named else hashlib.sha256(messages.encode()).hexdigest()[:12]

    def whole(self):
        """A good reply as one object."""
        text = TEXT.format(id=self.id)
        if self.anthropic:
            reply = {"type": "message", "content": [{"type": "text", "text": text}],
                     "stop_reason": "end_turn", "usage": {"input_tokens": 11, "output_tokens": 7}}
        else:
            reply = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}],
                     "usage": {"prompt_tokens": 11, "completion_tokens": 7}}
        return json.dumps(reply, ensure_ascii=False).encode()

    def events(self):
        """The same as a stream; what matters is over with the last but one event."""
        text = TEXT.format(id=self.id)
        pieces = [text[i:i + 9] for i in range(0, len(text), 9)]
        if self.anthropic:
            events = [{"type": "message_start", "message": {"usage": {"input_tokens": 11}}}]
            events += [{"type": "content_block_delta", "delta": {"type": "text_delta", "text": p}}
                       for p in pieces]
            events += [{"type": "message_delta", "delta": {"stop_reason": "end_turn"},
                        "usage": {"output_tokens": 7}}, {"type": "message_stop"}]
        else:
            events = [{"choices": [{"delta": {"content": p}}]} for p in pieces]
            events += [{"choices": [{"delta": {}, "finish_reason": "stop"}],
                        "usage": {"prompt_tokens": 11, "completion_tokens": 7}}, "[DONE]"]
        return [b"data: %s\n\n" % (e if isinstance(e, str) else json.dumps(e)).encode() for e in events]

    async def raw(self, data):
        self.writer.write(data)
        await self.writer.drain()

    def head(self, status=200, *headers):
        lines = (f"HTTP/1.1 {status} So", "Content-Type: application/json", *headers)
        return "".join(line + "\r\n" for line in lines).encode() + b"\r\n"

    async def send(self, body, status=200, *headers):
        await self.raw(self.head(status, f"Content-Length: {len(body)}", *headers) + body)

    async def good(self):
        if self.body.get("stream"):
            chunks = [b"%x\r\n%s\r\n" % (len(e), e) for e in self.events()]
            await self.raw(self.head(200, "Transfer-Encoding: chunked"))
            for c in chunks:
                await self.raw(c)
            await self.raw(END)
        else:
            await self.send(self.whole())
        self.paid = True

    async def until_gone(self):
        """The other side has the longer breath, up to a minute."""
        self.close = True
        try:
            await asyncio.wait_for(self.reader.read(1), 60)
        except (OSError, asyncio.TimeoutError):
            pass


# -- answers that are none

@fault
async def ok(r, arg):
    await r.good()


@fault
async def slow(r, arg):
    await asyncio.sleep(float(arg))
    await r.good()


def error(message):
    return json.dumps({"error": {"message": message}}).encode()


@fault
async def status(r, arg):
    await r.send(error("not now"), int(arg))


@fault
async def secret(r, arg):
    """An error that holds the key, where a C string has ended before it."""
    await r.send(b"\0 bad key: " + r.headers["authorization"].encode(), 400)


@fault
async def nine(r, arg):
    """500 nine times in ten."""
    if random.Random(f"{r.id} {r.tries}").random() < 0.9:
        await r.send(error("The server had an error"), 500)
    else:
        await r.good()


@fault
async def after(r, arg):
    soon = time.time() + 2
    value = {
        "date": email.utils.formatdate(soon, usegmt=True),
        "rfc850": time.strftime("%A, %d-%b-%y %H:%M:%S GMT", time.gmtime(soon)),
        "asctime": time.asctime(time.gmtime(soon)),
        "past": email.utils.formatdate(soon - 3600, usegmt=True),
    }.get(arg, arg)
    await r.send(error("too many"), 429, f"Retry-After: {value}")


@fault
async def after_ms(r, arg):
    await r.send(error("too many"), 429, "Retry-After: 30", f"Retry-After-Ms: {arg}")


@fault
async def html(r, arg):
    await r.send(b"<html><head><title>Bad Gateway</title></head></html>", int(arg))


@fault
async def half(r, arg):
    whole = r.whole()
    await r.send(whole[:len(whole) // 2])


@fault
async def empty(r, arg):
    await r.send(b"")


@fault
async def utf8(r, arg):
    await r.send(r.whole().replace("é".encode(), b"\xe9"))


@fault
async def nul(r, arg):
    await r.send(r.whole().replace("é".encode(), b"\0" if arg == "raw" else b"\\u0000"))


@fault
async def deep(r, arg):
    await r.send(b"[" * 1000000)


@fault
async def twice(r, arg):
    await r.send(r.whole() * 2)


@fault
async def bom(r, arg):
    await r.send(b"\xef\xbb\xbf" + r.whole())
    r.paid = True


@fault
async def zipped(r, arg):
    await r.send(gzip.compress(r.whole()), 200, "Content-Encoding: gzip")
    r.paid = True


@fault
async def redirect(r, arg):
    await r.send(b"", int(arg), f"Location: http://127.0.0.1:{r.ports[1]}/v1/chat/completions")


# -- connections that fail

def chunked(r):
    body = b"".join(b"%x\r\n%s\r\n" % (len(e), e) for e in r.events())
    return body + END, len(body) - len(b"%x\r\n%s\r\n" % (len(r.events()[-1]), r.events()[-1]))


async def cut_at(r, arg, data, enough):
    """The first bytes of data; "each" is one more each time."""
    if arg == "each":
        at = next(counter) % len(data)
    else:
        at = int(arg) if arg else random.Random(f"cut {r.id} {r.tries}").randrange(len(data))
    await r.raw(data[:at])
    r.close, r.paid, r.at = True, at >= enough, (at, len(data))


@fault
async def cut(r, arg):
    """A chunked stream that ends anywhere."""
    data, enough = chunked(r)
    await r.raw(r.head(200, "Transfer-Encoding: chunked"))
    await cut_at(r, arg, data, enough - 1)  # of an event the last line end may be missing


@fault
async def end(r, arg):
    """A stream that ends anywhere and whose length nobody told."""
    data = b"".join(r.events())
    await r.raw(r.head(200, "Connection: close"))
    await cut_at(r, arg, data, len(data) - len(r.events()[-1]) - 2)


@fault
async def reset(r, arg):
    """A stream that ends anywhere, with a reset."""
    await cut(r, arg)
    await asyncio.sleep(0.02)
    r.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                                 struct.pack("ii", 1, 0))


@fault
async def hangup(r, arg):
    r.close = True


@fault
async def break_(r, arg):
    """In the middle of the headers."""
    await r.raw(r.head()[:30])
    r.close = True


FAULTS["break"] = break_


@fault
async def garbage(r, arg):
    await r.raw(b"SSH-2.0-OpenSSH_9.2\r\n")
    r.close = True


@fault
async def bare(r, arg):
    """A body without a head, as before HTTP/1.0."""
    await r.raw(r.whole())
    r.close = True


# -- lengths that are wrong

@fault
async def long(r, arg):
    body = r.whole()
    await r.raw(r.head(200, f"Content-Length: {len(body) + 100}") + body)
    r.close = r.paid = True


@fault
async def long_open(r, arg):
    await long(r, arg)
    await r.until_gone()


@fault
async def short(r, arg):
    body = r.whole()
    await r.raw(r.head(200, f"Content-Length: {len(body) - 100}") + body)


@fault
async def extra(r, arg):
    """A good reply, and what nobody asked for right behind it."""
    body = r.whole()
    head = r.head(200, f"Content-Length: {len(body)}")
    await r.raw(head + body + b'HTTP/1.1 200 So\r\nContent-Length: 2\r\n\r\n{}' * 2)
    r.paid = True


# -- answers that do not end

@fault
async def quiet(r, arg):
    await r.until_gone()


async def forever(r, head, piece, pause):
    r.close = True
    await r.raw(head)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        await r.raw(next(piece))
        await asyncio.sleep(pause)


def always(data):
    while True:
        yield data


@fault
async def trickle(r, arg):
    """One byte a second."""
    body = r.whole()
    await forever(r, r.head(200, f"Content-Length: {len(body)}"), (body[i:i + 1] for i in range(len(body))), 1)


@fault
async def endless(r, arg):
    await forever(r, r.head(200, "Connection: close") + b'{"choices":[{"message":{"content":"',
                  always(b"x" * (1 << 20)), 0)


@fault
async def pings(r, arg):
    await forever(r, r.head(200, "Connection: close"), always(b": still here\n\n"), 0.2)


@fault
async def headers(r, arg):
    await forever(r, r.head()[:-2], (b"X-%d: %s\r\n" % (i, b"x" * 4000) for i in range(1 << 30)), 0.001)


@fault
async def continue_(r, arg):
    await forever(r, b"", always(b"HTTP/1.1 100 Continue\r\n\r\n"), 0.05)


FAULTS["continue"] = continue_

# -- serving

tries = {}
counter = itertools.count()
good_ones = itertools.count()


def choose(r):
    """The fault that this request gets, and its argument."""
    model = r.body.get("model", "ok")
    r.tries = tries[r.id, model] = tries.get((r.id, model), 0) + 1
    if model == "mixed" and next(good_ones) < 20:
        model = "ok"  # a service that redirects from the first is another matter
    elif model == "mixed":
        model = random.Random(f"{r.id} {r.tries} mixed").choice(MIXED)
    name, _, times = model.partition(":")
    if times and r.tries > int(times):
        name = "ok"
    name, _, arg = name.partition("=")
    return name, arg


async def serve(reader, writer, ports, log):
    try:
        while True:
            r = Request(reader, writer, ports)
            await r.read()
            name, arg = choose(r)
            line = {"question": r.id, "try": r.tries, "got": name, "time": time.time()}
            try:
                await FAULTS[name](r, arg)
            finally:
                log.write(json.dumps(line | {"argument": arg, "paid": r.paid, "at": r.at}) + "\n")
                log.flush()
            if r.close:
                break
    except (OSError, asyncio.IncompleteReadError, StopIteration, RuntimeError):
        pass
    finally:
        writer.close()


async def note(reader, writer, log):
    """The other host: whatever comes is written down, and answered well."""
    data = await reader.read(65536)
    log.write(json.dumps({"elsewhere": data.decode("latin-1")}) + "\n")
    log.flush()
    writer.write(b"HTTP/1.1 200 So\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
    writer.close()


async def main():
    log = open(sys.argv[1], "a")
    ports = []

    async def listen(handler, *args, tls=None):
        server = await asyncio.start_server(lambda r, w: handler(r, w, *args), "127.0.0.1", 0,
                                            backlog=1024, ssl=tls)
        ports.append(server.sockets[0].getsockname()[1])
        return server

    servers = [await listen(serve, ports, log), await listen(note, log)]
    for certificate in sys.argv[2:]:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate)
        servers.append(await listen(serve, ports, log, tls=tls))
    print(*ports, flush=True)
    await asyncio.gather(*(s.serve_forever() for s in servers))


asyncio.run(main())
