"""``codex exec --json``: one event a line.

1. the answer is the last ``agent_message`` of a turn that completed;
2. an item is known by its id: started and completed are one call, and one that only started is
   unfinished. A command that Codex's own sandbox refused is in no event (0.171.0), so the calls
   are those that the stream tells of;
3. an error is a note where the turn completed; else the last one says why there is no answer;
4. no model is named. ``input_tokens`` counts what was read from the cache and written to it.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from ledger.tools import ToolCall, ToolKind, ToolOutcome
from providers.provider import Failure, Tokens
from providers.transcripts.lines import (
    flatten_counts,
    get_object,
    get_text,
    get_word,
    note_unknown,
    read_lines,
)
from providers.transcripts.transcript import (
    Transcript,
    cut_notes,
    cut_usage,
    fail,
)

_STATUS = re.compile(r"\bstatus(?: code)?:? (\d{3})\b")
_CAUSES = (
    ("quota_exhausted", r"usage limit|insufficient_quota|exceeded your current quota|billing"),
    (
        "unauthorized",
        r"\b401\b|unauthorized|missing environment variable|codex login|api.key|authentication",
    ),
    ("rate_limited", r"\b429\b|rate.?limit|too many requests"),
    ("too_large", r"context window|context_length_exceeded"),
    ("overloaded", r"high demand|overloaded|at capacity"),
    (
        "connection_failed",
        r"reconnecting|network|connection|stream disconnected|error sending request|timed out",
    ),
    ("bad_request", r"invalid_request_error|bad request"),
    ("server_error", r"internal server error|server_error"),
)
"""By what an error says, the first that fits; a status says it better."""
_STATUSES = {
    400: "bad_request",
    401: "unauthorized",
    402: "quota_exhausted",
    403: "unauthorized",
    404: "not_found",
    413: "too_large",
    429: "rate_limited",
    503: "overloaded",
    529: "overloaded",
}
_TRANSIENT = frozenset({"rate_limited", "overloaded", "connection_failed", "server_error"})
_STOPPING = frozenset({"unauthorized", "quota_exhausted"})
_SERVER_ERROR = 500

_PASSED_OVER = frozenset({"reasoning", "todo_list", "agent_message", "error"})
"""Types of items that are no calls."""


@dataclass(slots=True)
class _Exec:
    """What was read so far."""

    items: dict[str, tuple[dict[str, Any], bool]] = field(default_factory=dict)
    thread: str | None = None
    answer: str = ""
    errors: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    usage: dict[str, int] = field(default_factory=dict)
    end: str = ""
    failure: str = ""
    unknown: list[str] = field(default_factory=list)


def read_codex_exec(data: bytes) -> Transcript:
    """Return what a stream says. Pure; nothing in ``data`` is an error to the reader."""
    lines, notes = read_lines(data)
    told = _Exec()
    for number, document in lines:
        _take(told, document, number)
    failure = _find_failure(told)
    calls = []
    unknown = []
    for item, is_complete in told.items.values():
        kind = get_text(item, "type")
        if kind not in _PASSED_OVER:
            found = _read_calls(item, is_complete=is_complete)
            calls += found
            unknown += [] if found else [kind]
    tokens, token_notes = _read_tokens(told.usage)
    notes += [
        *note_unknown("events", told.unknown),
        *note_unknown("items", unknown),
        *(f"Codex says: {text}" for text in told.said if not failure or text not in failure.detail),
        *token_notes,
    ]
    return Transcript(
        answer=None if failure else told.answer,
        failure=failure,
        session_id=told.thread,
        usage=cut_usage(told.usage),
        tokens=tokens,
        tool_calls=tuple(calls),
        notes=cut_notes(notes),
    )


def _take(told: _Exec, document: dict[str, Any], number: int) -> None:
    kind = get_text(document, "type")
    if kind == "thread.started":
        told.thread = get_word(document, "thread_id")
    elif kind == "turn.started":
        told.answer, told.end, told.failure = "", "", ""
    elif kind in {"turn.completed", "turn.failed"}:
        told.end = kind
        told.usage = flatten_counts(get_object(document, "usage")) or told.usage
        told.failure = get_text(get_object(document, "error"), "message")
    elif kind == "error":
        told.errors.append(get_text(document, "message"))
        told.said.append(told.errors[-1])
    elif kind in {"item.started", "item.updated", "item.completed"}:
        item, is_complete = get_object(document, "item"), kind == "item.completed"
        told.items[get_text(item, "id") or f"line {number}"] = (item, is_complete)
        if is_complete and item.get("type") == "agent_message":
            told.answer = get_text(item, "text")
        elif is_complete and item.get("type") == "error":
            told.said.append(get_text(item, "message"))
    else:
        told.unknown.append(kind)


def _find_failure(told: _Exec) -> Failure | None:
    if told.end == "turn.completed":
        if told.answer.strip():
            return None
        return fail("empty_answer", "the turn completed without a message")
    if told.end == "turn.failed":
        return _name_failure(told.failure or (told.errors or ["the turn failed"])[-1])
    if told.errors:
        named = _name_failure(told.errors[-1])
        if named.cause != "provider_error":
            return named
    detail = "the stream ends in the middle of a turn"
    last = (told.errors or [""])[-1]
    return fail("unfinished", f"{detail}; it last said: {last}" if last else detail)


def _name_failure(detail: str) -> Failure:
    status = _STATUS.search(detail)
    cause = None
    if status:
        number = int(status[1])
        default = "server_error" if number >= _SERVER_ERROR else None
        cause = _STATUSES.get(number, default)
    if cause in {None, "rate_limited"}:
        fitting = (name for name, words in _CAUSES if re.search(words, detail, re.IGNORECASE))
        cause = next(fitting, cause or "provider_error")
    return fail(
        cause or "provider_error",
        detail,
        is_transient=cause in _TRANSIENT,
        stops_run=cause in _STOPPING,
    )


def _read_calls(item: dict[str, Any], *, is_complete: bool) -> list[ToolCall]:
    """Return the calls that an item is: of a change, one for each file; none if it is no call."""
    kind = get_text(item, "type")
    status = get_text(item, "status")
    has_failed = status in {"failed", "declined"} or item.get("error") is not None
    if kind == "command_execution":
        has_failed = status != "completed" or item.get("exit_code") != 0
        named = [(ToolKind.SHELL, kind, get_text(item, "command"))]
    elif kind == "file_change":
        changes = item.get("changes")
        named = [
            (ToolKind.EDIT, kind, get_text(change, "path"))
            for change in (changes if isinstance(changes, list) else [])
            if isinstance(change, dict)
        ]
    elif kind == "web_search":
        named = [(ToolKind.WEB, kind, get_text(item, "query"))]
    elif kind.endswith("tool_call"):
        parts = [get_text(item, "server"), get_text(item, "tool")]
        given = item.get("arguments", item.get("prompt"))
        text = given if isinstance(given, str) else json.dumps(given)
        named = [(ToolKind.OTHER, ".".join(filter(None, parts)) or kind, text)]
    else:
        return []
    ended = ToolOutcome.FAILED if has_failed else ToolOutcome.SUCCEEDED
    outcome = ended if is_complete else ToolOutcome.UNFINISHED
    return [
        ToolCall(kind=tool, name=name, input=text, outcome=outcome) for tool, name, text in named
    ]


def _read_tokens(usage: dict[str, int]) -> tuple[Tokens | None, list[str]]:
    if "input_tokens" not in usage:
        return None, []
    read = usage.get("cached_input_tokens", 0)
    written = usage.get("cache_write_input_tokens", 0)
    rest = usage["input_tokens"] - read - written
    notes = [] if rest >= 0 else ["usage states more tokens of the cache than of input"]
    return (
        Tokens(
            input=max(rest, 0),
            cache_read=read,
            cache_write=written,
            output=usage.get("output_tokens", 0),
        ),
        notes,
    )
