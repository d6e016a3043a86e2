"""How long sessions took, and what they used.

1. over completed trials; a time runs from the slot, so waiting for one is no part of it;
2. what sessions state of themselves is taken where every trial states it, since of a recorded
   session nothing else says anything about the model; else what was measured here;
3. the first trial of the plan is the warm-up: shown, and left out of every figure of time;
4. a percentile is a time that occurred (nearest rank), the median of an even number the middle
   between two;
5. usage is added up by name, as the provider sent it. A name that some trials did not send has its
   mean over those that did.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from typing import Literal, NamedTuple

from trials.scorecard.places import Place, Trials, name_place, rank_variant

WARM_UP_SLOT = 0


class WarmUp(NamedTuple):
    """The first trial of the plan, which completed, and its time in microseconds."""

    place: Place
    time_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRow:
    """The times of a variant's completed trials but for the warm-up, in microseconds.

    Attributes:
        trials: how many; at least 1.
        mean_us: rounded to a microsecond, like ``median_us``.
    """

    variant: str
    trials: int
    mean_us: int
    median_us: int
    p90_us: int
    p95_us: int
    max_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How long it took.

    Attributes:
        source: ``stated`` by the sessions, or ``measured`` here, from the slot.
        warm_up: ``None`` where the first trial of the plan did not complete.
        rows: one for each variant that has times, the gated one first.
    """

    source: Literal["stated", "measured"]
    warm_up: WarmUp | None
    rows: tuple[TimeRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a variant's completed trials used of one thing, as the provider names it.

    Attributes:
        total: over all of them, the warm-up among them.
        trials: that sent this name; at least 1.
    """

    variant: str
    name: str
    total: int
    trials: int

    @property
    def mean(self) -> Fraction:
        """What a trial used."""
        return Fraction(self.total, self.trials)


def measure_times(trials: Trials, gated: str) -> Timing:
    """Return the times of the trials that completed."""
    completed = [trial for trial in trials.values() if trial.answer is not None]
    is_stated = bool(completed) and all(trial.stated_us is not None for trial in completed)
    times: defaultdict[str, list[int]] = defaultdict(list)
    warm_up = None
    for trial in completed:
        time_us = (trial.stated_us if is_stated else trial.duration_us) or 0
        if trial.slot == WARM_UP_SLOT:
            warm_up = WarmUp(name_place(trial), time_us)
        else:
            times[trial.variant].append(time_us)
    return Timing(
        source="stated" if is_stated else "measured",
        warm_up=warm_up,
        rows=tuple(_make_row(variant, times[variant]) for variant in _sort(times, gated)),
    )


def add_usage(trials: Trials, gated: str) -> tuple[Spent, ...]:
    """Return what completed trials used: gated variant first, names in the order they came."""
    counts: defaultdict[str, dict[str, list[int]]] = defaultdict(dict)
    for trial in trials.values():
        for name, count in sum_usage(trial.usage).items():
            counts[trial.variant].setdefault(name, []).append(count)
    return tuple(
        Spent(variant=variant, name=name, total=sum(some), trials=len(some))
        for variant in _sort(counts, gated)
        for name, some in counts[variant].items()
    )


def sum_usage(usage: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return the count of each name, in the order they came; one that came twice has the sum."""
    total: dict[str, int] = {}
    for name, count in usage:
        total[name] = total.get(name, 0) + count
    return total


def find_percentile(ordered: Sequence[int], percent: int) -> int:
    """Return the smallest of ``ordered`` that at least ``percent`` of 100 of them do not exceed."""
    rank = -(-len(ordered) * percent // 100)
    return ordered[max(rank, 1) - 1]


def _make_row(variant: str, times: Iterable[int]) -> TimeRow:
    ordered = sorted(times)
    return TimeRow(
        variant=variant,
        trials=len(ordered),
        mean_us=round(Fraction(sum(ordered), len(ordered))),
        median_us=round(median(ordered)),
        p90_us=find_percentile(ordered, 90),
        p95_us=find_percentile(ordered, 95),
        max_us=ordered[-1],
    )


def _sort(variants: Iterable[str], gated: str) -> list[str]:
    return sorted(variants, key=lambda variant: rank_variant(gated, variant))
