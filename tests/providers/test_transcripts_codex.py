import json
from typing import Any

import pytest

from ledger.tools import ToolCall, ToolKind, ToolOutcome
from providers.provider import Tokens
from providers.transcripts import FORMATS, read_codex_exec, read_transcript
from tests.providers.recordings import CODEX_KILLED, CODEX_LONG, CODEX_SUCCESS, make_stream

BEGUN = ({"type": "thread.started", "thread_id": "t-1"}, {"type": "turn.started"})
COMPLETED = {"type": "turn.completed", "usage": {"input_tokens": 3, "output_tokens": 1}}


def item(kind: str, event: str = "completed", name: str = "item_1", **fields) -> dict[str, Any]:
    return {"type": f"item.{event}", "item": {"id": name, "type": kind, **fields}}


def read(*events: dict[str, Any]):
    return read_codex_exec(make_stream(*BEGUN, *events))


def list_calls(*events: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    calls = read(*events, item("agent_message", name="a", text="Done."), COMPLETED).tool_calls
    return [(call.kind, call.name, call.input, call.outcome) for call in calls]


def find_cause(detail: str) -> tuple[str, bool, bool]:
    failure = read({"type": "turn.failed", "error": {"message": detail}}).failure
    assert failure is not None
    return failure.cause, failure.is_transient, failure.stops_run


def test_the_last_message_of_the_turn_is_the_answer():
    transcript = read_codex_exec(CODEX_LONG)
    assert transcript.failure is None
    assert transcript.answer is not None
    assert transcript.answer.startswith("Added `/blog`, `/products`, and `/support` links")
    assert transcript.session_id == "01a0caaf-71fb-71f2-82ea-d658465b0a83"


def test_a_started_and_a_completed_item_are_one_call():
    calls = read_codex_exec(CODEX_LONG).tool_calls
    assert [call.kind for call in calls] == [ToolKind.SHELL] * 4
    assert {call.outcome for call in calls} == {ToolOutcome.SUCCEEDED}


def test_a_command_is_kept_as_it_was_sent():
    command = read_codex_exec(CODEX_LONG).tool_calls[2].input
    assert command.startswith("/bin/bash -c 'cat app/page.tsx && cat app/layout.tsx")


def test_input_tokens_count_the_cache():
    tokens = read_codex_exec(CODEX_LONG).tokens
    assert tokens == Tokens(input=340, cache_read=49686, cache_write=13726, output=775)
    assert sum(tokens) == 63752 + 775


def test_no_model_is_named():
    assert read_codex_exec(CODEX_LONG).resolved_model is None


def test_an_item_of_type_error_in_a_run_that_succeeded_is_a_note():
    transcript = read_codex_exec(CODEX_SUCCESS)
    assert transcript.failure is None
    [note] = transcript.notes
    assert note.startswith("Codex says: Model metadata for `local-gguf` not found.")


def test_a_missing_last_newline_is_noted():
    assert "the last line has no newline" in read_codex_exec(CODEX_LONG).notes


def test_a_stream_that_ends_while_it_reconnects_has_no_connection():
    transcript = read_codex_exec(CODEX_KILLED)
    assert transcript.failure is not None
    assert transcript.failure.cause == "connection_failed"
    assert transcript.failure.is_transient
    assert transcript.tokens is None
    assert len([note for note in transcript.notes if "Reconnecting" in note]) == 4


def test_errors_before_a_turn_that_completes_are_notes():
    events = [{"type": "error", "message": "Reconnecting... 2/5"}, item("agent_message", text="42")]
    transcript = read(*events, COMPLETED)
    assert transcript.answer == "42"
    assert transcript.notes == ("Codex says: Reconnecting... 2/5",)


@pytest.mark.parametrize(
    ("detail", "cause"),
    [
        ("unexpected status 401 Unauthorized: told, url: http://x", ("unauthorized", False, True)),
        ("Missing environment variable: `CODEX_API_KEY`.", ("unauthorized", False, True)),
        ("You've hit your usage limit.", ("quota_exhausted", False, True)),
        ("exceeded retry limit, last status: 429 Too Many Requests", ("rate_limited", True, False)),
        ("unexpected status 404 Not Found: {}", ("not_found", False, False)),
        ("unexpected status 502 Bad Gateway", ("server_error", True, False)),
        ("We’re currently experiencing high demand", ("overloaded", True, False)),
        ("stream disconnected before completion", ("connection_failed", True, False)),
        ('{"error": {"type": "invalid_request_error"}}', ("bad_request", False, False)),
        ("Something else", ("provider_error", False, False)),
    ],
)
def test_a_turn_that_failed_says_why(detail, cause):
    assert find_cause(detail) == cause


def test_a_turn_that_failed_has_no_answer_although_a_message_came():
    failed = {"type": "turn.failed", "error": {"message": "no"}}
    assert read(item("agent_message", text="42"), failed).answer is None


def test_a_stream_that_ends_in_the_middle_of_a_turn_keeps_its_calls():
    transcript = read(item("command_execution", "started", command="sleep 9"))
    assert transcript.failure is not None
    assert transcript.failure.cause == "unfinished"
    assert transcript.tool_calls == (
        ToolCall(
            kind=ToolKind.SHELL,
            name="command_execution",
            input="sleep 9",
            outcome=ToolOutcome.UNFINISHED,
        ),
    )


def test_a_turn_that_completes_without_a_message_is_an_empty_answer():
    failure = read(COMPLETED).failure
    assert failure is not None
    assert failure.cause == "empty_answer"


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"exit_code": 0, "status": "completed"}, ToolOutcome.SUCCEEDED),
        ({"exit_code": 3, "status": "failed"}, ToolOutcome.FAILED),
        ({"exit_code": 0, "status": "declined"}, ToolOutcome.FAILED),
        ({"exit_code": None, "status": "completed"}, ToolOutcome.FAILED),
    ],
)
def test_a_command_succeeded_with_exit_code_0_alone(fields, outcome):
    [call] = list_calls(item("command_execution", command="ls", **fields))
    assert call == (ToolKind.SHELL, "command_execution", "ls", outcome)


def test_a_change_of_two_files_is_two_calls():
    changes = [{"path": "a.py", "kind": "update"}, {"path": "b.py", "kind": "add"}]
    calls = list_calls(item("file_change", changes=changes, status="completed"))
    assert [(kind, path) for kind, _, path, _ in calls] == [
        (ToolKind.EDIT, "a.py"),
        (ToolKind.EDIT, "b.py"),
    ]


def test_a_search_and_a_server_s_tool_are_calls():
    given: dict[str, Any] = {
        "server": "docs",
        "tool": "find",
        "arguments": {"q": "x"},
        "error": {"message": "no"},
    }
    assert list_calls(
        item("web_search", name="1", query="weather"),
        item("mcp_tool_call", name="2", status="failed", **given),
    ) == [
        (ToolKind.WEB, "web_search", "weather", ToolOutcome.SUCCEEDED),
        (ToolKind.OTHER, "docs.find", '{"q": "x"}', ToolOutcome.FAILED),
    ]


def test_events_and_items_that_are_not_known_are_noted():
    news = [{"type": "news"}, item("dance"), item("agent_message", name="a", text="42"), COMPLETED]
    transcript = read(*news)
    assert transcript.answer == "42"
    assert transcript.notes == (
        "events of a type that is not known: news (1)",
        "items of a type that is not known: dance (1)",
    )


def test_a_cache_larger_than_the_input_is_noted():
    usage = {"input_tokens": 3, "cached_input_tokens": 9}
    end = {"type": "turn.completed", "usage": usage}
    transcript = read(item("agent_message", text="42"), end)
    assert transcript.tokens == Tokens(cache_read=9)
    assert "usage states more tokens of the cache than of input" in transcript.notes


@pytest.mark.parametrize("data", [b"", b"[1]\n", b"{}\n", b"\xff", b'{"type": "item.completed"}\n'])
def test_bytes_that_are_no_stream_are_an_unfinished_one(data):
    failure = read_codex_exec(data).failure
    assert failure is not None
    assert failure.cause == "unfinished"


@pytest.mark.parametrize("value", [None, 1, "x", [], [1], {}, {"message": 1}])
def test_a_value_of_another_shape_is_no_error_to_the_reader(value):
    kinds = ("command_execution", "file_change", "web_search", "mcp_tool_call", "agent_message")
    for kind in kinds:
        fields = {"command": value, "changes": value, "query": value, "tool": value, "text": value}
        assert read(item(kind, **fields), {"type": "error", "message": value}) is not None


def test_every_format_is_read_by_its_name():
    assert list(FORMATS) == ["claude-stream", "claude-session", "codex-exec"]
    assert read_transcript("codex-exec", CODEX_LONG) == read_codex_exec(CODEX_LONG)


def test_many_notes_are_cut():
    noisy = [{"type": "error", "message": f"Reconnecting {index} \x1b" * 99} for index in range(99)]
    transcript = read(*noisy, item("agent_message", text="42"), COMPLETED)
    assert len(transcript.notes) == 20
    assert transcript.notes[-1] == "and 80 more notes"
    assert all(note.isprintable() and len(note) <= 300 for note in transcript.notes)
    assert json.dumps(transcript.notes).isascii()
