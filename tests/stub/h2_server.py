"""A model's service over HTTP/2, for tests: OpenAI's route, each answer after a moment.

    h2_server.py CERTIFICATE KEY SECONDS

prints its port and, when it is ended by SIGTERM, a line with the number of
connections, of requests, and of the most that were open at once on one connection.
Exits with 77 when the h2 library is not installed.
"""
import asyncio
import json
import signal
import ssl
import sys

try:
    from h2.config import H2Configuration
    from h2.connection import H2Connection
    from h2.events import RequestReceived, StreamEnded
except ImportError as e:
    print(e, file=sys.stderr)
    sys.exit(77)

REPLY = json.dumps({"choices": [{"message": {"content": "def flip(x): ..."}, "finish_reason": "stop"}]})
seen = {"connections": 0, "requests": 0, "most": 0}


class Connection(asyncio.Protocol):
    """One client; the library keeps the protocol's state, this moves bytes and answers."""

    def connection_made(self, transport):
        seen["connections"] += 1
        self.open = 0
        self.transport = transport
        self.h2 = H2Connection(H2Configuration(client_side=False))
        self.h2.initiate_connection()
        self.flush()

    def flush(self):
        self.transport.write(self.h2.data_to_send())

    def data_received(self, data):
        for event in self.h2.receive_data(data):
            if isinstance(event, RequestReceived):
                self.open += 1
                seen["requests"] += 1
                seen["most"] = max(seen["most"], self.open)
            elif isinstance(event, StreamEnded):
                asyncio.get_running_loop().call_later(float(sys.argv[3]), self.answer, event.stream_id)
            elif hasattr(event, "flow_controlled_length"):
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        self.flush()

    def answer(self, stream):
        self.open -= 1
        self.h2.send_headers(stream, [(":status", "200"), ("content-type", "application/json")])
        self.h2.send_data(stream, REPLY.encode(), end_stream=True)
        self.flush()


async def main():
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    context.set_alpn_protocols(["h2"])
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    end = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end.set)
    await end.wait()
    print(seen["connections"], seen["requests"], seen["most"], flush=True)


asyncio.run(main())
