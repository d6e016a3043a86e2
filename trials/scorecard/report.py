"""The report: one grading with all that it belongs to, and the gate."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from ledger.digest import Digest
from ledger.errors import UnknownAddress
from ledger.events import GradingStarted
from ledger.log import Ledger
from ledger.outcomes import Cause, Verdict
from ledger.projections import (
    DIAGNOSES,
    INVENTORY,
    SCORECARD,
    Counts,
    Inventory,
    Keeper,
    Scorecard,
    VerdictState,
)
from trials.criteria import Criteria, RecordedCheck, parse_criteria
from trials.scorecard.calls import (
    Attempts,
    Cost,
    add_costs,
    count_attempts,
    count_failures,
    list_noted,
)
from trials.scorecard.cases import CaseRow, Joint, add_cases, count_cases
from trials.scorecard.identity import (
    Answering,
    Identity,
    count_answers,
    find_others,
    read_identity,
)
from trials.scorecard.places import (
    FAULTS,
    Place,
    Trials,
    make_ranking,
    rank_variant,
    read_trials,
    read_verdicts,
)
from trials.scorecard.ratios import Interval, Ratio
from trials.scorecard.suspects import Suspicion, group_diagnoses
from trials.scorecard.times import Spent, Timing, add_usage, measure_times


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One check on one variant.

    Attributes:
        counts: the verdicts.
        description: what the suite says of the check.
        minimum: declared pass rate, 0 to 1.
        is_gated: whether the row decides.
        meets: whether it meets its minimum and, if critical, never failed.
    """

    counts: Counts
    description: str
    minimum: Decimal
    is_critical: bool
    is_gated: bool
    meets: bool

    @property
    def ratio(self) -> Ratio:
        """Passes of what is counted."""
        return Ratio(self.counts.count(Verdict.PASS), self.counts.counted)

    @property
    def rate(self) -> Fraction | None:
        """The pass rate, ``None`` where nothing was counted."""
        return self.ratio.rate

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the pass rate, ``None`` where nothing was counted."""
        return self.ratio.interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One grading with all that it belongs to.

    Attributes:
        as_of: number of events that it rests on.
        joints: for each variant, the trials that met every check together.
        cases: the same and each check, by case.
        critical_faults: checks on critical cases that failed or stayed unproven, as
            ``case: check``.
        suspicions: candidate causes of failed verdicts, grouped over the trials.
        usage: what the trials used, as their provider counts it.
        cost: of the gated variant.
        attempts: calls that the trials took.
        failures: why trials failed, and how many; the most frequent cause first.
        noted: the trials that a reader should look at.
        other_models: who answered trials of the gated variant under another name than was asked
            for, and how many of ``cost.trials``; refusing them is the suite's.
        gate: ``passed``, ``failed`` or ``incomplete``.
    """

    card: Scorecard
    inventory: Inventory
    criteria: Criteria
    identity: Identity
    as_of: int
    rows: tuple[Row, ...]
    joints: tuple[Joint, ...]
    cases: tuple[CaseRow, ...]
    critical_faults: tuple[str, ...]
    suspicions: tuple[Suspicion, ...]
    timing: Timing
    usage: tuple[Spent, ...]
    cost: Cost
    attempts: Attempts
    failures: tuple[tuple[str, int], ...]
    noted: tuple[Place, ...]
    other_models: tuple[Answering, ...]
    gate: str

    @property
    def causes(self) -> dict[Cause, int]:
        """How often each cause left a check unproven."""
        total: dict[Cause, int] = {}
        for row in self.rows:
            for cause, count in row.counts.causes:
                total[cause] = total.get(cause, 0) + count
        return total


def make_report(
    ledger: Ledger, keeper: Keeper, grading: Digest, as_of: int | None = None
) -> Report:
    """Return the report of ``grading``.

    Args:
        ledger: has the criteria.
        keeper: has the counts.
        grading: its ``grading.started`` event.
        as_of: from so many events of the log alone; ``None`` for all.

    Raises:
        UnknownAddress: there is no such grading, or there was none then.
    """
    body = ledger.find(grading).event.body
    if not isinstance(body, GradingStarted):
        raise UnknownAddress(f"{grading} is a {body.KIND}, not a grading")
    if as_of is None:
        card, inventory = keeper.get(SCORECARD, grading), keeper.get(INVENTORY, body.run)
    else:
        card = keeper.get_as_of(SCORECARD, grading, as_of)
        inventory = keeper.get_as_of(INVENTORY, body.run, as_of)
    if card is None or inventory is None:
        raise UnknownAddress(f"grading {grading} had not begun then")
    criteria = parse_criteria(ledger.get(body.criteria.address))
    position = ledger.head().size if as_of is None else as_of
    trials = read_trials(ledger, keeper, body.run, as_of)
    verdicts = read_verdicts(keeper, card, position)
    diagnoses = keeper.scan(DIAGNOSES, f"{grading}/")
    rows = _make_rows(card, criteria)
    cases = count_cases(verdicts, trials, criteria)
    faults = _find_critical_faults(verdicts, trials, criteria)
    identity = read_identity(ledger, card, criteria, trials, position)
    gated = [one for one in trials.values() if one.variant == criteria.gated_variant]
    others = find_others(count_answers(gated), identity.names)
    is_refused = bool(others) and criteria.refuses_other_models
    is_met = all(row.meets for row in rows if row.is_gated) and not faults and not is_refused
    return Report(
        card=card,
        inventory=inventory,
        criteria=criteria,
        identity=identity,
        as_of=position,
        rows=rows,
        joints=add_cases(cases),
        cases=cases,
        critical_faults=faults,
        suspicions=group_diagnoses(
            (state for state in diagnoses if state.position < position), trials, criteria
        ),
        timing=measure_times(trials, criteria.gated_variant),
        usage=add_usage(trials, criteria.gated_variant),
        cost=add_costs(trials, criteria.gated_variant),
        attempts=count_attempts(trials),
        failures=count_failures(trials),
        noted=list_noted(trials),
        other_models=others,
        gate=("passed" if is_met else "failed") if card.is_complete else "incomplete",
    )


def _make_rows(card: Scorecard, criteria: Criteria) -> tuple[Row, ...]:
    """Return a row for each check and variant that has verdicts, in the order of the suite."""
    counted = {(counts.variant, counts.check): counts for counts in card.rows}
    gated = criteria.gated_variant
    variants = {variant for variant, _ in counted} | {gated}
    rows = []
    for variant in sorted(variants, key=lambda name: rank_variant(gated, name)):
        for check in criteria.checks:
            counts = counted.get((variant, check.name))
            is_gated = variant == gated
            if counts is not None or is_gated:
                empty = Counts(variant=variant, check=check.name)
                rows.append(_make_row(counts or empty, check, is_gated=is_gated))
    return tuple(rows)


def _make_row(counts: Counts, check: RecordedCheck, *, is_gated: bool) -> Row:
    minimum = Decimal(check.minimum_pass_rate)
    rate = Ratio(counts.count(Verdict.PASS), counts.counted).rate
    is_met = rate is not None and rate >= Fraction(minimum)
    is_spotless = not any(counts.count(verdict) for verdict in FAULTS)
    return Row(
        counts=counts,
        description=check.description,
        minimum=minimum,
        is_critical=check.critical,
        is_gated=is_gated,
        meets=is_met and (is_spotless or not check.critical),
    )


def _find_critical_faults(
    verdicts: Iterable[VerdictState], trials: Trials, criteria: Criteria
) -> tuple[str, ...]:
    if not criteria.critical_cases:
        return ()
    rank = make_ranking(criteria)
    return tuple(
        f"{trials[verdict.slot].case}: {verdict.check}"
        for verdict in sorted(verdicts, key=lambda verdict: rank(trials[verdict.slot]))
        if verdict.variant == criteria.gated_variant
        and verdict.verdict in FAULTS
        and trials[verdict.slot].case in criteria.critical_cases
    )
