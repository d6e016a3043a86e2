"""What a provider is: a session request in, a result with its raw bytes out.

What a provider sends is kept byte for byte before anybody reads it; success is read from what it
states, never guessed. A failure is a value too: it is recorded, and the run goes on.

1. an adapter makes one call for one request and sends nothing twice: retries are the engine's
   (``trials/attempts``), and so are rates, budgets and the removal of secrets (``vault``);
2. it ends by ``Limits.deadline_s``, and keeps what came until then;
3. it may be cancelled at any await, and leaves nothing running.
"""

from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ledger.digest import Digest
from ledger.tools import ToolCall, ToolKind

DEADLINE_S = 600
"""Seconds until a call is given up, where a configuration says nothing."""


class TrialPlace(NamedTuple):
    """Which planned trial a request is for; ``repetition`` counts from 1."""

    case: str
    variant: str
    repetition: int


class GraderPlace(NamedTuple):
    """Which question of a grader a request is: its address, and the attempt, from 1."""

    request: Digest
    attempt: int


class InputFile(NamedTuple):
    """A file that a session gets a copy of: path in its working directory, address, bytes."""

    path: str
    address: Digest
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How far one call may go.

    Attributes:
        deadline_s: seconds until it is given up, more than 0.
        output_tokens_max: tokens of output that are asked for at most; ``None``: as the provider
            has it.
        cost_usd_max: what a session may cost by the provider's own reckoning, where it can be
            told to stop there.
    """

    deadline_s: float = DEADLINE_S
    output_tokens_max: int | None = None
    cost_usd_max: Decimal | None = None


UNLIMITED = Limits()
"""What holds where a configuration says nothing: a deadline alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRequest:
    """One question to a model or an assistant, immutable; each is a session of its own.

    Attributes:
        place: what it is for. No provider that asks a model sends it; the recorded ones find their
            answer by it.
        prompt: the whole text.
        system: the system text, or ``None``.
        model: the exact model asked for.
        effort: reasoning effort as the provider names it, or ``None``.
        inputs: the files that the session gets a copy of.
        tools: kinds of tool that the session may use.
        schema: JSON schema of the answer as text, or ``None`` where any text will do.
        limits: how far the call may go.
    """

    place: TrialPlace | GraderPlace
    prompt: str
    system: str | None = None
    model: str
    effort: str | None
    inputs: tuple[InputFile, ...] = ()
    tools: tuple[ToolKind, ...] = ()
    schema: str | None = None
    limits: Limits = UNLIMITED


class Tokens(NamedTuple):
    """Tokens of a call by what they are priced as; the four do not overlap.

    Attributes:
        input: read for the first time.
        cache_read: read from the provider's cache.
        cache_write: read and written to it.
        output: written, reasoning included.
    """

    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0


class Part(NamedTuple):
    """Further bytes that belong to a session, such as ``stderr`` or a persisted report.

    ``name`` is lower-case letters, digits, ``_``, ``-`` and ``.``; once in a session.
    """

    name: str
    data: bytes
    media: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What is known of a call, however it ended; all of it as the provider states it.

    Attributes:
        sent: the body of the request, byte for byte, or what a program was given; never a
            credential. ``sent_media`` is its media type.
        response: what came, byte for byte, or ``None``; ``media`` is its media type.
        parts: further bytes.
        resolved_model: the model that says it answered, where the provider tells.
        request_id: the provider's name for the call, where there is one.
        stop_reason: as the provider gave it.
        usage: name and count as sent, in the order sent; a nested name has dots.
        tokens: ``usage`` read as tokens, where it says so; the adapter knows how.
        stated_cost_usd: what the provider says that it cost; a claim.
        tool_calls: what the session did, in order; ``None`` where the provider cannot tell.
        stated_us: how long the session took by its own account, microseconds.
        notes: one line each: what a reader of the trial should know, such as an input that the
            session changed.
    """

    sent: bytes | None = None
    sent_media: str = "application/json"
    response: bytes | None = None
    media: str = "application/octet-stream"
    parts: tuple[Part, ...] = ()
    resolved_model: str | None = None
    request_id: str | None = None
    stop_reason: str | None = None
    usage: tuple[tuple[str, int], ...] = ()
    tokens: Tokens | None = None
    stated_cost_usd: Decimal | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    stated_us: int | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionResult(Session):
    """An answer came.

    Attributes:
        answer: the text, as exact as Python can hold it. Where no text came a provider that asks
            somebody fails instead (``empty_answer``).
        response: from which it was read.
    """

    answer: str
    response: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFailure(Session):
    """No answer came.

    Attributes:
        cause: stable word, for example ``rate_limited`` (docs/providers.md, "Causes").
        detail: one line for people.
        is_transient: whether the same request may be sent again.
        stops_run: whether no further call can succeed either, as where a key is refused; the run
            stops then, and its trial stays open.
        retry_after_s: how long the provider asks to wait before the next call.
    """

    cause: str
    detail: str
    is_transient: bool = False
    stops_run: bool = False
    retry_after_s: float | None = None


class Failure(NamedTuple):
    """Why there is no answer; as in ``SessionFailure``."""

    cause: str
    detail: str
    is_transient: bool = False
    stops_run: bool = False


def answer_session(session: Session, answer: str) -> SessionResult | SessionFailure:
    """Return ``session`` as one that was answered; an empty answer is none."""
    if not answer:
        failure = Failure("empty_answer", "success is stated, and the answer is empty")
        return fail_session(session, failure)
    known = list_session(session) | {"response": session.response or b""}
    return SessionResult(answer=answer, **known)


def fail_session(session: Session, failure: Failure) -> SessionFailure:
    """Return ``session`` as one that failed."""
    return SessionFailure(**failure._asdict(), **list_session(session))


def list_session(session: Session) -> dict[str, Any]:
    """Return the fields of a session, without those of its outcome."""
    return {field.name: getattr(session, field.name) for field in fields(Session)}


class Provider(Protocol):
    """Answers session requests."""

    async def respond(self, request: SessionRequest) -> SessionResult | SessionFailure:
        """Return what came of ``request``; a failure of the call is a value, not an exception."""
        ...


@runtime_checkable
class Closing(Protocol):
    """A provider that holds connections. After ``close`` it may be asked again, in another loop."""

    async def close(self) -> None:
        """Let go of every connection."""
        ...
