"""Tables: totals by category and month, and changes from month to month."""

from collections.abc import Callable
from decimal import Decimal

from examples.expense_analysis.script.session import Session
from examples.expense_analysis.script.spending import (
    ALL,
    AUGUST,
    CASH,
    JULY,
    JUNE,
    PERIODS,
    UNCATEGORIZED,
)
from examples.expense_analysis.script.styles import TableForm

Row = tuple[str, ...]


def write_totals(session: Session) -> list[str]:
    """Return the table of totals by category and month."""
    style, spending = session.style, session.spending
    header: Row = (session.choose("category", "Category", "Category", "category"), *style.months)
    periods: tuple[str | None, ...] = PERIODS
    if style.has_period_total:
        header += (session.choose("three months", "Total", "3 months", "Jun-Aug"),)
        periods += (None,)

    def make_row(name: str, category: str) -> Row:
        return name, *(style.cell(spending.total(category, period)) for period in periods)

    rows = [make_row(session.name(category), category) for category in _order(session)]
    if style.has_total_row:
        title = session.choose("all", "All categories", "Total spending", "Sum of categories")
        place = len(rows) - sum(c in (CASH, UNCATEGORIZED) for c in _order(session))
        rows.insert(place, make_row(title, ALL))
    return format_table(style.table, header, rows)


def write_changes(session: Session) -> list[str]:
    """Return the table of changes from month to month."""
    june, july, august = session.style.months
    header: Row = (session.choose("category", "Category", "Category", "category"),)
    header += tuple(
        session.choose("arrow", f"{before} to {after}", f"{before} → {after}", f"{before}/{after}")
        for before, after in ((june, july), (july, august))
    )

    def make_row(category: str) -> Row:
        changes = (
            session.spending.change(category, *pair) for pair in ((JUNE, JULY), (JULY, AUGUST))
        )
        return session.name(category), *map(session.style.change, changes)

    rows = [make_row(c) for c in _order(session) if c not in (CASH, UNCATEGORIZED)]
    return format_table(session.style.table, header, rows)


def format_table(form: TableForm, header: Row, rows: list[Row], words: int = 1) -> list[str]:
    """Return the lines of a table; its first columns hold ``words``, the others amounts."""
    if form is TableForm.BLOCK:
        widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
        lines = [_align(row, widths, words) for row in (header, *rows)]
        return ["```text", *lines, "```"]
    amount = "---:" if form is TableForm.RIGHT else "---"
    rule = ("---",) * words + (amount,) * (len(header) - words)
    return [f"| {' | '.join(row)} |" for row in (header, rule, *rows)]


def _align(row: Row, widths: list[int], words: int) -> str:
    cells = [
        cell.ljust(width) if index < words else cell.rjust(width)
        for index, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


def _order(session: Session) -> list[str]:
    """Return the categories in the order of this session: given, by size or by name."""
    categories = session.spending.list_categories()
    last = [category for category in categories if category in (CASH, UNCATEGORIZED)]
    sorts: tuple[Callable[[str], tuple[Decimal, str]], ...] = (
        lambda _: (Decimal(0), ""),
        lambda category: (-session.spending.total(category), ""),
        lambda category: (Decimal(0), session.name(category)),
    )
    first = [category for category in categories if category not in last]
    return sorted(first, key=session.dice.choose("order", sorts)) + last
