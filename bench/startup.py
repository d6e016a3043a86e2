"""How long a person waits for ``verdict --help``, beside an import of click."""

import subprocess
import sys
from functools import partial

from bench.measurement import (
    Figure,
    Rate,
    Row,
    Setting,
    at_most,
    divide_rates,
    measure_rate,
    run_in_turn,
)

PROGRAM = [sys.executable, "-c", "from cli.main import main; main()"]
"""The program that lies here, whichever is installed."""


def measure(setting: Setting) -> list[Row]:
    help_command = [*PROGRAM, "--help"]
    import_command = [sys.executable, "-c", "import click"]
    rates = run_in_turn(
        setting.pick(31, 11),
        {"help": partial(_start, help_command), "click": partial(_start, import_command)},
    )
    # A rate is starts a second: the longer start is the smaller one.
    ratios = divide_rates(rates["click"], rates["help"])
    figures = {
        what: Figure(unit="ms", samples=[1000 / rate for rate in rates[name].wall])
        for name, what in (("help", "verdict --help"), ("click", "import click"))
    }
    return [
        Row(
            name="help",
            what="verdict --help, against python -c 'import click'",
            unit="×",
            samples=ratios.wall,
            cpu_samples=ratios.cpu,
            bar=at_most(2.5),
            figures=figures,
        )
    ]


def _start(command: list[str]) -> Rate:
    return measure_rate(1, partial(subprocess.run, command, stdout=subprocess.DEVNULL, check=True))
