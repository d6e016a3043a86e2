"""What the adapters on a vendor's SDK have in common: the client, one watched call, what it says.

1. a client belongs to an event loop: it is made when it is first needed there, and closed with it;
2. one call is made for one request, with the SDK's own retries off (docs/decisions/0008);
3. what the environment says to an SDK, beyond the key that the configuration names, is not heard:
   what is in no configuration would be in no record;
4. the answer is read from the bytes that crossed the wire (``wire``), not from the SDK's objects;
5. input files that are UTF-8 text are sent before the prompt, each as ``File NAME:``, an empty line
   and the text. Another file cannot be sent.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import urlsplit

import httpx2

from providers.bounds import bound_call
from providers.pointers import read_counts
from providers.provider import (
    Failure,
    Limits,
    Session,
    SessionFailure,
    SessionRequest,
    SessionResult,
    Tokens,
    answer_session,
    fail_session,
)
from providers.setup import Setup
from providers.template import fill_numbers
from providers.wire import Exchange, fail_exchange, format_line, open_client, watch_wire

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
PLACEHOLDER = "placeholder"
"""The key for a server on this machine, which wants none."""
REFUSAL = "refusal"
"""Stop reason of an answer that refuses."""
OWN_FIELDS = frozenset(
    {"model", "input", "messages", "instructions", "system", "stream", "background", "n", "store"}
    | {"max_tokens", "max_output_tokens", "max_completion_tokens", "reasoning_effort"}
    | {"text", "response_format", "output_config", "thinking", "conversation", "prompt"}
    | {"previous_response_id", "tools", "tool_choice", "functions", "best_of"}
)
"""Fields of a request that the record, a price or a budget rests on."""


class SdkClient(Protocol):
    """What is needed of a vendor's client."""

    async def close(self) -> None:
        """Close its connections."""
        ...


Client = TypeVar("Client", bound=SdkClient)


@dataclass(slots=True)
class Connection(Generic[Client]):
    """The client of the loop that is running.

    Attributes:
        make: makes it, on an HTTP client whose calls are watched.
        limits: of each call.
    """

    make: Callable[[httpx2.AsyncClient], Client]
    limits: Limits
    _client: Client | None = None
    _loop: asyncio.AbstractEventLoop | None = None

    def open(self) -> Client:
        """Return the client."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = self.make(open_client(self.limits)), loop
        return self._client

    async def close(self) -> None:
        """Close the client, if there is one."""
        client, self._client, self._loop = self._client, None, None
        if client is not None:
            await client.close()


class Unsendable(Exception):
    """A request that the API cannot be asked; the message is one line."""


Read = Callable[[Session, dict[str, Any]], SessionResult | SessionFailure]
"""From a session, with its bytes and what it used, and the response's document to its outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelApi(Generic[Client]):
    """An API of one call for one request (``providers.Provider``).

    Attributes:
        find: the SDK's method for the call, in its form that leaves the response unread.
        compose: the arguments of that method; raises ``Unsendable``.
        count: reads usage as tokens; ``None`` where it does not say.
        read: reads the document of a response of success.
        output_tokens_max: asked for where a request states no limit; ``None``: no bound.
    """

    connection: Connection[Client]
    find: Callable[[Client], Callable[..., Awaitable[object]]]
    compose: Callable[[SessionRequest], dict[str, Any]]
    count: Callable[[Mapping[str, int]], Tokens | None]
    read: Read
    output_tokens_max: int | None = None

    async def respond(self, request: SessionRequest) -> SessionResult | SessionFailure:
        """Make one call, and return what came of it."""
        try:
            asked = self.compose(request)
        except Unsendable as fault:
            return SessionFailure(cause="inputs_refused", detail=str(fault))
        call = self.find(self.connection.open())
        error: Exception | None = None
        with watch_wire() as exchange:
            try:
                async with asyncio.timeout(request.limits.deadline_s):
                    await call(**asked)
            except Exception as fault:  # noqa: BLE001 - each SDK has its own; the wire says it all
                error = fault
        if not exchange.is_success:
            is_late = isinstance(error, TimeoutError)
            detail = f"no end after {request.limits.deadline_s:g} s" if is_late else ""
            return _respect_hint(fail_exchange(exchange, error, detail), exchange)
        session = Session(
            sent=exchange.sent,
            response=exchange.received,
            media=exchange.media,
            request_id=exchange.request_id,
        )
        result = self._read(session)
        return note_answer(result, request) if isinstance(result, SessionResult) else result

    def bound_tokens(self, request: SessionRequest) -> Tokens | None:
        """Return what one call can take at most."""
        return bound_call(request, request.limits.output_tokens_max or self.output_tokens_max)

    async def close(self) -> None:
        """Let go of the connections."""
        await self.connection.close()

    def _read(self, session: Session) -> SessionResult | SessionFailure:
        """Return what the bytes of a response of success say; what they cost holds in any case."""
        try:
            document = json.loads(session.response or b"")
            if not isinstance(document, dict):
                raise ValueError("not a JSON object")  # noqa: TRY004, TRY301 - one kind of fault
            usage = read_counts(document.get("usage"))
            session = replace(
                session,
                resolved_model=read_text(document.get("model")),
                usage=usage,
                tokens=self.count(dict(usage)),
            )
            return self.read(session, document)
        except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
            what = f"success is stated, and the body is not what the API sends: {error!r}"
            return fail_session(session, Failure("malformed_response", format_line(what)))


def _respect_hint(failure: SessionFailure, exchange: Exchange) -> SessionFailure:
    """Return ``failure``, not to be sent again where the provider says so."""
    if exchange.headers.get("x-should-retry") == "false" and failure.is_transient:
        return replace(failure, is_transient=False)
    return failure


def note_answer(result: SessionResult, request: SessionRequest) -> SessionResult:
    """Return ``result`` with notes on what the provider states and what a reader should know."""
    notes = []
    limit, tokens = request.limits.output_tokens_max, result.tokens
    if limit is not None and tokens is not None and tokens.output >= limit:
        notes.append(
            f"the answer used all {limit:,} tokens that were asked for, and the provider states "
            "that it is whole"
        )
    if request.schema is not None and result.stop_reason != REFUSAL and not _is_json(result.answer):
        notes.append("a schema was asked for, and the answer is not JSON")
    return replace(result, notes=(*result.notes, *notes)) if notes else result


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def conclude(
    session: Session, answer: str, failure: Failure | None
) -> SessionResult | SessionFailure:
    """Return ``session`` as answered, or as failed where there is a failure."""
    return answer_session(session, answer) if failure is None else fail_session(session, failure)


def split_tokens(usage: Mapping[str, int], *, names: tuple[str, str, str, str]) -> Tokens | None:
    """Return the tokens of a usage whose count of input has the cached ones in it.

    Args:
        usage: name and count.
        names: of all input, of what of it came from the cache, of what went there, of output.
    """
    whole, read, written, output = (usage.get(name) for name in names)
    if whole is None or output is None:
        return None
    cached, new = read or 0, written or 0
    return Tokens(max(0, whole - cached - new), cached, new, output)


def read_text(value: object) -> str | None:
    """Return ``value`` where it is a text that an event can hold."""
    if not isinstance(value, str):
        return None
    return value[:200].encode("utf-8", "replace").decode()


def list_texts(request: SessionRequest) -> list[str]:
    """Return the texts that are sent: each input file, then the prompt.

    Raises:
        Unsendable: a file is no UTF-8 text.
    """
    texts = []
    for file in request.inputs:
        try:
            texts.append(f"File {file.path}:\n\n{file.data.decode()}")
        except UnicodeDecodeError as error:
            raise Unsendable(f"{file.path} is not UTF-8 text, and nothing else is sent") from error
    return [*texts, request.prompt]


def read_key(setup: Setup, variable: str, base_url: str) -> str:
    """Return the key: from the variable that ``api_key_env`` names, or by default ``variable``.

    A server on this machine gets none unless it is named.

    Raises:
        FaultyInput: the variable is not set, or holds what no header can carry.
    """
    is_named = "api_key_env" in setup.settings
    if not is_named and urlsplit(base_url).hostname in LOOPBACK:
        return PLACEHOLDER
    name = setup.read_text("api_key_env", variable)
    key = setup.vault.read(name, f"{setup.name}: settings.api_key_env") or PLACEHOLDER
    if not key.isascii() or not key.isprintable() or key != key.strip():
        what = f"{name} has a blank, a line end or a sign that no key has; set it to the key alone"
        raise setup.fault("settings.api_key_env", what)
    return key


def read_extra_body(setup: Setup) -> dict[str, Any] | None:
    """Return the setting ``extra_body``, an object that goes into the request as it is.

    ``{{number:0.7}}`` in it is a number: a configuration keeps one with a fraction as its text.

    Raises:
        FaultyInput: it is something else, or says what this program says itself.
    """
    extra = read_object(setup, "extra_body")
    for field in sorted(extra or {}):
        if field in OWN_FIELDS:
            where = f"settings.extra_body.{field}"
            raise setup.fault(where, "is what this program says itself; leave it out")
    return None if extra is None else fill_numbers(extra)


def read_object(setup: Setup, name: str) -> dict[str, Any] | None:
    """Return the setting ``name``, an object, or ``None`` where it is missing.

    Raises:
        FaultyInput: it is something else.
    """
    value = setup.settings.get(name)
    if value is not None and not isinstance(value, dict):
        raise setup.fault(f"settings.{name}", "is not an object; write one in { and }")
    return value
