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
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from http.cookiejar import DefaultCookiePolicy
from ipaddress import ip_network
from typing import Any
from urllib.request import getproxies

import httpx2

from providers.provider import Limits, SessionFailure

RECEIVED_BYTES_MAX = 64 * 2**20
"""A larger response ends the call: it is no answer that anybody reads."""
REQUEST_IDS = ("x-request-id", "request-id")
"""Headers in which providers name a call."""
HEADERS_KEPT = (*REQUEST_IDS, "content-type", "retry-after", "retry-after-ms", "x-should-retry")
"""Headers of a response that are looked at; no other is kept."""

_NUMBER = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")

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
_UNMADE = (httpx2.LocalProtocolError, httpx2.UnsupportedProtocol, ImportError, ValueError)
"""What is raised where a request cannot be made at all: it will not be another time, either."""
_TELLING = (httpx2.HTTPError, OSError, *_UNMADE)
"""What says by itself what happened."""

_OWN = ("all://localhost", "all://127.0.0.1", "all://[::1]")
"""This machine: no proxy leads there."""


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
    def is_success(self) -> bool:
        """Whether a whole response came, with a status that says so."""
        return self.is_whole and self.status is not None and self.status // 100 == _SUCCESS

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
    """The transport of a client, with the exchange of each call written down.

    Each call has an inner transport to itself, which keeps its connection for a later one. In a
    pool of many connections every call looks at each of them: at 64 calls at a time that was a
    quarter of all the processor time of a call.
    """

    def __init__(self, open_inner: Callable[[], httpx2.AsyncBaseTransport]) -> None:
        """Take what opens a transport; as many are opened as there are calls at a time."""
        self._open_inner = open_inner
        self._idle: list[httpx2.AsyncBaseTransport] = []
        self._all: list[httpx2.AsyncBaseTransport] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send ``request``; see ``Exchange`` for what is kept."""
        exchange = _WATCHED.get(None) or Exchange()
        exchange.begin(await request.aread())
        inner = self._take()
        try:
            response = await inner.handle_async_request(request)
        except BaseException:
            self._idle.append(inner)
            raise
        exchange.open(response.status_code, response.headers)
        assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101 - an async client
        return httpx2.Response(
            status_code=response.status_code,
            headers=response.headers,
            stream=_WatchedStream(response.stream, exchange, lambda: self._idle.append(inner)),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        """Close every connection."""
        for inner in self._all:
            await inner.aclose()
        self._idle, self._all = [], []

    def _take(self) -> httpx2.AsyncBaseTransport:
        if self._idle:
            return self._idle.pop()
        self._all.append(self._open_inner())
        return self._all[-1]


class _WatchedStream(httpx2.AsyncByteStream):
    def __init__(
        self, inner: httpx2.AsyncByteStream, exchange: Exchange, release: Callable[[], None]
    ) -> None:
        self._inner = inner
        self._exchange = exchange
        self._release: Callable[[], None] | None = release

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._inner:
            self._exchange.take(chunk)
            yield chunk
        self._exchange.is_whole = True

    async def aclose(self) -> None:
        release, self._release = self._release, None
        try:
            await self._inner.aclose()
        finally:
            if release is not None:
                release()


def open_client(limits: Limits) -> httpx2.AsyncClient:
    """Return a client whose calls are watched.

    Nothing is compressed on the wire, so that what is kept is what a reader reads. The proxies of
    the environment are used, never for this machine itself; no ``.netrc`` is read, and no cookie
    is kept.

    Args:
        limits: its deadline is the adapter's to keep; the client's own is a little later.
    """
    trusted = httpx2.create_ssl_context()

    def open_transport(proxy: str | None = None) -> WireTransport:
        return WireTransport(
            lambda: httpx2.AsyncHTTPTransport(verify=trusted, retries=0, proxy=proxy)
        )

    timeout = httpx2.Timeout(limits.deadline_s + 5, connect=min(30.0, limits.deadline_s + 5))
    client = httpx2.AsyncClient(
        transport=open_transport(),
        mounts={
            pattern: None if proxy is None else open_transport(proxy)
            for pattern, proxy in list_proxies(getproxies()).items()
        },
        trust_env=False,
        timeout=timeout,
        headers={"accept-encoding": "identity"},
        follow_redirects=False,
    )
    # What one trial is handed in a cookie would go along with the next one.
    client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=()))
    return client


def list_proxies(environment: Mapping[str, str]) -> dict[str, str | None]:
    """Return the proxy for each pattern of URLs; ``None``: none.

    Args:
        environment: scheme to proxy, and under ``no`` the hosts without one
            (``urllib.request.getproxies``). A name stands for the hosts below it, too.
    """
    exempt = [host.strip() for host in environment.get("no", "").split(",") if host.strip()]
    found = {f"{s}://": environment[s] for s in ("http", "https") if environment.get(s)}
    if "*" in exempt or not found:
        return {}
    proxies = {s: url if "://" in url else f"http://{url}" for s, url in found.items()}
    return {**proxies, **dict.fromkeys([*filter(None, map(_spell_pattern, exempt)), *_OWN])}


def _spell_pattern(host: str) -> str | None:
    """Return the pattern for an exempt host; ``None`` where it is no host, address or network."""
    name, _, size = host.replace("[", "").replace("]", "").partition("/")
    try:
        ip_network(f"{name}/{size}" if size else name, strict=False)
    except ValueError:
        name = host.lstrip("*.")
        if not name[:1].isalnum():
            return None
        pattern = f"all://*{name}"
    else:
        address = f"[{name}]" if ":" in name else name
        return f"all://{address}/{size}" if size else f"all://{address}"
    try:
        httpx2.URL(pattern)
    except httpx2.InvalidURL:
        return None
    return pattern


def fail_exchange(
    exchange: Exchange, error: BaseException | None, detail: str = ""
) -> SessionFailure:
    """Return the failure that ``exchange`` came to, with all its bytes.

    Args:
        exchange: of a call that brought no answer.
        error: what was raised, if anything was, by an SDK in its own words or not;
            ``TimeoutError`` is the adapter's deadline.
        detail: what to say instead of what the error says.
    """
    origin = _find_origin(error)
    cause = _name_cause(exchange, origin)
    return SessionFailure(
        cause=cause,
        detail=format_line(detail or _describe(exchange, origin)),
        is_transient=cause in _TRANSIENT or cause in {"connection_failed", "response_cut"},
        stops_run=cause in _STOPPING,
        retry_after_s=read_retry_after(exchange.headers),
        sent=exchange.sent,
        response=exchange.received,
        media=exchange.media,
        request_id=exchange.request_id,
    )


def format_line(text: str) -> str:
    """Return ``text`` as one line that an event can hold, at most 400 characters."""
    return " ".join(text.encode("utf-8", "backslashreplace").decode().split())[:400]


def _find_origin(error: BaseException | None) -> BaseException | None:
    """Return what an SDK's error was raised from, where that says more."""
    found = error
    while found is not None and not isinstance(found, _TELLING):
        found = found.__cause__
    return error if found is None else found


def _name_cause(exchange: Exchange, error: BaseException | None) -> str:
    status = exchange.status
    if isinstance(error, TooLarge):
        return "too_large"
    if isinstance(error, TimeoutError | httpx2.TimeoutException):
        return "timed_out"
    if status is None:
        is_unmade = isinstance(error, _UNMADE) or (error is not None and exchange.sent is None)
        return "bad_request" if is_unmade else "connection_failed"
    has_spent = b"insufficient_quota" in (exchange.received or b"")
    if status == HTTPStatus.TOO_MANY_REQUESTS and has_spent:
        return "quota_exhausted"
    if status // 100 != _SUCCESS:
        default = "server_error" if status >= HTTPStatus(500) else "bad_request"
        return _CAUSES.get(status, default)
    return "malformed_response" if exchange.is_whole else "response_cut"


def _describe(exchange: Exchange, error: BaseException | None) -> str:
    status = "no response" if exchange.status is None else f"HTTP {exchange.status}"
    if exchange.status is not None and not exchange.is_whole:
        size = len(exchange.received or b"")
        return f"{status}: the response ended after {size:,} bytes"
    said = _read_message(exchange.received or b"") or (
        "" if error is None else f"{type(error).__name__}: {error}".rstrip(": ")
    )
    return f"{status}: {said}" if said else status


def _read_message(data: bytes) -> str:
    """Return the message of an error's body, which most APIs write in the same way."""
    try:
        document: Any = json.loads(data)
        message = document["error"]["message"]
    except (LookupError, TypeError, ValueError, RecursionError):
        return ""
    return message if isinstance(message, str) else ""


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Return how many seconds the provider asks to wait, from ``retry-after`` or its like.

    Args:
        headers: in lower case; what is neither a number nor a date asks for nothing.
    """
    milliseconds = headers.get("retry-after-ms", "")
    if _NUMBER.fullmatch(milliseconds):
        return float(milliseconds) / 1000
    text = headers.get("retry-after", "")
    if _NUMBER.fullmatch(text):
        return float(text)
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (until.astimezone(UTC) - datetime.now(UTC)).total_seconds())
