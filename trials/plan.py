"""The plan: every trial of a run, fixed and recorded before the first answer. Pure."""

from collections.abc import Collection
from itertools import product
from typing import NamedTuple

from ledger.canonical import format_canonical, parse_canonical
from ledger.errors import Damage, FaultyInput
from trials.order import hash_place
from trials.suite import Suite

SEED = 0
"""Where nobody names another: the order is the same each time, and still no order of the file."""


class PlannedTrial(NamedTuple):
    """One trial to be made; its slot is its index in the plan."""

    slot: int
    case: str
    variant: str
    repetition: int


def plan_trials(
    suite: Suite, variants: Collection[str] = (), seed: int = SEED
) -> list[PlannedTrial]:
    """Return the trials of ``suite`` in the order in which they are begun (``trials/order``).

    Args:
        suite: the examination.
        seed: from which the order within each repetition is drawn.
        variants: names of the variants to be tried, in the order of the suite; all by default.

    Raises:
        FaultyInput: the suite has no variant of some name.
    """
    known = [variant.name for variant in suite.variants]
    unknown = [name for name in variants if name not in known]
    if unknown:
        there = f"the suite has {', '.join(known)}"
        raise FaultyInput([f"variant: {name!r:.80} is unknown; {there}" for name in unknown])
    chosen = [name for name in known if not variants or name in variants]
    places = [
        (case, variant, repetition)
        for repetition in range(1, suite.repetitions + 1)
        for variant, case in sorted(
            product(chosen, (case.id for case in suite.cases)),
            key=lambda place: hash_place(seed, place[1], place[0], repetition),
        )
    ]
    return [PlannedTrial(slot, *place) for slot, place in enumerate(places)]


def count_trials(suite: Suite) -> int:
    """Return how many trials ``plan_trials`` plans for all variants."""
    return len(suite.variants) * len(suite.cases) * suite.repetitions


def format_plan(plan: list[PlannedTrial]) -> bytes:
    """Return the canonical bytes of ``plan``: case, variant and repetition in slot order."""
    return format_canonical([[trial.case, trial.variant, trial.repetition] for trial in plan])


def parse_plan(data: bytes) -> list[PlannedTrial]:
    """Return the plan whose bytes are ``data``; the inverse of ``format_plan``.

    Raises:
        Damage: ``data`` is no plan.
    """
    rows = parse_canonical(data)
    try:
        return [PlannedTrial(slot, *row) for slot, row in enumerate(rows)]  # type: ignore[arg-type, misc]
    except TypeError as error:
        raise Damage("not a plan: rows of case, variant and repetition") from error
