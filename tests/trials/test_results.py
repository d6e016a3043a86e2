"""Results at the door: whatever a provider returns or raises, the run goes on and can be read."""

import asyncio
from dataclasses import replace
from decimal import Decimal

import pytest

from cli.setting import open_ledger
from ledger.events import TrialFailed
from ledger.tools import ToolCall, ToolKind, ToolOutcome
from providers import Part, SessionFailure, SessionResult, Tokens
from tests.trials.providers import Scripted, answer, fail
from tests.trials.runs import call_verdict, init_ledger, write_suite
from trials.engine import run_trials
from trials.grade import grade_run
from trials.results import check_result
from trials.run import start_run
from trials.suite import load_configuration, load_suite

CALL = ToolCall(kind=ToolKind.SHELL, name="Bash", input="ls", outcome=ToolOutcome.SUCCEEDED)
PLAIN = answer(tokens=Tokens(1, 2, 3, 4), tool_calls=(CALL,), stated_cost_usd=Decimal("0.01"))
PART = Part("stderr", b"x", "text/plain")
UNSOUND = [
    {"answer": None},
    {"response": bytearray(b"x")},
    {"response": "x"},
    {"sent": ["x"]},
    {"media": None},
    {"parts": [PART]},
    {"parts": (PART, PART)},
    {"parts": (PART._replace(name="a b"),)},
    {"parts": (PART._replace(name=""),)},
    {"parts": (PART._replace(data="x"),)},  # type: ignore[arg-type]
    {"parts": (PART,) * 100_000},
    {"resolved_model": 7},
    {"request_id": "\ud800"},
    {"stop_reason": "x" * 70_000},
    {"usage": {"a": 1}},
    {"usage": (("a", -1),)},
    {"usage": (("a", 1.0),)},
    {"usage": (("a", True),)},
    {"tokens": {"input": 1}},
    {"tokens": Tokens(input=-1)},
    {"tokens": Tokens(input=None)},  # type: ignore[arg-type]
    {"tokens": 7},
    {"stated_cost_usd": 0.01},
    {"stated_cost_usd": "0.01"},
    {"stated_cost_usd": Decimal("NaN")},
    {"stated_cost_usd": Decimal("sNaN")},
    {"stated_cost_usd": Decimal("Infinity")},
    {"stated_cost_usd": Decimal(-1)},
    {"stated_cost_usd": Decimal("1E+40000")},
    {"stated_cost_usd": Decimal("1E-400")},
    {"tool_calls": [CALL]},
    {"tool_calls": (replace(CALL, kind="bash"),)},  # type: ignore[arg-type]
    {"tool_calls": (replace(CALL, input=b"ls"),)},  # type: ignore[arg-type]
    {"stated_us": -1},
    {"notes": "one"},
    {"notes": ("x" * 20_000,)},
]
BAD_FAILURES = [
    {"cause": 7},
    {"detail": "d" * 70_000},
    {"detail": "\ud800"},
    {"retry_after_s": float("nan")},
    {"retry_after_s": float("inf")},
    {"retry_after_s": -1.0},
    {"retry_after_s": 1e12},
    {"retry_after_s": "5"},
    {"retry_after_s": Decimal(5)},
    {"is_transient": 1},
    {"stops_run": None},
]


class BadWords(Exception):
    def __str__(self):
        raise ValueError("no words")


RAISED = [
    SystemExit(0),
    BadWords(),
    asyncio.CancelledError(),
    BaseExceptionGroup("several", [KeyError("x")]),
    RecursionError("deep"),
    TimeoutError("its own"),
    AssertionError(),
]


@pytest.fixture
def opened(tmp_path):
    with open_ledger(init_ledger(tmp_path / "ledger"), actor="ana") as ledger:
        yield ledger


def perform(opened, folder, provider):
    """Run and grade one case; return its failed trial."""
    suite = write_suite(folder, 1)
    configuration = load_configuration(suite / "configurations" / "m.json")
    run = start_run(opened.ledger, load_suite(suite), configuration)
    inventory = run_trials(run, opened.ledger, opened.keeper, provider)
    card = grade_run(opened.ledger, opened.keeper, run.address, run.suite_event, run.suite)
    assert (inventory.failed, inventory.is_complete, card.is_complete) == (1, True, True)
    bodies = [entry.event.body for entry in opened.ledger.read()]
    (failed,) = (body for body in bodies if isinstance(body, TrialFailed))
    return failed


def test_a_sound_result_is_itself():
    assert check_result(PLAIN) is PLAIN
    assert check_result(fail()) == fail()


@pytest.mark.parametrize("fields", UNSOUND, ids=lambda fields: repr(fields)[:60])
def test_an_unsound_result_is_malformed_and_its_bytes_are_kept(fields):
    checked = check_result(replace(PLAIN, **fields))
    assert isinstance(checked, SessionFailure)
    assert checked.cause == "provider_malformed"
    assert checked.detail.startswith(next(iter(fields)))
    assert checked.response == (None if "response" in fields else PLAIN.response)


@pytest.mark.parametrize("fields", BAD_FAILURES, ids=lambda fields: repr(fields)[:60])
def test_an_unsound_failure_is_malformed(fields):
    checked = check_result(replace(fail(), **fields))
    assert isinstance(checked, SessionFailure)
    assert (checked.cause, checked.is_transient, checked.stops_run) == (
        "provider_malformed",
        False,
        False,
    )


@pytest.mark.parametrize("result", [None, 7, "text", SessionResult, object()])
def test_what_is_no_result_at_all_is_malformed(result):
    checked = check_result(result)
    assert isinstance(checked, SessionFailure)
    assert checked.cause == "provider_malformed"


@pytest.mark.parametrize("fields", [UNSOUND[1], UNSOUND[18], UNSOUND[24], UNSOUND[31]])
def test_a_run_with_unsound_results_is_graded_shown_and_verified(opened, tmp_path, fields):
    failed = perform(opened, tmp_path / "suite", Scripted(replace(PLAIN, **fields)))
    assert failed.cause == "provider_malformed"
    for command in (["scorecard"], ["verify"]):
        called = call_verdict("--ledger", tmp_path / "ledger", *command)
        assert called.code in (0, 1), called.err


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_whatever_is_raised_is_a_failed_trial_and_nothing_else(opened, tmp_path, error):
    failed = perform(opened, tmp_path / "suite", Scripted(error))
    assert failed.cause == "provider_failed"
    assert type(error).__name__ in failed.detail


@pytest.mark.parametrize("close", [lambda: None, lambda: 1 / 0])
def test_a_provider_that_cannot_be_closed_changes_nothing(opened, tmp_path, close):
    provider = Scripted(answer("no"))
    provider.close = close  # type: ignore[method-assign]
    suite = write_suite(tmp_path / "suite", 1)
    configuration = load_configuration(suite / "configurations" / "m.json")
    run = start_run(opened.ledger, load_suite(suite), configuration)
    assert run_trials(run, opened.ledger, opened.keeper, provider).completed == 1
