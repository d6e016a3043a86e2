"""What a provider is: a session request in, a result with its raw bytes out.

What a provider sends is kept byte for byte before anybody reads it; success is read from what it
states, never guessed. A failure is a value too: it is recorded, and the run goes on.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ledger.digest import Digest
from ledger.tools import ToolCall, ToolKind


class TrialPlace(NamedTuple):
    """Which planned trial a request is for; ``repetition`` counts from 1."""

    case: str
    variant: str
    repetition: int


class GraderPlace(NamedTuple):
    """Which question of a grader a request is: its address, and the attempt, from 1."""

    request: Digest
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRequest:
    """One question to a model or an assistant, immutable; each is a session of its own.

    Attributes:
        place: what it is for. No provider that asks a model sends it; the recorded ones find their
            answer by it.
        prompt: the whole text.
        model: the exact model asked for.
        effort: reasoning effort as the provider names it, or ``None``.
        inputs: path in the working directory and bytes of each input file.
        tools: kinds of tool that the session may use.
        schema: JSON schema of the answer as text, or ``None`` where any text will do.
    """

    place: TrialPlace | GraderPlace
    prompt: str
    model: str
    effort: str | None
    inputs: tuple[tuple[str, bytes], ...] = ()
    tools: tuple[ToolKind, ...] = ()
    schema: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionResult:
    """An answer came.

    Attributes:
        answer: the text, as exact as Python can hold it.
        response: what was sent, byte for byte.
        media: media type of ``response``.
        resolved_model: the model that says it answered, where the provider tells.
        request_id: the provider's name for the call, where there is one.
        stop_reason: as the provider gave it.
        usage: name and count as sent, in the order sent.
        tool_calls: what the session did, in order; ``None`` where the provider cannot tell.
        stated_us: how long the session took by its own account, microseconds.
    """

    answer: str
    response: bytes
    media: str
    resolved_model: str | None = None
    request_id: str | None = None
    stop_reason: str | None = None
    usage: tuple[tuple[str, int], ...] = ()
    tool_calls: tuple[ToolCall, ...] | None = None
    stated_us: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFailure:
    """No answer came.

    Attributes:
        cause: stable word, for example ``no_answer``.
        detail: one line for people.
        response: what was sent all the same, byte for byte, or ``None``.
        media: media type of ``response``.
    """

    cause: str
    detail: str
    response: bytes | None = None
    media: str = "application/octet-stream"


class Provider(Protocol):
    """Answers session requests."""

    async def respond(self, request: SessionRequest) -> SessionResult | SessionFailure:
        """Return what came of ``request``; a failure of the call is a value, not an exception."""
        ...
