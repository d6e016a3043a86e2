import asyncio
import json
import re
import socket

import pytest

from ledger.canonical import JsonObject
from ledger.errors import FaultyInput
from ledger.tools import ToolKind
from providers import Closing, Provider, scrub_session
from providers.http import Application, make_http
from providers.provider import Limits, SessionFailure, SessionRequest, SessionResult, TrialPlace
from providers.setup import Setup
from providers.vault import Vault
from tests.providers.app_server import Reply, serve_app

KEY = "correct-horse-battery"
FINE = {"id": "r1", "answer": "25 days", "model": "app-2", "usage": {"tokens": {"in": 3, "out": 1}}}
SOON = Limits(deadline_s=0.3)


def make_setup(address="http://127.0.0.1:9", **settings) -> Setup:
    own: JsonObject = {"url": f"{address}/answers", "body": {"q": "{{prompt}}"}}
    own |= {"answer": "/answer", **settings}
    return Setup(name="c", model="m", settings=own, vault=Vault({"APP_KEY": KEY}))


def make_request(**fields) -> SessionRequest:
    place = TrialPlace("the-case", "the-variant", 7)
    return SessionRequest(
        **{"place": place, "prompt": "How many?", "model": "m", "effort": None, **fields}
    )


async def respond(provider: Application, *requests: SessionRequest):
    """Return what comes of each request, one after the other."""
    try:
        return [await provider.respond(request) for request in requests]
    finally:
        await provider.close()


def ask(app, request: SessionRequest | None = None, **settings):
    provider = make_http(make_setup(app.address, **settings))
    return asyncio.run(respond(provider, request or make_request()))[0]


def answer(app, request: SessionRequest | None = None, **settings) -> SessionResult:
    result = ask(app, request, **settings)
    assert isinstance(result, SessionResult), result
    return result


def fail(app, request: SessionRequest | None = None, **settings) -> SessionFailure:
    result = ask(app, request, **settings)
    assert isinstance(result, SessionFailure), result
    return result


def refuse(**settings) -> str:
    with pytest.raises(FaultyInput) as refusal:
        make_http(make_setup(**settings))
    return str(refusal.value)


def further(app, path="/reports/{{/id}}", **fields):
    return [{"name": "report", "url": f"{app.address}{path}", **fields}]


def test_the_answer_is_what_the_pointer_leads_to_and_all_bytes_are_kept():
    with serve_app(answers=Reply(FINE)) as app:
        result = answer(app)
    assert result.answer == "25 days"
    assert json.loads(result.response) == FINE
    assert (result.media, result.sent_media) == ("application/json", "application/json")
    assert result.sent == app.seen[0].body == b'{"q": "How many?"}'


def test_it_is_a_provider_that_closes():
    provider: Provider = make_http(make_setup())
    assert isinstance(provider, Closing)


def test_what_the_application_states_is_told_and_what_it_does_not_state_is_not():
    with serve_app(answers=Reply(FINE)) as app:
        result = answer(
            app, usage="/usage", resolved_model="/model", request_id="/id", stop_reason="/stop"
        )
    assert result.usage == (("tokens.in", 3), ("tokens.out", 1))
    assert (result.resolved_model, result.request_id, result.stop_reason) == ("app-2", "r1", None)
    assert result.notes == ()


def test_a_statement_that_cannot_be_used_is_noted():
    with serve_app(answers=Reply(FINE)) as app:
        result = answer(app, resolved_model="/usage")
    assert result.resolved_model is None
    assert result.notes == ("resolved_model: what is at /usage cannot be used",)


def test_the_header_names_the_request_where_no_pointer_does():
    headers = (("X-Request-Id", "abc"),)
    with serve_app(answers=Reply(FINE, headers=headers)) as app:
        assert answer(app).request_id == "abc"


@pytest.mark.parametrize(
    ("body", "pointer", "text"),
    [
        (b'{"a": {"b~/c": ["x", "y"]}}', "/a/b~0~1c/1", "y"),
        (b'{"answer": 398.70}', "/answer", "398.70"),
        (b'{"answer": {"b": 1.50, "a": "\xc3\xa9"}}', "/answer", '{"a": "é", "b": 1.50}'),
        (b'{"answer": [true, null, NaN]}', "/answer", "[true, null, NaN]"),
        (b'"all"', "", "all"),
        (b'\xef\xbb\xbf{"answer": "bom"}', "/answer", "bom"),
    ],
)
def test_an_answer_that_is_no_text_is_its_json(body, pointer, text):
    with serve_app(answers=Reply(body)) as app:
        assert answer(app, answer=pointer).answer == text


@pytest.mark.parametrize(
    ("body", "media", "text"),
    [
        ("né".encode(), "text/plain", "né"),
        ("né".encode("latin-1"), "text/plain; charset=iso-8859-1", "né"),
        (b"n\xff", "text/plain; charset=utf-8", "n\udcff"),
    ],
)
def test_a_plain_response_is_the_answer_as_it_stands(body, media, text):
    with serve_app(answers=Reply(body, media=media)) as app:
        provider = make_http(_plain(app))
        (result,) = asyncio.run(respond(provider, make_request()))
    assert isinstance(result, SessionResult)
    assert (result.answer, result.response) == (text, body)


def _plain(app) -> Setup:
    settings = {"url": f"{app.address}/answers", "body": "{{prompt}}", "answer_is": "text"}
    return Setup(name="c", model="m", settings=dict(settings))


@pytest.mark.parametrize(
    ("body", "cause", "detail"),
    [
        (b'{"answr": "x"}', "malformed_response", "answer: '/answer' leads nowhere"),
        (b'{"answer": ""}', "empty_answer", "HTTP 200, and the answer is empty"),
        (b"<html>", "malformed_response", "not JSON: Expecting value at character 0"),
        (b'"\xff"', "malformed_response", "not JSON: no utf-8 at byte 1"),
        (b"[" * 100_000, "malformed_response", "not JSON that can be read"),
        (b"", "malformed_response", "not JSON"),
    ],
)
def test_a_response_without_an_answer_is_a_failure_that_keeps_it(body, cause, detail):
    with serve_app(answers=Reply(body)) as app:
        failure = fail(app)
    assert failure.cause == cause
    assert failure.detail.startswith(detail)
    assert (failure.response, failure.sent) == (body, b'{"q": "How many?"}')
    assert not failure.is_transient


@pytest.mark.parametrize(
    ("status", "cause", "is_transient", "stops_run"),
    [
        (422, "bad_request", False, False),
        (401, "unauthorized", False, True),
        (429, "rate_limited", True, False),
        (500, "server_error", True, False),
        (503, "overloaded", True, False),
    ],
)
def test_a_status_says_what_failed(status, cause, is_transient, stops_run):
    with serve_app(answers=Reply(b'{"detail": "no\n good"}', status=status)) as app:
        failure = fail(app)
    assert (failure.cause, failure.is_transient) == (cause, is_transient)
    assert failure.stops_run is stops_run
    assert failure.detail == f'HTTP {status}: {{"detail": "no good"}}'
    assert failure.response == b'{"detail": "no\n good"}'


def test_how_long_to_wait_is_what_the_application_asks_for():
    with serve_app(answers=Reply(status=429, headers=(("Retry-After", "7"),))) as app:
        assert fail(app).retry_after_s == 7


def test_a_redirect_is_not_followed():
    headers = (("Location", "/reports/r1"),)
    with serve_app(answers=Reply(status=302, headers=headers), report_r1=Reply(FINE)) as app:
        failure = fail(app)
    assert (failure.cause, len(app.seen)) == ("bad_request", 1)
    assert failure.detail == "HTTP 302: a redirect, which is not followed"


def test_a_response_that_is_cut_off_leaves_what_came():
    with serve_app(answers=Reply(FINE, cut=5)) as app:
        failure = fail(app)
    assert failure.cause == "response_cut"
    assert failure.response == json.dumps(FINE).encode()[:-5]


def test_nobody_at_the_address_is_a_failure_that_may_pass():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        provider = make_http(make_setup(f"http://127.0.0.1:{free.getsockname()[1]}"))
        (failure,) = asyncio.run(respond(provider, make_request()))
    assert isinstance(failure, SessionFailure)
    assert (failure.cause, failure.is_transient) == ("connection_failed", True)
    assert failure.sent == b'{"q": "How many?"}'


def test_a_call_ends_by_its_deadline():
    with serve_app(answers=Reply(FINE, wait_s=0.6)) as app:
        failure = fail(app, make_request(limits=SOON))
    assert (failure.cause, failure.detail) == ("timed_out", "no end after 0.3 s")
    assert failure.sent == b'{"q": "How many?"}'


def test_a_header_brings_a_variable_and_no_record_has_it():
    headers = {"Authorization": "Bearer ${APP_KEY}", "X-Tenant": "blue"}
    with serve_app(answers=Reply({"answer": f"you sent {KEY}"})) as app:
        setup = make_setup(app.address, headers=headers)
        (result,) = asyncio.run(respond(make_http(setup), make_request()))
    assert app.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert app.seen[0].headers["x-tenant"] == "blue"
    assert KEY.encode() not in result.sent
    assert scrub_session(result, setup.vault).answer == "you sent [secret APP_KEY]"
    assert KEY not in repr(make_http(setup))


def test_the_response_is_asked_for_as_it_is_and_no_cookie_is_kept():
    with serve_app(answers=Reply(FINE, headers=(("Set-Cookie", "trial=1"),))) as app:
        provider = make_http(make_setup(app.address))
        asyncio.run(respond(provider, make_request(), make_request()))
    assert [seen.headers["accept-encoding"] for seen in app.seen] == ["identity"] * 2
    assert all("cookie" not in seen.headers for seen in app.seen)
    assert app.connections == 1


def test_after_it_was_closed_it_answers_in_another_loop():
    with serve_app(answers=Reply(FINE)) as app:
        provider = make_http(make_setup(app.address))
        results = [asyncio.run(respond(provider, make_request()))[0] for _ in range(2)]
    assert [type(result) for result in results] == [SessionResult] * 2


def test_a_system_text_that_has_no_place_is_not_dropped_in_silence():
    with serve_app(answers=Reply(FINE)) as app:
        failure = fail(app, make_request(system="Be brief."))
    assert (failure.cause, app.seen) == ("bad_request", [])
    assert "{{system}}" in failure.detail


def test_a_further_request_is_a_part():
    report = b'{"kept":  true}'
    with serve_app(answers=Reply(FINE), report_r1=Reply(report)) as app:
        result = answer(app, further=further(app))
    assert result.parts == (("report", report, "application/json"),)
    assert [(seen.method, seen.path) for seen in app.seen[1:]] == [("GET", "/reports/r1")]


def test_a_pointer_into_a_further_response_makes_two_parts():
    report = {"document": {"name": "leave.md"}}
    with serve_app(answers=Reply(FINE), report_r1=Reply(report)) as app:
        result = answer(app, further=further(app, pointer="/document/name"))
    assert result.parts == (
        ("report", b"leave.md", "text/plain; charset=utf-8"),
        ("report.response", json.dumps(report).encode(), "application/json"),
    )


@pytest.mark.parametrize(("name", "path"), [("a/../b?c=d", "a%2F..%2Fb%3Fc%3Dd"), (7, "7")])
def test_a_value_in_a_further_url_stays_one_piece_of_it(name, path):
    with serve_app(answers=Reply({**FINE, "id": name})) as app:
        app.routes[f"GET /reports/{path}"] = [Reply({})]
        answer(app, further=further(app))
    assert app.seen[1].path == f"/reports/{path}"


@pytest.mark.parametrize("name", ["..", "", None, ["r1"], "x" * 2_000, "\ud800"])
def test_a_value_that_would_lead_elsewhere_is_no_piece_of_a_url(name):
    with serve_app(answers=Reply({**FINE, "id": name})) as app:
        failure = fail(app, further=further(app))
    assert (failure.cause, failure.is_transient) == ("further_failed", False)
    assert failure.detail.startswith("further report: ")
    assert len(app.seen) == 1


@pytest.mark.parametrize(("status", "is_transient"), [(404, False), (503, True)])
def test_a_further_request_that_fails_fails_the_trial_and_all_is_kept(status, is_transient):
    with serve_app(answers=Reply(FINE), report_r1=Reply(b"gone", status=status)) as app:
        failure = fail(app, further=further(app), request_id="/id")
    assert (failure.cause, failure.is_transient) == ("further_failed", is_transient)
    assert failure.detail == f"further report: HTTP {status}: gone"
    assert (failure.response, failure.request_id) == (json.dumps(FINE).encode(), "r1")
    assert failure.parts == (("report", b"gone", "application/json"),)


def test_further_headers_are_those_of_the_host_or_its_own():
    with serve_app(report_r1=Reply({})) as other, serve_app(answers=Reply(FINE)) as app:
        app.routes["GET /reports/r1"] = [Reply({})]
        own = {"name": "own", "url": f"{other.address}/reports/r1", "headers": {"X-B": "2"}}
        far = {"name": "far", "url": f"{other.address}/reports/r1"}
        answer(app, further=[*further(app), far, own], headers={"X-A": "1"})
    assert app.seen[1].headers["x-a"] == "1"
    assert "x-a" not in other.seen[0].headers
    assert (other.seen[1].headers["x-b"], "x-a" in other.seen[1].headers) == ("2", False)


def test_a_report_that_comes_later_is_waited_for_and_the_last_response_is_kept():
    replies = [Reply(status=404), Reply({"state": "busy"}), Reply({"state": "done", "n": 1})]
    poll = {"until": "/state", "equals": "done", "every_s": "0.01"}
    with serve_app(answers=Reply(FINE), report_r1=replies) as app:
        result = answer(app, further=further(app, **poll))
    assert result.parts == (("report", b'{"state": "done", "n": 1}', "application/json"),)
    assert [seen.method for seen in app.seen] == ["POST", "GET", "GET", "GET"]


def test_without_a_value_anything_but_null_is_waited_for():
    replies = [Reply({}), Reply({"at": None}), Reply({"at": False})]
    with serve_app(answers=Reply(FINE), report_r1=replies) as app:
        result = answer(app, further=further(app, until="/at", every_s="0.01"))
    assert result.parts[0].data == b'{"at": false}'


def test_true_is_not_the_number_one():
    replies = [Reply({"done": 1}), Reply({"done": True})]
    poll = {"until": "/done", "equals": True, "every_s": "0.01"}
    with serve_app(answers=Reply(FINE), report_r1=replies) as app:
        assert answer(app, further=further(app, **poll)).parts[0].data == b'{"done": true}'


def test_what_never_comes_is_waited_for_until_the_deadline():
    poll = {"until": "/state", "equals": "done", "every_s": "0.05"}
    with serve_app(answers=Reply(FINE), report_r1=Reply({"state": "busy"})) as app:
        failure = fail(app, make_request(limits=SOON), further=further(app, **poll))
    assert (failure.cause, failure.is_transient) == ("timed_out", True)
    assert failure.detail == "further report: no end after 0.3 s"
    assert failure.response == json.dumps(FINE).encode()
    assert failure.parts[0].data == b'{"state": "busy"}'
    assert len(app.seen) > 2


def test_a_poll_that_fails_otherwise_is_not_made_again():
    with serve_app(answers=Reply(FINE), report_r1=Reply(status=403)) as app:
        failure = fail(app, further=further(app, until="/x", every_s="0.01"))
    assert (failure.cause, failure.stops_run, len(app.seen)) == ("further_failed", True, 2)


def test_the_requests_of_one_trial_share_its_deadline():
    with serve_app(answers=Reply(FINE), report_r1=Reply({}, wait_s=0.6)) as app:
        failure = fail(app, make_request(limits=SOON), further=further(app))
    assert (failure.cause, failure.detail) == ("timed_out", "further report: no end after 0.3 s")
    assert failure.response == json.dumps(FINE).encode()


POLL = {"name": "r", "url": "http://127.0.0.1:9/r", "until": "/s"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"urls": "x"}, "settings.urls: unknown setting"),
        ({"url": "ftp://x"}, "settings.url: is not an http:// or https:// address"),
        ({"url": "http://a:b@127.0.0.1/"}, "settings.url: holds a credential"),
        ({"url": "http://127.0.0.1/?api_key=a"}, "settings.url: the parameter 'api_key'"),
        ({"url": "http://:9/a"}, "settings.url: is no address"),
        ({"url": "http://127.0.0.1:9999999/a"}, "settings.url: is no address"),
        ({"url": "http://127.0.0.1/{{prompt}}"}, "settings.url: has a placeholder"),
        ({"method": "GET"}, "settings.method: Input should be 'POST', 'PUT' or 'PATCH'"),
        ({"body": {"q": "hello"}}, "settings.body: has no {{prompt}}"),
        ({"body": "{{promt}}"}, "settings.body: '{{promt}}' is an unknown placeholder"),
        ({"body": "{{prompt"}, "settings.body: '{{prompt' has a '{{' that no '}}' closes"),
        ({"body": {"{{prompt}}": 1}}, "settings.body: '{{prompt}}' stands in a key"),
        ({"body": "see {{inputs}}"}, "settings.body: '{{inputs}}' is no text"),
        ({"body": ["{{prompt}}", "{{number:x}}"]}, "settings.body: '{{number:x}}' is no number"),
        ({"answer": "answer"}, "settings.answer: 'answer' is no JSON pointer"),
        ({"answer": None}, "settings.answer: is missing"),
        ({"answer_is": "text"}, "settings.answer: answer_is says text"),
        ({"answer_is": "text", "answer": None, "usage": "/u"}, "settings.usage: points into JSON"),
        ({"headers": {"Authorization": "Bearer abc"}}, "settings.headers.Authorization: holds a"),
        ({"headers": {"X-Api-Key": "abc"}}, "settings.headers.X-Api-Key: holds a credential"),
        ({"headers": {"X-Note": KEY}}, "settings.headers.X-Note: holds a credential"),
        (
            {"headers": {"X-Note": "${NONE}"}},
            "settings.headers.X-Note: the environment has no NONE",
        ),
        ({"headers": {"X-Note": "${no-name}"}}, "settings.headers.X-Note: has a '${'"),
        ({"headers": {"X-Note": "a\r\nX-B: c"}}, "settings.headers.X-Note: has characters"),
        ({"headers": {"Host": "x"}}, "settings.headers.Host: is set already"),
        ({"headers": {"a b": "x"}}, "settings.headers: 'a b' is no name of a header"),
        ({"multipart": True, "headers": {"Content-Type": "x"}}, "settings.headers: content-type"),
        ({"further": [{"name": "A", "url": "x"}]}, "settings.further.0.name: "),
        ({"further": [{**POLL, "name": "answer"}]}, "settings.further.0.name: 'answer' is the"),
        ({"further": [POLL, POLL]}, "settings.further.1.name: 'r' is the name of another part"),
        ({"further": [{**POLL, "url": "/r"}]}, "settings.further.0.url: is not an http://"),
        ({"further": [{**POLL, "method": "POST"}]}, "settings.further.0.method: what is sent"),
        ({"further": [{**POLL, "every_s": 0}]}, "settings.further.0.every_s: '0' is not above 0"),
        ({"further": [{**POLL, "until": None, "equals": 1}]}, "settings.further.0.equals: goes"),
        ({"further": [{**POLL, "url": "http://a/{{/id"}]}, "settings.further.0.url: is no address"),
        ({"further": [{**POLL, "url": "http://a/{{id}}"}]}, "settings.further.0.url: 'id' is no"),
    ],
)
def test_a_faulty_setting_is_one_line_that_says_where(settings, message):
    said = refuse(**settings)
    assert said.startswith(f"c: {message}")
    assert "\n" not in said


@pytest.mark.parametrize(
    "url", ["http://{{/h}}/r", "http://127.0.0.1:8{{/p}}/r", "http://{{/h}}@127.0.0.1/r"]
)
def test_a_response_never_says_which_host_is_asked(url):
    said = refuse(further=[{"name": "r", "url": url}])
    assert re.match(r"c: settings.further.0.url: (a response cannot say|holds a credential)", said)


def test_a_value_out_of_a_text_is_refused():
    said = refuse(answer_is="text", answer=None, further=[{**POLL, "url": "http://a/{{/id}}"}])
    assert said.startswith("c: settings.further.0.url: takes a value out of JSON")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"tools": (ToolKind.SHELL,)}, "tools: the provider 'http' has none"),
        ({"effort": "low"}, "effort: settings.body has no {{effort}}"),
        ({"limits": Limits(output_tokens_max=9)}, "limits.output_tokens_max: settings.body has no"),
    ],
)
def test_what_the_body_has_no_place_for_is_refused(fields, message):
    setup = Setup(name="c", model="m", settings=make_setup().settings, **fields)
    with pytest.raises(FaultyInput, match=rf"^c: {re.escape(message)}"):
        make_http(setup)
