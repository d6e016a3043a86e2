"""How things look: text for people, JSON for programs, progress on a terminal alone."""

import json
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from ledger.digest import shorten_digest
from ledger.outcomes import Verdict
from ledger.projections import Inventory
from trials.scorecard import Report, Row, Shortfall

COLUMNS = (
    (Verdict.PASS, "pass"),
    (Verdict.FAIL, "fail"),
    (Verdict.UNPROVEN, "unproven"),
    (Verdict.UNRESOLVED, "unresolved"),
    (Verdict.NOT_APPLICABLE, "n/a"),
)
LEFT_OUT = (Verdict.UNRESOLVED, Verdict.NOT_APPLICABLE)
"""Verdicts that are not in the rate."""
FAULTS_SHOWN = 5
"""Critical faults that a gate's line names."""
PIPE_WIDTH = 1_000
"""Columns where there is no terminal to ask: wider than any table, so that no line is broken."""

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def console() -> Console:
    """Return what tables are printed on."""
    width = None if sys.stdout.isatty() else PIPE_WIDTH
    return Console(file=sys.stdout, width=width, highlight=False, emoji=False)


def make_printable(text: str) -> str:
    """Return ``text`` with its control characters spelled out, but for line feeds and tabs.

    What a model answered may hold what a terminal takes for a command.
    """
    spelled = _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
    return spelled.encode("utf-8", "backslashreplace").decode()


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


def format_minimum(minimum: Decimal) -> str:
    """Return a declared rate in percent, every digit of it."""
    return f"{format((minimum * 100).normalize(), 'f')} %"


def format_count(count: int, noun: str) -> str:
    """Return so many of something, in words."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def print_report(report: Report) -> None:
    """Print a scorecard as text."""
    out = console()
    for name, value in describe_report(report):
        _print_line(out, Text.assemble((f"{name:<14}", "bold"), value))
    out.print()
    out.print(_make_table(report))
    out.print()
    for line in _explain(report):
        _print_line(out, Text(line))
    _print_line(out, gate_line(report))


def _print_line(out: Console, text: Text) -> None:
    """Print a text, broken between words on a terminal and not at all in a pipe."""
    out.print(text, soft_wrap=not out.is_terminal)


def print_next(where: str | None, report: Report) -> None:
    """Print how to see the verdicts that did not pass, if there are any."""
    counts = [row.counts for row in report.rows]
    if any(count.count(Verdict.FAIL) or count.count(Verdict.UNPROVEN) for count in counts):
        ledger = f"--ledger {shlex.quote(where)} " if where else ""
        grading = shorten_digest(report.card.grading)
        click.echo(f"what did not pass: verdict {ledger}scorecard {grading} --failed")


def print_shortfalls(shortfalls: Iterable[Shortfall]) -> None:
    """Print the verdicts that count against a rate, a line each, as they come."""
    click.echo()
    is_empty = True
    for short in shortfalls:
        is_empty = False
        cause = f"  ({short.state.cause.value})" if short.state.cause else ""
        click.echo(
            f"{shorten_digest(short.state.verdict_event)}  {short.state.verdict.value:<8}  "
            f"{short.case}  {short.state.variant} {short.repetition}  {short.state.check}{cause}"
        )
        click.echo(f"{'':14}{short.reason}")
    click.echo("no verdict is fail or unproven" if is_empty else "see why: verdict trace ADDRESS")


def gate_line(report: Report) -> Text:
    """Return the gate's outcome, coloured where colours are."""
    style = {"passed": "bold green", "failed": "bold red", "incomplete": "bold yellow"}
    why = "" if report.gate == "passed" else f": {describe_gate(report)}"
    return Text.assemble(("gate ", "bold"), (report.gate, style[report.gate]), why)


def describe_gate(report: Report) -> str:
    """Return in words why the gate did not pass."""
    return "; ".join(list_gate_reasons(report))


def list_gate_reasons(report: Report) -> list[str]:
    """Return what keeps the gate from passing, a phrase each; empty where it passed."""
    card = report.card
    if report.gate == "incomplete":
        if card.given < card.planned:
            return [f"{card.given:,} of {card.planned:,} verdicts are given"]
        return ["all verdicts are given, and the grading was not closed yet"]
    short = [_describe_miss(row) for row in report.rows if row.is_gated and not row.meets]
    faults = report.critical_faults
    if faults:
        more = f" and {len(faults) - FAULTS_SHOWN:,} more" if len(faults) > FAULTS_SHOWN else ""
        short.append(f"critical cases did not pass: {', '.join(faults[:FAULTS_SHOWN])}{more}")
    return short


def _describe_miss(row: Row) -> str:
    if row.rate is None:
        return f"{row.counts.check} was never decided"
    if row.rate < Fraction(row.minimum):
        minimum = format_minimum(row.minimum)
        critical = " and is critical" if row.is_critical else ""
        return f"{row.counts.check} passed {_rate(row)}, at least {minimum} is required{critical}"
    return f"{row.counts.check} is critical and passed only {_rate(row)}"


def describe_report(report: Report) -> list[tuple[str, str]]:
    """Return what a scorecard belongs to, as name and value."""
    grading = f"{shorten_digest(report.card.grading)}, as of {format_count(report.as_of, 'event')}"
    suite = ("suite", report.criteria.suite_name)
    return [suite, *describe_inventory(report.inventory), ("grading", grading)]


def describe_inventory(inventory: Inventory) -> list[tuple[str, str]]:
    """Return what a run is and what became of its trials, as name and value."""
    effort = f", effort {inventory.effort}" if inventory.effort else ""
    return [
        ("configuration", inventory.configuration_name),
        ("asked", f"{inventory.provider}, model {inventory.model}{effort}"),
        ("trials", describe_trials(inventory)),
        ("run", shorten_digest(inventory.run)),
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
        "gate_reasons": list_gate_reasons(report),
        "grading": report.card.grading,
        "model": inventory.model,
        "provider": inventory.provider,
        "rows": [_row_to_json(row) for row in report.rows],
        "run": inventory.run,
        "suite": report.criteria.suite_name,
        "trials": _trials_to_json(inventory),
        "verdicts": {"given": report.card.given, "planned": report.card.planned},
    }


def shortfall_to_json(short: Shortfall) -> dict[str, object]:
    """Return a verdict that counts against a rate, for a program."""
    state = short.state
    return {
        "case": short.case,
        "cause": state.cause and state.cause.value,
        "check": state.check,
        "reason": short.reason,
        "repetition": short.repetition,
        "trial": state.trial,
        "variant": state.variant,
        "verdict": state.verdict.value,
        "verdict_event": state.verdict_event,
    }


def print_inventory(inventory: Inventory) -> None:
    """Print what became of a run that is not graded yet."""
    out = console()
    for name, value in describe_inventory(inventory):
        out.print(Text.assemble((f"{name:<14}", "bold"), value))
    out.print()
    short = shorten_digest(inventory.run)
    out.print(
        Text.assemble(
            ("gate ", "bold"),
            ("incomplete", "bold yellow"),
            f": the run is not graded yet; go on with verdict run … --resume {short}",
        )
    )


def inventory_to_json(inventory: Inventory) -> dict[str, object]:
    """Return a run that is not graded yet, for a program."""
    return {
        "configuration": inventory.configuration_name,
        "effort": inventory.effort,
        "gate": "incomplete",
        "gate_reasons": ["the run is not graded yet"],
        "model": inventory.model,
        "provider": inventory.provider,
        "run": inventory.run,
        "trials": _trials_to_json(inventory),
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
        cells = [*_cells(row), "yes" if row.is_gated else "no", _mark(row, report)]
        lines.append(f"| {' | '.join(cells)} |")
    gate = f"Gate **{report.gate}**"
    gate += "" if report.gate == "passed" else f": {describe_gate(report)}"
    parts = ["# Scorecard", "\n".join(head), "\n".join(lines), *_explain(report), gate]
    return "\n\n".join(parts) + "\n"


def _trials_to_json(inventory: Inventory) -> dict[str, int]:
    return {
        "completed": inventory.completed,
        "failed": inventory.failed,
        "missing": inventory.missing,
        "planned": inventory.planned,
    }


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
    shown = _list_columns(report)
    for _, name in shown:
        table.add_column(name, justify="right")
    table.add_column("rate", justify="right")
    table.add_column("minimum", justify="right")
    table.add_column("")
    for row in report.rows:
        mark = _mark(row, report)
        style = {"meets": "green", "misses": "red"}.get(mark, "")
        cells = [Text(cell) for cell in _cells(row, shown)]
        table.add_row(*cells, Text(mark, style=style))
    return table


def _mark(row: Row, report: Report) -> str:
    """Return whether a row meets its minimum, where that is settled and decides something."""
    if not row.is_gated or report.gate == "incomplete":
        return ""
    return "meets" if row.meets else "misses"


def _list_columns(report: Report) -> list[tuple[Verdict, str]]:
    """Return the columns of a table: what is left out of the rate only where there is some."""
    return [
        (verdict, name)
        for verdict, name in COLUMNS
        if verdict not in LEFT_OUT or any(row.counts.count(verdict) for row in report.rows)
    ]


def _cells(row: Row, shown: Sequence[tuple[Verdict, str]] = COLUMNS) -> list[str]:
    counts = row.counts
    numbers = [f"{counts.count(verdict):,}" for verdict, _ in shown]
    return [counts.check, counts.variant, *numbers, _rate(row), format_minimum(row.minimum)]


def _rate(row: Row) -> str:
    counts = row.counts
    return f"{counts.count(Verdict.PASS):,}/{counts.counted:,} = {format_rate(row.rate)}"


def _explain(report: Report) -> list[str]:
    causes = ", ".join(f"{cause.value} {count:,}" for cause, count in report.causes.items())
    return [f"unproven because: {causes}"] if causes else []
