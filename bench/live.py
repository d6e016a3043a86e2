"""Trials through live providers: an instant server in a process of its own, every byte recorded.

The server answers at once, so what is measured is the engine, the SDK and the record.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench.ledgers import ACTOR
from bench.measurement import Rate, Row, Setting, at_least, measure_rate, run_in_turn
from cli.founding import init_ledger
from cli.run import make_provider
from cli.setting import Opened, open_ledger
from ledger.events import TrialCompleted
from trials.engine import run_trials
from trials.run import Run, start_run
from trials.suite import load_configuration, load_suite

CONCURRENCY = 64
PROVIDERS = {"openai": "/v1", "openai-chat": "/v1", "anthropic": ""}
"""Provider to what its base URL ends in."""


def measure(setting: Setting) -> list[Row]:
    trials, repeats = setting.pick(5_000, 500), setting.pick(3, 1)
    suite = _write_suite(setting.folder / "suite", trials)
    with serve() as url:
        runs = {
            name: partial(_perform, setting.folder / "ledger", suite, name, url + ending, trials)
            for name, ending in PROVIDERS.items()
        }
        made = run_in_turn(repeats, runs)
    return [
        Row(
            name=f"live_{name}",
            what=f"{trials:,} trials through {name}, {CONCURRENCY} at a time, all bytes recorded",
            unit="trials/s",
            samples=rates.wall,
            cpu_samples=rates.cpu,
            bar=at_least(300),
        )
        for name, rates in made.items()
    ]


@contextmanager
def serve() -> Iterator[str]:
    """Start the server that speaks all three wire formats, and hand out its address."""
    program = [sys.executable, "-m", "tests.providers.wire_server", "--port", "0"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().split()[-1].rstrip("/")
        finally:
            server.terminate()


def _write_suite(folder: Path, cases: int) -> Path:
    suite = {
        "suite_name": "live",
        "variants": [{"variant_name": "plain", "prompt_file": "prompt.md"}],
        "cases": "cases.jsonl",
        "checks": [
            {
                "check_name": "says",
                "grader": "phrases",
                "must_not_include": ["as an AI"],
                "minimum_pass_rate": 1,
                "description": "Does not talk about itself.",
            }
        ],
    }
    folder.mkdir()
    (folder / "eval_suite.json").write_text(json.dumps(suite))
    (folder / "prompt.md").write_text("{{question}}\n")
    lines = [{"id": f"c{n}", "question": f"How much is {n} and {n}?"} for n in range(cases)]
    (folder / "cases.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def _perform(folder: Path, suite: Path, provider: str, url: str, trials: int) -> Rate:
    """Return trials a second, from an empty ledger."""
    shutil.rmtree(folder, ignore_errors=True)
    init_ledger(folder)
    place = suite / f"{provider}.json"
    document = {"provider": provider, "model": "model-1", "settings": {"base_url": url}}
    place.write_text(json.dumps(document))
    configuration = load_configuration(place)
    with open_ledger(folder, ACTOR) as opened:
        run = start_run(opened.ledger, load_suite(suite), configuration)
        rate = measure_rate(trials, partial(_run, opened, run))
        _check(opened, trials)
    return rate


def _run(opened: Opened, run: Run) -> None:
    provider = make_provider(run.configuration)
    run_trials(run, opened.ledger, opened.keeper, provider, concurrency=CONCURRENCY)


def _check(opened: Opened, trials: int) -> None:
    """Hold that every trial completed, with the bytes that went out and those that came."""
    found = [
        entry.event.body
        for entry in opened.ledger.read()
        if isinstance(entry.event.body, TrialCompleted)
    ]
    assert len(found) == trials, f"{len(found)} of {trials} completed"
    assert all(body.sent and body.response.size and body.usage for body in found)
