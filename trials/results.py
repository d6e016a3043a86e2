"""Results at the door: what a provider returned is looked at before anything rests on it.

A provider may be a stranger's code. What is no sound result is a failure, ``provider_malformed``,
and keeps its bytes; a budget, a secret and an event then meet values of the promised types alone.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

from ledger.canonical import INTEGER_MAX
from ledger.tools import ToolCall, ToolKind, ToolOutcome
from providers import Part, SessionFailure, SessionResult, Tokens

TEXT_MAX = 10_000
"""Characters of a detail, of a word that a provider gives, of all notes together."""
ITEMS_MAX = 500
"""Counts of a usage; parts."""
WAIT_S_MAX = 1_000_000_000
COST_USD_MAX = 1_000_000_000
COST_PLACES_MAX = 18

_PART_NAME = re.compile(r"[a-z0-9_.-]{1,120}")

Result = SessionResult | SessionFailure
"""What a provider returns."""


class _Unsound(NamedTuple):
    """What is wrong with a field."""

    field: str
    what: str


def check_result(result: object) -> Result:
    """Return ``result`` where it is what it promises to be, else that it is malformed."""
    if not isinstance(result, Result):
        return fail_malformed(result, f"the provider returned {type(result).__name__}")
    fault = _find_fault(result)
    return result if fault is None else fail_malformed(result, f"{fault.field}: {fault.what}")


def fail_malformed(result: object, detail: str) -> SessionFailure:
    """Return the failure of a provider that returned ``result``; its bytes are kept."""
    response = getattr(result, "response", None)
    return SessionFailure(
        cause="provider_malformed",
        detail=detail,
        response=response if isinstance(response, bytes) else None,
    )


def _find_fault(result: Result) -> _Unsound | None:
    for field, is_sound, what in _SESSION:
        if not is_sound(getattr(result, field)):
            return _Unsound(field, what)
    if isinstance(result, SessionResult):
        if not _is_text(result.answer):
            return _Unsound("answer", "is no text")
        return None if _is_bytes(result.response) else _Unsound("response", "is not bytes")
    if not _is_word(result.cause) or not _is_word(result.detail):
        return _Unsound("cause", f"cause or detail is no text of at most {TEXT_MAX:,} characters")
    if not _is_wait(result.retry_after_s):
        return _Unsound("retry_after_s", "is no number of seconds, 0 or more")
    if not _is_flag(result.is_transient) or not _is_flag(result.stops_run):
        return _Unsound("is_transient", "is_transient or stops_run is neither true nor false")
    return None


def _is_word(value: object) -> bool:
    return isinstance(value, str) and len(value) <= TEXT_MAX and _is_unicode(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_part_name(value: object) -> bool:
    return isinstance(value, str) and _PART_NAME.fullmatch(value) is not None


def _is_one_of(kind: type, value: object) -> bool:
    return isinstance(value, kind)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # A lone surrogate: an event cannot hold it.
        return False
    return True


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= INTEGER_MAX


def _is_bytes(value: object) -> bool:
    return isinstance(value, bytes)


def _is_usage(value: object) -> bool:
    return (
        type(value) is tuple
        and len(value) <= ITEMS_MAX
        and all(
            type(item) is tuple and len(item) == 2 and _is_word(item[0]) and _is_count(item[1])  # noqa: PLR2004 - a pair
            for item in value
        )
    )


def is_tokens(value: object) -> bool:
    """Return whether ``value`` is a count of each kind of token."""
    return isinstance(value, Tokens) and all(_is_count(count) for count in value)


def _is_cost(value: object) -> bool:
    if not isinstance(value, Decimal) or not value.is_finite():
        return False
    places = value.as_tuple().exponent
    return 0 <= value <= COST_USD_MAX and isinstance(places, int) and places >= -COST_PLACES_MAX


def _is_parts(value: object) -> bool:
    if type(value) is not tuple or len(value) > ITEMS_MAX:
        return False
    sound = all(
        isinstance(part, Part)
        and _is_part_name(part.name)
        and _is_bytes(part.data)
        and _is_word(part.media)
        for part in value
    )
    return sound and len({part.name for part in value}) == len(value)


def _is_calls(value: object) -> bool:
    return type(value) is tuple and all(
        isinstance(call, ToolCall)
        and _is_one_of(ToolKind, call.kind)
        and _is_one_of(ToolOutcome, call.outcome)
        and _is_text(call.name)
        and _is_text(call.input)
        for call in value
    )


def _is_notes(value: object) -> bool:
    is_texts = type(value) is tuple and all(_is_word(note) for note in value)
    return is_texts and sum(len(note) for note in value) <= TEXT_MAX  # type: ignore[attr-defined, misc]


def _is_wait(value: object) -> bool:
    if value is None:
        return True
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 <= value <= WAIT_S_MAX  # type: ignore[operator]


def _or_none(is_sound: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: value is None or is_sound(value)


_SESSION: tuple[tuple[str, Callable[[object], bool], str], ...] = (
    ("sent", _or_none(_is_bytes), "is not bytes"),
    ("sent_media", _is_word, "is no short text"),
    ("response", _or_none(_is_bytes), "is not bytes"),
    ("media", _is_word, "is no short text"),
    ("parts", _is_parts, f"is no tuple of at most {ITEMS_MAX} parts, each name once and sound"),
    ("resolved_model", _or_none(_is_word), "is no short text"),
    ("request_id", _or_none(_is_word), "is no short text"),
    ("stop_reason", _or_none(_is_word), "is no short text"),
    ("usage", _is_usage, "is no tuple of names and counts"),
    ("tokens", _or_none(is_tokens), "is no Tokens of counts"),
    ("stated_cost_usd", _or_none(_is_cost), "is no amount, 0 or more, of few digits"),
    ("tool_calls", _or_none(_is_calls), "is no tuple of tool calls"),
    ("stated_us", _or_none(_is_count), "is no count"),
    ("notes", _is_notes, f"is no tuple of lines of at most {TEXT_MAX:,} characters together"),
)
"""Fields of every session, what each has to be, and what to say where it is not."""
