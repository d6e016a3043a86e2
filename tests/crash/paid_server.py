"""An application that counts what is paid for, outside of the process that is killed.

1. a request is a JSON object with ``question``; it is ``seen`` when it has come, and ``paid`` when
   it gets 200, before the bytes go out: so that no kill can hide it;
2. what it gets is the script's to say, from the question and how often it was seen, from 1;
3. a 200 is given only while some are permitted; until then the connection is held;
4. those that are held when their process was ended are let go without an answer.

    with open_paid_server() as server:
        server.permit(3)
        server.wait_until(lambda: server.paid.total() == 3)
"""

import hashlib
import json
import math
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

PATIENCE_S = 60
"""How long something may take that must happen: only a hang takes longer."""


class Reply(NamedTuple):
    """Status, and what stands in a header of that name."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


Script = Callable[[str, int], Reply]
"""From the question, and which time it is seen, to the reply."""

SOON = (("retry-after-ms", "5"),)
TROUBLES = (Reply(429, SOON), Reply(500, SOON))
TROUBLES_MAX = 3
"""Times that one question meets trouble: what comes after them is not in question here."""


def answer_all(_question: str, _time: int) -> Reply:
    """Answer."""
    return Reply()


def trouble_a_fifth(question: str, time: int) -> Reply:
    """Answer about every fifth request with 429 or 500, the same ones whenever this is run."""
    drawn = hashlib.sha256(f"{question} {time}".encode()).digest()[0]
    return TROUBLES[drawn % 2] if drawn < 256 // 5 and time <= TROUBLES_MAX else Reply()


def make_answer(question: str) -> str:
    """Return an answer that no other question has; a grader reads it as a judgment."""
    mark = hashlib.sha256(question.encode()).hexdigest()[:16]
    return json.dumps({"passed": True, "reason": f"See {mark}.", "disputed_amounts": []})


class PaidServer(ThreadingHTTPServer):
    """The application; its methods may be called from any thread."""

    daemon_threads = False
    request_queue_size = 256

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.seen: Counter[str] = Counter()
        self.paid: Counter[str] = Counter()
        self._permitted: float = math.inf
        self._processes = 0
        self._changed = threading.Condition()

    def permit(self, count: float) -> None:
        """Let so many be paid from now on; the others are held."""
        with self._changed:
            self._permitted = count
            self._changed.notify_all()

    def let_go(self) -> None:
        """Drop what is held: nobody reads it any more."""
        with self._changed:
            self._processes += 1
            self._changed.notify_all()

    def wait_until(self, is_met: Callable[[], bool]) -> None:
        """Return when ``is_met``; it is asked at every request, and a few times a second."""
        with self._changed:
            for _ in range(PATIENCE_S * 5):
                if is_met():
                    return
                self._changed.wait(0.2)
        raise TimeoutError(f"{self.seen.total()} requests seen, {self.paid.total()} paid")

    def decide(self, question: str) -> Reply | None:
        """Return the reply to a request; ``None`` where its process was ended meanwhile."""
        with self._changed:
            self.seen[question] += 1
            reply = self.script(question, self.seen[question])
            process = self._processes
            self._changed.notify_all()
            if reply.status != 200:
                return reply
            while self._permitted < 1 and process == self._processes:
                self._changed.wait()
            if process != self._processes:
                return None
            self._permitted -= 1
            self.paid[question] += 1
            self._changed.notify_all()
            return reply

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that was killed."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    server: PaidServer

    def do_POST(self) -> None:
        """Answer, or let go."""
        body = self.rfile.read(int(self.headers["content-length"]))
        question = json.loads(body)["question"]
        reply = self.server.decide(question)
        if reply is None:
            self.close_connection = True
            return
        answer = json.dumps({"answer": make_answer(question)}).encode()
        self.send_response(reply.status)
        for name, text in (
            ("content-type", "application/json"),
            ("content-length", str(len(answer))),
            *reply.headers,
        ):
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is overridden
        """Say nothing."""


@contextmanager
def open_paid_server(script: Script = answer_all) -> Iterator[PaidServer]:
    """Serve; every process that asks must have ended before this does."""
    with PaidServer(script) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.let_go()
            server.shutdown()
            thread.join()
