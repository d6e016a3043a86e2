"""What calls cost, how often they were made again, and what is noted on them.

1. over all trials that ended, failed ones too: a failed call may have been paid for;
2. what a call cost by the suite's prices and what its provider claims stand side by side, each with
   the number of trials of which it is known; what is not known is never taken for nothing;
3. a trial's cost is that of the call that ended it. An attempt before that has its own in the
   record, and is only counted here.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from ledger.projections import TrialState
from trials.scorecard.places import Place, Trials, name_place


class Known(NamedTuple):
    """A sum of US dollars over those ``trials`` of which it is known."""

    cost_usd: Decimal
    trials: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What the trials of the gated variant cost.

    Attributes:
        trials: that ended.
        priced: by the suite's prices.
        stated: by the provider's own account.
        failed_attempts: whose cost is in neither.
    """

    trials: int
    priced: Known
    stated: Known
    failed_attempts: int


class Attempts(NamedTuple):
    """So many calls for so many trials that ended."""

    attempts: int
    trials: int


def add_costs(trials: Trials, gated: str) -> Cost:
    """Return what the trials of the variant ``gated`` cost."""
    ended = [one for one in _list_ended(trials) if one.variant == gated]
    return Cost(
        trials=len(ended),
        priced=_add(one.cost_usd for one in ended),
        stated=_add(one.stated_cost_usd for one in ended),
        failed_attempts=sum((one.attempt or 1) - 1 for one in ended),
    )


def count_attempts(trials: Trials) -> Attempts:
    """Return how many calls the trials took."""
    ended = _list_ended(trials)
    return Attempts(sum(one.attempt or 1 for one in ended), len(ended))


def count_failures(trials: Trials) -> tuple[tuple[str, int], ...]:
    """Return how many trials failed for which cause, the most frequent first."""
    causes = Counter(one.cause for one in trials.values() if one.cause is not None)
    return tuple(causes.most_common())


def list_noted(trials: Trials) -> tuple[Place, ...]:
    """Return the trials with notes, in the order of the plan."""
    return tuple(name_place(one) for one in trials.values() if one.notes)


def _list_ended(trials: Trials) -> list[TrialState]:
    return [one for one in trials.values() if one.outcome is not None]


def _add(costs: Iterable[str | None]) -> Known:
    known = [Decimal(cost) for cost in costs if cost is not None]
    return Known(sum(known, Decimal(0)), len(known))
