"""Session logs of Claude Code: the files below ``~/.claude/projects``, one entry a line.

1. a log has no result. The answer is the last text of the model after the last prompt, if no call
   of a tool follows it; a log that stops earlier is ``unfinished``;
2. one that ends with "[Request interrupted by user" is ``interrupted``;
3. a prompt is a text of the user's that is neither meta nor the echo of a local command;
4. what subagents did stands in entries of its own, or within ``progress``;
5. before a message has a stop reason, its usage is that of its beginning: the output is then
   counted too low, and a note says so. No cost is stated.
"""

from typing import Any

from providers.provider import Failure
from providers.transcripts.claude_messages import (
    Conversation,
    Message,
    name_failure,
    read_tokens,
)
from providers.transcripts.lines import (
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

INTERRUPTED = "[Request interrupted by user"
_LOCAL = ("<command-name>", "<local-command-", "<bash-")
"""How the echo of a command begins that the program carried out by itself."""
_PASSED_OVER = frozenset(
    {"ai-title", "attachment", "custom-title", "file-history-snapshot", "last-prompt", "mode"}
    | {"permission-mode", "pr-link", "progress", "queue-operation", "summary", "system", "tag"}
)
"""Types of entries that say nothing about the answer."""


def read_claude_session(data: bytes) -> Transcript:
    """Return what a log says. Pure; nothing in ``data`` is an error to the reader."""
    lines, notes = read_lines(data)
    talk = Conversation()
    last: Message | None = None
    interruption = ""
    session_id = None
    unknown = []
    for number, entry in lines:
        kind = get_text(entry, "type")
        session_id = get_word(entry, "sessionId") or session_id
        document, is_side = _unwrap(entry)
        told = get_text(document, "type")
        if told == "assistant":
            message = talk.add_answering(document, number, is_side=is_side, request_key="requestId")
            if not is_side:
                last, interruption = message, ""
        elif told == "user":
            prompt = _find_prompt(document, talk.add_asking(document, number))
            if prompt.startswith(INTERRUPTED):
                interruption = "" if is_side else prompt
            elif prompt and not is_side:
                last, interruption = None, ""
        elif kind not in _PASSED_OVER:
            unknown.append(kind)
    failure = _find_failure(last, interruption)
    model, model_notes = talk.find_model({})
    usage = talk.sum_usage()
    notes += [*note_unknown("entries", unknown), *model_notes, *_note_counts(talk)]
    return Transcript(
        answer=None if failure or last is None else last.find_text(),
        failure=failure,
        resolved_model=model,
        request_id=next(
            (item.request_id for item in reversed(talk.list_own()) if item.request_id), None
        ),
        session_id=session_id,
        stop_reason=last.stop_reason if last else None,
        usage=cut_usage(usage),
        tokens=read_tokens(usage),
        tool_calls=talk.list_calls(),
        notes=cut_notes(notes),
    )


def _unwrap(entry: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return the entry of a message, and whether it is a subagent's."""
    inner = get_object(get_object(entry, "data"), "message")
    if entry.get("type") == "progress" and inner:
        return inner, True
    return entry, entry.get("isSidechain") is True


def _find_prompt(document: dict[str, Any], blocks: list[dict[str, Any]]) -> str:
    """Return what the user says in an entry, or nothing where it says something else."""
    if document.get("isMeta") is True or document.get("isCompactSummary") is True:
        return ""
    texts = [get_text(block, "text").lstrip() for block in blocks if block.get("type") == "text"]
    return next((text for text in texts if text and not text.startswith(_LOCAL)), "")


def _find_failure(last: Message | None, interruption: str) -> Failure | None:
    if interruption:
        return fail("interrupted", interruption)
    if last is None:
        return fail("unfinished", "the log ends before the model answered")
    text = last.find_text()
    if last.is_synthetic:
        return name_failure(last.error, None, text)
    if last.calls_tool():
        return fail("unfinished", "the log ends with a call of a tool")
    return None if text else fail("unfinished", "the log ends before the model's text")


def _note_counts(talk: Conversation) -> list[str]:
    models = [item for item in talk.messages.values() if not item.is_synthetic]
    begun = sum(item.stop_reason is None for item in models)
    if not begun:
        return []
    what = "messages with the usage of their beginning, so that the output is more than stated"
    return [f"{what}: {begun:,}"]
