"""Whole runs against a server that speaks the wire formats: behaviour, record, verdict."""

import json
from collections import Counter

import pytest

from cli.run import make_provider
from cli.setting import open_ledger
from ledger.events import AttemptFailed, TrialCompleted, TrialFailed, VerdictGiven
from ledger.outcomes import Cause, Verdict
from tests.providers.wire_server import MODEL, Behaviour, serve
from tests.trials.runs import init_ledger, make_case, write_suite
from trials.engine import run_trials
from trials.grade import grade_run
from trials.run import start_run
from trials.suite import load_configuration, load_suite

ENDINGS = {"openai": "/v1", "openai-chat": "/v1", "anthropic": ""}
NOW = (("retry-after-ms", "1"),)
FAILING = {
    "bad_request": "bad_request",
    "not_json": "malformed_response",
    "empty": "empty_answer",
    "truncated": "truncated",
}
TRANSIENT = {
    "rate_limited": "rate_limited",
    "server_error": "server_error",
    "overloaded": "overloaded",
}


@pytest.fixture(params=ENDINGS)
def perform(request, tmp_path):
    """What runs a suite of some cases against a script, and returns the events and the server."""

    def perform(*script, cases=1, concurrency=32, deadline_s=10):
        suite = write_suite(
            tmp_path / "suite",
            records=[
                make_case(1) | {"id": f"c{n}", "question": f"Is it {n}?"} for n in range(cases)
            ],
        )
        with open_ledger(init_ledger(tmp_path / "ledger")) as opened, serve(*script) as server:
            document = {
                "provider": request.param,
                "model": MODEL,
                "limits": {"deadline_s": deadline_s, "attempts_max": 3},
                "settings": {"base_url": server.url + ENDINGS[request.param]},
            }
            place = suite / "configurations" / "live.json"
            place.write_text(json.dumps(document))
            configuration = load_configuration(place)
            run = start_run(opened.ledger, load_suite(suite), configuration)
            provider = make_provider(configuration)
            run_trials(run, opened.ledger, opened.keeper, provider, concurrency=concurrency)
            grade_run(opened.ledger, opened.keeper, run.address, run.suite_event, run.suite)
            bodies = [entry.event.body for entry in opened.ledger.read()]
            get = opened.ledger.get
            for body in bodies:
                if isinstance(body, TrialCompleted | TrialFailed | AttemptFailed) and body.sent:
                    assert get(body.sent.address) in [seen.body for seen in server.seen]
            return bodies, server

    return perform


def pick(bodies, *kinds):
    return [body for body in bodies if isinstance(body, kinds)]


def test_an_answer_passes_with_its_bytes_on_record(perform):
    bodies, server = perform()
    (done,) = pick(bodies, TrialCompleted)
    assert (done.attempt, done.resolved_model, done.request_id) == (1, MODEL, "req_123")
    assert dict(done.tokens) == {"input": 20, "cache_read": 10, "cache_write": 0, "output": 7}
    assert {body.verdict for body in pick(bodies, VerdictGiven)} == {Verdict.PASS}
    assert len(server.seen) == 1


@pytest.mark.parametrize(("behaviour", "cause"), TRANSIENT.items())
def test_a_fault_of_the_moment_is_an_attempt_and_the_next_one_answers(perform, behaviour, cause):
    bodies, server = perform(Behaviour(behaviour, headers=NOW), Behaviour())
    (failed,), (done,) = pick(bodies, AttemptFailed), pick(bodies, TrialCompleted)
    assert (failed.cause, failed.attempt, failed.wait_us) == (cause, 1, 1_000)
    assert failed.response is not None
    assert (done.attempt, len(server.seen)) == (2, 2)
    assert {body.verdict for body in pick(bodies, VerdictGiven)} == {Verdict.PASS}


@pytest.mark.parametrize(("behaviour", "cause"), {**TRANSIENT, **FAILING}.items())
def test_what_does_not_get_better_is_unproven_and_stays_in_the_rate(perform, behaviour, cause):
    bodies, server = perform(Behaviour(behaviour, headers=NOW))
    (failed,) = pick(bodies, TrialFailed)
    attempts = 3 if behaviour in TRANSIENT else 1
    assert (failed.cause, failed.attempt, len(server.seen)) == (cause, attempts, attempts)
    assert len(pick(bodies, AttemptFailed)) == attempts - 1
    verdicts = {(body.verdict, body.cause) for body in pick(bodies, VerdictGiven)}
    assert verdicts == {(Verdict.UNPROVEN, Cause.TRIAL_FAILED)}


def test_a_hang_is_given_up_and_asked_again(perform):
    bodies, server = perform(Behaviour("hang"), Behaviour(), deadline_s=0.3)
    assert [body.cause for body in pick(bodies, AttemptFailed)] == ["timed_out"]
    assert len(pick(bodies, TrialCompleted)) == 1
    assert len(server.seen) == 2


@pytest.mark.parametrize(
    ("behaviour", "cause"), [("drop", "connection_failed"), ("cut", "response_cut")]
)
def test_a_connection_that_ends_is_an_attempt(perform, behaviour, cause):
    bodies, server = perform(Behaviour(behaviour), Behaviour())
    assert [body.cause for body in pick(bodies, AttemptFailed)] == [cause]
    assert len(pick(bodies, TrialCompleted)) == 1
    assert len(server.seen) == 2


def test_a_refusal_is_graded_as_the_answer_that_it_is(perform):
    bodies, _ = perform(Behaviour("refusal", text="I will not."))
    (done,) = pick(bodies, TrialCompleted)
    assert done.stop_reason == "refusal"
    assert {body.verdict for body in pick(bodies, VerdictGiven)} == {Verdict.FAIL}


def test_a_cut_text_that_is_stated_whole_another_model_and_no_name_are_taken_as_stated(perform):
    bodies, _ = perform(Behaviour("cut_text", text="TOT", model="other", has_request_id=False))
    (done,) = pick(bodies, TrialCompleted)
    assert (done.resolved_model, done.request_id) == ("other", None)
    assert {body.verdict for body in pick(bodies, VerdictGiven)} == {Verdict.FAIL}


def test_a_thousand_trials_at_once_are_each_asked_once(perform):
    bodies, server = perform(cases=1_000, concurrency=1_000, deadline_s=60)
    assert len(pick(bodies, TrialCompleted)) == len(server.seen) == 1_000
    slots = Counter(body.slot for body in pick(bodies, TrialCompleted))
    assert set(slots.values()) == {1}
    assert not pick(bodies, AttemptFailed, TrialFailed)
