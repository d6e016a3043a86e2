"""A disk that fills up in the middle of a run: a clear line, and the run goes on later."""

import shutil
import sqlite3
import subprocess

import pytest

from ledger.stores import engine
from tests.trials.runs import LARGE, call_verdict, init_ledger, run_suite, write_suite


def limit_pages(patch, ledger, room):
    """Let the database grow by ``room`` pages and no more."""
    with sqlite3.connect(ledger / "ledger.db") as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
    limit = ("max_page_count", str(pages + room), pages + room)
    patch.setattr(engine, "_PRAGMAS", (*engine._PRAGMAS, limit))


def count_slots(ledger):
    """Return how many trials began, how many ended, and of how many different slots."""
    query = (
        "SELECT count(*), count(DISTINCT json_extract(data, '$.body.slot')) FROM event "
        "WHERE json_extract(data, '$.kind') = "
    )
    with sqlite3.connect(ledger / "ledger.db") as connection:
        return [
            connection.execute(f"{query}'{kind}'").fetchone()
            for kind in ("trial.started", "trial.completed")
        ]


@pytest.mark.parametrize("room", [10, 20, 30, 40, 50, 60, 70, 80])
def test_a_full_database_ends_a_run_with_3_and_the_run_goes_on(tmp_path, monkeypatch, room):
    ledger = init_ledger(tmp_path / "ledger")
    suite = write_suite(tmp_path / "suite", 40, repetitions=2)
    with monkeypatch.context() as patch:
        limit_pages(patch, ledger, room)
        called = run_suite(ledger, suite)
    assert called.code == 3
    assert "database or disk is full" in called.err
    assert "Traceback" not in called.err
    assert call_verdict("--ledger", ledger, "verify").code == 0
    begun = count_slots(ledger)
    resumed = run_suite(ledger, suite, "--resume", "last")
    if "no unfinished run" in resumed.err:  # It was full before the run had begun.
        assert begun == [(0, 0), (0, 0)]
        resumed = run_suite(ledger, suite)
    assert resumed.code == 0
    assert count_slots(ledger) == [(80, 80), (80, 80)]
    assert call_verdict("--ledger", ledger, "verify").code == 0


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 8 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    if shutil.which("mount") is None:
        pytest.skip("no mount here")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip(f"no file system may be mounted here: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.mark.parametrize("rest", [100_000, 200_000, 350_000])
def test_a_full_disk_ends_a_run_with_3_and_the_run_goes_on(small_disk, tmp_path, rest):
    ledger = init_ledger(small_disk / "ledger")
    suite = write_suite(tmp_path / "suite", 40, repetitions=2)
    ballast = small_disk / "ballast"
    free = shutil.disk_usage(small_disk).free
    ballast.write_bytes(bytes(free - rest - LARGE))
    called = run_suite(ledger, suite)
    assert called.code == 3
    assert "error: " in called.err
    assert "Traceback" not in called.err
    ballast.unlink()
    assert call_verdict("--ledger", ledger, "verify").code == 0
    resumed = run_suite(ledger, suite, "--resume", "last")
    if "no unfinished run" in resumed.err:
        resumed = run_suite(ledger, suite)
    assert resumed.code == 0
    assert count_slots(ledger) == [(80, 80), (80, 80)]
    assert call_verdict("--ledger", ledger, "verify").code == 0
