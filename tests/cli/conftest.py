"""A folder to work in, and a ledger with a small suite beside it."""

import pytest

from tests.cli.program import call, write_suite


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty working directory, in which no ledger is found."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def home(here):
    """A working directory with an empty ledger and a suite."""
    assert call("init").code == 0
    write_suite(here / "suite")
    return here


@pytest.fixture
def graded(home):
    """The scorecard, as JSON, of a run in which one verdict of three is a pass."""
    done = call("run", "suite", "-c", "bad", "--json")
    assert done.code == 1
    return done.json()
