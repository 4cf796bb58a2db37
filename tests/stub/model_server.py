"""A stand-in for a model's service, for tests: the routes of OpenAI, Azure and Anthropic.

    model_server.py LOG

prints its port on standard output and serves on loopback until it is killed.
The name of the model that a request asks for says what happens to it (see
`behave`). Each request is appended to LOG as a JSON line: path, headers, body, how
many requests waited for a reply at that moment, itself among them, the client's
port, and when that was.
"""
import json
import os
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ROUTES = (r"/v1/messages|/v1/chat/completions|/v1/responses"
          r"|/openai/deployments/[a-z0-9-]+/chat/completions\?api-version=20..-..-..(-preview)?")
KEY = "sk-test-0123456789abcdef"
CODE = "Here it is:\n```python\nimport triton\n\ndef {entry}(x):\n    return x  # {n}\n```\n"

lock = threading.Lock()
counts = {}  # requests so far, by model
waiting = 0  # requests without the beginning of a reply


def count(model):
    with lock:
        counts[model] = counts.get(model, 0) + 1
        return counts[model]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    waits = False

    def log_message(self, *args):
        pass

    # Whoever has read a reply may ask again at once: it must not be counted by then.
    def wait(self, change):
        global waiting
        with lock:
            self.waits = change > 0
            waiting += change
            return waiting

    def send_response(self, *args):
        if self.waits:
            self.wait(-1)
        super().send_response(*args)

    def send(self, status, body, kind="application/json", headers=()):
        data = body if isinstance(body, bytes) else body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def send_error_object(self, status, message, code=None, headers=()):
        body = {"error": {"message": message, "type": "stub_error", "code": code}}
        self.send(status, json.dumps(body), headers=headers)

    # -- good replies, in the forms of three dialects, whole or as a stream

    def reply(self, text, reason="stop", tokens=7):
        form = self.send_stream if self.body.get("stream") else self.send_whole
        form(text, reason, tokens)

    def send_whole(self, text, reason, tokens):
        if self.is_response:
            body = self.response(text, reason, tokens)
        elif self.is_message:
            reason = {"stop": "end_turn", "length": "max_tokens"}[reason]
            body = {
                "type": "message", "role": "assistant",
                "content": [{"type": "thinking", "thinking": "hm"},
                            {"type": "text", "text": text}],
                "stop_reason": reason, "usage": {"input_tokens": 11, "output_tokens": tokens},
            }
        else:
            body = {
                "object": "chat.completion",
                "choices": [{"index": 0, "finish_reason": reason,
                             "message": {"role": "assistant", "content": text}}],
                "usage": {"prompt_tokens": 11, "completion_tokens": tokens},
            }
        if self.body.get("model") == "cached":
            body["usage"] |= {"cache_read_input_tokens": 8, "cache_creation_input_tokens": 4} \
                if self.is_message else {"input_tokens_details" if self.is_response else
                                        "prompt_tokens_details": {"cached_tokens": 8}}
        self.send(200, json.dumps(body))

    def response(self, text, reason, tokens):
        return {
            "object": "response", "error": None,
            "status": {"stop": "completed", "length": "incomplete"}[reason],
            "incomplete_details": {"reason": "max_output_tokens"} if reason == "length" else None,
            "output": [{"type": "reasoning", "summary": []},
                       {"type": "message", "role": "assistant",
                        "content": [{"type": "output_text", "text": text}]}],
            "usage": {"input_tokens": 11, "output_tokens": tokens},
        }

    def events(self, text, reason, tokens):
        pieces = [text[i:i + 5] for i in range(0, len(text), 5)]
        if self.is_response:
            yield {"type": "response.created", "response": {"status": "in_progress", "output": []}}
            for p in pieces:
                yield {"type": "response.output_text.delta", "delta": p}
            end = self.response(text, reason, tokens)
            yield {"type": "response." + end["status"], "response": end}
        elif self.is_message:
            reason = {"stop": "end_turn", "length": "max_tokens"}[reason]
            yield {"type": "message_start",
                   "message": {"usage": {"input_tokens": 11, "output_tokens": 1}}}
            yield {"type": "content_block_start", "index": 0,
                   "content_block": {"type": "text", "text": ""}}
            yield {"type": "ping"}
            for p in pieces:
                yield {"type": "content_block_delta", "index": 0,
                       "delta": {"type": "text_delta", "text": p}}
            yield {"type": "message_delta", "delta": {"stop_reason": reason},
                   "usage": {"output_tokens": tokens}}
            yield {"type": "message_stop"}
        else:
            yield {"choices": [{"delta": {"role": "assistant", "content": None}}]}
            for p in pieces:
                yield {"choices": [{"delta": {"content": p}, "finish_reason": None}]}
            yield {"choices": [{"delta": {}, "finish_reason": reason}]}
            yield {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": tokens}}
            yield "[DONE]"

    def begin_stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def send_event(self, event):
        data = event if isinstance(event, str) else json.dumps(event)
        name = "event: %s\r\n" % event["type"] if "type" in event else ""
        self.wfile.write(f"{name}data: {data}\r\n\r\n".encode())
        self.wfile.flush()

    def send_stream(self, text, reason, tokens):
        self.begin_stream()
        self.wfile.write(b": a comment, as some servers send to keep a connection\n\n")
        for event in self.events(text, reason, tokens):
            self.send_event(event)

    # -- what a model's name does

    def behave(self, model):
        n = count(model)
        name, _, arg = model.partition("-")
        text = CODE.format(entry="flip", n=n)
        if name in ("ok", "cached"):
            self.reply(text)
        elif name == "slow":
            time.sleep(float(arg))
            self.reply(text)
        elif name == "later":  # the first request is answered last
            time.sleep(0.6 if n == 1 else 0.05)
            self.reply(text)
        elif name == "length":
            self.reply("Let me think about", "length")
        elif name in ("stall", "drip"):  # stall-9-2: silent for 9 s after some events, twice
            pause, _, times = arg.partition("-")
            if not self.body.get("stream") or times and n > int(times):
                self.reply(text)
                return
            self.begin_stream()
            for i, event in enumerate(self.events(text, "stop", 7)):
                if name == "drip" or i == 4:
                    time.sleep(float(pause))
                if name == "drip":
                    self.wfile.write(b": alive\n\n")
                self.send_event(event)
        elif name == "chapter":  # the same reply each time
            self.reply(CODE.format(entry="flip", n=1))
        elif name == "chapters":  # a reply in three parts, each but the last cut at its limit;
            # chapters-400: the second one fails with that status
            text = CODE.format(entry="flip", n=1)
            said = [m["content"] for m in self.body.get("messages") or self.body["input"]
                    if m["role"] == "assistant"]
            begin = len(said[0]) if said else 0
            end = begin + len(text) // 3 + 1
            if said and arg:
                self.send_error_object(int(arg), "no more")
                return
            self.reply(text[begin:end], "length" if end < len(text) else "stop")
        elif name in ("older", "newer"):  # knows the limit of a reply by that name alone
            other = {"older": "max_completion_tokens", "newer": "max_tokens"}[name]
            if other in self.body:
                self.send_error_object(400, f"Unsupported parameter: '{other}' is not supported "
                                       "with this model.", "unsupported_parameter")
            else:
                self.reply(text)
        elif name == "toolarge":
            self.send_error_object(400, "max_tokens is too large: 99. This model supports 9.")
        elif name == "prose":
            self.reply("I would rather talk about the weather.")
        elif name == "key":
            self.reply("The key is " + str(self.key()) + ".\n" + text)
        elif name == "escapes":  # the key as JSON may write it, where it may be cut
            key = "\\u%04x" % ord(self.key()[0]) + self.key()[1:]
            if arg == "refusal":
                self.send(400, '{"error":{"message":"%s%s"}}' % ("x" * 280, key))
            elif arg == "event":
                self.begin_stream()
                self.send_event('{"error":{"message":"%s%s"}}' % ("x" * 280, key))
            elif arg == "reason":
                self.send(200, '{"choices":[{"message":{"content":"x"},"finish_reason":"%s%s"}]}'
                          % ("x" * 10, key))
            elif arg == "twice":
                self.send(200, '{"%s%s":1,"%s%s":2}' % ("x" * 60, key, "x" * 60, key))
        elif name == "status":
            self.send_error_object(int(arg), f"status {arg} as asked, key {self.key()}")
        elif name == "flaky":  # flaky-429: that status twice, then well
            if n > 2:
                self.reply(text)
            elif arg == "cut":
                self.begin_stream()
                for event in list(self.events(text, "stop", 7))[:2]:
                    self.send_event(event)
            elif arg == "overloaded":
                self.begin_stream()
                self.send_event({"type": "error", "error": {"type": "overloaded_error",
                                                            "message": "Overloaded now"}})
            elif arg == "reset":
                self.close_connection = True
                self.wfile.close()
            else:
                self.send_error_object(int(arg), "busy", headers=[("Retry-After", "0")])
        elif name == "busy":  # busy-0.3: fails twice; replies take so long
            if n > 2:
                time.sleep(float(arg))
                self.reply(text)
            else:
                self.send_error_object(503, "busy")
        elif name == "after":
            self.send_error_object(429, "come back", headers=[("Retry-After", arg)])
        elif name == "quota":
            self.send_error_object(429, "You exceeded your quota.", "insufficient_quota")
        elif name == "credit":
            self.send_error_object(400, "Your credit balance is too low to access the API.")
        elif name == "redirect":
            self.send(307, "", headers=[("Location", f"http://127.0.0.1:{self.port()}/v1/ok")])
        elif name == "html":
            self.send(int(arg or 200), "<html><body>Gateway</body></html>", "text/html")
        elif name == "big":
            self.send(200, '{"choices":[{"message":{"content":"' + "x" * (40 << 20) + '"}}]}')
        elif name in BODIES:
            self.send(200, BODIES[name])
        elif name == "streamerror":
            self.begin_stream()
            self.send_event({"type": "error", "error": {"type": "overloaded_error",
                                                        "message": "Overloaded now"}})
        elif name == "streamcut":
            self.begin_stream()
            for event in list(self.events(text, "stop", 7))[:4]:
                self.send_event(event)
        elif name == "mixed":  # a bad answer now and then must not disturb the others
            if n % 2:
                self.send(200, BODIES["half"])
            else:
                self.reply(text)
        else:
            self.send_error_object(404, f"The model `{model}` does not exist")

    def port(self):
        return self.server.server_address[1]

    def key(self):
        bearer = self.headers.get("Authorization", "").removeprefix("Bearer ")
        return self.headers.get("x-api-key") or self.headers.get("api-key") or bearer

    def do_POST(self):
        open_here = self.wait(1)
        try:
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.body = json.loads(raw)
            self.is_message = self.path == "/v1/messages"
            self.is_response = self.path == "/v1/responses"
            with lock, open(sys.argv[1], "a") as log:
                log.write(json.dumps({"path": self.path, "headers": dict(self.headers),
                                      "body": self.body, "open": open_here,
                                      "port": self.client_address[1],
                                      "time": time.time()}) + "\n")
            if not re.fullmatch(ROUTES, self.path):
                self.send(404, json.dumps({"detail": "Not Found"}))
            elif (self.is_message or self.headers.get("Authorization")) and self.key() != KEY \
                    or "deployments" in self.path and self.headers.get("api-key") != KEY:
                self.send_error_object(401, f"Incorrect API key provided: {self.key()}.")
            else:
                self.behave(self.body.get("model", "ok"))
        except (BrokenPipeError, ConnectionResetError):
            pass
        finally:
            if self.waits:
                self.wait(-1)


BODIES = {
    "nothing": "",
    "half": '{"choices":[{"message":{"content":"import tri',
    "badutf8": b'{"choices":[{"message":{"content":"caf\xe9"}}]}',
    "nul": '{"choices":[{"message":{"content":"a\\u0000b"}}]}',
    "error": '{"error":{"message":"The model is \\u001b[31mbroken","type":"server_error"}}',
    "plainerror": '{"error":"out of memory"}',
    "empty": '{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}',
    "null": '{"choices":[{"message":{"content":null},"finish_reason":"length"}]}',
    "nochoice": '{"id":"x","choices":[]}',
    "parts": '{"choices":[{"message":{"content":[{"type":"text","text":"def flip(x):\\n"},'
             '{"type":"text","text":"    return x\\n"}]}}]}',
    "array": '[1,2,3]',
}

if __name__ == "__main__":
    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, request, client_address):
            pass

    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    os.close(1)
    server.serve_forever()
