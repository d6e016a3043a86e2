"""By case: the verdicts of each check, and whether one trial met every check together.

1. a trial counts jointly once all its verdicts are given and at least one of them is counted;
2. it meets the whole if every check that applies passed: ``not_applicable`` and ``unresolved`` are
   left out, ``unproven`` is no pass;
3. a variant's joint rate is over all its trials, so no rate of a single check can be below it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from ledger.outcomes import LEFT_OUT, Cause, Verdict
from ledger.projections import Counts, VerdictState
from trials.criteria import Criteria
from trials.scorecard.places import Trials, rank_variant
from trials.scorecard.ratios import Ratio

Word = TypeVar("Word", Verdict, Cause)

Tally = Counter[tuple[str, Verdict, Cause | None]]
"""How often a check came to a verdict, and for which cause."""


class Joint(NamedTuple):
    """The trials of a variant, and how many of them met every check that applied."""

    variant: str
    ratio: Ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRow:
    """One case on one variant.

    Attributes:
        joint: trials that met every check that applied, of those that count.
        checks: the verdicts of each check that has some, in the order of the suite.
    """

    case: str
    variant: str
    joint: Ratio
    checks: tuple[Counts, ...]


def count_cases(
    verdicts: Iterable[VerdictState], trials: Trials, criteria: Criteria
) -> tuple[CaseRow, ...]:
    """Return a row for each case and variant that has verdicts: gated variant and suite order."""
    tallies: defaultdict[tuple[str, str], Tally] = defaultdict(Counter)
    by_slot: defaultdict[int, list[Verdict]] = defaultdict(list)
    for state in verdicts:
        place = (state.variant, trials[state.slot].case)
        tallies[place][state.check, state.verdict, state.cause] += 1
        by_slot[state.slot].append(state.verdict)
    joints: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    for slot, given in by_slot.items():
        counted = [verdict for verdict in given if verdict not in LEFT_OUT]
        if counted and len(given) == len(criteria.checks):
            place = (trials[slot].variant, trials[slot].case)
            joints[place].append(all(verdict is Verdict.PASS for verdict in counted))
    order = {case: index for index, case in enumerate(criteria.keys)}
    gated = criteria.gated_variant

    def rank(place: tuple[str, str]) -> tuple[object, ...]:
        # A later suite, by which answers are graded again, may have dropped a case.
        variant, case = place
        return (*rank_variant(gated, variant), order.get(case, len(order)), case)

    names = [check.name for check in criteria.checks]
    return tuple(
        CaseRow(
            case=case,
            variant=variant,
            joint=Ratio(sum(joints[variant, case]), len(joints[variant, case])),
            checks=_make_counts(tallies[variant, case], variant, names),
        )
        for variant, case in sorted(tallies, key=rank)
    )


def add_cases(rows: Sequence[CaseRow]) -> tuple[Joint, ...]:
    """Return the joint rate of each variant over all its cases, in the order of ``rows``."""
    passed: Counter[str] = Counter()
    counted: Counter[str] = Counter()
    for row in rows:
        passed[row.variant] += row.joint.passed
        counted[row.variant] += row.joint.counted
    return tuple(Joint(variant, Ratio(passed[variant], counted[variant])) for variant in counted)


def _make_counts(tally: Tally, variant: str, names: Sequence[str]) -> tuple[Counts, ...]:
    verdicts: defaultdict[str, Counter[Verdict]] = defaultdict(Counter)
    causes: defaultdict[str, Counter[Cause]] = defaultdict(Counter)
    for (check, verdict, cause), count in tally.items():
        verdicts[check][verdict] += count
        if cause is not None:
            causes[check][cause] += count
    return tuple(
        Counts(
            variant=variant,
            check=name,
            verdicts=_sort(verdicts[name]),
            causes=_sort(causes[name]) if name in causes else (),
        )
        for name in names
        if name in verdicts
    )


def _sort(counts: Mapping[Word, int]) -> tuple[tuple[Word, int], ...]:
    return tuple(sorted(counts.items()))
