"""Attempts: what is sent again and what is not, each time with a reason on record."""

from dataclasses import replace

import pytest

from cli.setting import open_ledger
from ledger.digest import parse_digest
from ledger.events import (
    AttemptBegun,
    AttemptFailed,
    RunStopped,
    TrialCompleted,
    TrialFailed,
    TrialStarted,
)
from providers import Part, SessionResult, Tokens, Vault
from tests.trials.providers import TOKENS, Scripted, answer, fail
from tests.trials.runs import init_ledger, write_suite
from trials.engine import run_trials
from trials.pace import BACKOFF_FIRST_S, BACKOFF_MAX_S, compute_backoff
from trials.run import start_run
from trials.suite import load_configuration, load_suite
from trials.window import Window

SUBJECT = parse_digest("blake3:" + "0" * 64)


@pytest.fixture
def opened(tmp_path):
    with open_ledger(init_ledger(tmp_path / "ledger"), actor="ana") as ledger:
        yield ledger


@pytest.fixture
def begin(opened, tmp_path):
    """What records a run of one case."""
    suite = write_suite(tmp_path / "suite", 1)

    def begin(**changes):
        configuration = load_configuration(suite / "configurations" / "m.json")
        configuration = replace(configuration, **changes)
        return start_run(opened.ledger, load_suite(suite), configuration)

    return begin


def read(opened, *kinds):
    bodies = [entry.event.body for entry in opened.ledger.read()]
    return [body for body in bodies if isinstance(body, kinds)]


def test_each_transient_failure_is_recorded_before_the_request_goes_out_again(opened, begin):
    provider = Scripted(fail(response=b"busy", sent=b"{}"), fail("rate_limited"))
    inventory = run_trials(begin(), opened.ledger, opened.keeper, provider)
    _, first, second, done = read(opened, TrialStarted, AttemptFailed, TrialCompleted, TrialFailed)
    assert [type(body) for body in (first, second, done)] == [
        AttemptFailed,
        AttemptFailed,
        TrialCompleted,
    ]
    assert [(b.attempt, b.cause, b.wait_us) for b in (first, second)] == [
        (1, "overloaded", 0),
        (2, "rate_limited", 0),
    ]
    assert opened.ledger.get(first.response.address) == b"busy"
    assert opened.ledger.get(first.sent.address) == b"{}"
    assert (done.attempt, len(provider.seen), inventory.completed) == (3, 3, 1)


def test_the_last_attempt_is_the_outcome(opened, begin):
    provider = Scripted(*[fail() for _ in range(5)])
    run_trials(begin(attempts_max=2), opened.ledger, opened.keeper, provider)
    attempts, outcomes = read(opened, AttemptFailed), read(opened, TrialFailed)
    assert [(body.attempt, body.cause) for body in attempts] == [(1, "overloaded")]
    assert [(body.attempt, body.cause) for body in outcomes] == [(2, "overloaded")]
    assert len(provider.seen) == 2


def test_a_failure_that_is_not_transient_is_the_outcome_at_once(opened, begin):
    provider = Scripted(fail("truncated", is_transient=False, tokens=TOKENS, stop_reason="length"))
    run_trials(begin(), opened.ledger, opened.keeper, provider)
    (failed,) = read(opened, TrialFailed)
    assert (failed.attempt, failed.cause, failed.stop_reason) == (1, "truncated", "length")
    assert dict(failed.tokens) == TOKENS._asdict()
    assert not read(opened, AttemptFailed)


def test_a_refused_key_stops_the_run_and_leaves_its_trial_open(opened, begin):
    provider = Scripted(fail("unauthorized", is_transient=False, stops_run=True))
    run, window = begin(), Window()
    inventory = run_trials(run, opened.ledger, opened.keeper, provider, window=window)
    (stopped,) = read(opened, RunStopped)
    assert (stopped.run, stopped.cause) == (run.address, "unauthorized")
    assert (inventory.missing, inventory.started, inventory.is_complete) == (1, 1, False)
    inventory = run_trials(run, opened.ledger, opened.keeper, Scripted())
    assert (inventory.completed, inventory.is_complete) == (1, True)
    assert [body.attempt for body in read(opened, TrialCompleted)] == [2]


@pytest.mark.parametrize("cause", ["connection_failed", "not_found"])
def test_nobody_there_stops_the_run_unless_somebody_was(opened, begin, cause):
    gone = fail(cause, is_transient=cause == "connection_failed")
    run = begin(attempts_max=2)
    inventory = run_trials(run, opened.ledger, opened.keeper, Scripted(gone, gone))
    assert (inventory.missing, inventory.failed) == (1, 0)
    assert [body.cause for body in read(opened, RunStopped)] == [cause]
    window = Window(reached={run.address})
    again = Scripted(gone, gone)
    inventory = run_trials(run, opened.ledger, opened.keeper, again, window=window)
    assert (inventory.missing, inventory.failed) == (0, 1)


def test_what_is_taken_up_again_is_on_record_before_it_is_sent_again(opened, begin):
    refused = fail("unauthorized", is_transient=False, stops_run=True)
    run = begin()
    run_trials(run, opened.ledger, opened.keeper, Scripted(refused))
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            run_trials(run, opened.ledger, opened.keeper, Scripted(KeyboardInterrupt()))
    run_trials(run, opened.ledger, opened.keeper, Scripted())
    assert [body.attempt for body in read(opened, AttemptBegun)] == [2, 3, 4]
    told = [(body.attempt, body.cause) for body in read(opened, AttemptFailed)]
    assert told == [(1, "unauthorized"), (2, "cut_off"), (3, "cut_off")]
    assert [body.attempt for body in read(opened, TrialCompleted)] == [4]


def test_a_server_that_was_reached_in_an_earlier_window_counts_as_reached(opened, tmp_path):
    suite = write_suite(tmp_path / "two", 2)
    configuration = load_configuration(suite / "configurations" / "m.json")
    run = start_run(opened.ledger, load_suite(suite), configuration)
    refused = fail("unauthorized", is_transient=False, stops_run=True)

    class Once(Scripted):
        async def respond(self, request):
            return await super().respond(request) if not self.seen else refused

    run_trials(run, opened.ledger, opened.keeper, Once(), concurrency=1)
    gone = fail("not_found", is_transient=False)
    inventory = run_trials(run, opened.ledger, opened.keeper, Scripted(gone))
    assert (inventory.completed, inventory.failed, inventory.missing) == (1, 1, 0)


def test_a_wait_that_is_too_long_stops_the_run(opened, begin):
    provider = Scripted(fail("rate_limited", retry_after_s=7200.0))
    inventory = run_trials(begin(), opened.ledger, opened.keeper, provider)
    assert inventory.missing == 1
    assert [body.cause for body in read(opened, RunStopped)] == ["rate_limited"]
    assert [body.wait_us for body in read(opened, AttemptFailed)] == [7_200_000_000]


@pytest.mark.parametrize("error", [ValueError("no \ud800"), RuntimeError("x\ny"), KeyError()])
def test_a_call_that_raises_is_a_failed_trial(opened, begin, error):
    run_trials(begin(), opened.ledger, opened.keeper, Scripted(error))
    (failed,) = read(opened, TrialFailed)
    assert failed.cause == "provider_failed"
    assert "\n" not in failed.detail


def test_everything_that_a_session_was_is_on_record(opened, begin):
    result = answer(
        sent=b'{"q": 1}',
        parts=(Part("stderr", b"warn", "text/plain"),),
        request_id="req-1",
        stop_reason="end_turn",
        usage=(("input_tokens", 100), ("output_tokens", 10)),
        tokens=TOKENS,
        notes=("input a.txt was changed",),
    )
    run_trials(begin(), opened.ledger, opened.keeper, Scripted(result))
    (done,) = read(opened, TrialCompleted)
    get = opened.ledger.get
    assert get(done.sent.address) == b'{"q": 1}'
    assert [(name, get(ref.address)) for name, ref in done.parts] == [("stderr", b"warn")]
    assert (done.request_id, done.usage, done.notes) == (
        result.request_id,
        result.usage,
        result.notes,
    )


def test_large_bytes_are_recorded_like_small_ones(opened, begin):
    large = bytes(range(256)) * 1_000
    run_trials(begin(), opened.ledger, opened.keeper, Scripted(answer(sent=large)))
    (done,) = read(opened, TrialCompleted)
    assert opened.ledger.get(done.sent.address) == large


def test_a_secret_is_taken_out_of_everything_that_came(opened, begin):
    secret = "correct-horse-battery"
    result = SessionResult(
        answer=f"the key is {secret}",
        response=f'{{"key": "{secret}"}}'.encode(),
        media="text/plain",
        parts=(Part("stderr", secret.encode(), "text/plain"),),
        notes=(f"left: {secret}.txt",),
        stop_reason=secret,
    )
    window = Window(vault=Vault({"API_KEY": secret}))
    provider = Scripted(fail(detail=f"401 {secret}", response=secret.encode()), result)
    run_trials(begin(), opened.ledger, opened.keeper, provider, window=window)
    bodies = read(opened, AttemptFailed, TrialCompleted)
    assert len(bodies) == 2
    assert secret not in repr(bodies)
    (done,) = read(opened, TrialCompleted)
    for ref in (done.answer, done.response, done.parts[0][1]):
        assert b"[secret API_KEY]" in opened.ledger.get(ref.address)
    assert any("a secret stood" in note for note in done.notes)


def test_a_provider_that_holds_connections_is_closed_once_for_each_loop(opened, begin):
    provider = Scripted()
    run_trials(begin(), opened.ledger, opened.keeper, provider)
    assert provider.closed == 1


def test_a_provider_with_unknown_tokens_has_no_cost(opened, begin):
    run_trials(begin(), opened.ledger, opened.keeper, Scripted(answer(tokens=Tokens(1))))
    assert [body.cost_usd for body in read(opened, TrialCompleted)] == [None]


def test_waits_double_up_to_a_bound_and_differ_between_requests():
    waits = [compute_backoff(SUBJECT, failed) for failed in range(1, 40)]
    for failed, wait in enumerate(waits, start=1):
        whole = min(BACKOFF_MAX_S, BACKOFF_FIRST_S * 2 ** min(failed - 1, 20))
        assert whole / 2 <= wait <= whole
    others = [parse_digest(SUBJECT[:-1] + digit) for digit in "0123456789"]
    assert len({compute_backoff(subject, 1) for subject in others}) == 10
    assert compute_backoff(SUBJECT, 10_000) <= BACKOFF_MAX_S
