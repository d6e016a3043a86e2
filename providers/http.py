r"""An application's endpoint as a provider: it is asked at its own boundary, as its users ask it.

1. one request is sent for one trial: the JSON body of a template (``template``), with
   ``multipart`` the input files beside it. The answer is what the pointer ``answer`` leads to in
   the response, or with ``answer_is`` ``"text"`` all of it;
2. success is a status of 2xx. A redirect is not followed, no cookie is kept;
3. ``further`` requests are made after it, for what the application keeps: each becomes a part under
   its ``name``. Values of the first response may stand in its path and query as ``{{/pointer}}``,
   never in its host;
4. a further request with ``until`` is made again until the pointer leads to what ``equals`` says,
   or to anything but null; 404 says "not yet". Only such polls are made more than once, and they
   read only;
5. all requests together end by the deadline;
6. ``headers`` may hold ``${NAME}``, a variable of the environment: headers are never recorded. They
   go to the host of ``url``; a further request to another one has its own or none.

    provider: http
    settings:
      url: http://127.0.0.1:8321/answers
      body: {"question": "{{prompt}}"}
      headers: {"Authorization": "Bearer ${APP_TOKEN}"}
      answer: /answer
      further: [{"name": "report", "url": "http://127.0.0.1:8321/reports/{{/id}}"}]
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import httpx2
from jsonpointer import JsonPointer

from ledger.artifact import JSON, encode_text
from ledger.canonical import JsonValue
from providers.endpoint import Endpoint, Further, fill_url, list_part_names, read_endpoint
from providers.pointers import find_value, parse_document, read_counts, read_word, spell_value
from providers.provider import (
    Limits,
    Part,
    Session,
    SessionFailure,
    SessionRequest,
    SessionResult,
    list_session,
)
from providers.setup import Setup
from providers.template import Unsendable
from providers.wire import Exchange, fail_exchange, open_client, watch_wire

EXCERPT_LENGTH = 200
"""Characters of an error's body that a failure tells."""
NOT_FOUND = 404


class _Order(NamedTuple):
    """A request to be sent."""

    method: str
    url: httpx2.URL | str
    headers: Mapping[str, str]
    content: bytes | None = None


class _Call(NamedTuple):
    """What came of a request: its exchange, the body as it is read, and why it is no success."""

    exchange: Exchange
    body: bytes
    failure: SessionFailure | None


class _Clock(NamedTuple):
    """When all requests of one trial have to be over, by the loop's time."""

    end: float
    deadline_s: float


class _Fetched(NamedTuple):
    parts: tuple[Part, ...]
    failure: SessionFailure | None


@dataclass(slots=True, kw_only=True)
class Application:
    """An application that is asked over HTTP (``providers.Provider``)."""

    endpoint: Endpoint
    limits: Limits
    _client: httpx2.AsyncClient | None = field(default=None, init=False)
    _loop: asyncio.AbstractEventLoop | None = field(default=None, init=False)

    async def respond(self, request: SessionRequest) -> SessionResult | SessionFailure:
        """Send the request and the further ones, and return what came of them."""
        endpoint = self.endpoint
        if request.system is not None and "system" not in endpoint.body.names:
            detail = "the variant has a system text, and settings.body has no {{system}} for it"
            return SessionFailure(cause="bad_request", detail=detail)
        try:
            sent, media = endpoint.body.format(request)
        except Unsendable as error:
            return SessionFailure(cause="inputs_refused", detail=str(error))
        clock = _Clock(
            asyncio.get_running_loop().time() + request.limits.deadline_s, request.limits.deadline_s
        )
        headers = {"content-type": media, **endpoint.headers}
        call = await self._send(_Order(endpoint.method, endpoint.url, headers, sent), clock)
        if call.failure is not None:
            return replace(call.failure, sent=sent, sent_media=media)
        session = Session(
            sent=sent,
            sent_media=media,
            response=call.exchange.received,
            media=call.exchange.media,
            request_id=call.exchange.request_id,
        )
        return await self._conclude(session, call, clock)

    async def close(self) -> None:
        """Let go of every connection."""
        client, self._client, self._loop = self._client, None, None
        if client is not None:
            await client.aclose()

    async def _conclude(
        self, session: Session, call: _Call, clock: _Clock
    ) -> SessionResult | SessionFailure:
        """Return the answer in the first response, with the parts that the further ones are."""
        try:
            document, answer = self._read(call)
        except ValueError as error:
            return _fail(session, "malformed_response", str(error))
        session = self._tell(session, document)
        if not answer:
            status = call.exchange.status
            return _fail(session, "empty_answer", f"HTTP {status}, and the answer is empty")
        failure = None
        for further in self.endpoint.further:
            parts, failure = await self._fetch(further, document, clock)
            session = replace(session, parts=session.parts + parts)
            if failure is not None:
                is_late = failure.cause == "timed_out"
                return _fail(
                    session,
                    "timed_out" if is_late else "further_failed",
                    f"further {further.name}: {failure.detail}",
                    is_transient=failure.is_transient,
                    stops_run=failure.stops_run,
                    retry_after_s=failure.retry_after_s,
                )
        return SessionResult(answer=answer, **list_session(session))

    def _read(self, call: _Call) -> tuple[JsonValue, str]:
        """Return the document of the first response, and its answer.

        Raises:
            ValueError: it cannot be read.
        """
        pointer = self.endpoint.answer
        if pointer is None:
            return None, _decode(call)
        document = parse_document(call.body)
        try:
            return document, spell_value(find_value(document, pointer))
        except ValueError as error:
            raise ValueError(f"answer: {error}") from error

    def _tell(self, session: Session, document: JsonValue) -> Session:
        """Return ``session`` with what the application states of it; what is missing is not."""
        told: dict[str, Any] = {}
        notes: list[str] = []
        for name, pointer in self.endpoint.stated.items():
            value = _find_optional(document, pointer)
            read: Any = read_counts(value) if name == "usage" else read_word(value)
            if read:
                told[name] = read
            elif value is not None:
                notes.append(f"{name}: what is at {pointer.path} cannot be used")
        return replace(session, notes=tuple(notes), **told) if told or notes else session

    async def _fetch(self, further: Further, document: JsonValue, clock: _Clock) -> _Fetched:
        """Make one further request, or its polls, and return the last response as parts."""
        try:
            url = fill_url(further.url, document)
        except ValueError as error:
            return _Fetched((), SessionFailure(cause="malformed_response", detail=str(error)))
        loop = asyncio.get_running_loop()
        while True:
            call = await self._send(_Order(further.method, url, further.headers), clock)
            fetched = _read_further(further, call)
            if further.until is None or not _is_open(further, call):
                return fetched
            if loop.time() + further.until.every_s >= clock.end:
                failure = fail_exchange(call.exchange, TimeoutError(), _describe_wait(clock))
                return fetched._replace(failure=failure)
            await asyncio.sleep(further.until.every_s)

    async def _send(self, order: _Order, clock: _Clock) -> _Call:
        client = self._open()
        request = client.build_request(
            order.method, order.url, headers=order.headers, content=order.content
        )
        with watch_wire() as exchange:
            try:
                async with asyncio.timeout_at(clock.end):
                    response = await client.send(request)
            except TimeoutError as error:
                return _Call(exchange, b"", fail_exchange(exchange, error, _describe_wait(clock)))
            except httpx2.HTTPError as error:
                return _Call(exchange, b"", fail_exchange(exchange, error))
        if response.is_success:
            return _Call(exchange, response.content, None)
        return _Call(exchange, response.content, _fail_status(exchange, response.content))

    def _open(self) -> httpx2.AsyncClient:
        """Return the client of the running loop."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = open_client(self.limits), loop
        return self._client


def make_http(setup: Setup) -> Application:
    """Return the provider for the endpoint that ``setup.settings`` describe.

    Raises:
        FaultyInput: a setting is not as above, or a variable that a header names is not set.
    """
    setup.refuse_tools("http")
    return Application(endpoint=read_endpoint(setup), limits=setup.limits)


def _is_open(further: Further, call: _Call) -> bool:
    """Return whether what is waited for may still come."""
    if call.failure is not None:
        return call.exchange.status == NOT_FOUND
    try:
        document = parse_document(call.body)
    except ValueError:
        return False
    return further.until is not None and not further.until.is_met(document)


def _read_further(further: Further, call: _Call) -> _Fetched:
    """Return the parts that a response is, and what is wrong with it."""
    exchange, pointer = call.exchange, further.pointer
    received = exchange.received
    raw_name = further.name if pointer is None else list_part_names(further.name)[1]
    raw = () if received is None else (Part(raw_name, received, exchange.media),)
    if call.failure is not None:
        return _Fetched(raw, call.failure)
    try:
        if pointer is None:
            if further.until is not None:
                parse_document(call.body)
            return _Fetched(raw, None)
        value = find_value(parse_document(call.body), pointer)
        data, media = encode_text(spell_value(value))
    except ValueError as error:
        return _Fetched(raw, SessionFailure(cause="malformed_response", detail=str(error)))
    part = Part(further.name, data, media if isinstance(value, str) else JSON)
    return _Fetched((part, *raw), None)


def _decode(call: _Call) -> str:
    """Return the text of a response, by the charset that it states; bytes that are none survive."""
    charset = httpx2.Headers({"content-type": call.exchange.media})
    name = httpx2.Response(200, headers=charset).charset_encoding or "utf-8"
    try:
        return call.body.decode(name, "surrogateescape")
    except (LookupError, ValueError) as error:
        raise ValueError(f"no text in the charset {name!a:.40}") from error


def _find_optional(document: JsonValue, pointer: JsonPointer) -> JsonValue:
    try:
        return find_value(document, pointer)
    except ValueError:
        return None


def _fail_status(exchange: Exchange, body: bytes) -> SessionFailure:
    failure = fail_exchange(exchange, None)
    status = f"HTTP {exchange.status}"
    if failure.detail != status:
        return failure
    if httpx2.codes.is_redirect(exchange.status or 0):
        return replace(failure, detail=f"{status}: a redirect, which is not followed")
    text = body[: 4 * EXCERPT_LENGTH].decode("utf-8", "replace")
    plain = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return replace(failure, detail=f"{status}: {plain[:EXCERPT_LENGTH]}" if plain else status)


def _describe_wait(clock: _Clock) -> str:
    return f"no end after {clock.deadline_s:g} s"


def _fail(session: Session, cause: str, detail: str, **how: Any) -> SessionFailure:
    return SessionFailure(cause=cause, detail=detail[:400], **how, **list_session(session))
