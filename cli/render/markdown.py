"""A scorecard as Markdown, to be kept in a repository or put into a review."""

from collections.abc import Iterable, Sequence
from typing import TextIO

import click

from cli.render.figures import (
    format_count,
    format_interval,
    format_mean,
    format_minimum,
    format_ratio,
    format_time,
)
from cli.render.sheet import Sheet
from cli.render.terminal import make_printable
from cli.render.words import (
    COLUMNS,
    describe_causes,
    describe_gate,
    describe_places,
    describe_report,
    describe_suspect,
    describe_times,
    gather_facts,
    is_meaningless,
    list_short,
    mark_row,
    shows_cases,
)
from ledger.digest import shorten_digest
from trials.scorecard import Report, Row, Shortfall

_SPECIAL = str.maketrans({"|": "\\|", "<": "&lt;", "\n": " ", "\r": " ", "`": "\\`", "*": "\\*"})


def render(sheet: Sheet, out: TextIO) -> None:
    """Write the sheet."""
    report = sheet.report
    title = f"{report.criteria.suite_name}, {report.inventory.configuration_name}"
    parts = [
        f"# Scorecard: {_escape(title)}",
        _write_gate(report),
        _write_facts(report),
        "## Checks",
        _write_rows(report),
        *_write_unproven(report),
        *_write_cases(report, is_asked=sheet.has_cases),
        *_write_suspicions(report),
        *_write_times(report),
        *_write_usage(report),
        *(_write_shortfalls(sheet.shortfalls) if sheet.is_failed else ()),
    ]
    click.echo("\n\n".join(parts), file=out)


def _escape(text: str) -> str:
    """Return ``text`` on one line, without what Markdown would take for more than text."""
    return make_printable(text).translate(_SPECIAL)


def _tabulate(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(names)} |", f"|{' --- |' * len(names)}"]
    lines += [f"| {' | '.join(map(_escape, row))} |" for row in rows]
    return "\n".join(lines)


def _write_gate(report: Report) -> str:
    why = "" if report.gate == "passed" else f": {_escape(describe_gate(report))}"
    return f"Gate **{report.gate}**{why}"


def _write_facts(report: Report) -> str:
    lines = []
    for name, values, is_odd in gather_facts(describe_report(report)):
        told = _escape("; ".join(values))
        lines.append(f"- {name}: **{told}**" if is_odd else f"- {name}: {told}")
    return "\n".join(lines)


def _write_rows(report: Report) -> str:
    counts = [name for _, name in COLUMNS]
    names = ["check", "variant", *counts, "rate", "95 %", "minimum", "gated", "meets"]
    rows = [_cells(row, report) for row in report.rows]
    for variant, ratio in report.joints:
        rate = [format_ratio(ratio), format_interval(ratio.interval)]
        rows.append(["(all in one trial)", variant, *[""] * len(counts), *rate, "", "", ""])
    return _tabulate(names, rows)


def _cells(row: Row, report: Report) -> list[str]:
    counts = row.counts
    return [
        counts.check,
        counts.variant,
        *(f"{counts.count(verdict):,}" for verdict, _ in COLUMNS),
        format_ratio(row.ratio),
        format_interval(row.interval),
        format_minimum(row.minimum),
        "yes" if row.is_gated else "no",
        mark_row(row, report),
    ]


def _write_unproven(report: Report) -> list[str]:
    causes = describe_causes(report)
    return [f"unproven because: {causes}"] if causes else []


def _write_cases(report: Report, *, is_asked: bool) -> list[str]:
    if not shows_cases(report, is_asked=is_asked):
        return []
    rows = [
        (row.case, row.variant, format_ratio(row.joint), ", ".join(list_short(row)))
        for row in report.cases
    ]
    return ["## By case", _tabulate(["case", "variant", "all checks", "short of it"], rows)]


def _write_suspicions(report: Report) -> list[str]:
    if not report.suspicions:
        return []
    rows = [
        (
            format_count(len(one.trials), "trial"),
            one.variant,
            describe_suspect(one),
            ", ".join(one.checks),
            describe_places(one),
        )
        for one in report.suspicions
    ]
    names = ["in", "variant", "candidate cause", "checks", "which"]
    return [
        "## What may have led to it",
        "Candidates that code found: arithmetic that fits, no observation.",
        _tabulate(names, rows),
    ]


def _write_times(report: Report) -> list[str]:
    told = describe_times(report)
    if not told or is_meaningless(report.timing, report.inventory):
        return []
    rows = [
        (
            row.variant,
            f"{row.trials:,}",
            *map(format_time, (row.mean_us, row.median_us, row.p90_us, row.p95_us, row.max_us)),
        )
        for row in report.timing.rows
    ]
    names = ["variant", "trials", "mean", "median", "p90", "p95", "max"]
    return ["## Time", f"{_escape(told)}.", _tabulate(names, rows)]


def _write_usage(report: Report) -> list[str]:
    rows = [
        (one.name, one.variant, format_mean(one.mean), f"{one.total:,}") for one in report.usage
    ]
    table = _tabulate(["what", "variant", "a trial", "in all"], rows)
    return ["## Used, as the provider counts it", table] if rows else []


def _write_shortfalls(shortfalls: Iterable[Shortfall]) -> list[str]:
    rows = [
        (
            shorten_digest(short.state.verdict_event),
            short.state.verdict.value,
            short.case,
            f"{short.state.variant} {short.repetition}",
            short.state.check,
            short.reason,
        )
        for short in shortfalls
    ]
    names = ["verdict", "is", "case", "trial", "check", "reason"]
    return ["## What did not pass", _tabulate(names, rows)]
