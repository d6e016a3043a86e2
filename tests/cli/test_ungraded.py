"""A run that is not graded yet can be looked at."""

import pytest

from tests.cli.program import call


@pytest.fixture
def cut_off(home, monkeypatch):
    """The address of a run that was stopped before its first trial."""

    def interrupt(*_arguments, **_options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("cli.run.run_window", interrupt)
        done = call("run", "suite", "-c", "good")
    assert done.code == 3
    return done.err.split()[-1]


def test_a_run_that_is_not_graded_shows_what_is_missing(home, cut_off):
    done = call("scorecard", cut_off)
    assert done.code == 3
    assert "3 planned, 0 completed, 0 failed, 3 missing" in done.out
    assert f"go on with verdict run … --resume {cut_off}" in done.out


def test_where_nothing_is_graded_the_newest_run_is_shown(home, cut_off):
    document = call("scorecard", "--json").json()
    assert document["gate"] == "incomplete"
    assert document["trials"] == {"completed": 0, "failed": 0, "missing": 3, "planned": 3}
    assert document["run"].removeprefix("blake3:").startswith(cut_off)
