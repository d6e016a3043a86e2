"""The reference of a case, entry by entry: what every total of its key is the sum of.

1. An entry stands in one category. An accepted policy may move it to another one: all entries that
   name the policy move together, or none does.
2. A total is the sum of the counted entries of one category in one period; under each choice of
   policies it has one value, and the accepted values of its fact are just these.
3. An entry that repeats another one stands in the reference too, marked as not counted. A refund is
   an entry with a negative amount.

    >>> hotel = ReferenceEntry(
    ...     line=1, text="Hotel 90", amount=Decimal("90"), period="2026-08", category="Travel"
    ... )
    >>> uber = ReferenceEntry(
    ...     line=2,
    ...     text="Uber 24.10",
    ...     amount=Decimal("24.10"),
    ...     period="2026-08",
    ...     category="Travel",
    ...     alternatives=(("Uber in Transport", "Transport"),),
    ... )
    >>> reference = Reference(entries=(hotel, uber), totals=())
    >>> sum_total(reference, "Travel", "2026-08", frozenset())
    Decimal('114.10')
    >>> sum_total(reference, "Travel", "2026-08", frozenset({"Uber in Transport"}))
    Decimal('90')
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, localcontext
from itertools import combinations

POLICIES_MAX = 6
"""Policies that may touch one total: 64 values, far more than anybody accepts."""
ENTRIES_MAX = 10_000
"""Entries of a reference; a diagnosis looks at each once for each choice of policies: seconds."""

_EXACT = Context(prec=100, traps=[Inexact])
"""An amount is read from at most 40 characters, so that no sum of them needs more digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceEntry:
    """One line of the source.

    Attributes:
        line: its number there, from 1; an entry's name.
        text: the line as it is written, for people.
        amount: what it adds to its total; negative for a refund.
        period: which totals it can be part of, for example ``2026-08``.
        category: where it stands unless a policy moves it.
        merchant: who was paid; entries with one name can be mistaken together.
        alternatives: policy and the category where it stands under that policy.
        duplicate_of: the line that it repeats; such an entry is never counted.
    """

    line: int
    text: str
    amount: Decimal
    period: str
    category: str
    merchant: str | None = None
    alternatives: tuple[tuple[str, str], ...] = ()
    duplicate_of: int | None = None

    @property
    def is_counted(self) -> bool:
        """Whether it is part of a total."""
        return self.duplicate_of is None

    def place(self, policies: frozenset[str]) -> str:
        """Return the category where it stands under ``policies``."""
        for policy, category in self.alternatives:
            if policy in policies:
                return category
        return self.category


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceTotal:
    """A fact of the key that is a sum of entries."""

    fact_name: str
    category: str
    period: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The entries of a case, sorted by line, and the totals that the key states of them."""

    entries: tuple[ReferenceEntry, ...]
    totals: tuple[ReferenceTotal, ...]

    def find_total(self, fact_name: str) -> ReferenceTotal | None:
        """Return the total that states ``fact_name``."""
        return next((total for total in self.totals if total.fact_name == fact_name), None)


def name_policies(reference: Reference, category: str, period: str) -> list[str]:
    """Return the policies that touch a total, sorted."""
    return sorted(
        {
            policy
            for entry in reference.entries
            if entry.period == period and entry.is_counted
            for policy, other in entry.alternatives
            if category in (entry.category, other)
        }
    )


def list_policies(reference: Reference, category: str, period: str) -> Iterator[frozenset[str]]:
    """Yield each choice of the policies that touch a total, the choice of none first."""
    touching = name_policies(reference, category, period)
    for size in range(len(touching) + 1):
        yield from map(frozenset, combinations(touching, size))


def sum_total(
    reference: Reference, category: str, period: str, policies: frozenset[str]
) -> Decimal:
    """Return the total of ``category`` in ``period`` under ``policies``, exactly."""
    amounts = (
        entry.amount
        for entry in reference.entries
        if entry.is_counted and entry.period == period and entry.place(policies) == category
    )
    with localcontext(_EXACT):
        return sum(amounts, Decimal(0))


def list_values(reference: Reference, category: str, period: str) -> list[Decimal]:
    """Return the values of a total over every choice of policies, each once, of none first."""
    choices = list_policies(reference, category, period)
    return list(dict.fromkeys(sum_total(reference, category, period, choice) for choice in choices))
