"""A server that speaks the wire formats of three model APIs, and behaves as it is told.

As a program of its own it answers every request at once: ``python -m tests.providers.wire_server``.

    with serve(Behaviour("rate_limited", retry_after="0.01"), Behaviour()) as server:
        server.url, server.seen
"""

import argparse
import asyncio
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

ANSWER = "total\nTOTAL 1"
MODEL = "model-1-2026-05-01"
KEY_ECHO = "Incorrect API key provided: {key}."
HANG_S = 60.0

ERRORS = {
    "bad_request": (400, "invalid_request_error", "request too long"),
    "unauthorized": (401, "authentication_error", KEY_ECHO),
    "quota_exhausted": (429, "insufficient_quota", "insufficient_quota: you exceeded your quota"),
    "rate_limited": (429, "rate_limit_error", "slow down"),
    "server_error": (500, "api_error", "internal"),
    "overloaded": (529, "overloaded_error", "Overloaded"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What the server does with one request.

    Attributes:
        name: ``ok``, one of ERRORS, ``hang``, ``drop`` (no response), ``cut`` (half a body),
            ``stall`` (half a body, and no end), ``not_json``, ``raw`` (``text`` is the body),
            ``refusal``, ``empty``, ``truncated``, ``cut_text`` (whole by its own account),
            ``no_usage``, ``failed``, ``redirect`` or ``html``.
        headers: further ones of the response.
        text: of the answer.
        tokens: of output, by the usage.
        has_request_id: whether it names the call.
    """

    name: str = "ok"
    headers: tuple[tuple[str, str], ...] = ()
    text: str = ANSWER
    model: str = MODEL
    tokens: int = 7
    has_request_id: bool = True


@dataclass(slots=True)
class Server:
    """A server that runs; ``script`` is worked off request by request, the last one stays.

    ``is_asked`` is set once a request came.
    """

    script: list[Behaviour]
    url: str = ""
    seen: list[Seen] = field(default_factory=list)
    is_asked: threading.Event = field(default_factory=threading.Event)

    def next(self, seen: Seen) -> Behaviour:
        """Take a request, and return what to do with it."""
        self.seen.append(seen)
        self.is_asked.set()
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]


def make_document(path: str, do: Behaviour) -> dict[str, Any]:
    """Return the body of a success on ``path``, as its API writes one."""
    if path.endswith("/responses"):
        return _make_response(do)
    return _make_completion(do) if path.endswith("/completions") else _make_message(do)


def _make_response(do: Behaviour) -> dict[str, Any]:
    part = {"type": "output_text", "text": do.text, "annotations": []}
    if do.name == "refusal":
        part = {"type": "refusal", "refusal": do.text}
    reasoning = {"id": "rs_1", "type": "reasoning", "summary": []}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": [part]}
    status = {"truncated": "incomplete", "failed": "failed"}.get(do.name, "completed")
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_780_000_000,
        "status": status,
        "error": {"code": "server_error", "message": "broke"} if do.name == "failed" else None,
        "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
        "model": do.model,
        "output": [reasoning] if do.name == "empty" else [reasoning, message],
        "usage": None
        if do.name == "no_usage"
        else {
            "input_tokens": 30,
            "input_tokens_details": {"cached_tokens": 10},
            "output_tokens": do.tokens,
            "output_tokens_details": {"reasoning_tokens": 2},
            "total_tokens": 30 + do.tokens,
        },
    }


def _make_completion(do: Behaviour) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": do.text, "refusal": None}
    if do.name == "refusal":
        message |= {"content": None, "refusal": do.text}
    if do.name == "empty":
        message |= {"content": ""}
    reason = {"truncated": "length", "failed": "content_filter"}.get(do.name, "stop")
    document: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_780_000_000,
        "model": do.model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    }
    if do.name != "no_usage":
        document["usage"] = {
            "prompt_tokens": 30,
            "completion_tokens": do.tokens,
            "total_tokens": 30 + do.tokens,
            "prompt_tokens_details": {"cached_tokens": 10},
        }
    return document


def _make_message(do: Behaviour) -> dict[str, Any]:
    reasons = {"truncated": "max_tokens", "refusal": "refusal", "failed": "pause_turn"}
    thinking = {"type": "thinking", "thinking": "hm", "signature": "x"}
    text = {"type": "text", "text": do.text}
    document: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": do.model,
        "content": [thinking] if do.name == "empty" else [thinking, text],
        "stop_reason": reasons.get(do.name, "end_turn"),
        "stop_sequence": None,
    }
    if do.name != "no_usage":
        document["usage"] = {
            "input_tokens": 20,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 10,
            "output_tokens": do.tokens,
            "service_tier": "standard",
        }
    return document


def _make_reply(seen: Seen, do: Behaviour) -> tuple[int, list[tuple[str, str]], bytes]:
    headers = [("content-type", "application/json"), *do.headers]
    if do.has_request_id:
        name = "request-id" if seen.path.endswith("/messages") else "x-request-id"
        headers.append((name, "req_123"))
    if do.name in ERRORS:
        status, kind, message = ERRORS[do.name]
        key = seen.headers.get("x-api-key") or seen.headers.get("authorization", "")
        error = {"type": kind, "code": kind, "message": message.format(key=key)}
        return status, headers, json.dumps({"type": "error", "error": error}).encode()
    if do.name == "not_json":
        return 200, headers, b'{"id": "resp_1", "status":'
    if do.name == "raw":
        return 200, headers, do.text.encode()
    if do.name == "html":
        return 502, [("content-type", "text/html")], b"<html>bad gateway</html>"
    if do.name == "redirect":
        return 307, [*headers, ("location", "http://127.0.0.1:9/elsewhere")], b""
    return 200, headers, json.dumps(make_document(seen.path, do)).encode()


def _format(status: int, headers: list[tuple[str, str]], body: bytes) -> bytes:
    lines = [f"HTTP/1.1 {status} Said", *(f"{name}: {value}" for name, value in headers)]
    lines.append(f"content-length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


class _Talk(asyncio.Protocol):
    """One connection: requests are taken one after the other."""

    def __init__(self, server: Server, held: set[asyncio.TimerHandle]) -> None:
        self._server = server
        self._held = held
        self._data = b""
        self._ready: dict[str, bytes] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        self._data += data
        while True:
            head, end, rest = self._data.partition(b"\r\n\r\n")
            if not end:
                return
            first, *lines = head.decode("latin-1").split("\r\n")
            pairs = (line.partition(":") for line in lines)
            headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
            size = int(headers.get("content-length", "0"))
            if len(rest) < size:
                return
            self._data = rest[size:]
            self._reply(Seen(path=first.split()[1], headers=headers, body=rest[:size]))

    def _reply(self, seen: Seen) -> None:
        do = self._server.next(seen)
        if do.name == "hang":
            loop = asyncio.get_running_loop()
            self._held.add(loop.call_later(HANG_S, self._transport.close))
            return
        if do.name == "drop":
            self._transport.abort()
            return
        data = _format(*_make_reply(seen, do))
        if do.name in {"cut", "stall"}:
            self._transport.write(data[: -len(data) // 4])
            if do.name == "cut":
                self._transport.close()
            return
        self._transport.write(data)


@contextmanager
def serve(*script: Behaviour) -> Iterator[Server]:
    """Run a server in a thread; at its end every connection is cut."""
    server = Server(list(script) or [Behaviour()])
    ready, loop = threading.Event(), asyncio.new_event_loop()
    held: set[asyncio.TimerHandle] = set()
    talks: list[_Talk] = []

    def make() -> _Talk:
        talks.append(_Talk(server, held))
        return talks[-1]

    async def start() -> asyncio.Server:
        listener = await loop.create_server(make, "127.0.0.1", 0, backlog=2_048)
        server.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
        ready.set()
        return listener

    async def stop(listener: asyncio.Server) -> None:
        listener.close()
        for timer in held:
            timer.cancel()
        for talk in talks:
            talk._transport.abort()
        await asyncio.sleep(0)

    listener = loop.create_task(start())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    ready.wait()
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(stop(listener.result()), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


class _Instant(_Talk):
    """Answers at once, out of bytes that were made before."""

    def _reply(self, seen: Seen) -> None:
        data = self._ready.get(seen.path)
        if data is None:
            data = self._ready[seen.path] = _format(*_make_reply(seen, Behaviour()))
        self._transport.write(data)


async def _serve_for_ever(port: int) -> None:
    server = Server([Behaviour()])
    loop = asyncio.get_running_loop()
    listener = await loop.create_server(
        lambda: _Instant(server, set()), "127.0.0.1", port, backlog=2_048
    )
    print(f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}", flush=True)  # noqa: T201
    await listener.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    asyncio.run(_serve_for_ever(parser.parse_args().port))
