"""Scenarios: for each session, the policies that it chooses, its mistakes and what it tells."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from examples.expense_analysis.script.spending import BOOKS, CASH, STEAM, UBER, Treatment

STANDARD, ROBUST, TABLES_FIRST = VARIANTS = ("standard", "robust", "robust-tables-first")
DELTA, DELTA_KEPT, PARKING = 167, 168, 169
"""Lines of the log."""


class ReplyForm(StrEnum):
    """How the judge's first reply about the findings is written."""

    BARE = "bare"
    FENCED = "fenced"
    AMID_PROSE = "amid prose"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One session as data.

    Attributes:
        treatment: what is done with the entries.
        findings: names of ``findings.TELLINGS``, in their order.
        stated_count: how many entries without a purpose the answer says there are.
        states_increase: whether it names the largest increase from July to August.
        opens_with_conclusion: whether a conclusion stands above the tables.
        invents_budget: whether it measures something by a budget that the notes do not have.
        is_overlooked: whether the judge fails to see an amount that the first key disputes.
        reply: how the judge's first reply about the findings is written.
    """

    treatment: Treatment = field(default_factory=Treatment)
    findings: tuple[str, ...]
    stated_count: int | None = 8
    states_increase: bool = True
    opens_with_conclusion: bool = False
    invents_budget: bool = False
    is_overlooked: bool = False
    reply: ReplyForm = ReplyForm.BARE


class Place(NamedTuple):
    """Which session it is; ``repetition`` from 1."""

    configuration: str
    variant: str
    repetition: int


def _choose(*policies: str, left_out: tuple[int, ...] = (), **moved: str) -> Treatment:
    """Return a treatment; the names of moved merchants are those of ``_MERCHANTS``."""
    return Treatment(
        policies=frozenset(policies),
        left_out=frozenset(left_out),
        moved={merchant: place for name, place in moved.items() for merchant in _MERCHANTS[name]},
    )


_MERCHANTS: Mapping[str, tuple[str, ...]] = {
    "ikea": ("IKEA",),
    "fares": ("Metro", "Uber", "Parking meter", "Parking garage"),
    "atm": ("ATM",),
    "cvs": ("CVS",),
    "walgreens": ("Walgreens",),
    "prime": ("Amazon Prime",),
    "hotel": ("Hilton Garden Inn",),
    "parking": ("Airport Parking",),
    "rental": ("Enterprise Rent-A-Car",),
}

SCENARIOS: Mapping[tuple[str, str], tuple[Scenario, ...]] = {
    ("opus", STANDARD): (
        Scenario(stated_count=None, findings=("dining_over", "shopping_august", "travel_jump")),
        Scenario(
            treatment=_choose(BOOKS),
            stated_count=None,
            findings=("travel_jump", "dining_over", "groceries_fall", "shopping_august"),
        ),
        Scenario(
            treatment=_choose(UBER),
            stated_count=None,
            states_increase=False,
            findings=("dining_climb", "travel_only", "shopping_dip"),
        ),
        Scenario(stated_count=None, findings=("august_total", "dining_over", "groceries_fall")),
        Scenario(
            treatment=_choose(BOOKS),
            stated_count=None,
            states_increase=False,
            findings=("dining_over", "groceries_forty", "travel_only"),
        ),
    ),
    ("opus", ROBUST): (
        Scenario(
            opens_with_conclusion=True, findings=("travel_jump", "dining_over", "shopping_august")
        ),
        Scenario(
            treatment=_choose(UBER),
            opens_with_conclusion=True,
            findings=("dining_over", "travel_jump", "groceries_fall"),
        ),
        Scenario(
            treatment=_choose(BOOKS),
            opens_with_conclusion=True,
            findings=("dining_climb", "shopping_august", "august_total"),
        ),
        Scenario(
            opens_with_conclusion=True, findings=("august_total", "dining_over", "table_turn")
        ),
        Scenario(
            treatment=_choose(BOOKS, UBER),
            opens_with_conclusion=True,
            findings=("travel_jump", "shopping_dip", "dining_over"),
        ),
    ),
    ("opus", TABLES_FIRST): (
        Scenario(
            findings=("dining_over", "travel_jump", "shopping_august"), reply=ReplyForm.AMID_PROSE
        ),
        Scenario(
            treatment=_choose(BOOKS), findings=("shopping_august", "dining_over", "august_total")
        ),
        Scenario(
            treatment=_choose(UBER), findings=("travel_jump", "dining_climb", "groceries_fall")
        ),
        Scenario(
            treatment=_choose(BOOKS, UBER), findings=("dining_over", "shopping_dip", "travel_jump")
        ),
        Scenario(
            treatment=_choose(UBER),
            findings=("travel_jump", "table_turn", "shopping_august"),
            reply=ReplyForm.FENCED,
        ),
    ),
    ("sonnet", STANDARD): (
        Scenario(
            stated_count=None,
            states_increase=False,
            findings=("dining_over", "shopping_august", "travel_only", "subscriptions_flat"),
        ),
        Scenario(
            treatment=_choose(BOOKS),
            stated_count=None,
            states_increase=False,
            findings=("dining_climb", "travel_only", "shopping_august"),
        ),
        Scenario(
            stated_count=None, findings=("dining_every_month", "travel_jump", "groceries_fall")
        ),
        Scenario(
            treatment=_choose(UBER),
            stated_count=None,
            states_increase=False,
            findings=("dining_over", "shopping_seventy", "travel_only"),
        ),
        Scenario(stated_count=None, findings=("travel_jump", "dining_over", "shopping_dip")),
    ),
    ("sonnet", ROBUST): (
        Scenario(
            opens_with_conclusion=True, findings=("dining_over", "travel_jump", "shopping_dip")
        ),
        Scenario(
            treatment=_choose(BOOKS), findings=("travel_jump", "dining_climb", "shopping_august")
        ),
        Scenario(
            treatment=_choose(UBER),
            opens_with_conclusion=True,
            findings=("dining_over", "table_turn", "travel_jump"),
        ),
        Scenario(
            opens_with_conclusion=True, findings=("travel_jump", "shopping_august", "dining_over")
        ),
        Scenario(
            treatment=_choose(BOOKS), findings=("dining_over", "travel_jump", "groceries_fall")
        ),
    ),
    ("sonnet", TABLES_FIRST): (
        Scenario(findings=("travel_jump", "dining_over", "shopping_august")),
        Scenario(
            treatment=_choose(BOOKS), findings=("dining_over", "shopping_august", "travel_jump")
        ),
        Scenario(
            treatment=_choose(UBER, left_out=(DELTA,)),
            findings=("dining_over", "shopping_dip", "groceries_fall"),
        ),
        Scenario(
            treatment=_choose(BOOKS), findings=("dining_climb", "travel_jump", "groceries_fall")
        ),
        Scenario(findings=("travel_jump", "table_turn", "shopping_dip")),
    ),
    ("haiku", TABLES_FIRST): (
        Scenario(
            treatment=_choose(UBER, left_out=(PARKING,)),
            stated_count=7,
            findings=("travel_jump", "dining_over", "shopping_august"),
        ),
        Scenario(
            treatment=_choose(BOOKS), findings=("dining_over", "travel_jump", "groceries_fall")
        ),
        Scenario(
            treatment=_choose(fares="Travel"),
            stated_count=None,
            findings=("dining_over", "groceries_fall", "subscriptions_flat"),
        ),
        Scenario(
            treatment=_choose(ikea="Home"),
            findings=("shopping_dip", "dining_climb", "travel_jump"),
        ),
        Scenario(
            treatment=_choose(UBER, atm=CASH),
            stated_count=6,
            findings=("travel_jump", "dining_over", "shopping_dip"),
        ),
    ),
    ("sol", TABLES_FIRST): (
        Scenario(
            treatment=_choose(BOOKS, STEAM),
            findings=("shopping_months", "dining_over", "travel_jump"),
        ),
        Scenario(
            treatment=_choose(BOOKS), findings=("travel_jump", "shopping_months", "dining_over")
        ),
        Scenario(
            treatment=_choose(BOOKS, STEAM, UBER),
            findings=("dining_over", "shopping_months", "travel_jump"),
            reply=ReplyForm.FENCED,
        ),
        Scenario(
            treatment=_choose(BOOKS, STEAM),
            findings=("travel_jump", "dining_climb", "shopping_months"),
        ),
        Scenario(findings=("dining_over", "travel_jump", "shopping_august")),
    ),
    ("astra", TABLES_FIRST): (
        Scenario(
            treatment=_choose(BOOKS, STEAM),
            findings=("travel_jump", "shopping_months", "dining_over"),
        ),
        Scenario(
            treatment=_choose(BOOKS, STEAM, UBER),
            findings=("dining_over", "travel_jump", "shopping_months"),
            is_overlooked=True,
        ),
        Scenario(
            treatment=_choose(BOOKS, STEAM),
            findings=("shopping_months", "travel_jump", "dining_climb"),
        ),
        Scenario(
            treatment=_choose(BOOKS, STEAM, UBER),
            findings=("dining_over", "shopping_months", "groceries_fall"),
            reply=ReplyForm.AMID_PROSE,
        ),
        Scenario(
            treatment=_choose(BOOKS, STEAM),
            findings=("shopping_months", "dining_over", "travel_jump"),
            is_overlooked=True,
        ),
    ),
    ("luna", TABLES_FIRST): (
        Scenario(
            treatment=_choose(prime="Shopping", hotel="Home"),
            findings=("travel_jump", "shopping_dip", "dining_over"),
        ),
        Scenario(
            treatment=_choose(
                BOOKS, cvs="Shopping", walgreens="Shopping", parking="Transport", rental="Transport"
            ),
            findings=("dining_over", "travel_jump", "shopping_dip", "groceries_fall"),
        ),
        Scenario(
            treatment=_choose(
                left_out=(DELTA,), cvs="Shopping", walgreens="Shopping", prime="Shopping"
            ),
            findings=("shopping_dip", "travel_jump", "dining_climb"),
        ),
        Scenario(
            treatment=_choose(walgreens="Shopping", prime="Shopping", rental="Transport"),
            stated_count=None,
            findings=("dining_over", "shopping_dip", "travel_jump"),
        ),
        Scenario(
            treatment=_choose(cvs="Shopping", prime="Shopping", parking="Transport"),
            invents_budget=True,
            findings=("travel_jump", "dining_over", "shopping_dip"),
        ),
    ),
}
"""By configuration and variant; the position is the repetition."""


def list_places() -> Iterator[tuple[Place, Scenario]]:
    """Yield every session with its scenario: by configuration, variant and repetition."""
    for (configuration, variant), scenarios in SCENARIOS.items():
        for repetition, scenario in enumerate(scenarios, start=1):
            yield Place(configuration, variant, repetition), scenario
