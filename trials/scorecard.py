"""The scorecard that people read: counted verdicts, the declared minimums, and the gate.

1. pass rate = pass / (pass + fail + unproven), shown with numerator and denominator;
2. each check of the gated variant has to meet its own minimum; no average compensates;
3. a critical check, and every check on a critical case, may not fail or stay unproven once;
4. a check that was never decided on the gated variant meets no minimum;
5. an incomplete grading passes no gate.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from ledger.digest import Digest
from ledger.errors import UnknownAddress
from ledger.events import GradingStarted, VerdictGiven
from ledger.log import Ledger
from ledger.outcomes import Cause, Verdict
from ledger.projections import (
    INVENTORY,
    SCORECARD,
    TRIALS,
    VERDICTS,
    Counts,
    Inventory,
    Keeper,
    Scorecard,
    VerdictState,
)
from trials.criteria import Criteria, RecordedCheck, parse_criteria

_FAULTS = (Verdict.FAIL, Verdict.UNPROVEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One check on one variant.

    Attributes:
        counts: the verdicts.
        minimum: declared pass rate, 0 to 1.
        is_gated: whether the row decides.
        meets: whether it meets its minimum and, if critical, never failed.
    """

    counts: Counts
    minimum: Decimal
    is_critical: bool
    is_gated: bool
    meets: bool

    @property
    def rate(self) -> Fraction | None:
        """The pass rate, ``None`` where nothing was counted."""
        counted = self.counts.counted
        return Fraction(self.counts.count(Verdict.PASS), counted) if counted else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One grading with all that it belongs to.

    Attributes:
        as_of: number of events that it rests on.
        critical_faults: checks on critical cases that failed or stayed unproven, as
            ``case: check``.
        gate: ``passed``, ``failed`` or ``incomplete``.
    """

    card: Scorecard
    inventory: Inventory
    criteria: Criteria
    as_of: int
    rows: tuple[Row, ...]
    critical_faults: tuple[str, ...]
    gate: str

    @property
    def causes(self) -> dict[Cause, int]:
        """How often each cause left a check unproven."""
        total: dict[Cause, int] = {}
        for row in self.rows:
            for cause, count in row.counts.causes:
                total[cause] = total.get(cause, 0) + count
        return total


class Shortfall(NamedTuple):
    """A verdict that counts against a pass rate, and the planned trial that it is about."""

    case: str
    repetition: int
    state: VerdictState
    reason: str


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
    rows = _make_rows(card, criteria)
    position = ledger.head().size if as_of is None else as_of
    faults = _find_critical_faults(keeper, card, criteria, position)
    is_met = all(row.meets for row in rows if row.is_gated) and not faults
    return Report(
        card=card,
        inventory=inventory,
        criteria=criteria,
        as_of=position,
        rows=rows,
        critical_faults=faults,
        gate=("passed" if is_met else "failed") if card.is_complete else "incomplete",
    )


def list_shortfalls(ledger: Ledger, keeper: Keeper, report: Report) -> Iterator[Shortfall]:
    """Yield each verdict of ``report`` that failed or stayed unproven, in the order of the plan."""
    places = {trial.slot: trial for trial in keeper.scan(TRIALS, f"{report.card.run}/")}
    for state in keeper.scan(VERDICTS, f"{report.card.grading}/"):
        if state.verdict in _FAULTS and state.position < report.as_of:
            place = places[state.slot]
            body = ledger.find(state.verdict_event).event.body
            assert isinstance(body, VerdictGiven)  # noqa: S101 - what the projection folds
            yield Shortfall(
                case=place.case, repetition=place.repetition, state=state, reason=body.reason
            )


def find_run(keeper: Keeper) -> Inventory | None:
    """Return the newest run."""
    return max(keeper.scan(INVENTORY), key=lambda inventory: inventory.position, default=None)


def find_grading(
    keeper: Keeper, run: Digest | None = None, as_of: int | None = None
) -> Digest | None:
    """Return the newest grading, of ``run`` if one is named, that had begun at ``as_of``."""
    wanted = (
        card
        for card in keeper.scan(SCORECARD)
        if (run is None or card.run == run) and (as_of is None or card.position < as_of)
    )
    newest = max(wanted, key=lambda card: card.position, default=None)
    return newest.grading if newest else None


def _make_rows(card: Scorecard, criteria: Criteria) -> tuple[Row, ...]:
    """Return a row for each check and variant that has verdicts, in the order of the suite."""
    counted = {(counts.variant, counts.check): counts for counts in card.rows}
    variants = sorted({variant for variant, _ in counted} | {criteria.gated_variant})
    rows = []
    for variant in sorted(variants, key=lambda name: (name != criteria.gated_variant, name)):
        for check in criteria.checks:
            counts = counted.get((variant, check.name))
            is_gated = variant == criteria.gated_variant
            if counts is not None or is_gated:
                empty = Counts(variant=variant, check=check.name)
                rows.append(_make_row(counts or empty, check, is_gated=is_gated))
    return tuple(rows)


def _make_row(counts: Counts, check: RecordedCheck, *, is_gated: bool) -> Row:
    minimum = Decimal(check.minimum_pass_rate)
    is_met = counts.counted > 0 and (
        Fraction(counts.count(Verdict.PASS), counts.counted) >= Fraction(minimum)
    )
    is_spotless = not any(counts.count(verdict) for verdict in _FAULTS)
    return Row(
        counts=counts,
        minimum=minimum,
        is_critical=check.critical,
        is_gated=is_gated,
        meets=is_met and (is_spotless or not check.critical),
    )


def _find_critical_faults(
    keeper: Keeper, card: Scorecard, criteria: Criteria, as_of: int
) -> tuple[str, ...]:
    if not criteria.critical_cases:
        return ()
    cases = {trial.slot: trial.case for trial in keeper.scan(TRIALS, f"{card.run}/")}
    return tuple(
        f"{cases[verdict.slot]}: {verdict.check}"
        for verdict in keeper.scan(VERDICTS, f"{card.grading}/")
        if verdict.position < as_of
        and verdict.variant == criteria.gated_variant
        and verdict.verdict in _FAULTS
        and cases[verdict.slot] in criteria.critical_cases
    )
