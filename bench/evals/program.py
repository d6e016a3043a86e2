"""The program: one workload by each contestant in turn, whole processes; a table and JSON.

1. every contestant is a process of its own, timed from start to end; who begins changes with each
   repeat, and a ratio is taken within a repeat (``bench.measurement``);
2. a peer that is not installed is left out, and a line says so; one that ends badly, or whose
   passes are wrong, ends the program: a figure without the work is worth nothing;
3. then ours alone with many more trials, for its memory.
"""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from bench.evals.contestants import (
    INSPECT,
    OURS,
    PROMPTFOO,
    Contestant,
    find_contestants,
    make_ours,
)
from bench.evals.process import Usage
from bench.machine import describe_machine, describe_versions, read_load
from bench.measurement import (
    Bar,
    Figure,
    Rate,
    Rates,
    Row,
    at_least,
    at_most,
    divide_rates,
    run_in_turn,
)
from bench.program import RESULTS, format_value, row_to_json

BARS = {INSPECT: at_least(15), PROMPTFOO: at_least(6)}
MEMORY_BAR = at_most(1.5)
"""Memory is flat if twenty times the trials take half as much again at most."""
MEMORY_TRIALS = 1_000
MEBI = 2**20
LATEST = "peers.json"
COUNT = click.IntRange(1, 100_000)

Usages = dict[str, list[Usage]]
"""By the contestant's name, one for each repeat."""


@click.command()
@click.option("--trials", type=COUNT, default=5_000, show_default=True, help="Of each evaluation.")
@click.option("--repeats", type=COUNT, default=3, show_default=True, help="Evaluations by each.")
@click.option(
    "--memory-trials",
    type=click.IntRange(0, 100_000),
    default=20_000,
    show_default=True,
    help="Of the one long evaluation of ours; 0 leaves it out.",
)
@click.option(
    "--json", "target", type=click.Path(path_type=Path), help=f"[default: bench/results/{LATEST}]"
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="On the disk to be measured. [default: bench/results]",
)
def main(
    *, trials: int, repeats: int, memory_trials: int, target: Path | None, folder: Path | None
) -> None:
    """Compare this program with Inspect AI and promptfoo (docs/benchmarks.md: how to read it)."""
    RESULTS.mkdir(exist_ok=True)
    begun = time.monotonic()
    contestants, lacking = find_contestants()
    for line in lacking:
        click.echo(line, err=True)
    # On the disk of the results, as in ``bench.program``: in memory a sync would cost nothing.
    with tempfile.TemporaryDirectory(dir=folder or RESULTS, prefix="work-") as work:
        place = Path(work).resolve()
        record: dict[str, object] = {
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": describe_machine(place),
            "versions": describe_versions() | {each.name: each.version for each in contestants},
            "load_before": read_load(),
        }
        usages: Usages = {contestant.name: [] for contestant in contestants}
        evaluations = {
            contestant.name: partial(_evaluate, contestant, place, trials, usages)
            for contestant in contestants
        }
        # First: the kernel counts the size that this program had when it started a contestant.
        memory = _compare_memory(place, memory_trials) if memory_trials else []
        rates = run_in_turn(repeats, evaluations)
        rows = [*_report(trials, rates, usages), *_compare(rates), *memory]
    record |= {
        "load_after": read_load(),
        "seconds": round(time.monotonic() - begun, 1),
        "rows": [row_to_json(row) for row in rows],
        "left_out": lacking,
    }
    (target or RESULTS / LATEST).write_text(json.dumps(record, indent=1) + "\n")
    _print(record, rows)


def _evaluate(contestant: Contestant, place: Path, trials: int, usages: Usages) -> Rate:
    """Return trials a second; the processor's time is that of the process as well."""
    click.echo(f"{contestant.name}: {trials:,} trials …", err=True)
    folder = place / "evaluation"
    folder.mkdir()
    try:
        usage = contestant.evaluate(folder, trials)
    finally:
        shutil.rmtree(folder)
    usages[contestant.name].append(usage)
    return Rate(trials / usage.wall_s, trials / usage.cpu_s)


def _report(trials: int, rates: Mapping[str, Rates], usages: Usages) -> list[Row]:
    """Return a row for each contestant: what it takes, by itself."""
    return [
        Row(
            name=f"evals_{_format_key(name)}",
            what=f"{trials:,} trials by {name}",
            unit="trials/s",
            samples=rates[name].wall,
            cpu_samples=rates[name].cpu,
            figures={
                "wall": Figure(unit="s", samples=[usage.wall_s for usage in taken]),
                "CPU": Figure(unit="s", samples=[usage.cpu_s for usage in taken]),
                "peak memory": Figure(unit="MB", samples=[_to_mebi(usage) for usage in taken]),
            },
        )
        for name, taken in usages.items()
    ]


def _compare(rates: Mapping[str, Rates]) -> list[Row]:
    """Return a row for each peer: ours against it."""
    rows = []
    for name in (name for name in rates if name != OURS):
        ratios = divide_rates(rates[OURS], rates[name])
        rows.append(
            Row(
                name=f"evals_against_{_format_key(name)}",
                what=f"trials a second, ours against {name}",
                unit="×",
                samples=ratios.wall,
                cpu_samples=ratios.cpu,
                bar=BARS[name],
                figures={each: rates[each].figure("trials/s") for each in (OURS, name)},
            )
        )
    return rows


def _compare_memory(place: Path, more: int) -> list[Row]:
    """Return the rows of ours alone: ``more`` trials against MEMORY_TRIALS.

    Of the same cases, again and again, what grows is what a trial leaves behind; of as many cases
    as trials it is also the suite, which is held as text.
    """
    forms = (
        ("few", MEMORY_TRIALS, 1),
        ("same", more, more // MEMORY_TRIALS),
        ("distinct", more, 1),
    )
    taken: dict[str, Usage] = {}
    for name, amount, repetitions in forms:
        usages: Usages = {OURS: []}
        _evaluate(make_ours(repetitions), place, amount, usages)
        taken[name] = usages[OURS][0]
    few = _to_mebi(taken["few"])
    return [
        Row(
            name=f"evals_memory_{name}",
            what=f"peak memory of ours, {more:,} trials of {what} against {MEMORY_TRIALS:,}",
            unit="×",
            samples=[_to_mebi(taken[name]) / few],
            bar=MEMORY_BAR,
            figures={
                f"{more:,} trials": Figure(unit="MB", samples=[_to_mebi(taken[name])]),
                f"{MEMORY_TRIALS:,} trials": Figure(unit="MB", samples=[few]),
                "rate": Figure(unit="trials/s", samples=[more / taken[name].wall_s]),
            },
        )
        for name, what in (("same", f"{MEMORY_TRIALS:,} cases"), ("distinct", "as many cases"))
    ]


def _format_key(name: str) -> str:
    return name.lower().replace(" ", "_").replace("-", "_")


def _to_mebi(usage: Usage) -> float:
    return usage.peak_bytes / MEBI


def _print(record: Mapping[str, object], rows: Sequence[Row]) -> None:
    """Print who took what, then a line for each bar."""
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(f"{record['at']}, {record['seconds']} s, load before {record['load_before']}")
    console.print(str(record["machine"]))
    taken = [row for row in rows if row.bar is None]
    table = Table("what", "trials/s")
    for name in taken[0].figures:
        table.add_column(name, justify="right", no_wrap=True)
    for row in taken:
        figures = (format_value(each.median, each.unit) for each in row.figures.values())
        table.add_row(row.what, format_value(row.median), *figures)
    console.print(table)
    for row in rows:
        if row.bar is not None:
            console.print(_format_bar(row, row.bar))


def _format_bar(row: Row, bar: Bar) -> str:
    by_cpu = f" ({format_value(row.cpu_median)} by CPU)" if row.cpu_median else ""
    limit = f"{'≥' if bar.is_floor else '≤'} {format_value(bar.limit, row.unit)}"
    found = f"{row.what}: {format_value(row.median, row.unit)}{by_cpu}"
    behind = (f"{name} {format_value(x.median, x.unit)}" for name, x in row.figures.items())
    return f"{found}; bar {limit}: {'met' if row.meets else 'missed'}; {'; '.join(behind)}"
