"""``claude -p --output-format stream-json``: one event a line, and the result at the end.

1. success is ``is_error`` false in the result, never its ``subtype``, which says ``success`` of
   sessions that failed as well;
2. a stream without a result was cut off: ``unfinished``, with all that came;
3. the service's own name of the model is in the messages. The summary ``modelUsage`` names it as
   it was asked for; it counts every call of the session, those of subagents and of a turn that was
   stopped included, so the tokens are its where they are more than those of ``usage``;
4. ``total_cost_usd`` is a claim: of an unknown model, too.
"""

import json
from decimal import Decimal
from typing import Any

from ledger.canonical import INTEGER_MAX
from providers.provider import Failure, Tokens
from providers.transcripts.claude_messages import (
    Conversation,
    Message,
    name_failure,
    read_tokens,
)
from providers.transcripts.lines import (
    Fraction,
    flatten_counts,
    get_count,
    get_object,
    get_text,
    get_word,
    is_count,
    note_unknown,
    read_lines,
)
from providers.transcripts.transcript import (
    Transcript,
    cut_notes,
    cut_usage,
    fail,
)

COST_MAX = 10**6
"""US dollars; what is stated to cost more is no cost."""

_PASSED_OVER = frozenset(
    {"system", "stream_event", "rate_limit_event", "control_request", "control_response"}
    | {"tool_progress", "tool_use_summary", "auth_status", "keep_alive", "prompt_suggestion"}
)
"""Types of events that say nothing about the answer."""
_SUBTYPES = {"error_max_budget_usd": "budget", "error_max_turns": "turns_exhausted"}


def read_claude_stream(data: bytes) -> Transcript:
    """Return what a stream says. Pure; nothing in ``data`` is an error to the reader."""
    lines, notes = read_lines(data)
    talk = Conversation()
    result: dict[str, Any] | None = None
    offered: tuple[str, ...] | None = None
    session_id = None
    unknown = []
    for number, document in lines:
        kind = get_text(document, "type")
        session_id = get_word(document, "session_id") or session_id
        if kind == "assistant":
            is_side = document.get("parent_tool_use_id") is not None
            talk.add_answering(document, number, is_side=is_side, request_key="request_id")
        elif kind == "user":
            talk.add_asking(document, number)
        elif kind == "result":
            result = document
        elif kind == "system" and document.get("subtype") == "init":
            offered = _list_tools(document)
        elif kind not in _PASSED_OVER:
            unknown.append(kind)
    own = talk.list_own()
    last = own[-1] if own else None
    told = {} if result is None else result
    failure = _find_failure(result, last)
    by_model = get_object(told, "modelUsage")
    model, model_notes = talk.find_model(by_model)
    usage = flatten_counts(get_object(told, "usage")) or talk.sum_usage()
    tokens, token_notes = _weigh_tokens(read_tokens(usage), by_model)
    notes += [*note_unknown("events", unknown), *model_notes, *token_notes]
    return Transcript(
        answer=None if failure else _read_answer(told),
        failure=failure,
        resolved_model=model,
        request_id=next((item.request_id for item in reversed(own) if item.request_id), None),
        session_id=session_id,
        stop_reason=get_word(told, "stop_reason") or (last.stop_reason if last else None),
        offered_tools=offered,
        usage=cut_usage(usage),
        tokens=tokens,
        stated_cost_usd=_read_cost(told.get("total_cost_usd")),
        stated_us=_read_duration(told),
        tool_calls=talk.list_calls(),
        notes=cut_notes(notes),
    )


def _find_failure(result: dict[str, Any] | None, last: Message | None) -> Failure | None:
    said = last.find_text() if last and last.is_synthetic else ""
    if result is None:
        detail = "the stream ends without a result"
        return fail("unfinished", f"{detail}; it last said: {said}" if said else detail)
    text = get_text(result, "result")
    word = last.error if last and last.is_synthetic else ""
    if result.get("is_error") is not False:
        errors = result.get("errors")
        listed = "; ".join(map(str, errors)) if isinstance(errors, list) else ""
        subtype = get_text(result, "subtype")
        detail = text or listed or said or subtype or "the result does not state success"
        if subtype in _SUBTYPES:
            return fail(_SUBTYPES[subtype], detail)
        return name_failure(word, result.get("api_error_status"), detail)
    if said and text == said:
        return name_failure(word, result.get("api_error_status"), said)
    return (
        None
        if _read_answer(result)
        else fail("empty_answer", "the result states success and holds no text")
    )


def _read_answer(result: dict[str, Any]) -> str:
    """Return the text of the result; of an answer by a schema that has none, the object."""
    structured = result.get("structured_output")
    return get_text(result, "result") or ("" if structured is None else json.dumps(structured))


def _read_duration(result: dict[str, Any]) -> int | None:
    duration = get_count(result, "duration_ms") * 1000
    return duration if "duration_ms" in result and is_count(duration) else None


def _list_tools(document: dict[str, Any]) -> tuple[str, ...] | None:
    tools = document.get("tools")
    return tuple(map(str, tools)) if isinstance(tools, list) else None


def _weigh_tokens(
    counted: Tokens | None, by_model: dict[str, Any]
) -> tuple[Tokens | None, list[str]]:
    keys = ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens", "outputTokens")
    sums = (sum(get_count(get_object(by_model, name), key) for name in by_model) for key in keys)
    total = Tokens(*(min(count, INTEGER_MAX) for count in sums))
    if sum(total) <= sum(counted or ()):
        return counted, []
    note = f"usage counts {sum(counted or ()):,} tokens; the {sum(total):,} of modelUsage are taken"
    return total, [note]


def _read_cost(value: object) -> Decimal | None:
    if isinstance(value, Fraction):
        cost = Decimal(value.text)
    elif type(value) is int:
        cost = Decimal(value)
    else:
        return None
    # The exponent: a number such as 1e-9999 has as many digits when it is written out.
    is_fit = 0 <= cost < COST_MAX and cost.adjusted() > -COST_MAX.bit_length()
    return cost if is_fit else None
