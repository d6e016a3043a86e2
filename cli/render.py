"""How things look: text for people, JSON for programs, progress on a terminal alone."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from ledger.digest import shorten_digest
from ledger.outcomes import Verdict
from ledger.projections import Inventory
from trials.scorecard import Report, Row

COLUMNS = (
    (Verdict.PASS, "pass"),
    (Verdict.FAIL, "fail"),
    (Verdict.UNPROVEN, "unproven"),
    (Verdict.UNRESOLVED, "unresolved"),
    (Verdict.NOT_APPLICABLE, "n/a"),
)
PIPE_WIDTH = 120
"""Columns where there is no terminal to ask: no line of ours is broken."""


def console() -> Console:
    """Return what tables are printed on."""
    width = None if sys.stdout.isatty() else PIPE_WIDTH
    return Console(file=sys.stdout, width=width, highlight=False, emoji=False)


def print_json(value: object) -> None:
    """Print ``value`` for a program."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True))


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """Yield what is told how many of how many are done; shown on a terminal alone, on stderr."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(label, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def format_rate(rate: Fraction | None) -> str:
    """Return a rate in percent with one decimal, never rounded up to 100 or down to 0."""
    if rate is None:
        return "-"
    tenths = int(rate * 1000 + Fraction(1, 2))
    if tenths == 1000 and rate < 1:  # noqa: PLR2004
        tenths = 999
    if tenths == 0 and rate > 0:
        tenths = 1
    return f"{tenths / 10:.1f} %"


def print_report(report: Report) -> None:
    """Print a scorecard as text."""
    out = console()
    for name, value in describe_report(report):
        out.print(Text.assemble((f"{name:<14}", "bold"), value))
    out.print(_make_table(report))
    for line in _explain(report):
        out.print(Text(line))
    out.print(gate_line(report))


def gate_line(report: Report) -> Text:
    """Return the gate's outcome, coloured where colours are."""
    style = {"passed": "bold green", "failed": "bold red", "incomplete": "bold yellow"}
    why = "" if report.gate == "passed" else f": {describe_gate(report)}"
    return Text.assemble(("gate ", "bold"), (report.gate, style[report.gate]), why)


def describe_gate(report: Report) -> str:
    """Return in words why the gate did not pass."""
    if report.gate == "incomplete":
        return f"{report.card.given:,} of {report.card.planned:,} verdicts are given"
    short = [
        f"{row.counts.check} {format_rate(row.rate)} of at least {float(row.minimum):.0%}"
        + (", and critical" if row.is_critical else "")
        for row in report.rows
        if row.is_gated and not row.meets
    ]
    return "; ".join([*short, *(f"critical case {fault}" for fault in report.critical_faults)])


def describe_report(report: Report) -> list[tuple[str, str]]:
    """Return what a scorecard belongs to, as name and value."""
    inventory = report.inventory
    effort = f", effort {inventory.effort}" if inventory.effort else ""
    return [
        ("suite", report.criteria.suite_name),
        ("configuration", inventory.configuration_name),
        ("asked", f"{inventory.provider}, model {inventory.model}{effort}"),
        ("trials", describe_trials(inventory)),
        ("run", shorten_digest(inventory.run)),
        ("grading", f"{shorten_digest(report.card.grading)}, as of {report.as_of:,} events"),
    ]


def describe_trials(inventory: Inventory) -> str:
    """Return what became of the planned trials."""
    return (
        f"{inventory.planned:,} planned, {inventory.completed:,} completed, "
        f"{inventory.failed:,} failed, {inventory.missing:,} missing"
    )


def report_to_json(report: Report) -> dict[str, object]:
    """Return a scorecard for a program; rates are counted, never rounded."""
    inventory = report.inventory
    return {
        "as_of": report.as_of,
        "configuration": inventory.configuration_name,
        "critical_faults": list(report.critical_faults),
        "effort": inventory.effort,
        "gate": report.gate,
        "grading": report.card.grading,
        "model": inventory.model,
        "provider": inventory.provider,
        "rows": [_row_to_json(row) for row in report.rows],
        "run": inventory.run,
        "suite": report.criteria.suite_name,
        "trials": {
            "completed": inventory.completed,
            "failed": inventory.failed,
            "missing": inventory.missing,
            "planned": inventory.planned,
        },
        "verdicts": {"given": report.card.given, "planned": report.card.planned},
    }


def report_to_markdown(report: Report) -> str:
    """Return a scorecard as Markdown."""
    head = [f"- {name}: {value}" for name, value in describe_report(report)]
    names = [
        "check",
        "variant",
        *(name for _, name in COLUMNS),
        "rate",
        "minimum",
        "gated",
        "meets",
    ]
    lines = [f"| {' | '.join(names)} |", f"|{' --- |' * len(names)}"]
    for row in report.rows:
        cells = [*_cells(row), "yes" if row.is_gated else "no", "yes" if row.meets else "no"]
        lines.append(f"| {' | '.join(cells)} |")
    gate = f"Gate **{report.gate}**"
    gate += "" if report.gate == "passed" else f": {describe_gate(report)}"
    parts = ["# Scorecard", "\n".join(head), "\n".join(lines), *_explain(report), gate]
    return "\n\n".join(parts) + "\n"


def _row_to_json(row: Row) -> dict[str, object]:
    counts = row.counts
    return {
        "causes": {cause.value: count for cause, count in counts.causes},
        "check": counts.check,
        "counted": counts.counted,
        "is_critical": row.is_critical,
        "is_gated": row.is_gated,
        "meets": row.meets,
        "minimum_pass_rate": str(row.minimum),
        "passed": counts.count(Verdict.PASS),
        "variant": counts.variant,
        "verdicts": {verdict.value: counts.count(verdict) for verdict in Verdict},
    }


def _make_table(report: Report) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("check")
    table.add_column("variant")
    for _, name in COLUMNS:
        table.add_column(name, justify="right")
    table.add_column("rate", justify="right")
    table.add_column("minimum", justify="right")
    table.add_column("")
    for row in report.rows:
        mark = "" if not row.is_gated else "meets" if row.meets else "misses"
        style = {"meets": "green", "misses": "red"}.get(mark, "")
        table.add_row(*(Text(cell) for cell in _cells(row)), Text(mark, style=style))
    return table


def _cells(row: Row) -> list[str]:
    counts = row.counts
    rate = f"{counts.count(Verdict.PASS):,}/{counts.counted:,} = {format_rate(row.rate)}"
    numbers = [f"{counts.count(verdict):,}" for verdict, _ in COLUMNS]
    return [counts.check, counts.variant, *numbers, rate, f"{float(row.minimum):.0%}"]


def _explain(report: Report) -> list[str]:
    causes = ", ".join(f"{cause.value} {count:,}" for cause, count in report.causes.items())
    return [f"unproven because: {causes}"] if causes else []
