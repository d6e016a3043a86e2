"""A small application over HTTP: it answers questions from documents and keeps a report of each.

    python -m examples.application.serve --port 8321 --reports /tmp/reports

``POST /answers`` takes ``{"question": TEXT}`` and returns ``{"id", "answer", "model"}``;
``GET /reports/ID`` returns the report that was kept: the question, the answer, and the paragraph
and document on which it rests. It listens on this machine alone.
"""

import argparse
import json
import re
import uuid
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from examples.application.paragraphs import Library, find_answer, read_library

DOCUMENTS = Path(__file__).parent / "documents"
MODEL = "paragraphs-1"
BODY_BYTES_MAX = 65_536

_ID = re.compile(r"[0-9a-f]{32}")


class Server(ThreadingHTTPServer):
    """The application at an address; port 0 takes one that is free."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, library: Library, reports: Path) -> None:
        """Listen on ``port``; reports are kept in the folder ``reports``."""
        super().__init__(("127.0.0.1", port), Handler)
        self.library = library
        self.reports = reports

    @property
    def address(self) -> str:
        """Where it is asked."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def answer(self, question: str) -> dict[str, str]:
        """Return the answer to ``question``; its report is kept before."""
        answer = find_answer(self.library, question)
        paragraph, name = answer.paragraph, uuid.uuid4().hex
        report = {
            "id": name,
            "question": question,
            "answer": answer.text,
            "document": paragraph.document if paragraph else None,
            "paragraph": paragraph.text if paragraph else None,
            "score": round(answer.score, 3),
            "model": MODEL,
        }
        file = self.reports / f"{name}.json"
        file.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
        return {"id": name, "answer": answer.text, "model": MODEL}


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    # Head and body in one packet: a second one would wait for the first to be acknowledged.
    wbufsize = -1
    server: Server

    def do_POST(self) -> None:
        """Answer a question."""
        size = self.headers.get("Content-Length", "")
        if not size.isdecimal() or int(size) > BODY_BYTES_MAX:
            self.close_connection = True
            return self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The request is too large.")
        body = self.rfile.read(int(size))
        if self.path != "/answers":
            return self._refuse(HTTPStatus.NOT_FOUND, "There is POST /answers.")
        try:
            question = json.loads(body)["question"]
        except (ValueError, LookupError, TypeError, RecursionError):
            question = None
        if not isinstance(question, str) or not question.strip():
            return self._refuse(HTTPStatus.UNPROCESSABLE_ENTITY, 'Send {"question": TEXT}.')
        return self._send(HTTPStatus.OK, json.dumps(self.server.answer(question)).encode())

    def do_GET(self) -> None:
        """Return a report, byte for byte as it is kept."""
        name = self.path.removeprefix("/reports/")
        file = self.server.reports / f"{name}.json"
        if not _ID.fullmatch(name) or not file.is_file():
            return self._refuse(HTTPStatus.NOT_FOUND, "There is no such report.")
        return self._send(HTTPStatus.OK, file.read_bytes())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Print no line for each request."""

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        self._send(status, json.dumps({"error": {"message": message}}).encode())

    def _send(self, status: HTTPStatus, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def open_server(port: int, reports: Path) -> Server:
    """Return the application with the documents beside this file; it does not answer yet."""
    reports.mkdir(parents=True, exist_ok=True)
    documents = {file.name: file.read_text(encoding="utf-8") for file in DOCUMENTS.glob("*.md")}
    return Server(port, read_library(documents), reports)


def main() -> None:
    """Answer until it is interrupted."""
    parser = argparse.ArgumentParser(prog="python -m examples.application.serve")
    parser.add_argument("--port", type=int, default=8321, help="0 takes one that is free")
    parser.add_argument("--reports", type=Path, required=True, help="folder that reports go to")
    options = parser.parse_args()
    try:
        opened = open_server(options.port, options.reports)
    except OSError as error:
        parser.exit(
            2, f"port {options.port}: {error.strerror}; name another, or 0 for a free one\n"
        )
    with opened as server:
        print(f"listening on {server.address}", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("stopped")


if __name__ == "__main__":
    main()
