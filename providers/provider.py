"""What a provider is: a session request in, a result with its raw bytes out.

What a provider sends is kept byte for byte before anybody reads it; success is read from what it
states, never guessed. A failure is a value too: it is recorded, and the run goes on.
"""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRequest:
    """One question to what is under test, immutable.

    Attributes:
        prompt: the whole text.
        inputs: path in the working directory and bytes of each input file.
        model: the exact model asked for.
        effort: reasoning effort as the provider names it, or ``None``.
        case: which planned trial it is for: ``variant`` and ``repetition`` (from 1) likewise. No
            provider that asks a model sends them; the recorded ones find their answer by them.
    """

    prompt: str
    inputs: tuple[tuple[str, bytes], ...]
    model: str
    effort: str | None
    case: str
    variant: str
    repetition: int


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
    """

    answer: str
    response: bytes
    media: str
    resolved_model: str | None = None
    request_id: str | None = None
    stop_reason: str | None = None
    usage: tuple[tuple[str, int], ...] = ()


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
