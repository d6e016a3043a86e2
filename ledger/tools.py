"""Tool calls: what a session did, read from its record by the provider that knows the format.

The input is what the tool was given to do and nothing that the model said about it: for a shell the
text of the command, for a file tool the path. A call whose result never came is unfinished; only
what the session's own record states as a success is one.

The bytes are one JSON list, ASCII, with sorted keys and no white space: one list of calls has one
address. They are not RFC 8785: an input is a stranger's text and may hold a lone surrogate.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ledger.errors import Damage


class ToolKind(StrEnum):
    """What a tool does, whatever its provider calls it."""

    SHELL = "shell"
    READ = "read"
    WRITE = "write"
    EDIT = "edit"
    SEARCH = "search"
    WEB = "web"
    OTHER = "other"


class ToolOutcome(StrEnum):
    """How a call ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    UNFINISHED = "unfinished"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call of a tool in a session.

    Attributes:
        kind: what the tool does.
        name: what its provider calls it, for example ``Bash``.
        input: the command, the path or the query alone; never the model's narration of it.
        outcome: as the session's record states it.
    """

    kind: ToolKind
    name: str
    input: str
    outcome: ToolOutcome


def format_tool_calls(calls: Sequence[ToolCall]) -> bytes:
    """Return the bytes of ``calls``, in their order."""
    listing = [
        {"input": call.input, "kind": call.kind, "name": call.name, "outcome": call.outcome}
        for call in calls
    ]
    return json.dumps(listing, separators=(",", ":"), sort_keys=True).encode()


def parse_tool_calls(data: bytes) -> tuple[ToolCall, ...]:
    """Return the calls whose bytes are ``data``; the inverse of ``format_tool_calls``.

    Raises:
        Damage: ``data`` is no list of calls.
    """
    try:
        calls = tuple(
            ToolCall(
                kind=ToolKind(item["kind"]),
                name=item["name"],
                input=item["input"],
                outcome=ToolOutcome(item["outcome"]),
            )
            for item in json.loads(data)
        )
    except (KeyError, TypeError, ValueError) as error:
        raise Damage(f"not a list of tool calls: {error}") from error
    if format_tool_calls(calls) != data:
        raise Damage("a list of tool calls, but not in its one spelling")
    return calls
