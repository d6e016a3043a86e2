"""The messages of Claude Code, which its stream and its session logs have in common.

1. a message is written in several lines, each with its id: its blocks are counted once, and its
   usage is that of its last line;
2. a message of the model ``<synthetic>`` was written by the program: it is no answer and no model;
3. what a subagent did counts as done; what it said is not the answer;
4. a call of a tool ended as its result says; a call without a result is unfinished.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from ledger.tools import ToolCall, ToolKind, ToolOutcome
from providers.provider import Failure, Tokens
from providers.transcripts.lines import (
    flatten_counts,
    get_count,
    get_object,
    get_text,
    get_word,
    is_count,
    is_word,
)
from providers.transcripts.transcript import fail

SYNTHETIC = "<synthetic>"
"""The model that a message of the program itself names."""

_KINDS = {
    "Bash": ToolKind.SHELL,
    "PowerShell": ToolKind.SHELL,
    "Read": ToolKind.READ,
    "Write": ToolKind.WRITE,
    "Edit": ToolKind.EDIT,
    "MultiEdit": ToolKind.EDIT,
    "NotebookEdit": ToolKind.EDIT,
    "Glob": ToolKind.SEARCH,
    "Grep": ToolKind.SEARCH,
    "LS": ToolKind.SEARCH,
    "ToolSearch": ToolKind.SEARCH,
    "WebFetch": ToolKind.WEB,
    "WebSearch": ToolKind.WEB,
    "web_fetch": ToolKind.WEB,
    "web_search": ToolKind.WEB,
}
_INPUTS: dict[ToolKind, tuple[str, ...]] = {
    ToolKind.SHELL: ("command",),
    ToolKind.READ: ("file_path", "path"),
    ToolKind.WRITE: ("file_path", "path"),
    ToolKind.EDIT: ("file_path", "notebook_path", "path"),
    ToolKind.SEARCH: ("pattern", "query", "path"),
    ToolKind.WEB: ("url", "query"),
}
"""Where the input of a call is, the first that is there."""

_CAUSES = {
    "authentication_failed": "unauthorized",
    "oauth_org_not_allowed": "unauthorized",
    "permission_denied": "unauthorized",
    "billing_error": "quota_exhausted",
    "invalid_request": "bad_request",
    "max_output_tokens": "truncated",
    "model_not_found": "not_found",
    "overloaded": "overloaded",
    "rate_limit": "rate_limited",
    "server_error": "server_error",
}
"""By the word that a synthetic message states as its error."""
_STATUSES = {
    400: "bad_request",
    401: "unauthorized",
    402: "quota_exhausted",
    403: "unauthorized",
    404: "not_found",
    413: "too_large",
    429: "rate_limited",
    529: "overloaded",
}
_SPENT = ("usage limit", "session limit", "weekly limit", "hit your limit", "credit balance")
"""What an error of a subscription or an account that is used up says."""
_TRANSIENT = frozenset({"rate_limited", "overloaded", "server_error"})
_STOPPING = frozenset({"unauthorized", "quota_exhausted"})
_SERVER_ERROR = 500


@dataclass(slots=True)
class Message:
    """A message of the model, or of the program in its place.

    Attributes:
        is_side: whether it is a subagent's.
        error: the word for what went wrong, of a synthetic message.
    """

    model: str | None
    is_side: bool
    blocks: list[Any] = field(default_factory=list)
    usage: dict[str, Any] = field(default_factory=dict)
    stop_reason: str | None = None
    request_id: str | None = None
    error: str = ""

    @property
    def is_synthetic(self) -> bool:
        """Whether the program wrote it."""
        return self.model == SYNTHETIC

    def find_text(self) -> str:
        """Return its last text that is not blank."""
        texts = [get_text(block, "text") for block in self.blocks if block.get("type") == "text"]
        return next((text for text in reversed(texts) if text.strip()), "")

    def calls_tool(self) -> bool:
        """Return whether it asks for a tool."""
        return any(_is_call(block) for block in self.blocks)


@dataclass(slots=True)
class Conversation:
    """The messages of a session as far as they were read, in order."""

    messages: dict[str, Message] = field(default_factory=dict)
    _calls: dict[str, ToolCall] = field(default_factory=dict)
    _outcomes: dict[str, ToolOutcome] = field(default_factory=dict)

    def add_answering(
        self, document: dict[str, Any], number: int, *, is_side: bool, request_key: str
    ) -> Message:
        """Take a line of the model's, and return the message that it is a part of."""
        told = get_object(document, "message")
        name = get_text(told, "id") or f"line {number}"
        message = self.messages.setdefault(name, Message(get_word(told, "model"), is_side))
        for block in _list_blocks(told):
            if block not in message.blocks:
                message.blocks.append(block)
            self._take_block(block, number)
        message.usage = get_object(told, "usage") or message.usage
        message.stop_reason = get_word(told, "stop_reason") or message.stop_reason
        message.request_id = get_word(document, request_key) or message.request_id
        message.error = get_text(document, "error") or message.error
        return message

    def add_asking(self, document: dict[str, Any], number: int) -> list[dict[str, Any]]:
        """Take a line of the user's, and return its blocks; the results of tools are there."""
        blocks = _list_blocks(get_object(document, "message"))
        for block in blocks:
            self._take_block(block, number)
        return blocks

    def list_calls(self) -> tuple[ToolCall, ...]:
        """Return the calls of tools, in order."""
        return tuple(
            ToolCall(
                kind=call.kind,
                name=call.name,
                input=call.input,
                outcome=self._outcomes.get(name, call.outcome),
            )
            for name, call in self._calls.items()
        )

    def list_own(self) -> list[Message]:
        """Return the messages that are no subagent's."""
        return [message for message in self.messages.values() if not message.is_side]

    def sum_usage(self) -> dict[str, int]:
        """Return the counts of all messages together."""
        counts: Counter[str] = Counter()
        for message in self.messages.values():
            if not message.is_synthetic:
                counts.update(flatten_counts(message.usage))
        return {name: count for name, count in counts.items() if is_count(count)}

    def find_model(self, by_model: dict[str, Any]) -> tuple[str | None, list[str]]:
        """Return the model that answered, and a note where more than one is named.

        The messages name it as the service did; ``by_model``, the summary at the end, may name it
        as it was asked for.
        """
        written: Counter[str] = Counter()
        for message in self.list_own():
            if message.model and not message.is_synthetic:
                total = get_count(get_object(by_model, message.model), "outputTokens")
                own = get_count(message.usage, "output_tokens")
                written[message.model] = max(total, written[message.model] + own)
        side = [message.model for message in self.messages.values() if message.is_side]
        summed = {name: get_count(get_object(by_model, name), "outputTokens") for name in by_model}
        ranked = [name for name, _ in written.most_common()]
        ranked = ranked or sorted(summed, key=lambda name: -summed[name])
        named = dict.fromkeys([*ranked, *filter(None, side), *by_model])
        named.pop(SYNTHETIC, None)
        found = next(filter(is_word, ranked), None)
        is_alone = named.keys() <= {found}
        return found, [] if is_alone else [f"more than one model is named: {', '.join(named)}"]

    def _take_block(self, block: dict[str, Any], number: int) -> None:
        if _is_call(block):
            name = get_text(block, "id") or f"line {number}, call {len(self._calls)}"
            self._calls.setdefault(name, _read_call(block))
        elif get_text(block, "type").endswith("tool_result"):
            # A result in the answer itself is a server's tool; its content has a type then.
            code = get_text(get_object(block, "content"), "type")
            has_failed = block.get("is_error") is True or code.endswith("_error")
            outcome = ToolOutcome.FAILED if has_failed else ToolOutcome.SUCCEEDED
            self._outcomes[get_text(block, "tool_use_id")] = outcome


def read_tokens(usage: dict[str, int]) -> Tokens | None:
    """Return ``usage`` by what it is priced as; ``input_tokens`` does not count the cache."""
    if "input_tokens" not in usage and "output_tokens" not in usage:
        return None
    return Tokens(
        input=usage.get("input_tokens", 0),
        cache_read=usage.get("cache_read_input_tokens", 0),
        cache_write=usage.get("cache_creation_input_tokens", 0),
        output=usage.get("output_tokens", 0),
    )


def name_failure(word: str, status: object, detail: str) -> Failure:
    """Return the failure that the program states.

    Args:
        word: what a message gives as its error.
        status: HTTP status of the service, where there is one.
        detail: what it says to people.
    """
    cause = _CAUSES.get(word)
    if cause is None and type(status) is int:
        default = "server_error" if status >= _SERVER_ERROR else "provider_error"
        cause = _STATUSES.get(status, default)
    if cause == "server_error" and status == 529:  # noqa: PLR2004 - overloaded_error of the API
        cause = "overloaded"
    if cause in {None, "rate_limited"} and any(spent in detail.lower() for spent in _SPENT):
        cause = "quota_exhausted"
    if cause is None:
        cause = "unauthorized" if "/login" in detail else "provider_error"
    return fail(
        cause,
        detail or word or "the session states an error",
        is_transient=cause in _TRANSIENT,
        stops_run=cause in _STOPPING,
    )


def _list_blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict)]


def _is_call(block: dict[str, Any]) -> bool:
    return get_text(block, "type").endswith("tool_use")


def _read_call(block: dict[str, Any]) -> ToolCall:
    name, given = get_text(block, "name"), get_object(block, "input")
    kind = _KINDS.get(name, ToolKind.OTHER)
    texts = (given[key] for key in _INPUTS.get(kind, ()) if isinstance(given.get(key), str))
    told = next(texts, None)
    if told is None:
        # What the model says about its call is no part of what the tool is given to do.
        told = json.dumps({key: item for key, item in given.items() if key != "description"})
    return ToolCall(kind=kind, name=name, input=told, outcome=ToolOutcome.UNFINISHED)
