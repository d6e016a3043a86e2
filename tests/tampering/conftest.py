"""Sound ledgers, made once; each test gets a copy to spoil."""

import shutil

import pytest

from cli.setting import open_ledger
from tests.trials.runs import call_verdict, init_ledger, run_suite, write_suite


def build(folder, cases, repetitions, runs):
    """Make a ledger with runs, a checkpoint after each, a redacted row and a redacted file."""
    ledger = init_ledger(folder / "ledger")
    suite = write_suite(folder / "suite", cases, repetitions=repetitions)
    for _ in range(runs):
        assert run_suite(ledger, suite).code == 0
    with open_ledger(ledger, actor="ana") as opened:
        for number in (1, 5):
            address = next(
                entry.event.body.answer.address
                for entry in opened.ledger.read()
                if getattr(entry.event.body, "slot", None) == number
                and hasattr(entry.event.body, "answer")
            )
            opened.ledger.redact(address, reason="asked for")
    assert call_verdict("--ledger", ledger, "checkpoint").code == 0
    assert call_verdict("--ledger", ledger, "scorecard").code in (0, 1)
    assert call_verdict("--ledger", ledger, "verify").code == 0
    return ledger


@pytest.fixture(scope="session")
def _large(tmp_path_factory):
    return build(tmp_path_factory.mktemp("large"), 20, 4, 2)


@pytest.fixture(scope="session")
def _small(tmp_path_factory):
    return build(tmp_path_factory.mktemp("small"), 6, 1, 1)


@pytest.fixture
def large(_large, tmp_path):
    """A ledger of 652 events, two tiles, three checkpoints, rows, files and redacted ones."""
    return shutil.copytree(_large, tmp_path / "large")


@pytest.fixture
def small(_small, tmp_path):
    """A ledger of some thirty events, with two checkpoints."""
    return shutil.copytree(_small, tmp_path / "small")
