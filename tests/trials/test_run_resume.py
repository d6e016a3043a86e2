"""Runs that go on, and runs at the same time: no trial twice, and nobody in another's way."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from cli.setting import hold_run, open_ledger
from ledger.events import RunStarted, TrialCompleted, TrialStarted
from tests.trials.runs import (
    CHECKS,
    call_verdict,
    init_ledger,
    make_answer,
    run_suite,
    write_suite,
)
from trials.run import start_run
from trials.suite import load_configuration, load_suite

PROGRAM = (sys.executable, "-c", "from cli.main import main; main()")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def ledger(tmp_path):
    return init_ledger(tmp_path / "ledger")


@pytest.fixture
def suite(tmp_path):
    return write_suite(tmp_path / "suite", 10, repetitions=2)


def begin(ledger, suite):
    """Record a run's start and plan, as a program does that is killed right after."""
    configuration = load_configuration(suite / "configurations" / "m.json")
    with open_ledger(ledger) as opened:
        return start_run(opened.ledger, load_suite(suite), configuration).address


def size(ledger):
    with open_ledger(ledger) as opened:
        return opened.ledger.head().size


def slots(ledger, kind):
    """Return how often each slot of each run has an event of ``kind``."""
    with open_ledger(ledger) as opened:
        found = [entry.event.body for entry in opened.ledger.read()]
    return Counter((body.run, body.slot) for body in found if isinstance(body, kind))


def launch(ledger, suite, *options):
    arguments = ["--ledger", str(ledger), "run", str(suite), "-c", "m", *options]
    return subprocess.Popen(
        [*PROGRAM, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_begun_run_goes_on_by_its_address(ledger, suite):
    run = begin(ledger, suite)
    assert run_suite(ledger, suite, "--resume", run[7:19]).code == 0
    assert set(slots(ledger, TrialCompleted).values()) == {1}
    assert {address for address, _ in slots(ledger, TrialStarted)} == {run}


def test_the_newest_unfinished_run_is_the_last(ledger, suite):
    runs = [begin(ledger, suite) for _ in range(3)]
    for run in reversed(runs):
        assert run_suite(ledger, suite, "--resume", "last").code == 0
        assert {address for address, _ in slots(ledger, TrialStarted)} == set(
            runs[runs.index(run) :]
        )
    assert run_suite(ledger, suite, "--resume", "last").code == 2


def test_a_finished_run_resumed_by_its_address_records_nothing_twice(ledger, suite):
    run = begin(ledger, suite)
    first = run_suite(ledger, suite, "--resume", run)
    again = run_suite(ledger, suite, "--resume", run)
    assert (first.code, again.code) == (0, 0)
    assert set(slots(ledger, TrialCompleted).values()) == {1}


@pytest.mark.parametrize("spoilt", ["cases.jsonl", "plain.md", "eval_suite.json"])
def test_a_changed_suite_is_not_resumed(ledger, suite, spoilt):
    run, before = begin(ledger, suite), size(ledger)
    with (suite / spoilt).open("a") as file:
        file.write("\n")
    called = run_suite(ledger, suite, "--resume", run)
    assert called.code == 2
    assert "the suite has changed since the run began; start a new run" in called.err
    assert run_suite(ledger, suite, "--resume", "last").code == 2
    assert size(ledger) == before


@pytest.mark.parametrize("spoilt", ["answers.jsonl", "configurations/m.json"])
def test_a_changed_configuration_is_not_resumed(ledger, suite, spoilt):
    run, before = begin(ledger, suite), size(ledger)
    with (suite / spoilt).open("a") as file:
        file.write("\n")
    called = run_suite(ledger, suite, "--resume", run)
    assert called.code == 2
    assert "the configuration has changed since the run began; start a new run" in called.err
    assert run_suite(ledger, suite, "--resume", "last").code == 2
    assert size(ledger) == before


@pytest.mark.parametrize(
    ("named", "saying"),
    [("last", "no unfinished run"), ("ffff", "begins with ffff"), ("no address", "not an address")],
)
def test_what_cannot_be_resumed_is_said(ledger, suite, named, saying):
    called = run_suite(ledger, suite, "--resume", named)
    assert called.code == 2
    assert saying in called.err
    assert size(ledger) == 0


def test_what_is_no_run_cannot_be_resumed(ledger, suite):
    begin(ledger, suite)
    with open_ledger(ledger) as opened:
        (registered, _) = opened.ledger.read()
    called = run_suite(ledger, suite, "--resume", registered.address)
    assert called.code == 2
    assert "is a suite.registered, not a run" in called.err


def test_whoever_resumes_a_run_that_is_at_work_is_told_that_it_is_busy(ledger, suite):
    run = begin(ledger, suite)
    before = size(ledger)
    with open_ledger(ledger) as opened, hold_run(opened, run):
        called = run_suite(ledger, suite, "--resume", "last")
        assert called.code == 3
        assert "another process is at it" in called.err
        assert size(ledger) == before
    assert run_suite(ledger, suite, "--resume", "last").code == 0


def test_two_processes_that_resume_one_run_make_no_trial_twice(ledger, suite):
    begin(ledger, suite)
    both = [launch(ledger, suite, "--resume", "last", "--concurrency", "1") for _ in range(2)]
    said = [process.communicate() for process in both]
    codes = sorted(process.returncode for process in both)
    # Busy, or so late that nothing was left to do.
    assert codes in ([0, 2], [0, 3]), said
    assert set(slots(ledger, TrialCompleted).values()) == {1}
    assert call_verdict("--ledger", ledger, "verify").code == 0


def test_two_runs_at_once_on_one_ledger_both_complete(ledger, tmp_path, suite):
    other = write_suite(tmp_path / "other", 12, answers=[make_answer(n) for n in range(12)])
    both = [launch(ledger, suite), launch(ledger, other)]
    said = [process.communicate() for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert Counter(run for run, _ in slots(ledger, TrialCompleted)).total() == 32
    assert set(slots(ledger, TrialCompleted).values()) == {1}
    assert call_verdict("--ledger", ledger, "verify").code == 0


def test_four_runs_of_one_suite_at_once_are_four_runs(ledger, suite):
    all_four = [launch(ledger, suite) for _ in range(4)]
    said = [process.communicate() for process in all_four]
    assert [process.returncode for process in all_four] == [0] * 4, said
    assert len({run for run, _ in slots(ledger, TrialCompleted)}) == 4
    with open_ledger(ledger) as opened:
        entries = list(opened.ledger.read())
    assert sum(isinstance(entry.event.body, RunStarted) for entry in entries) == 4
    assert [entry.position for entry in entries] == list(range(len(entries)))
    called = call_verdict("--ledger", ledger, "verify", "--json")
    assert called.code == 0
    assert called.json["checked"]["checkpoints"] >= 1
    assert len(CHECKS) == 2
