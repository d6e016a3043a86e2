"""SIGKILL at random points of a run: what was acknowledged is there, and the run goes on."""

import json
import random
import secrets
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from cli.setting import open_ledger
from ledger.events import (
    GradingCompleted,
    RunCompleted,
    RunStarted,
    TrialCompleted,
    TrialFailed,
    TrialStarted,
    VerdictGiven,
)
from tests.crash import driver
from tests.crash.driver import CASES, REPETITIONS
from tests.trials.runs import CHECKS, call_verdict, init_ledger, write_suite

DRIVER = Path(driver.__file__)
PROGRAM = (sys.executable, "-c", "from cli.main import main; main()")


def drive(ledger, suite, seed, kills):
    """Let the driver kill runs; return what it says of each."""
    arguments = [str(ledger), str(suite), str(seed), str(kills)]
    driven = subprocess.run(
        [sys.executable, str(DRIVER), *arguments], capture_output=True, text=True, check=False
    )
    sys.stderr.write(f"seed {seed}\n{driven.stderr}")
    assert driven.returncode == 0, driven.stderr
    return [json.loads(line) for line in driven.stdout.splitlines()[1:]]


def check_counts(ledger):
    """Count the log again: one start, one outcome, one verdict for each that was planned."""
    counted: Counter[tuple[str | int, ...]] = Counter()
    with open_ledger(ledger) as opened:
        for entry in opened.ledger.read():
            body = entry.event.body
            if isinstance(body, TrialStarted):
                counted["started", body.run, body.slot] += 1
            elif isinstance(body, TrialCompleted | TrialFailed):
                counted["outcome", body.run, body.slot] += 1
            elif isinstance(body, VerdictGiven):
                counted["verdict", body.grading, body.slot, body.check] += 1
            elif isinstance(body, RunStarted | RunCompleted | GradingCompleted):
                counted[type(body).__name__, entry.address] += 1
    assert set(counted.values()) == {1}
    kinds = Counter(key[0] for key in counted)
    runs, trials = kinds["RunStarted"], kinds["RunStarted"] * CASES * REPETITIONS
    assert kinds["started"] == kinds["outcome"] == trials
    assert kinds["verdict"] == trials * len(CHECKS)
    assert kinds["RunCompleted"] == kinds["GradingCompleted"] == runs
    return runs


def check_files(ledger):
    """Check that nothing is staged, and that each file is one that a row names."""
    assert [path for path in ledger.glob("staging/*/*") if path.name != "lock"] == []
    with open_ledger(ledger) as opened:
        rows = {row.address.hex() for row in opened.records.read_artifacts() if row.place == "file"}
    files = {path.stem for path in ledger.glob("artifacts/*/*/*")}
    assert files == rows


def check_kills(folder, seed, kills):
    ledger = init_ledger(folder / "ledger")
    ended = drive(ledger, folder / "suite", seed, kills)
    assert sum(one["signal"] == 9 for one in ended) == kills
    assert {one["exit"] for one in ended} <= {None, 0, 1, 2}  # 2: nothing was left to resume
    assert ended[-1]["exit"] in (0, 1, 2)
    for one in ended:
        assert one["verify"]["findings"] == []
        assert one["verify"]["exit"] == 0
    with open_ledger(ledger) as opened:
        log = {str(e.position): e.address for e in opened.ledger.read()}
    told = [pair for one in ended for pair in one["acknowledged"]]
    assert [pair for pair in told if log.get(pair[0]) != pair[1]] == []
    assert check_counts(ledger) >= 1
    check_files(ledger)
    assert call_verdict("--ledger", ledger, "verify").code == 0


@pytest.mark.parametrize("part", range(4))
def test_a_run_killed_at_random_points_loses_and_doubles_nothing(tmp_path, part):
    check_kills(tmp_path, secrets.randbits(32), 14)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_a_thousand_kills_lose_and_double_nothing(tmp_path, part):
    check_kills(tmp_path, secrets.randbits(32), 50)


def test_the_console_program_killed_at_random_moments_goes_on(tmp_path):
    seed = secrets.randbits(32)
    sys.stderr.write(f"seed {seed}\n")
    chance = random.Random(seed)
    ledger = init_ledger(tmp_path / "ledger")
    suite = write_suite(tmp_path / "suite", CASES, repetitions=REPETITIONS)
    run = [*PROGRAM, "--ledger", str(ledger), "run", str(suite), "-c", "m"]
    begun = call_verdict("--ledger", ledger, "run", suite, "-c", "m", "--concurrency", "1")
    assert begun.code == 0
    for _ in range(6):
        with subprocess.Popen(run, stdout=subprocess.DEVNULL, cwd=DRIVER.parents[2]) as process:
            try:
                process.wait(timeout=chance.uniform(0.3, 1.2))
            except subprocess.TimeoutExpired:
                process.kill()
        assert call_verdict("--ledger", ledger, "verify").code == 0
        while (code := call_verdict(*run[3:], "--resume", "last").code) != 2:
            assert code in (0, 1)
    check_counts(ledger)
    check_files(ledger)
