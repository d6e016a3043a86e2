import json
from typing import Any

import pytest

from ledger.tools import ToolKind, ToolOutcome
from providers.transcripts import read_claude_session
from tests.providers.recordings import make_stream, read_log

SHORT, TOOL_HEAVY, SUBAGENT = map(read_log, ("short", "tool_heavy", "subagent"))


def say(text: str, **fields) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}, **fields}


def answer(text: str, name: str = "msg_1", **fields) -> dict[str, Any]:
    message = {"id": name, "model": "m-1", "content": [{"type": "text", "text": text}]}
    return {"type": "assistant", "message": message | fields.pop("message", {}), **fields}


def find_cause(*entries: dict[str, Any]) -> str:
    failure = read_claude_session(make_stream(*entries)).failure
    assert failure is not None
    return failure.cause


def test_the_last_text_after_the_last_prompt_is_the_answer():
    transcript = read_claude_session(SUBAGENT)
    assert transcript.failure is None
    assert transcript.answer is not None
    assert transcript.answer.startswith("## Beads Created\n\nEpic `spotter-0p7`")
    assert transcript.request_id == "req_011CY19MkANpyt2u4izgrtjS"


@pytest.mark.parametrize("data", [SHORT, TOOL_HEAVY], ids=["short", "tool_heavy"])
def test_a_log_that_ends_with_an_interruption_is_a_failure(data):
    transcript = read_claude_session(data)
    assert transcript.answer is None
    assert transcript.failure is not None
    assert transcript.failure.cause == "interrupted"
    assert transcript.failure.detail.startswith("[Request interrupted by user")


def test_rejected_calls_failed():
    calls = read_claude_session(SHORT).tool_calls
    assert [(call.kind, call.input, call.outcome) for call in calls] == [
        (ToolKind.SHELL, "mix phx.server 2>&1 | head -80", ToolOutcome.FAILED),
        (ToolKind.SEARCH, "mix.exs", ToolOutcome.FAILED),
    ]


def test_each_kind_of_tool_has_its_own_input():
    calls = read_claude_session(TOOL_HEAVY).tool_calls
    assert [(call.kind, call.input.rpartition("/")[2]) for call in calls] == [
        (ToolKind.SHELL, "mix phx.server"),
        (ToolKind.SHELL, "bae407b.output"),
        (ToolKind.WEB, "xterm.js scroll not working embedded page captures scroll events"),
        (ToolKind.SEARCH, "*.js"),
        (ToolKind.READ, "app.js"),
        (ToolKind.WEB, "1343"),
    ]


def test_the_calls_of_a_subagent_are_among_the_calls():
    calls = read_claude_session(SUBAGENT).tool_calls
    assert len(calls) == 25
    assert [call.outcome for call in calls].count(ToolOutcome.FAILED) == 3
    assert calls[12].input == "git log --oneline -10"


def test_the_words_of_the_model_about_a_call_are_no_input():
    [task] = [call for call in read_claude_session(SUBAGENT).tool_calls if call.name == "Task"]
    given = json.loads(task.input)
    assert task.kind is ToolKind.OTHER
    assert "description" not in given
    assert given["subagent_type"] == "Plan"


def test_the_model_is_that_of_the_session_and_not_of_its_subagent():
    transcript = read_claude_session(SUBAGENT)
    assert transcript.resolved_model == "claude-opus-4-6"
    note = "more than one model is named: claude-opus-4-6, claude-haiku-4-5-20251001"
    assert note in transcript.notes


def test_usage_is_summed_over_messages_and_not_over_lines():
    usage = dict(read_claude_session(SHORT).usage)
    assert usage["cache_creation_input_tokens"] == 13835
    assert usage["output_tokens"] == 13


def test_a_usage_from_the_beginning_of_a_message_is_noted():
    [note] = read_claude_session(SHORT).notes
    assert note.endswith("so that the output is more than stated: 1")


def test_no_cost_is_stated():
    assert read_claude_session(SUBAGENT).stated_cost_usd is None


@pytest.mark.parametrize(
    "echo",
    [
        say("<command-name>/mcp</command-name>"),
        say("<local-command-stdout>done</local-command-stdout>"),
        say("Caveat: the messages below", isMeta=True),
        answer("of a subagent", "msg_2", isSidechain=True),
        {"type": "system", "subtype": "stop_hook_summary"},
    ],
)
def test_what_follows_an_answer_and_is_no_prompt_leaves_it_in_place(echo):
    transcript = read_claude_session(make_stream(say("Add."), answer("42"), echo))
    assert transcript.answer == "42"


@pytest.mark.parametrize(
    "entries",
    [
        (),
        (say("Add."),),
        (say("Add."), answer("42"), say("And now?")),
        (say("Add."), answer("\n\n")),
        (say("Add."), answer("42"), {"type": "assistant", "message": {"id": "m", "content": [
            {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]}}),
    ],
)  # fmt: skip
def test_a_log_without_an_answer_to_its_last_prompt_is_unfinished(entries):
    assert find_cause(*entries) == "unfinished"


def test_an_error_of_the_service_is_no_answer():
    said = answer("API Error: Rate limited", error="rate_limit", message={"model": "<synthetic>"})
    assert find_cause(say("Add."), said) == "rate_limited"


def test_an_answer_after_an_interruption_counts():
    entries = (say("Add."), say("[Request interrupted by user]"), say("Go on"), answer("42"))
    assert read_claude_session(make_stream(*entries)).answer == "42"


def test_a_log_cut_in_the_middle_of_a_line_keeps_its_calls():
    transcript = read_claude_session(SUBAGENT[: len(SUBAGENT) // 2])
    assert transcript.failure is not None
    assert transcript.failure.cause == "unfinished"
    assert len(transcript.tool_calls) > 5
    assert any("no JSON object" in note for note in transcript.notes)
