"""How long a person waits for ``verdict --help``, beside an import of click."""

import subprocess
import sys
from functools import partial
from pathlib import Path

from bench.measurement import Figure, Row, Setting, at_most, divide_samples, run_in_turn, time_s

PROGRAM = "from cli.main import main; main()"


def measure(setting: Setting) -> list[Row]:
    help_command = [*find_program(), "--help"]
    import_command = [sys.executable, "-c", "import click"]
    seconds = run_in_turn(
        setting.pick(31, 11),
        {"help": partial(_time, help_command), "click": partial(_time, import_command)},
    )
    figures = {
        name: Figure(unit="ms", samples=[1000 * some for some in samples])
        for name, samples in zip(("verdict --help", "import click"), seconds.values(), strict=True)
    }
    return [
        Row(
            name="help",
            what="verdict --help, against python -c 'import click'",
            unit="×",
            samples=divide_samples(seconds["help"], seconds["click"]),
            bar=at_most(2.5),
            figures=figures,
        )
    ]


def find_program() -> list[str]:
    """Return the command of the installed program, or of the one that lies here."""
    installed = Path(sys.executable).with_name("verdict")
    return [str(installed)] if installed.exists() else [sys.executable, "-c", PROGRAM]


def _time(command: list[str]) -> float:
    run = partial(subprocess.run, command, stdout=subprocess.DEVNULL, check=True)
    return time_s(run)
