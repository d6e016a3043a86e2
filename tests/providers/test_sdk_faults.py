"""What the model APIs may send and meet beyond the ordinary; and the exact body of each request."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from ledger.errors import FaultyInput
from providers import Limits, Setup, Tokens, Vault, find_provider
from tests.providers.test_model_apis import (
    ENDINGS,
    KEY,
    PROVIDERS,
    SCHEMA,
    answered,
    ask,
    failed,
    make,
    make_request,
)
from tests.providers.wire_server import ANSWER, MODEL, Behaviour, make_document, serve

PATHS = {"openai": "/responses", "openai-chat": "/completions", "anthropic": "/messages"}
STRICT = {"name": "answer", "schema": json.loads(SCHEMA), "strict": True}
BODIES = {
    "openai": {
        "model": "model-1",
        "input": "How much is 1 and 0?",
        "store": False,
        "instructions": "Be brief.",
        "reasoning": {"effort": "low"},
        "max_output_tokens": 50,
        "text": {"verbosity": "low", "format": {"type": "json_schema"} | STRICT},
        "seed": 7,
    },
    "openai-chat": {
        "model": "model-1",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "How much is 1 and 0?"},
        ],
        "reasoning_effort": "low",
        "max_tokens": 50,
        "response_format": {"type": "json_schema", "json_schema": STRICT},
        "seed": 7,
    },
    "anthropic": {
        "model": "model-1",
        "max_tokens": 50,
        "messages": [{"role": "user", "content": "How much is 1 and 0?"}],
        "system": "Be brief.",
        "output_config": {
            "effort": "low",
            "format": {"type": "json_schema", "schema": json.loads(SCHEMA)},
        },
        "thinking": {"type": "adaptive"},
        "seed": 7,
    },
}
OWN_SETTINGS: dict[str, dict[str, Any]] = {
    "openai": {"verbosity": "low"},
    "openai-chat": {"max_tokens_field": "max_tokens"},
    "anthropic": {"thinking": {"type": "adaptive"}},
}


def change(name, **changes):
    """Return a behaviour whose body is an ordinary one with some fields changed."""
    document = make_document(PATHS[name], Behaviour())
    return Behaviour("raw", text=json.dumps(document | changes))


def choose(reason, **message):
    return {"choices": [{"index": 0, "finish_reason": reason, "message": message}]}


def respond_in_turn(provider, *requests):
    async def respond():
        try:
            return [await provider.respond(request) for request in requests]
        finally:
            await provider.close()

    return asyncio.run(respond())


@pytest.mark.parametrize("name", PROVIDERS)
def test_the_body_of_a_request_has_what_was_asked_for_and_no_more(name):
    limits = Limits(deadline_s=10, output_tokens_max=50)
    settings = OWN_SETTINGS[name] | {"extra_body": {"seed": 7}}
    asked = {"system": "Be brief.", "effort": "low", "schema": SCHEMA}
    result, server = ask(name, settings=settings, limits=limits, **asked)
    assert json.loads(server.seen[0].body) == BODIES[name]
    assert result.sent == server.seen[0].body


STATED = [
    ("openai", {"status": "failed", "error": {"code": "rate_limit_exceeded"}}, "rate_limited"),
    ("openai", {"status": "failed", "error": {"code": "invalid_prompt"}}, "provider_error"),
    ("openai", {"status": "cancelled"}, "provider_error"),
    (
        "openai",
        {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
        "content_filtered",
    ),
    ("openai", {"output": []}, "empty_answer"),
    ("openai-chat", choose("length", content="To"), "truncated"),
    ("openai-chat", choose("tool_calls", content=None), "empty_answer"),
    ("openai-chat", choose("eos", content="To"), "unknown_stop_reason"),
    ("anthropic", {"stop_reason": "model_context_window_exceeded"}, "truncated"),
    ("anthropic", {"stop_reason": "tool_use"}, "unfinished"),
    ("anthropic", {"stop_reason": "tired"}, "unknown_stop_reason"),
    ("anthropic", {"stop_reason": "refusal", "content": []}, "empty_answer"),
    ("openai", {"output": [{"type": "message"}]}, "malformed_response"),
    ("openai", {"output": 3}, "malformed_response"),
    ("openai-chat", {"choices": []}, "malformed_response"),
    ("openai-chat", {"choices": None}, "malformed_response"),
    ("openai-chat", choose("stop", content=[{"type": "text"}]), "malformed_response"),
    ("anthropic", {"content": None}, "malformed_response"),
    ("anthropic", {"content": [{"type": "text", "text": 3}]}, "malformed_response"),
    ("anthropic", {"stop_reason": ["end_turn"]}, "malformed_response"),
]


@pytest.mark.parametrize(("name", "changes", "cause"), STATED)
def test_what_is_no_answer_has_its_cause_and_keeps_what_it_cost(name, changes, cause):
    failure = failed(ask(name, change(name, **changes))[0])
    assert (failure.cause, failure.is_transient) == (cause, cause == "rate_limited")
    assert failure.tokens == Tokens(input=20, cache_read=10, output=7)
    assert (failure.resolved_model, failure.request_id) == (MODEL, "req_123")
    assert "\n" not in failure.detail


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("body", ["", "[]", "null", "{}", '{"a": ' + "[" * 100_000, '{"a": NaN'])
def test_a_body_of_another_shape_is_malformed_and_kept(name, body):
    failure = failed(ask(name, Behaviour("raw", text=body))[0])
    assert (failure.cause, failure.is_transient) == ("malformed_response", False)
    assert failure.response == body.encode()


@pytest.mark.parametrize("name", PROVIDERS)
def test_usage_is_every_count_in_the_order_sent(name):
    odd = {"rate": 0.5, "tier": "x", "no": None, "less": -1, "is_new": True}
    usage = {"b": 2, **odd, "a": {"y": 1, "x": {"z": 0}}}
    result = answered(ask(name, change(name, usage=usage))[0])
    assert result.usage == (("b", 2), ("a.y", 1), ("a.x.z", 0))
    assert result.tokens is None


@pytest.mark.parametrize(("name", "field"), [("openai", "input"), ("openai-chat", "prompt")])
def test_input_tokens_are_those_that_neither_came_from_the_cache_nor_went_there(name, field):
    output = {"openai": "output_tokens", "openai-chat": "completion_tokens"}[name]
    details = {"cached_tokens": 10, "cache_write_tokens": 5}
    for told, new in ((30, 15), (3, 0)):
        usage = {f"{field}_tokens": told, f"{field}_tokens_details": details, output: 4}
        assert ask(name, change(name, usage=usage))[0].tokens == Tokens(new, 10, 5, 4)


@pytest.mark.parametrize("name", PROVIDERS)
def test_what_came_before_the_deadline_is_kept(name):
    failure = failed(ask(name, Behaviour("stall"), limits=Limits(deadline_s=0.3))[0])
    assert (failure.cause, failure.is_transient) == ("timed_out", True)
    assert failure.response is not None
    assert failure.response.startswith(b'{"id":')
    assert failure.detail == "no end after 0.3 s"


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_response_that_is_too_large_is_not_asked_for_again(name, monkeypatch):
    monkeypatch.setattr("providers.wire.RECEIVED_BYTES_MAX", 50)
    failure = failed(ask(name)[0])
    assert (failure.cause, failure.is_transient) == ("too_large", False)


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_prompt_that_no_json_can_carry_is_a_bad_request_and_not_tried_again(name):
    result, server = ask(name, prompt="lone \ud800")
    assert (failed(result).cause, failed(result).is_transient) == ("bad_request", False)
    assert server.seen == []


@pytest.mark.parametrize("name", PROVIDERS)
def test_an_answer_with_a_lone_surrogate_is_kept_as_it_is(name):
    document = json.dumps(make_document(PATHS[name], Behaviour(text="lone \ud800")))
    assert answered(ask(name, Behaviour("raw", text=document))[0]).answer == "lone \ud800"


@pytest.mark.parametrize("name", PROVIDERS)
def test_no_cookie_goes_from_one_call_to_the_next(name):
    with serve(Behaviour(headers=(("set-cookie", "session=planted"),))) as server:
        respond_in_turn(make(name, server.url), make_request(), make_request())
        assert len(server.seen) == 2
        assert "cookie" not in server.seen[1].headers


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("key", [f"{KEY}\n", f" {KEY}", "planted-corréct-horse"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_repeated(name, key):
    with pytest.raises(FaultyInput) as refused:
        make(name, vault=Vault({"PLANTED_API_KEY": key}))
    (fault,) = refused.value.faults
    assert fault.startswith("live: settings.api_key_env: PLANTED_API_KEY has ")
    assert "planted" not in fault


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_call_to_another_machine_goes_through_the_proxy_of_the_environment(name, monkeypatch):
    with serve() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removeprefix("http://"))
        monkeypatch.setenv("no_proxy", "localhost,127.0.0.1,::1,exempt.example")
        (result,) = respond_in_turn(make(name, "http://api.example.test"), make_request())
        assert answered(result).answer == ANSWER
        assert proxy.seen[0].path.startswith("http://api.example.test/")


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_call_to_this_machine_goes_through_no_proxy(name, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert answered(ask(name)[0]).answer == ANSWER


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_call_that_is_cancelled_ends_at_once_and_the_provider_can_be_asked_again(name):
    with serve(Behaviour("hang"), Behaviour()) as server:
        provider = make(name, server.url)

        async def respond():
            call = asyncio.create_task(provider.respond(make_request()))
            assert await asyncio.to_thread(server.is_asked.wait, 10)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            result = await provider.respond(make_request())
            await provider.close()
            return result

        assert answered(asyncio.run(respond())).answer == ANSWER


@pytest.mark.parametrize("name", PROVIDERS)
def test_an_error_that_repeats_the_key_loses_it_in_the_vault(name):
    failure = failed(ask(name, Behaviour("unauthorized"))[0])
    clean = Vault({"PLANTED_API_KEY": KEY}).scrub_text(failure.detail)
    assert KEY in failure.detail
    assert "[secret PLANTED_API_KEY]" in clean
    assert KEY not in clean


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_key_that_is_missing_is_one_clear_line(name):
    setup = Setup(name="live", model="m")
    with pytest.raises(FaultyInput, match=r"the environment has no (OPENAI|ANTHROPIC)_API_KEY"):
        find_provider(name)(setup)
    local = f"http://localhost:1{ENDINGS[name]}"
    find_provider(name)(replace(setup, settings={"base_url": local}))
