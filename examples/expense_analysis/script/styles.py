"""Styles: how each configuration writes, and the session around its answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum

from examples.expense_analysis.script.dice import Dice
from examples.expense_analysis.script.scenarios import STANDARD, Place
from examples.expense_analysis.script.spending import PERIODS, UNCATEGORIZED

MONTHS = ("June", "July", "August")


class TableForm(StrEnum):
    """How tables are laid out."""

    RIGHT = "Markdown, amounts to the right"
    PLAIN = "Markdown, no alignment"
    BLOCK = "lines that are aligned, in a code block"


class FindingForm(StrEnum):
    """How findings are laid out."""

    NUMBERED = "a numbered item with a bold title"
    HEADED = "a heading of its own"
    POINTS = "a bold title with points of support below it"
    SENTENCES = "a numbered sentence"


class Host(StrEnum):
    """The program that a session runs in."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How one configuration writes.

    Attributes:
        accent: see ``Dice``.
        heading: of a part; ``{number}`` and ``{title}`` are filled in.
        sign: before an amount in a sentence.
        table_sign: before an amount in a table.
        has_separators: whether thousands are separated.
        names: category to what it is called, where that differs.
        standard_names: likewise for the prompt that names no categories.
        findings: the forms in use.
        has_period_total: whether the first table has a column for all three months.
        has_total_row: whether the first table has a row for all categories.
        seconds: about how long a session takes.
    """

    host: Host
    model: str
    accent: int
    heading: str
    bullet: str
    sign: str
    table_sign: str
    has_separators: bool
    months: tuple[str, str, str]
    table: TableForm
    findings: tuple[FindingForm, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    standard_names: Mapping[str, str] = field(default_factory=dict)
    has_period_total: bool = True
    has_total_row: bool = True
    seconds: int = 90

    def amount(self, value: Decimal) -> str:
        """Return ``value`` as a sentence has it, without the sign of a loss."""
        return self.sign + self._number(abs(value))

    def limit(self, value: int) -> str:
        """Return a budget, which has no cents, as a sentence has it."""
        return f"{self.sign}{value:,}" if self.has_separators else f"{self.sign}{value}"

    def cell(self, value: Decimal) -> str:
        """Return ``value`` as a table has it."""
        return f"{'-' if value < 0 else ''}{self.table_sign}{self._number(abs(value))}"

    def change(self, value: Decimal) -> str:
        """Return a change as a table has it, with its sign."""
        return f"+{self.cell(value)}" if value > 0 else self.cell(value)

    def name(self, category: str, variant: str) -> str:
        """Return what ``category`` is called in answers to the prompt ``variant``."""
        own = {**self.names, **(self.standard_names if variant == STANDARD else {})}
        return own.get(category, category)

    def _number(self, value: Decimal) -> str:
        return f"{value:,.2f}" if self.has_separators else f"{value:.2f}"


_TRANSFERS = {UNCATEGORIZED: "Transfers & cash"}

STYLES: Mapping[str, Style] = {
    "opus": Style(
        host=Host.CLAUDE_CODE,
        model="claude-opus-5-5",
        accent=0,
        heading="## {title}",
        bullet="-",
        sign="$",
        table_sign="$",
        has_separators=True,
        months=MONTHS,
        table=TableForm.RIGHT,
        findings=(FindingForm.NUMBERED, FindingForm.HEADED),
        standard_names=_TRANSFERS | {"Home": "Home & utilities"},
        seconds=118,
    ),
    "sonnet": Style(
        host=Host.CLAUDE_CODE,
        model="claude-sonnet-5-5",
        accent=1,
        heading="### {number}. {title}",
        bullet="*",
        sign="$",
        table_sign="",
        has_separators=True,
        months=("Jun", "Jul", "Aug"),
        table=TableForm.RIGHT,
        findings=(FindingForm.POINTS, FindingForm.NUMBERED),
        names={"Dining": "Eating Out & Coffee"},
        standard_names={
            UNCATEGORIZED: "Transfers, checks & cash",
            "Home": "Bills & Household",
            "Entertainment": "Fun",
        },
        seconds=84,
    ),
    "haiku": Style(
        host=Host.CLAUDE_CODE,
        model="claude-haiku-5-5",
        accent=2,
        heading="# {title}",
        bullet="-",
        sign="$",
        table_sign="",
        has_separators=False,
        months=MONTHS,
        table=TableForm.PLAIN,
        findings=(FindingForm.SENTENCES, FindingForm.POINTS),
        names={"Dining": "Dining (eating out + coffee)"},
        has_period_total=False,
        seconds=52,
    ),
    "sol": Style(
        host=Host.CODEX,
        model="gpt-6.1-sol",
        accent=3,
        heading="## {number}. {title}",
        bullet="-",
        sign="",
        table_sign="",
        has_separators=True,
        months=("2026-06", "2026-07", "2026-08"),
        table=TableForm.RIGHT,
        findings=(FindingForm.HEADED, FindingForm.SENTENCES),
        names={UNCATEGORIZED: "Uncategorized (purpose unknown)"},
        seconds=97,
    ),
    "astra": Style(
        host=Host.CODEX,
        model="gpt-6-astra",
        accent=4,
        heading="**{title}**",
        bullet="+",
        sign="$",
        table_sign="",
        has_separators=True,
        months=("June", "July", "Aug"),
        table=TableForm.PLAIN,
        findings=(FindingForm.NUMBERED, FindingForm.SENTENCES),
        names={"Dining": "Dining & Coffee", "Home": "Home & Laundry"},
        has_total_row=False,
        seconds=109,
    ),
    "luna": Style(
        host=Host.CODEX,
        model="gpt-6-luna",
        accent=5,
        heading="### {title}",
        bullet="-",
        sign="$",
        table_sign="",
        has_separators=False,
        months=("JUN", "JUL", "AUG"),
        table=TableForm.BLOCK,
        findings=(FindingForm.SENTENCES, FindingForm.NUMBERED),
        names={"Dining": "Eating out", UNCATEGORIZED: "Unclear"},
        has_period_total=False,
        seconds=61,
    ),
}
"""By configuration."""


def throw_dice(place: Place) -> Dice:
    """Return the dice of a session."""
    return Dice(
        seed=f"{place.configuration}/{place.variant}",
        accent=STYLES[place.configuration].accent,
        repetition=place.repetition,
    )


def name_month(period: str) -> str:
    """Return the month of ``period`` as a sentence has it."""
    return MONTHS[PERIODS.index(period)]


def format_percent(part: Decimal, whole: Decimal) -> str:
    """Return ``part`` of ``whole`` in per cent, without a sign, rounded half up to a whole one."""
    share = abs(part) / whole * 100
    return f"{share.quantize(Decimal(1), rounding=ROUND_HALF_UP)}%"
