"""A scorecard as a page: one file that needs nothing else, to be opened, printed or sent on.

The template is ``page.html.jinja`` and its style ``page.css``. Whatever strangers wrote (names,
reasons, candidate causes) is escaped, and its control characters are spelled out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TextIO

import click
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from cli.render import figures, words
from cli.render.sheet import Sheet
from cli.render.terminal import make_printable
from ledger.digest import shorten_digest
from ledger.outcomes import Verdict
from trials.scorecard import Interval, Joint, Ratio, Report, Row

SHORTFALLS_SHOWN = 50
"""Failed verdicts on a page unless all are asked for."""
OPEN_MAX = 20
"""Rows of a part that is open from the start."""
_FAULTS = (Verdict.FAIL, Verdict.UNPROVEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A rate drawn on a line from 0 to 100; all in percent, for a style sheet.

    Attributes:
        tone: ``good``, ``bad`` or ``plain``.
        told: the same in words, for who does not see it.
    """

    filled: str
    unproven: str
    low: str
    high: str
    minimum: str | None
    tone: str
    told: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """A figure at the head of the page."""

    label: str
    value: str
    note: str


def render(sheet: Sheet, out: TextIO) -> None:
    """Write the sheet."""
    report = sheet.report
    total = sum(row.counts.count(verdict) for row in report.rows for verdict in _FAULTS)
    shown = sheet.shortfalls if sheet.is_failed else islice(sheet.shortfalls, SHORTFALLS_SHOWN)
    page = (
        _make_environment()
        .get_template("page.html.jinja")
        .render(
            report=report,
            sheet=sheet,
            facts=words.gather_facts(words.describe_report(report)),
            tiles=list_tiles(report),
            joints=dict(report.joints) if words.has_joint(report) else {},
            shortfalls=list(shown),
            shortfalls_total=total,
            open_max=OPEN_MAX,
        )
    )
    click.echo(page, file=out)


def draw_row(row: Row, report: Report) -> Bar:
    """Return the bar of a check."""
    tone = {"meets": "good", "misses": "bad", "": "plain"}[words.mark_row(row, report)]
    minimum = figures.format_minimum(row.minimum)
    unproven = row.counts.count(Verdict.UNPROVEN)
    return _draw(row.ratio, tone, unproven, float(row.minimum), f", minimum {minimum}")


def draw_joint(joint: Ratio) -> Bar:
    """Return the bar of a joint rate, which has no minimum of its own."""
    return _draw(joint, "plain")


def list_tiles(report: Report) -> list[Tile]:
    """Return the figures at the head of the page."""
    gated = report.criteria.gated_variant
    rows = [row for row in report.rows if row.is_gated]
    inventory = report.inventory
    joints = report.joints if words.has_joint(report) else ()
    tiles = [
        Tile(
            label="checks at their minimum",
            value=f"{sum(row.meets for row in rows):,} of {len(rows):,}",
            note=f"variant {gated}",
        ),
        *(_make_tile(joint) for joint in joints if joint.variant == gated),
        Tile(
            label="trials completed",
            value=f"{inventory.completed:,} of {inventory.planned:,}",
            note=f"{inventory.failed:,} failed, {inventory.missing:,} missing",
        ),
    ]
    times = [row for row in report.timing.rows if row.variant == gated]
    if times and not words.is_meaningless(report.timing, inventory):
        mean, p95 = (figures.format_time(time) for time in (times[0].mean_us, times[0].p95_us))
        tiles.append(Tile(label="mean time of a trial", value=mean, note=f"95th percentile {p95}"))
    return tiles


def _make_tile(joint: Joint) -> Tile:
    interval = figures.format_interval(joint.ratio.interval)
    return Tile(
        label="trials that passed every check",
        value=f"{joint.ratio.passed:,} of {joint.ratio.counted:,}",
        note=f"{figures.format_rate(joint.ratio.rate)}  {interval}",
    )


def _draw(
    ratio: Ratio, tone: str, unproven: int = 0, minimum: float | None = None, told: str = ""
) -> Bar:
    counted = ratio.counted or 1
    low, high = ratio.interval or Interval(0.0, 0.0)
    interval = figures.format_interval(ratio.interval)
    return Bar(
        filled=_percent(ratio.passed / counted),
        unproven=_percent(unproven / counted),
        low=_percent(low),
        high=_percent(1 - high),
        minimum=None if minimum is None else _percent(minimum),
        tone=tone,
        told=f"{figures.format_ratio(ratio)}, 95 % interval {interval}{told}",
    )


def _percent(share: float) -> str:
    return f"{share * 100:.2f}%"


def _finalize(value: object) -> object:
    """Spell out control characters of any text; what is markup already stays."""
    return make_printable(value) if type(value) is str else value


def _make_environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    members: Sequence[object] = (
        draw_joint,
        draw_row,
        figures.format_count,
        figures.format_interval,
        figures.format_mean,
        figures.format_minimum,
        figures.format_rate,
        figures.format_ratio,
        figures.format_time,
        shorten_digest,
        words.describe_causes,
        words.describe_places,
        words.describe_suspect,
        words.describe_times,
        words.group_rows,
        words.is_meaningless,
        words.list_columns,
        words.list_gate_reasons,
        words.list_short,
        words.mark_row,
    )
    environment.globals.update({str(getattr(one, "__name__", "")): one for one in members})
    return environment
