"""A transcript: what the record of a session says, whichever program wrote it."""

from dataclasses import dataclass, replace
from decimal import Decimal

from ledger.tools import ToolCall
from providers.provider import (
    Failure,
    Session,
    SessionFailure,
    SessionResult,
    Tokens,
    answer_session,
    fail_session,
)
from providers.transcripts.lines import format_line

NOTES_MAX = 20
"""Notes of a transcript; with NOTE_LENGTH_MAX far below what an event holds."""
NOTE_LENGTH_MAX = 300
DETAIL_LENGTH_MAX = 400
USAGE_MAX = 100
"""Counts of a transcript, likewise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """What a session's record says; as in ``Session`` where the name is the same.

    Attributes:
        answer: the text, exactly where there is no ``failure``.
        session_id: as the program named it.
        offered_tools: names of the tools that the session had, where the record tells.
        usage: counts as sent, nested names with dots.
        stated_cost_usd: a claim of the program.
    """

    answer: str | None = None
    failure: Failure | None = None
    resolved_model: str | None = None
    request_id: str | None = None
    session_id: str | None = None
    stop_reason: str | None = None
    offered_tools: tuple[str, ...] | None = None
    usage: tuple[tuple[str, int], ...] = ()
    tokens: Tokens | None = None
    stated_cost_usd: Decimal | None = None
    stated_us: int | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.answer is None) == (self.failure is None):
            raise ValueError("a transcript has an answer or a failure")


def conclude(
    session: Session, transcript: Transcript, failure: Failure | None = None
) -> SessionResult | SessionFailure:
    """Return ``session`` with all that its record says of it.

    Args:
        session: its ``response`` is the record.
        transcript: what was read there.
        failure: why there is no answer, whatever the record says.
    """
    told = replace(
        session,
        resolved_model=transcript.resolved_model,
        request_id=transcript.request_id or transcript.session_id,
        stop_reason=transcript.stop_reason,
        usage=transcript.usage,
        tokens=transcript.tokens,
        stated_cost_usd=transcript.stated_cost_usd,
        stated_us=transcript.stated_us,
        tool_calls=transcript.tool_calls,
        notes=transcript.notes + session.notes,
    )
    failure = failure or transcript.failure
    if failure is not None:
        return fail_session(told, failure)
    return answer_session(told, transcript.answer or "")


def fail(
    cause: str, detail: str, *, is_transient: bool = False, stops_run: bool = False
) -> Failure:
    """Return a failure whose detail is one line that an event can hold."""
    return Failure(cause, format_line(detail, DETAIL_LENGTH_MAX), is_transient, stops_run)


def cut_usage(usage: dict[str, int]) -> tuple[tuple[str, int], ...]:
    """Return the counts of ``usage`` in their order, as many as an event can hold."""
    return tuple(usage.items())[:USAGE_MAX]


def cut_notes(notes: list[str]) -> tuple[str, ...]:
    """Return ``notes`` as an event can hold them: each once, short, and not too many."""
    lines = list(dict.fromkeys(format_line(note, NOTE_LENGTH_MAX) for note in notes))
    if len(lines) > NOTES_MAX:
        lines[NOTES_MAX - 1 :] = [f"and {len(lines) - NOTES_MAX + 1:,} more notes"]
    return tuple(lines)
