"""The three model APIs through their official SDKs, against a server that speaks their formats."""

import asyncio
import json
from collections import Counter
from dataclasses import replace

import pytest

from ledger.digest import compute_digest
from ledger.errors import FaultyInput
from providers import (
    InputFile,
    Limits,
    SessionFailure,
    SessionRequest,
    SessionResult,
    Setup,
    Tokens,
    TrialPlace,
    Vault,
    find_provider,
)
from tests.providers.wire_server import ANSWER, MODEL, Behaviour, serve

PROVIDERS = ["openai", "openai-chat", "anthropic"]
ENDINGS = {"openai": "/v1", "openai-chat": "/v1", "anthropic": ""}
KEY = "planted-correct-horse"
SCHEMA = json.dumps({"type": "object", "properties": {}, "additionalProperties": False})


def make(name, url="http://127.0.0.1:1", *, limits=None, vault=None, **settings):
    settings = {"base_url": url + ENDINGS[name], "api_key_env": "PLANTED_API_KEY"} | settings
    return find_provider(name)(
        Setup(
            name="live",
            model="model-1",
            limits=limits or Limits(deadline_s=10),
            settings=settings,
            vault=vault or Vault({"PLANTED_API_KEY": KEY}),
        )
    )


def make_request(**fields):
    plain = SessionRequest(
        place=TrialPlace("secret-case", "plain", 3),
        prompt="How much is 1 and 0?",
        model="model-1",
        effort=None,
        limits=Limits(deadline_s=10),
    )
    return replace(plain, **fields)


def ask(name, *script, settings=None, limits=None, **fields):
    """Ask a server that works off ``script``; return what came of it and the server."""
    with serve(*script) as server:
        provider = make(name, server.url, limits=limits, **(settings or {}))
        request = make_request(**fields | ({"limits": limits} if limits else {}))

        async def respond():
            try:
                return await provider.respond(request)
            finally:
                await provider.close()

        return asyncio.run(respond()), server


def answered(result):
    assert isinstance(result, SessionResult), result
    return result


def failed(result):
    assert isinstance(result, SessionFailure), result
    return result


@pytest.mark.parametrize("name", PROVIDERS)
def test_an_answer_is_read_with_all_that_the_provider_states(name):
    result, server = ask(name)
    result = answered(result)
    assert (result.answer, result.resolved_model, result.request_id) == (ANSWER, MODEL, "req_123")
    assert result.tokens == Tokens(input=20, cache_read=10, cache_write=0, output=7)
    assert dict(result.usage).keys() & {"input_tokens", "prompt_tokens"}
    assert result.stop_reason in {"completed", "stop", "end_turn"}
    assert json.loads(result.response)["model"] == MODEL
    assert (result.notes, result.sent, result.media) == (
        (),
        server.seen[0].body,
        "application/json",
    )


@pytest.mark.parametrize("name", PROVIDERS)
def test_what_is_sent_is_what_the_request_says_and_nothing_of_its_place(name):
    limits = Limits(deadline_s=10, output_tokens_max=50)
    data = b"1 + 0 = 1\n"
    file = InputFile("sums.txt", compute_digest(data), data)
    _, server = ask(
        name, system="Be brief.", effort="low", schema=SCHEMA, inputs=(file,), limits=limits
    )
    (seen,) = server.seen
    body = json.loads(seen.body)
    text = seen.body.decode()
    assert body["model"] == "model-1"
    assert 50 in {body.get(f) for f in ("max_output_tokens", "max_completion_tokens", "max_tokens")}
    for said in ("How much is 1 and 0?", "Be brief.", "sums.txt", "1 + 0 = 1", '"low"'):
        assert said in text
    assert "additionalProperties" in text
    assert "secret-case" not in text
    assert text.index("sums.txt") < text.index("How much")


@pytest.mark.parametrize("name", PROVIDERS)
def test_no_credential_is_in_what_comes_back_unless_the_server_repeats_it(name):
    result, server = ask(name)
    assert KEY in str(server.seen[0].headers)
    assert KEY not in repr(result)


TRANSIENT = {
    "rate_limited": "rate_limited",
    "server_error": "server_error",
    "overloaded": "overloaded",
    "html": "server_error",
    "drop": "connection_failed",
    "cut": "response_cut",
}


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize(("behaviour", "cause"), TRANSIENT.items())
def test_a_fault_of_the_moment_is_transient_and_nothing_is_sent_twice(name, behaviour, cause):
    result, server = ask(name, Behaviour(behaviour))
    failure = failed(result)
    assert (failure.cause, failure.is_transient, failure.stops_run) == (cause, True, False)
    assert len(server.seen) == 1
    assert failure.sent == server.seen[0].body


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize(
    ("behaviour", "cause", "stops_run"),
    [
        ("bad_request", "bad_request", False),
        ("unauthorized", "unauthorized", True),
        ("quota_exhausted", "quota_exhausted", True),
        ("not_json", "malformed_response", False),
        ("redirect", "bad_request", False),
        ("empty", "empty_answer", False),
        ("truncated", "truncated", False),
    ],
)
def test_a_fault_that_stays_is_not_transient(name, behaviour, cause, stops_run):
    result, server = ask(name, Behaviour(behaviour))
    failure = failed(result)
    assert (failure.cause, failure.is_transient, failure.stops_run) == (cause, False, stops_run)
    assert failure.response is not None
    assert len(server.seen) == 1


@pytest.mark.parametrize("name", PROVIDERS)
def test_the_bytes_of_a_body_that_was_cut_are_kept(name):
    failure = failed(ask(name, Behaviour("cut"))[0])
    assert failure.response is not None
    assert failure.response.startswith(b'{"id":')
    assert failure.request_id == "req_123"


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_failure_that_was_paid_for_says_what_was_used(name):
    failure = failed(ask(name, Behaviour("truncated", tokens=50))[0])
    assert failure.tokens == Tokens(20, 10, 0, 50)
    assert (failure.resolved_model, failure.request_id) == (MODEL, "req_123")
    assert failure.stop_reason in {"incomplete", "length", "max_tokens"}


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_hang_ends_at_the_deadline(name):
    failure = failed(ask(name, Behaviour("hang"), limits=Limits(deadline_s=0.3))[0])
    assert (failure.cause, failure.is_transient) == ("timed_out", True)


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize(
    ("header", "seconds"),
    [("retry-after", "7"), ("retry-after-ms", "250"), ("retry-after", "not a number")],
)
def test_what_the_provider_asks_to_wait_is_read(name, header, seconds):
    failure = failed(ask(name, Behaviour("rate_limited", headers=((header, seconds),)))[0])
    waits = {"7": 7.0, "250": 0.25}
    assert failure.retry_after_s == waits.get(seconds)


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_provider_that_says_not_to_retry_is_heard(name):
    headers = (("x-should-retry", "false"),)
    failure = failed(ask(name, Behaviour("server_error", headers=headers))[0])
    assert (failure.cause, failure.is_transient) == ("server_error", False)


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_refusal_is_an_answer(name):
    result = answered(ask(name, Behaviour("refusal", text="I will not."))[0])
    assert (result.answer, result.stop_reason) == ("I will not.", "refusal")


@pytest.mark.parametrize("name", PROVIDERS)
def test_an_answer_that_used_all_its_tokens_and_is_stated_whole_is_noted(name):
    limits = Limits(deadline_s=10, output_tokens_max=7)
    result = answered(ask(name, Behaviour("cut_text", text="TOTAL is"), limits=limits)[0])
    assert result.answer == "TOTAL is"
    assert "used all 7 tokens" in result.notes[0]


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_schema_that_was_ignored_is_noted(name):
    result = answered(ask(name, Behaviour(text="no json"), schema=SCHEMA)[0])
    assert result.notes == ("a schema was asked for, and the answer is not JSON",)
    assert answered(ask(name, Behaviour(text='{"a": 1}'), schema=SCHEMA)[0]).notes == ()


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_call_without_a_name_or_usage_or_under_another_model_is_taken_as_it_is(name):
    do = Behaviour("no_usage", model="another-model", has_request_id=False)
    result = answered(ask(name, do)[0])
    assert (result.request_id, result.resolved_model) == (None, "another-model")
    assert (result.usage, result.tokens) == ((), None)


@pytest.mark.parametrize(
    ("name", "cause", "is_transient"),
    [
        ("openai", "server_error", True),
        ("openai-chat", "content_filtered", False),
        ("anthropic", "unfinished", False),
    ],
)
def test_a_success_that_states_a_failure_is_one(name, cause, is_transient):
    failure = failed(ask(name, Behaviour("failed"))[0])
    assert (failure.cause, failure.is_transient) == (cause, is_transient)


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_file_that_is_no_text_is_not_sent(name):
    file = InputFile("a.png", compute_digest(b"\xff"), b"\xff")
    result, server = ask(name, inputs=(file,))
    assert failed(result).cause == "inputs_refused"
    assert server.seen == []


@pytest.mark.parametrize("name", PROVIDERS)
def test_nobody_there_is_a_failed_connection(name):
    failure = failed(asyncio.run(make(name).respond(make_request())))
    assert (failure.cause, failure.is_transient, failure.response) == (
        "connection_failed",
        True,
        None,
    )


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_thousand_calls_at_once_are_each_answered_once(name):
    with serve() as server:
        provider = make(name, server.url, limits=Limits(deadline_s=60))

        async def respond():
            requests = [
                make_request(prompt=f"How much is {n}?", limits=Limits(deadline_s=60))
                for n in range(1_000)
            ]
            results = await asyncio.gather(*(provider.respond(one) for one in requests))
            await provider.close()
            return results

        results = asyncio.run(respond())
        assert {type(result) for result in results} == {SessionResult}
        assert Counter(seen.body for seen in server.seen) == Counter(r.sent for r in results)
        assert len({result.sent for result in results}) == 1_000


@pytest.mark.parametrize("name", PROVIDERS)
def test_after_it_was_closed_it_can_be_asked_in_another_loop(name):
    with serve() as server:
        provider = make(name, server.url)

        async def respond():
            result = await provider.respond(make_request())
            await provider.close()
            return result

        assert [answered(asyncio.run(respond())).answer for _ in range(2)] == [ANSWER, ANSWER]


@pytest.mark.parametrize("name", PROVIDERS)
def test_the_environment_says_nothing_but_the_key(name, monkeypatch):
    for variable in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.setenv(variable, "http://127.0.0.1:1")
    for variable in ("OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"):
        monkeypatch.setenv(variable, "x-planted: planted-header")
    for variable in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.setenv(variable, "planted-organization")
    result, server = ask(name)
    answered(result)
    assert "planted-header" not in str(server.seen[0])
    assert "planted-organization" not in str(server.seen[0])


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_key_that_an_error_repeats_can_be_taken_out(name):
    failure = failed(ask(name, Behaviour("unauthorized"))[0])
    assert KEY in failure.detail
    vault = Vault({"PLANTED_API_KEY": KEY})
    assert failure.response is not None
    assert KEY.encode() not in vault.scrub(failure.response)


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"base_url": "ftp://x"}, "settings.base_url: is not an http:// or https:// address"),
        ({"base_url": "https://me:pw@x.example"}, "settings.base_url: holds a credential"),
        ({"base_url": f"https://x.example/{KEY}"}, "settings.base_url: holds a credential"),
        ({"api_key": "x"}, "settings.api_key: unknown setting; there are "),
        ({"api_key_env": "NOT_SET"}, "settings.api_key_env: the environment has no NOT_SET"),
        ({"extra_body": 1}, "settings.extra_body: is not an object"),
        ({"extra_body": {"model": "x"}}, "settings.extra_body.model: is what this program says"),
        ({"extra_body": {"n": 8}}, "settings.extra_body.n: is what this program says"),
        ({"base_url": "https://x.example/v1?a=b"}, "settings.base_url: has a query"),
        ({"api_key_env": "planted-key-itself"}, "settings.api_key_env: is not the name of a "),
    ],
)
def test_a_faulty_setting_is_one_clear_line(name, settings, line):
    with pytest.raises(FaultyInput) as refused:
        make(name, **settings)
    (fault,) = refused.value.faults
    assert fault.startswith(f"live: {line}")
    assert KEY not in fault


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_number_with_a_fraction_goes_out_as_a_number(name):
    extra = {"temperature": "{{number:0.7}}", "top_k": 3, "stop": ["{{x}}"]}
    _, server = ask(name, settings={"extra_body": extra})
    body = json.loads(server.seen[0].body)
    assert (body["temperature"], body["top_k"], body["stop"]) == (0.7, 3, ["{{x}}"])


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_server_on_this_machine_is_sent_no_key_that_is_not_named(name):
    variables = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
    with serve() as server:
        setup = Setup(
            name="live",
            model="m",
            settings={"base_url": server.url + ENDINGS[name]},
            vault=Vault(variables),
        )
        provider = find_provider(name)(setup)

        async def respond():
            await provider.respond(make_request())
            await provider.close()  # type: ignore[attr-defined]

        asyncio.run(respond())
        assert KEY not in str(server.seen[0].headers)
