"""Who evaluates the workload: each writes it down in its own form, and is one process.

1. what only hands the items over is written before the clock runs; what a contestant keeps (log,
   database, ledger) is made anew within it, in a folder on the disk that is measured;
2. settings are those that each comes with. Left out is only what would go to the network;
3. how many items passed is held against what is known beforehand, each time and for each.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.evals.process import Program, Usage, run_program
from bench.evals.workload import count_passes, make_items

OURS, INSPECT, PROMPTFOO = "verdict-ledger", "Inspect AI", "promptfoo"
ROOT = Path(__file__).parents[2]
PEERS = ROOT / ".venv-peers"
"""Where ``make bench-peers`` makes an environment for each peer."""
INSPECT_PEER = Path(__file__).parent / "inspect_peer.py"
FAILED_TESTS = 100
"""With which promptfoo says that tests failed, as every tenth does here."""
CLOSED_BADLY = 1
"""With which promptfoo 0.121.20 ends too: its logger is written to after it was closed.

How many passed is read from its output file, which is whole by then.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """One program that evaluates.

    Attributes:
        name: as people call it.
        version: the installed one.
        prepare: writes the first so many items into an empty folder, and says what to start.
        count: reads from the folder how many passed, where the process has not checked it itself.
    """

    name: str
    version: str
    prepare: Callable[[Path, int], Program]
    count: Callable[[Path], int] | None = None

    def evaluate(self, folder: Path, amount: int) -> Usage:
        """Evaluate the first ``amount`` items in the empty ``folder``."""
        usage = run_program(self.prepare(folder, amount))
        if self.count is not None:
            passes = self.count(folder)
            assert passes == count_passes(amount), f"{self.name}: {passes:,} passes"
        return usage


def find_contestants() -> tuple[list[Contestant], list[str]]:
    """Return this program, then the peers that are installed, and a line for each that is not."""
    python = PEERS / "inspect" / "bin" / "python"
    node = PEERS / "promptfoo" / "node_modules"
    found = [make_ours()]
    lacking = []
    if python.exists():
        version = _read_version(python, "inspect-ai")
        found.append(Contestant(name=INSPECT, version=version, prepare=_prepare_inspect))
    else:
        lacking.append(f"{INSPECT} is left out: no {python.relative_to(ROOT)}; make bench-peers")
    if (node / "promptfoo").exists():
        manifest = json.loads((node / "promptfoo" / "package.json").read_text())
        found.append(
            Contestant(
                name=PROMPTFOO,
                version=manifest["version"],
                prepare=_prepare_promptfoo,
                count=_count_promptfoo,
            )
        )
    else:
        place = node.relative_to(ROOT)
        lacking.append(f"{PROMPTFOO} is left out: it is not in {place}; make bench-peers, with npm")
    return found, lacking


def _read_version(python: Path, package: str) -> str:
    program = f"from importlib.metadata import version; print(version({package!r}))"
    command = [str(python), "-c", program]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()


def make_ours(repetitions: int = 1) -> Contestant:
    """Return this program; with ``repetitions`` its trials are so many of each item."""
    prepare = partial(_prepare_ours, repetitions)
    return Contestant(name=OURS, version="this checkout", prepare=prepare)


def _prepare_ours(repetitions: int, folder: Path, amount: int) -> Program:
    numbers = [str(amount), str(repetitions)]
    return Program(
        command=[sys.executable, "-m", "bench.evals.ours", str(folder), *numbers],
        folder=folder,
        environment=_make_environment(PYTHONPATH=str(ROOT)),
    )


def _prepare_inspect(folder: Path, amount: int) -> Program:
    dataset = folder / "dataset.jsonl"
    with dataset.open("w") as file:
        for item in make_items(amount):
            row = {"id": item.name, "input": item.prompt, "target": item.word}
            file.write(json.dumps(row) + "\n")
    python = PEERS / "inspect" / "bin" / "python"
    passes = str(count_passes(amount))
    return Program(
        command=[str(python), str(INSPECT_PEER), dataset.name, "logs", passes],
        folder=folder,
        environment=_make_environment(XDG_DATA_HOME=str(folder / "data")),
    )


def _prepare_promptfoo(folder: Path, amount: int) -> Program:
    with (folder / "tests.jsonl").open("w") as file:
        for item in make_items(amount):
            holds = {"type": "contains", "value": item.word}
            row = {"vars": {"body": item.prompt}, "assert": [holds]}
            file.write(json.dumps(row) + "\n")
    document = {"prompts": ["{{body}}"], "providers": ["echo"], "tests": "file://tests.jsonl"}
    (folder / "config.json").write_text(json.dumps(document))
    programs = PEERS / "promptfoo" / "node_modules" / ".bin"
    quiet = ("--no-cache", "--no-table", "--no-progress-bar")
    return Program(
        command=[
            *(str(programs / "promptfoo"), "eval", "--config", "config.json"),
            *(*quiet, "--output", "output.json"),
        ],
        folder=folder,
        environment=_make_environment(
            # The Node that is installed beside it comes first: it wants 22.
            PATH=os.pathsep.join([str(programs), os.environ["PATH"]]),
            PROMPTFOO_CONFIG_DIR=str(folder / "home"),
            PROMPTFOO_DISABLE_TELEMETRY="1",
            PROMPTFOO_DISABLE_UPDATE="1",
            PROMPTFOO_DISABLE_REMOTE_GENERATION="1",
            NO_COLOR="1",
        ),
        statuses=(FAILED_TESTS, CLOSED_BADLY),
    )


def _count_promptfoo(folder: Path) -> int:
    document = json.loads((folder / "output.json").read_text())
    successes: int = document["results"]["stats"]["successes"]
    return successes


def _make_environment(**further: str) -> Mapping[str, str]:
    """Return the environment without what would set a contestant up otherwise."""
    ours = ("INSPECT_", "PROMPTFOO_", "VERDICT_", "PYTHON")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**kept, **further}
