"""An application of a test: an HTTP server on this machine that answers as its routes say.

A route is a list of replies, one for each request; the last one stays. What came is kept.
"""

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Reply(NamedTuple):
    """What is answered.

    Attributes:
        body: bytes; anything else is sent as JSON.
        cut: how many bytes of the body are missing when the connection ends.
        wait_s: how long nothing comes.
    """

    body: object = b""
    status: int = 200
    media: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    cut: int = 0
    wait_s: float = 0


class Seen(NamedTuple):
    """A request that came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        """Its body as JSON."""
        return json.loads(self.body)


class App(ThreadingHTTPServer):
    """The server; ``routes`` is method and path to replies."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, routes: dict[str, list[Reply]]):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.routes = routes
        self.seen: list[Seen] = []
        self.connections = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    server: App

    def setup(self):
        super().setup()
        self.server.connections += 1

    def _serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.seen.append(Seen(self.command, self.path, headers, body))
        replies = self.server.routes.get(f"{self.command} {self.path}", [Reply(status=404)])
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        time.sleep(reply.wait_s)
        data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        for name, value in (("Content-Type", reply.media), *reply.headers):
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):  # Whoever asked may have given up.
            self.wfile.write(data[: len(data) - reply.cut])
            self.wfile.flush()
        self.close_connection = self.close_connection or reply.cut > 0

    do_GET = do_POST = do_PUT = _serve  # noqa: N815 - the base's names

    def log_message(self, *args):
        """Print nothing."""


@contextlib.contextmanager
def serve_app(**routes: Reply | list[Reply]) -> Iterator[App]:
    """Serve ``POST /answers`` (``answers``) and ``GET /reports/…``, by ``routes``.

    Args:
        **routes: ``answers`` is the reply to ``POST /answers``; ``report_x`` that to
            ``GET /reports/x``.
    """
    paths = {}
    for name, replies in routes.items():
        kind, _, rest = name.partition("_")
        path = "POST /answers" if kind == "answers" else f"GET /reports/{rest}"
        paths[path] = [replies] if isinstance(replies, Reply) else list(replies)
    with App(paths) as app:
        thread = threading.Thread(target=app.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield app
        finally:
            app.shutdown()
            thread.join()
