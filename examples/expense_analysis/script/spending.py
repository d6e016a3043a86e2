"""Spending: what an answer's totals are, from the reference entries and what was done with them."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from graders.reference import ReferenceEntry

BOOKS = "Barnes & Noble in Shopping"
STEAM = "Steam in Shopping"
UBER = "August 16 Uber in Transport"
JUNE, JULY, AUGUST = PERIODS = ("2026-06", "2026-07", "2026-08")
UNCATEGORIZED = "Uncategorized"
CASH = "Cash"
CATEGORIES = (
    "Dining",
    "Groceries",
    "Shopping",
    "Travel",
    "Transport",
    "Gas",
    "Subscriptions",
    "Entertainment",
    "Health",
    "Home",
)
"""Those that the prompts name, in their order."""
ALL = "All"
"""Stands for the sum of ``CATEGORIES``, without what has no category."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Treatment:
    """What was done with the entries.

    Attributes:
        policies: accepted policies that were chosen.
        moved: merchant to the category where all its entries were put against the reference.
        left_out: lines that were not counted, besides repetitions.
    """

    policies: frozenset[str] = frozenset()
    moved: Mapping[str, str] = field(default_factory=dict)
    left_out: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Entries that were counted, each with the category where it was put."""

    placed: tuple[tuple[ReferenceEntry, str], ...]

    def total(self, category: str, period: str | None = None) -> Decimal:
        """Return the total of ``category`` (or ``ALL``) in ``period``, or in all three."""
        wanted = CATEGORIES if category == ALL else (category,)
        return sum(
            (
                entry.amount
                for entry, place in self.placed
                if place in wanted and period in (None, entry.period)
            ),
            Decimal("0.00"),
        )

    def change(self, category: str, before: str, after: str) -> Decimal:
        """Return by how much ``category`` rose from one period to another."""
        return self.total(category, after) - self.total(category, before)

    def list_entries(self, category: str) -> list[ReferenceEntry]:
        """Return the entries of ``category`` in the order of the log."""
        return [entry for entry, place in self.placed if place == category]

    def list_categories(self) -> list[str]:
        """Return the categories that hold entries, ``CASH`` and ``UNCATEGORIZED`` last."""
        held = {place for _, place in self.placed}
        return [name for name in (*CATEGORIES, CASH, UNCATEGORIZED) if name in held]


def read_entries(path: Path) -> tuple[ReferenceEntry, ...]:
    """Return the entries of a reference ledger, in its order."""
    document = json.loads(path.read_text("utf-8"))
    return tuple(
        ReferenceEntry(
            line=item["line"],
            text=item["text"],
            amount=Decimal(item["amount"]),
            period=item["period"],
            category=item["category"],
            merchant=item["merchant"],
            alternatives=tuple(
                (other["policy"], other["category"]) for other in item.get("alternatives", [])
            ),
            duplicate_of=item.get("duplicate_of"),
        )
        for item in document["entries"]
    )


def place_entries(entries: Iterable[ReferenceEntry], treatment: Treatment) -> Spending:
    """Return what was counted where under ``treatment``; a repetition never is."""
    return Spending(
        placed=tuple(
            (entry, treatment.moved.get(str(entry.merchant), entry.place(treatment.policies)))
            for entry in entries
            if entry.is_counted and entry.line not in treatment.left_out
        )
    )
