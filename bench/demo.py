"""The trials of the worked example: run, graded, recorded; then its ledger verified."""

import shutil
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path

from bench.ledgers import ACTOR
from bench.measurement import Rate, Row, Setting, at_least, measure_rate, run_in_turn
from cli.demos.gsm8k import CONFIGURATIONS
from cli.founding import init_ledger
from cli.run import find_configuration, make_provider
from cli.setting import Opened, open_ledger, open_stores
from ledger.outcomes import Verdict
from ledger.verify import Tally, verify_ledger
from trials.engine import run_trials
from trials.grade import grade_run
from trials.run import start_run
from trials.suite import Suite, load_configuration, load_suite

NAME = "gsm8k"
PASSES = {
    "6b_finetuning": 89,
    "6b_verification": 156,
    "175b_finetuning": 146,
    "175b_verification": 224,
}
"""Passes of 400, as published beside the answers."""


TRIALS = 400 * len(PASSES)


def measure(setting: Setting) -> list[Row]:
    repeats = setting.pick(5, 2)
    folder = setting.folder / NAME
    with as_file(files("examples") / NAME) as example:
        made = run_in_turn(repeats, {"trials": partial(_perform, folder, example)})["trials"]
    tally = Tally()
    _verify(folder, tally)
    verified = run_in_turn(
        repeats, {"": lambda: measure_rate(tally.artifacts, partial(_verify, folder, Tally()))}
    )[""]
    shutil.rmtree(folder)
    return [
        Row(
            name="demo",
            what=f"the demo's {TRIALS:,} trials run, graded and recorded",
            unit="trials/s",
            samples=made.wall,
            cpu_samples=made.cpu,
            bar=at_least(400),
        ),
        Row(
            name="demo_verify",
            what=f"verify of the demo: {tally.artifacts:,} artifacts, {tally.events:,} events",
            unit="artifacts/s",
            samples=verified.wall,
            cpu_samples=verified.cpu,
        ),
    ]


def _perform(folder: Path, example: Path) -> Rate:
    """Return trials a second, from an empty ledger; the ledger stays."""
    shutil.rmtree(folder, ignore_errors=True)
    init_ledger(folder)
    suite = load_suite(example)
    with open_ledger(folder, ACTOR) as opened:
        return measure_rate(TRIALS, partial(_run_all, opened, suite, example))


def _run_all(opened: Opened, suite: Suite, example: Path) -> None:
    for name in CONFIGURATIONS:
        _run(opened, suite, example, name)


def _run(opened: Opened, suite: Suite, example: Path, name: str) -> None:
    ledger, keeper = opened.ledger, opened.keeper
    configuration = load_configuration(find_configuration(example, name))
    run = start_run(ledger, suite, configuration)
    run_trials(run, ledger, keeper, make_provider(configuration))
    card = grade_run(ledger, keeper, run.address, run.suite_event, suite)
    passes = sum(row.count(Verdict.PASS) for row in card.rows)
    assert passes == PASSES[name], f"{name}: {passes} passes"


def _verify(folder: Path, tally: Tally) -> None:
    findings = list(verify_ledger(partial(open_stores, folder), tally))
    assert not findings, findings
