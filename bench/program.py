"""The program: measures what is asked for, prints a table, writes JSON.

It exits with 0 whatever the figures are, since a busy machine may miss every bar, and with 1 if
something could not be measured at all.
"""

import json
import sys
import tempfile
import time
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from bench.machine import describe_machine, describe_versions, read_load
from bench.measurement import Figure, Measure, Row, Setting

MEASUREMENTS: dict[str, tuple[str, str]] = {
    "append": ("bench.append", "batches of 1,000, beside sqlite3 and eventsourcing"),
    "threads": ("bench.threads", "single appends from 64 threads and from one"),
    "artifacts": ("bench.artifacts", "2 KB and 40 KiB artifacts"),
    "live": ("bench.live", "trials through the SDKs and an instant server"),
    "demo": ("bench.demo", "the trials of the worked example, and its verification"),
    "startup": ("bench.startup", "verdict --help beside an import of click"),
    "rebuild": ("bench.rebuild", "all projections folded again"),
    "verify": ("bench.verification", "the whole verification of a long log"),
    "memory": ("bench.memory", "peaks of run, rebuild and verify at 1,000,000 events"),
}
"""Name to module and what it measures, in the order in which they are run."""

RESULTS = Path(__file__).parent / "results"
LATEST = "latest.json"


@click.command(
    epilog="Names: " + "; ".join(f"{name} ({what})" for name, (_, what) in MEASUREMENTS.items())
)
@click.argument("names", nargs=-1, type=click.Choice(list(MEASUREMENTS)))
@click.option("--quick", "is_quick", is_flag=True, help="Less work, fewer repeats, in a minute.")
@click.option(
    "--json", "target", type=click.Path(path_type=Path), help=f"[default: bench/results/{LATEST}]"
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="On the disk to be measured. [default: bench/results]",
)
def main(
    names: tuple[str, ...], target: Path | None, folder: Path | None, *, is_quick: bool
) -> None:
    """Measure NAMES, or everything (docs/benchmarks.md says how to read it)."""
    RESULTS.mkdir(exist_ok=True)
    begun = time.monotonic()
    # Beside the results and not where temporary files go: that is memory on many machines, where
    # a sync costs nothing.
    with tempfile.TemporaryDirectory(dir=folder or RESULTS, prefix="work-") as work:
        place = Path(work)
        record: dict[str, object] = {
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "is_quick": is_quick,
            "machine": describe_machine(place),
            "versions": describe_versions(),
            "load_before": read_load(),
        }
        setting = Setting(folder=place, is_quick=is_quick)
        rows, faults = _measure(names or tuple(MEASUREMENTS), setting)
    record |= {
        "load_after": read_load(),
        "seconds": round(time.monotonic() - begun, 1),
        "rows": [row_to_json(row) for row in rows],
        "faults": faults,
    }
    (target or RESULTS / LATEST).write_text(json.dumps(record, indent=1) + "\n")
    _print(record, rows)
    sys.exit(1 if faults else 0)


def row_to_json(row: Row) -> dict[str, object]:
    """Return ``row`` with its medians, for programs."""
    return {
        "name": row.name,
        "what": row.what,
        "unit": row.unit,
        "median": row.median,
        "cpu_median": row.cpu_median,
        "bar": row.bar and {"at_least" if row.bar.is_floor else "at_most": row.bar.limit},
        "meets": row.meets,
        "samples": list(row.samples),
        "cpu_samples": list(row.cpu_samples),
        "figures": {
            name: {"median": figure.median, **asdict(figure)}
            for name, figure in row.figures.items()
        },
    }


def format_value(value: float, unit: str = "") -> str:
    """Return ``value`` with three significant digits or all before the point."""
    digits = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return f"{digits} {unit}".strip()


def _measure(names: tuple[str, ...], setting: Setting) -> tuple[list[Row], list[str]]:
    rows: list[Row] = []
    faults: list[str] = []
    for name, (module, what) in MEASUREMENTS.items():
        if name not in names:
            continue
        click.echo(f"{name}: {what} …", err=True)
        try:
            measure: Measure = import_module(module).measure
            rows += measure(setting)
        except Exception as error:  # noqa: BLE001 - the others are measured all the same
            faults.append(f"{name}: {error!r}")
            click.echo(f"{name}: could not be measured: {error!r}", err=True)
    return rows, faults


def _print(record: dict[str, object], rows: list[Row]) -> None:
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(f"{record['at']}, {record['seconds']} s, load before {record['load_before']}")
    console.print(str(record["machine"]))
    table = Table()
    table.add_column("what", ratio=3)
    table.add_column("median", justify="right", no_wrap=True)
    table.add_column("bar", justify="right", no_wrap=True)
    table.add_column("meets")
    table.add_column("by CPU", justify="right", no_wrap=True)
    table.add_column("behind it", ratio=3)
    for row in rows:
        table.add_row(
            row.what,
            format_value(row.median, row.unit),
            "" if row.bar is None else _format_bar(row),
            {True: "[green]yes[/]", False: "[red]no[/]", None: ""}[row.meets],
            "" if row.cpu_median is None else format_value(row.cpu_median),
            "; ".join(_format_figure(name, figure) for name, figure in row.figures.items()),
        )
    console.print(table)
    missed = sum(row.meets is False for row in rows)
    if missed:
        console.print(f"{missed} of {sum(row.meets is not None for row in rows)} bars missed here")


def _format_bar(row: Row) -> str:
    assert row.bar is not None
    return f"{'≥' if row.bar.is_floor else '≤'} {format_value(row.bar.limit, row.unit)}"


def _format_figure(name: str, figure: Figure) -> str:
    return f"{name} {format_value(figure.median, figure.unit)}"
