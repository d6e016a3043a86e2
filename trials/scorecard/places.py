"""What a report is made of: the trials of its run and the verdicts on them, as of a position."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ledger.digest import Digest
from ledger.log import Ledger
from ledger.outcomes import Verdict
from ledger.projections import TRIALS, VERDICTS, Keeper, Scorecard, TrialState, VerdictState
from trials.criteria import Criteria

FAULTS = (Verdict.FAIL, Verdict.UNPROVEN)
"""Verdicts that count against a rate."""

Rank = tuple[bool, str, int, int]
"""What sorts a trial: not the gated variant, the variant, the case in the suite, the repetition."""

Trials = Mapping[int, TrialState]
"""The trials of a run by slot, in the order of the plan."""


class Place(NamedTuple):
    """A planned trial, as people speak of it."""

    case: str
    variant: str
    repetition: int


def name_place(trial: TrialState) -> Place:
    """Return which planned trial ``trial`` is."""
    return Place(trial.case, trial.variant, trial.repetition)


def read_trials(ledger: Ledger, keeper: Keeper, run: Digest, as_of: int | None) -> Trials:
    """Return the trials of ``run``; what ended at ``as_of`` or later has not ended yet."""
    trials = {trial.slot: trial for trial in keeper.scan(TRIALS, f"{run}/")}
    if as_of is None:
        return trials
    return {slot: _look_back(ledger, trial, as_of) for slot, trial in trials.items()}


def read_verdicts(keeper: Keeper, card: Scorecard, as_of: int) -> Sequence[VerdictState]:
    """Return the verdicts of a grading before ``as_of``, in the order of the plan."""
    states = keeper.scan(VERDICTS, f"{card.grading}/")
    return [state for state in states if state.position < as_of]


def rank_variant(gated: str, variant: str) -> tuple[bool, str]:
    """Return what sorts variants: the gated one first, then by name."""
    return (variant != gated, variant)


def make_ranking(criteria: Criteria) -> Callable[[TrialState], Rank]:
    """Return what sorts trials for people: the gated variant first, then cases as in the suite.

    The order in which trials were made is drawn by lot and says nothing to a reader.
    """
    cases = {case: rank for rank, case in enumerate(criteria.keys)}

    def rank(trial: TrialState) -> Rank:
        variant = rank_variant(criteria.gated_variant, trial.variant)
        return *variant, cases.get(trial.case, len(cases)), trial.repetition

    return rank


def _look_back(ledger: Ledger, trial: TrialState, as_of: int) -> TrialState:
    if trial.outcome is None or ledger.read_bytes(trial.outcome)[0] < as_of:
        return trial
    return TrialState(*trial[:6])
