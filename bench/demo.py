"""The trials of the worked example: run, graded, recorded; then its ledger verified."""

import shutil
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path

from bench.ledgers import ACTOR
from bench.measurement import Figure, Row, Setting, at_least, run_in_turn, time_s
from cli.demo import DEMOS
from cli.founding import init_ledger
from cli.run import find_configuration, make_provider
from cli.setting import Opened, open_ledger, open_stores
from ledger.outcomes import Verdict
from ledger.verify import Tally, verify_ledger
from trials.configuration import load_configuration
from trials.grade import grade_run
from trials.run import run_trials, start_run
from trials.suite import Suite, load_suite

NAME = "gsm8k"
PASSES = {
    "6b_finetuning": 89,
    "6b_verification": 156,
    "175b_finetuning": 146,
    "175b_verification": 224,
}
"""Passes of 400, as published beside the answers."""


def measure(setting: Setting) -> list[Row]:
    with as_file(files("examples") / NAME) as example:
        rates = run_in_turn(
            setting.pick(5, 2),
            {"trials": partial(_perform, setting, example)},
        )
    seconds: list[float] = []
    tally = Tally()
    for _ in range(setting.pick(5, 2)):
        tally = Tally()
        seconds.append(time_s(partial(_verify, setting.folder / NAME, tally)))
    shutil.rmtree(setting.folder / NAME)
    return [
        Row(
            name="demo",
            what=f"the demo's {len(PASSES) * 400:,} trials run, graded and recorded",
            unit="trials/s",
            samples=rates["trials"],
            bar=at_least(400),
        ),
        Row(
            name="demo_verify",
            what=f"verify of the demo's ledger, {tally.artifacts:,} artifacts and all",
            unit="artifacts/s",
            samples=[tally.artifacts / some for some in seconds],
            figures={
                "whole": Figure(unit="s", samples=seconds),
                f"{tally.events:,} events": Figure(
                    unit="events/s", samples=[tally.events / some for some in seconds]
                ),
            },
        ),
    ]


def _perform(setting: Setting, example: Path) -> float:
    """Return trials a second, from an empty ledger; the ledger stays."""
    folder = setting.folder / NAME
    shutil.rmtree(folder, ignore_errors=True)
    init_ledger(folder)
    suite = load_suite(example)
    with open_ledger(folder, ACTOR) as opened:
        seconds = time_s(lambda: [_run(opened, suite, example, name) for name in DEMOS[NAME]])
    return len(DEMOS[NAME]) * len(suite.cases) / seconds


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
