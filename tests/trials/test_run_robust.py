"""Runs beside rebuilds, malformed results, and runs that are resumed for nothing."""

import pytest

from cli.setting import hold_projections, hold_run, open_ledger
from ledger.errors import Busy
from ledger.events import GradingStarted, TrialFailed
from ledger.projections import TRIALS
from providers import SessionFailure, SessionResult
from tests.trials.runs import call_verdict, init_ledger, run_suite, write_suite
from trials.engine import check_reading, run_trials
from trials.grade import grade_run
from trials.run import start_run
from trials.suite import load_configuration, load_suite


@pytest.fixture
def home(tmp_path):
    """A ledger and a suite of four cases."""
    return init_ledger(tmp_path / "ledger"), write_suite(tmp_path / "suite", 4)


def begin(opened, suite):
    """Record a run of ``suite`` and return it."""
    configuration = load_configuration(suite / "configurations" / "m.json")
    return start_run(opened.ledger, load_suite(suite), configuration)


class Says:
    """A provider that returns whatever it is given."""

    def __init__(self, result):
        self.result = result

    async def respond(self, request):
        """Return it."""
        return self.result


BAD = [
    SessionResult(answer="a", response=b"raw", media="text/plain", usage=(("tokens", -1),)),
    SessionResult(answer="a", response=b"raw", media="text/plain", resolved_model="\ud800"),
    SessionResult(answer="a", response=b"raw", media="text/plain", usage=(("t", 1.5),)),  # type: ignore[arg-type]
    SessionFailure(cause="x", detail="\udfff", response=b"raw"),
    SessionFailure(cause="x", detail="d" * 70_000, response=b"raw"),
]


@pytest.mark.parametrize("result", BAD)
def test_a_result_that_no_event_can_hold_is_a_failed_trial_with_its_bytes(home, result):
    with open_ledger(home[0]) as opened:
        inventory = run_trials(begin(opened, home[1]), opened.ledger, opened.keeper, Says(result))
        failed = [e.event.body for e in opened.ledger.read() if type(e.event.body) is TrialFailed]
        assert (inventory.failed, inventory.missing, inventory.is_complete) == (4, 0, True)
        assert {body.cause for body in failed} == {"provider_malformed"}
        assert {opened.ledger.get(b.response.address) for b in failed if b.response} == {b"raw"}


def test_a_provider_that_returns_nothing_fails_the_trial(home):
    with open_ledger(home[0]) as opened:
        inventory = run_trials(begin(opened, home[1]), opened.ledger, opened.keeper, Says(None))
        assert inventory.failed == 4


def test_a_torn_reading_of_the_projections_begins_no_trial(home):
    assert run_suite(*home).code in (0, 1)
    with open_ledger(home[0]) as opened:
        states = list(opened.keeper.scan(TRIALS))
        check_reading(opened.keeper, states[0].run, 4, 4)
        with pytest.raises(Busy, match="folded again"):
            check_reading(opened.keeper, states[0].run, 3, 3)


def test_a_rebuild_waits_for_no_run_and_a_run_for_no_rebuild(home):
    with open_ledger(home[0]) as opened:
        run = begin(opened, home[1])
        with hold_run(opened, run.address):
            assert call_verdict("--ledger", home[0], "rebuild").code == 3
            with hold_run(opened, run.suite_event):
                pass
        with hold_projections(opened), pytest.raises(Busy), hold_run(opened, run.address):
            pass


def test_a_finished_run_that_is_resumed_is_graded_no_more_and_signed(home):
    ledger, suite = home
    assert run_suite(ledger, suite).code in (0, 1)
    run = call_verdict("--ledger", ledger, "scorecard", "--json").json["run"]
    (ledger / "last-signed").unlink()
    resumed = call_verdict("--ledger", ledger, "run", suite, "-c", "m", "--resume", run)
    assert resumed.code == 2  # what was signed is not remembered: nothing is added to it
    with open_ledger(ledger) as opened:
        kinds = [type(entry.event.body) for entry in opened.ledger.read()]
    assert kinds.count(GradingStarted) == 1


def test_resuming_a_finished_run_gives_its_scorecard_again(home):
    ledger, suite = home
    first = run_suite(ledger, suite)
    card = call_verdict("--ledger", ledger, "scorecard", "--json").json
    again = call_verdict("--ledger", ledger, "run", suite, "-c", "m", "--resume", card["run"])
    assert again.code == first.code
    assert call_verdict("--ledger", ledger, "scorecard", "--json").json == card


def test_grading_a_run_again_on_purpose_is_another_grading(home):
    with open_ledger(home[0]) as opened:
        run = begin(opened, home[1])
        result = SessionResult(answer="total\nTOTAL 1", response=b"raw", media="text/plain")
        run_trials(run, opened.ledger, opened.keeper, Says(result))
        parts = opened.ledger, opened.keeper, run.address, run.suite_event, run.suite
        assert grade_run(*parts).grading != grade_run(*parts).grading
