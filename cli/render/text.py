"""A scorecard as text: aligned, coloured on a terminal, no line broken in a pipe."""

import shlex
from collections.abc import Iterable, Sequence
from typing import TextIO

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cli.render.figures import (
    format_count,
    format_interval,
    format_mean,
    format_minimum,
    format_ratio,
    format_time,
)
from cli.render.sheet import Sheet
from cli.render.terminal import console, make_printable, start_table
from cli.render.words import (
    Fact,
    describe_causes,
    describe_gate,
    describe_inventory,
    describe_places,
    describe_report,
    describe_suspect,
    describe_times,
    group_rows,
    has_joint,
    is_meaningless,
    list_columns,
    list_short,
    mark_row,
    name_variant,
    shows_cases,
)
from ledger.digest import shorten_digest
from ledger.outcomes import Verdict
from ledger.projections import Inventory
from trials.scorecard import Report, Row, Shortfall

NAME_WIDTH = 14
NAME_MIN_WIDTH_MAX = 30
"""Columns that a check's name keeps: the rest of a row fits into a hundred beside it."""
SUSPICIONS_SHOWN = 10
"""Candidate causes that are listed; the other forms have all of them."""
_STYLES = {"meets": "green", "misses": "red", "": ""}
_JOINT = "(all in one trial)"
_GATES = {"passed": "bold green", "failed": "bold red", "incomplete": "bold yellow"}


def render(sheet: Sheet, out: TextIO) -> None:
    """Write the sheet."""
    print_report(sheet.report, has_cases=sheet.has_cases, out=out)
    if sheet.is_failed:
        _print_shortfalls(sheet.shortfalls, out)


def print_report(report: Report, *, has_cases: bool = False, out: TextIO | None = None) -> None:
    """Print a scorecard.

    Args:
        report: what to print.
        has_cases: whether to show the table by case however long it is.
        out: where to; standard output by default.
    """
    on = console(out)
    _print_facts(on, describe_report(report))
    for variant, rows in group_rows(report).items():
        _print_table(on, name_variant(report, variant), _make_table(report, variant, rows))
    if shows_cases(report, is_asked=has_cases):
        _print_table(on, "by case", _make_cases(report))
    _print_suspicions(on, report)
    _print_times(on, report)
    if report.usage:
        _print_table(on, "used, as the provider counts it", _make_usage(report))
    on.print()
    if causes := describe_causes(report):
        _print_line(on, Text(f"unproven because: {causes}"))
    _print_line(on, gate_line(report))


def print_inventory(inventory: Inventory) -> None:
    """Print what became of a run that is not graded yet."""
    out = console()
    _print_facts(out, describe_inventory(inventory))
    out.print()
    short = shorten_digest(inventory.run)
    out.print(
        Text.assemble(
            ("gate ", "bold"),
            ("incomplete", "bold yellow"),
            f": the run is not graded yet; go on with verdict run … --resume {short}",
        )
    )


def print_next(where: str | None, report: Report) -> None:
    """Print how to see the verdicts that did not pass, if there are any."""
    counts = [row.counts for row in report.rows]
    if any(count.count(Verdict.FAIL) or count.count(Verdict.UNPROVEN) for count in counts):
        ledger = f"--ledger {shlex.quote(where)} " if where else ""
        grading = shorten_digest(report.card.grading)
        click.echo(f"what did not pass: verdict {ledger}scorecard {grading} --failed")


def gate_line(report: Report) -> Text:
    """Return the gate's outcome, coloured where colours are."""
    why = "" if report.gate == "passed" else f": {make_printable(describe_gate(report))}"
    return Text.assemble(("gate ", "bold"), (report.gate, _GATES[report.gate]), why)


def _print_facts(out: Console, facts: Iterable[Fact]) -> None:
    for name, value, is_odd in facts:
        said = (make_printable(value), "yellow" if is_odd else "")
        _print_line(out, Text.assemble((f"{name:<{NAME_WIDTH}}", "bold"), said))


def _print_line(out: Console, text: Text) -> None:
    """Print a text, broken between words on a terminal and not at all in a pipe."""
    out.print(text, soft_wrap=not out.is_terminal)


def _print_table(out: Console, title: str, table: Table) -> None:
    out.print()
    _print_line(out, Text(make_printable(title), "bold"))
    out.print(table)


def _start_table(names: Iterable[str], numbers: Iterable[str] = (), rest: str = "") -> Table:
    """Return a table with columns of words, then of numbers, and a last one of words."""
    table = start_table()
    for name in names:
        table.add_column(name, overflow="fold")
    for name in numbers:
        table.add_column(name, justify="right")
    table.add_column(rest)
    return table


def _make_table(report: Report, variant: str, rows: Sequence[Row]) -> Table:
    shown = list_columns(report)
    counts = [name for _, name in shown]
    table = _start_table(("check",), (*counts, "rate", "95 %", "minimum"))
    # One width for all variants, so that their tables stand in line, where a terminal has room.
    longest = max(len(check.name) for check in report.criteria.checks)
    table.columns[0].min_width = min(longest, NAME_MIN_WIDTH_MAX)
    for row in rows:
        mark = mark_row(row, report)
        table.add_row(*_cells(row, [verdict for verdict, _ in shown]), Text(mark, _STYLES[mark]))
    joints = dict(report.joints) if has_joint(report) else {}
    if variant in joints:
        ratio = joints[variant]
        rate = [format_ratio(ratio), format_interval(ratio.interval)]
        table.add_row(_JOINT, *[""] * len(shown), *rate, "", "")
    return table


def _cells(row: Row, shown: Sequence[Verdict]) -> list[Text]:
    counts = row.counts
    numbers = [f"{counts.count(verdict):,}" for verdict in shown]
    rate = [format_ratio(row.ratio), format_interval(row.interval), format_minimum(row.minimum)]
    return [Text(make_printable(cell)) for cell in (counts.check, *numbers, *rate)]


def _make_cases(report: Report) -> Table:
    table = _start_table(("case", "variant"), ("all checks",), "short of it")
    for row in report.cases:
        ratio = f"{row.joint.passed:,}/{row.joint.counted:,}"
        cells = (row.case, row.variant, ratio, ", ".join(list_short(row)))
        table.add_row(*(Text(make_printable(cell)) for cell in cells))
    return table


def _print_suspicions(out: Console, report: Report) -> None:
    if not report.suspicions:
        return
    out.print()
    _print_line(out, Text("what may have led to it: candidates that code found", "bold"))
    for one in report.suspicions[:SUSPICIONS_SHOWN]:
        count = format_count(len(one.trials), "trial")
        head = f"{count:<10}{describe_suspect(one)}"
        _print_line(out, Text(make_printable(head)))
        where = f"{'':10}{one.variant}, {describe_places(one)}: {', '.join(one.checks)}"
        _print_line(out, Text(make_printable(where), "dim"))
    more = len(report.suspicions) - SUSPICIONS_SHOWN
    if more > 0:
        _print_line(out, Text(f"{'':10}and {more:,} more: --format md, html or json"))


def _print_times(out: Console, report: Report) -> None:
    told = describe_times(report)
    if not told or is_meaningless(report.timing, report.inventory):
        return
    out.print()
    _print_line(out, Text.assemble(("time", "bold"), f", {make_printable(told)}"))
    table = _start_table(("variant",), ("trials", "mean", "median", "p90", "p95", "max"))
    for row in report.timing.rows:
        times = (row.mean_us, row.median_us, row.p90_us, row.p95_us, row.max_us)
        variant = Text(make_printable(row.variant))
        table.add_row(variant, f"{row.trials:,}", *map(format_time, times), "")
    if report.timing.rows:
        out.print(table)


def _make_usage(report: Report) -> Table:
    table = _start_table(("what", "variant"), ("a trial", "in all"))
    for one in report.usage:
        names = [Text(make_printable(name)) for name in (one.name, one.variant)]
        table.add_row(*names, format_mean(one.mean), f"{one.total:,}", "")
    return table


def _print_shortfalls(shortfalls: Iterable[Shortfall], out: TextIO) -> None:
    """Print the verdicts that count against a rate, a line each, as they come."""
    click.echo(file=out)
    is_empty = True
    for short in shortfalls:
        is_empty = False
        cause = f"  ({short.state.cause.value})" if short.state.cause else ""
        head = (
            f"{shorten_digest(short.state.verdict_event)}  {short.state.verdict.value:<8}  "
            f"{short.case}  {short.state.variant} {short.repetition}  {short.state.check}{cause}"
        )
        click.echo(make_printable(head), file=out)
        click.echo(f"{'':14}{make_printable(short.reason)}", file=out)
    end = "no verdict is fail or unproven" if is_empty else "see why: verdict trace ADDRESS"
    click.echo(end, file=out)
