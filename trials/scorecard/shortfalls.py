"""The verdicts that count against a rate, one by one."""

from collections.abc import Iterator
from typing import NamedTuple

from ledger.events import VerdictGiven
from ledger.log import Ledger
from ledger.projections import Keeper, VerdictState
from trials.scorecard.places import FAULTS, make_ranking, read_trials, read_verdicts
from trials.scorecard.report import Report


class Shortfall(NamedTuple):
    """A verdict that counts against a pass rate, and the planned trial that it is about."""

    case: str
    repetition: int
    state: VerdictState
    reason: str


def list_shortfalls(ledger: Ledger, keeper: Keeper, report: Report) -> Iterator[Shortfall]:
    """Yield each verdict of ``report`` that failed or stayed unproven.

    Those of the gated variant come first, each variant in the order of the suite's cases. An event
    is read when its verdict is asked for, so that a caller may stop early.
    """
    states = read_verdicts(keeper, report.card, report.as_of)
    places = read_trials(ledger, keeper, report.card.run, None)
    rank = make_ranking(report.criteria)
    faults = sorted(
        (state for state in states if state.verdict in FAULTS),
        key=lambda state: rank(places[state.slot]),
    )
    for state in faults:
        place = places[state.slot]
        body = ledger.find(state.verdict_event).event.body
        assert isinstance(body, VerdictGiven)  # noqa: S101 - what the projection folds
        yield Shortfall(
            case=place.case, repetition=place.repetition, state=state, reason=body.reason
        )
