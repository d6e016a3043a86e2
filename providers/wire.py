"""The wire: what crossed it in one HTTP call, kept before any SDK reads it.

The SDKs sit on httpx2; ``WireTransport`` under one of their clients writes into the ``Exchange`` of
the call that is under way: the request's body, the status, the headers of an allow list, and each
piece of the response as it comes. So a body that is cut off leaves what came, and an error leaves
as much as a success.

    with watch_wire() as exchange:
        await client.responses.create(...)
    exchange.sent, exchange.status, exchange.received
"""

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

import httpx2

from providers.provider import Limits, SessionFailure

RECEIVED_BYTES_MAX = 64 * 2**20
"""A larger response ends the call: it is no answer that anybody reads."""
REQUEST_IDS = ("x-request-id", "request-id")
"""Headers in which providers name a call."""
HEADERS_KEPT = (*REQUEST_IDS, "content-type", "retry-after", "retry-after-ms", "x-should-retry")
"""Headers of a response that are looked at; no other is kept."""

_WATCHED: ContextVar["Exchange"] = ContextVar("exchange")

_CAUSES = {
    400: "bad_request",
    401: "unauthorized",
    402: "quota_exhausted",
    403: "unauthorized",
    404: "not_found",
    408: "timed_out",
    409: "conflict",
    413: "too_large",
    422: "bad_request",
    429: "rate_limited",
    503: "overloaded",
    504: "timed_out",
    529: "overloaded",
}
_SUCCESS = 2
"""The hundreds of a status that says so."""
_TRANSIENT = frozenset({"timed_out", "conflict", "rate_limited", "overloaded", "server_error"})
_STOPPING = frozenset({"unauthorized", "quota_exhausted"})


class TooLarge(httpx2.TransportError):
    """The response exceeds RECEIVED_BYTES_MAX."""


@dataclass(slots=True)
class Exchange:
    """What crossed the wire in one call.

    Attributes:
        sent: the body of the request.
        status: of the response, ``None`` while none came.
        headers: those of the response that a reader may need; lower case. No credential is there.
        is_whole: whether the response came to its end.
    """

    sent: bytes | None = None
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    is_whole: bool = False
    _chunks: list[bytes] = field(default_factory=list)
    _size: int = 0

    @property
    def received(self) -> bytes | None:
        """The body of the response, as far as it came; ``None`` where there was no response."""
        return None if self.status is None else b"".join(self._chunks)

    @property
    def media(self) -> str:
        """Media type of the response, as its header says."""
        return self.headers.get("content-type", "application/octet-stream")[:200]

    @property
    def request_id(self) -> str | None:
        """The provider's name for the call, where there is one."""
        return next((self.headers[name] for name in REQUEST_IDS if name in self.headers), None)

    def begin(self, sent: bytes) -> None:
        """Forget an earlier call, and keep what is sent now."""
        self.sent, self.status, self.headers, self.is_whole = sent, None, {}, False
        self._chunks, self._size = [], 0

    def open(self, status: int, headers: Mapping[str, str]) -> None:
        """Keep how the response begins."""
        self.status = status
        self.headers = {name: headers[name] for name in HEADERS_KEPT if name in headers}

    def take(self, chunk: bytes) -> None:
        """Keep a piece of the response."""
        self._size += len(chunk)
        if self._size > RECEIVED_BYTES_MAX:
            raise TooLarge(f"the response has more than {RECEIVED_BYTES_MAX:,} bytes")
        self._chunks.append(chunk)


@contextmanager
def watch_wire() -> Iterator[Exchange]:
    """Let every call of this task write into the exchange that is handed out.

    Of several calls it holds the last.
    """
    exchange = Exchange()
    token = _WATCHED.set(exchange)
    try:
        yield exchange
    finally:
        _WATCHED.reset(token)


class WireTransport(httpx2.AsyncBaseTransport):
    """The transport of a client, with the exchange of each call written down."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        """Take what does the work."""
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send ``request``; see ``Exchange`` for what is kept."""
        exchange = _WATCHED.get(None)
        if exchange is None:
            return await self._inner.handle_async_request(request)
        exchange.begin(await request.aread())
        response = await self._inner.handle_async_request(request)
        exchange.open(response.status_code, response.headers)
        assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101 - an async client
        return httpx2.Response(
            status_code=response.status_code,
            headers=response.headers,
            stream=_WatchedStream(response.stream, exchange),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        """Close what does the work."""
        await self._inner.aclose()


class _WatchedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, exchange: Exchange) -> None:
        self._inner = inner
        self._exchange = exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._inner:
            self._exchange.take(chunk)
            yield chunk
        self._exchange.is_whole = True

    async def aclose(self) -> None:
        await self._inner.aclose()


def open_client(limits: Limits, *, connections: int = 1_000) -> httpx2.AsyncClient:
    """Return a client whose calls are watched.

    Nothing is compressed on the wire, so that what is kept is what a reader reads; no proxy or
    ``.netrc`` of this machine is used, so that a trial does not depend on them.

    Args:
        limits: its deadline is the adapter's to keep; the client's own is a little later.
        connections: open at a time.
    """
    pool = httpx2.Limits(max_connections=connections, max_keepalive_connections=connections)
    inner = httpx2.AsyncHTTPTransport(limits=pool, trust_env=True, retries=0)
    timeout = httpx2.Timeout(limits.deadline_s + 5, connect=min(30.0, limits.deadline_s + 5))
    return httpx2.AsyncClient(
        transport=WireTransport(inner),
        timeout=timeout,
        headers={"accept-encoding": "identity"},
        follow_redirects=False,
    )


def fail_exchange(
    exchange: Exchange, error: BaseException | None, detail: str = ""
) -> SessionFailure:
    """Return the failure that ``exchange`` came to, with all its bytes.

    Args:
        exchange: of a call that brought no answer.
        error: what was raised, if anything was; ``TimeoutError`` is the adapter's deadline.
        detail: what to say instead of what the error says.
    """
    cause = _name_cause(exchange, error)
    return SessionFailure(
        cause=cause,
        detail=(detail or _describe(exchange, error))[:400],
        is_transient=cause in _TRANSIENT or cause in {"connection_failed", "response_cut"},
        stops_run=cause in _STOPPING,
        retry_after_s=read_retry_after(exchange.headers),
        sent=exchange.sent,
        response=exchange.received,
        media=exchange.media,
        request_id=exchange.request_id,
    )


def _name_cause(exchange: Exchange, error: BaseException | None) -> str:
    status = exchange.status
    if isinstance(error, TooLarge):
        return "too_large"
    if isinstance(error, TimeoutError | httpx2.TimeoutException):
        return "timed_out"
    if status is None:
        return "connection_failed"
    has_spent = b"insufficient_quota" in (exchange.received or b"")
    if status == HTTPStatus.TOO_MANY_REQUESTS and has_spent:
        return "quota_exhausted"
    if status // 100 != _SUCCESS:
        default = "server_error" if status >= HTTPStatus(500) else "bad_request"
        return _CAUSES.get(status, default)
    return "malformed_response" if exchange.is_whole else "response_cut"


def _describe(exchange: Exchange, error: BaseException | None) -> str:
    status = "no response" if exchange.status is None else f"HTTP {exchange.status}"
    said = _read_message(exchange.received or b"") or (
        "" if error is None else f"{type(error).__name__}: {error}"
    )
    return " ".join(f"{status}: {said}".split()) if said else status


def _read_message(data: bytes) -> str:
    """Return the message of an error's body, which most APIs write in the same way."""
    try:
        document: Any = json.loads(data)
        message = document["error"]["message"]
    except (LookupError, TypeError, ValueError, RecursionError):
        return ""
    return message if isinstance(message, str) else ""


def read_retry_after(headers: dict[str, str]) -> float | None:
    """Return how many seconds the provider asks to wait, from ``retry-after`` or its like."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        text = headers.get("retry-after", "")
        if not text:
            return None
        if text.replace(".", "", 1).isdigit():
            return float(text)
        from_now = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (from_now - datetime.now(UTC)).total_seconds())
