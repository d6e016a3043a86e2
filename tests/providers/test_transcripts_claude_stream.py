import json
from decimal import Decimal

import pytest

from ledger.tools import ToolCall, ToolKind, ToolOutcome
from providers.provider import Tokens
from providers.transcripts import read_claude_stream
from tests.providers.recordings import (
    MAX_TOKENS,
    NETWORK_REFUSED,
    NOT_LOGGED_IN,
    STREAM,
    list_messages,
    make_stream,
    read_own,
)


def make_error(word: str, status: int | None = None, **result) -> bytes:
    """Return the stream of a session that was not logged in, with another error."""
    init, message, end = (json.loads(line) for line in NOT_LOGGED_IN.splitlines())
    return make_stream(
        init, message | {"error": word}, end | {"api_error_status": status, "result": word} | result
    )


def find_cause(word: str, status: int | None = None, **result) -> str:
    failure = read_claude_stream(make_error(word, status, **result)).failure
    assert failure is not None
    return failure.cause


def test_a_stream_that_succeeded_has_the_answer_of_its_result():
    transcript = read_claude_stream(STREAM)
    assert transcript.failure is None
    assert transcript.answer == "Here are the files in the current directory."
    assert transcript.session_id == "40e7b02d-c0f9-4876-9010-f514d4eb0603"


def test_the_call_of_a_tool_has_its_command_and_not_its_description():
    [call] = read_claude_stream(STREAM).tool_calls
    assert call == ToolCall(
        kind=ToolKind.SHELL, name="Bash", input="ls -la", outcome=ToolOutcome.SUCCEEDED
    )


def test_a_cost_is_exactly_what_is_written():
    assert read_claude_stream(STREAM).stated_cost_usd == Decimal("0.24722425")
    assert read_claude_stream(MAX_TOKENS).stated_cost_usd == Decimal("0.009322")


@pytest.mark.parametrize("number", ["-1", "1e-999999", "1e99", "NaN", "true", '"1.5"'])
def test_a_cost_that_is_none_is_left_out(number):
    data = STREAM.replace(b"0.24722425", number.encode())
    assert read_claude_stream(data).stated_cost_usd is None


def test_the_model_is_the_one_that_the_messages_name():
    init, message, told, result = list_messages()
    result["modelUsage"] = {"opus": next(iter(result["modelUsage"].values()))}
    transcript = read_claude_stream(make_stream(init, message, told, result))
    assert transcript.resolved_model == "claude-opus-4-5-20251101"
    assert "more than one model is named: claude-opus-4-5-20251101, opus" in transcript.notes


def test_the_model_of_the_summary_counts_where_no_message_is_there():
    init, _, _, result = list_messages()
    transcript = read_claude_stream(make_stream(init, result))
    assert transcript.resolved_model == "claude-opus-4-5-20251101"


def test_of_several_models_the_one_that_wrote_most_answered():
    init, message, _, result = list_messages()
    other = json.loads(json.dumps(message))
    other["message"] |= {"id": "msg_2", "model": "claude-haiku"}
    result["modelUsage"]["claude-haiku"] = {"outputTokens": 9000}
    transcript = read_claude_stream(make_stream(init, message, other, result))
    assert transcript.resolved_model == "claude-haiku"


def test_usage_is_that_of_the_result_with_dots_in_nested_names():
    usage = dict(read_claude_stream(STREAM).usage)
    assert usage["cache_creation.ephemeral_5m_input_tokens"] == 25067
    assert usage["output_tokens"] == 424


def test_the_tokens_are_those_of_every_call_where_the_summary_counts_more():
    transcript = read_claude_stream(STREAM)
    assert transcript.tokens == Tokens(input=38, cache_read=28775, cache_write=31159, output=765)
    assert "usage counts 42,763 tokens; the 60,737 of modelUsage are taken" in transcript.notes


def test_input_tokens_do_not_count_the_cache():
    assert read_claude_stream(MAX_TOKENS).tokens == Tokens(input=506, cache_read=784, output=256)


@pytest.mark.parametrize(
    ("data", "cause", "is_transient", "stops_run"),
    [
        (NOT_LOGGED_IN, "unauthorized", False, True),
        (NETWORK_REFUSED, "server_error", True, False),
        (MAX_TOKENS, "truncated", False, False),
    ],
    ids=["not-logged-in", "network-refused", "max-tokens"],
)
def test_a_subtype_success_with_an_error_is_a_failure(data, cause, is_transient, stops_run):
    assert b'"subtype":"success"' in data
    transcript = read_claude_stream(data)
    assert transcript.answer is None
    assert transcript.failure is not None
    assert transcript.failure[0::2] == (cause, is_transient)
    assert transcript.failure.stops_run is stops_run


def test_the_program_s_own_words_are_no_answer_and_no_model():
    assert read_claude_stream(NOT_LOGGED_IN).resolved_model is None
    told = NOT_LOGGED_IN.replace(b'"is_error":true', b'"is_error":false')
    transcript = read_claude_stream(told)
    assert transcript.answer is None
    assert transcript.resolved_model is None


def test_a_model_that_answered_is_known_although_the_session_failed():
    assert read_claude_stream(MAX_TOKENS).resolved_model == "local-gguf"


def test_a_result_alone_says_that_nobody_is_logged_in():
    data = read_own("claude-2.1.197-not-logged-in.result.json")
    failure = read_claude_stream(data).failure
    assert failure is not None
    assert failure.cause == "unauthorized"


@pytest.mark.parametrize(
    ("word", "status", "cause"),
    [
        ("rate_limit", 429, "rate_limited"),
        ("You've hit your limit", 429, "quota_exhausted"),
        ("billing_error", None, "quota_exhausted"),
        ("model_not_found", 404, "not_found"),
        ("server_error", 529, "overloaded"),
        ("unknown", 400, "bad_request"),
        ("unknown", 500, "server_error"),
        ("unknown", None, "provider_error"),
    ],
)
def test_a_cause_is_read_from_the_error_and_the_status(word, status, cause):
    assert find_cause(word, status) == cause


@pytest.mark.parametrize(
    ("subtype", "cause"),
    [
        ("error_max_budget_usd", "budget"),
        ("error_max_turns", "turns_exhausted"),
        ("error_during_execution", "provider_error"),
    ],
)
def test_a_limit_of_the_session_is_a_cause(subtype, cause):
    init, message, told, result = list_messages()
    del result["result"]
    result |= {"subtype": subtype, "is_error": True, "errors": ["Reached it ($0.1)"]}
    failure = read_claude_stream(make_stream(init, message, told, result)).failure
    assert failure is not None
    assert (failure.cause, failure.detail) == (cause, "Reached it ($0.1)")


def test_a_result_that_does_not_say_whether_it_failed_is_no_success():
    init, message, told, result = list_messages()
    del result["is_error"]
    assert read_claude_stream(make_stream(init, message, told, result)).answer is None


def test_a_success_without_a_text_is_an_empty_answer():
    assert find_cause("", result="", is_error=False) == "empty_answer"


def test_an_answer_by_a_schema_may_stand_beside_an_empty_text():
    init, message, told, result = list_messages()
    result |= {"result": "", "structured_output": {"total": 18.5}}
    transcript = read_claude_stream(make_stream(init, message, told, result))
    assert transcript.answer == '{"total": 18.5}'


def test_a_stream_that_was_cut_off_keeps_what_came():
    lines = STREAM.splitlines(keepends=True)
    transcript = read_claude_stream(b"".join(lines[:2]) + lines[2][:80])
    assert transcript.failure is not None
    assert transcript.failure.cause == "unfinished"
    assert transcript.resolved_model == "claude-opus-4-5-20251101"
    assert [call.outcome for call in transcript.tool_calls] == [ToolOutcome.UNFINISHED]
    assert dict(transcript.usage)["cache_read_input_tokens"] == 17254
    assert "line 3 is no JSON object" in transcript.notes


def test_a_message_in_several_lines_is_counted_once():
    init, message, told, _ = list_messages()
    later = json.loads(json.dumps(message))
    later["message"]["usage"]["output_tokens"] = 90
    transcript = read_claude_stream(make_stream(init, message, message, later, told))
    assert dict(transcript.usage)["output_tokens"] == 90
    assert len(transcript.tool_calls) == 1


def test_what_a_subagent_did_counts_and_what_it_said_does_not():
    init, message, told, result = list_messages()
    side = json.loads(json.dumps(message)) | {
        "parent_tool_use_id": "toolu_9",
        "error": "rate_limit",
    }
    side["message"] |= {"id": "msg_2", "model": "<synthetic>"}
    side["message"]["content"][0]["id"] = "toolu_2"
    transcript = read_claude_stream(make_stream(init, message, told, side, result))
    assert transcript.answer == "Here are the files in the current directory."
    assert [call.outcome for call in transcript.tool_calls] == ["succeeded", "unfinished"]


def test_a_result_that_states_an_error_is_a_failed_call():
    data = STREAM.replace(b'"is_error": false}]', b'"is_error": true}]')
    assert [call.outcome for call in read_claude_stream(data).tool_calls] == [ToolOutcome.FAILED]


def test_the_name_of_the_last_call_to_the_service_is_kept():
    init, message, told, result = list_messages()
    data = make_stream(init, message | {"request_id": "req_7"}, told, result)
    assert read_claude_stream(data).request_id == "req_7"


@pytest.mark.parametrize(
    ("damage", "note"),
    [
        (lambda data: data[:-1], "the last line has no newline"),
        (lambda data: data.replace(b"\n", b"\n{]\n", 1), "line 2 is no JSON object"),
        (lambda data: data + b'{"type": "news"}\n', "events of a type that is not known: news (1)"),
        (
            lambda data: data.replace(b'{"type"', b'{"uuid": 1, "type"', 1),
            "the key 'uuid' stands twice in an object, and counts as it stands last: line 1",
        ),
        (
            lambda data: data.replace(b"total 1976", b"total \xff"),
            "line 3 is not UTF-8: what could not be read was replaced",
        ),
    ],
)
def test_damage_is_survived_and_noted(damage, note):
    transcript = read_claude_stream(damage(STREAM))
    assert transcript.answer == "Here are the files in the current directory."
    assert note in transcript.notes


def test_blank_lines_are_passed_over():
    assert read_claude_stream(STREAM.replace(b"\n", b"\r\n\n")) == read_claude_stream(STREAM)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"[1]\n",
        b"{}\n",
        pytest.param(b"[" * 99_999, id="deep"),
        pytest.param(b'{"a": ' + b"9" * 9999 + b"}\n", id="huge number"),
        b"\x00\xff",
    ],
)
def test_bytes_that_are_no_stream_are_an_unfinished_one(data):
    failure = read_claude_stream(data).failure
    assert failure is not None
    assert failure.cause == "unfinished"


@pytest.mark.parametrize("value", [None, 1, "x", [], [1], {}, {"message": 1}])
def test_a_value_of_another_shape_is_no_error_to_the_reader(value):
    for kind in ("assistant", "user", "result", "system"):
        for key in ("message", "content", "usage", "modelUsage", "tools", "errors", "result"):
            event = {"type": kind, "subtype": "init", key: value, "is_error": True}
            inner = {"type": kind, "message": {"content": value, "model": value, "usage": value}}
            block = {"type": "tool_use", "input": value, "name": value, "id": value}
            deep = {"type": kind, "message": {"content": [value, {"type": value}, block]}}
            assert read_claude_stream(make_stream(event, inner, deep)).failure is not None
