"""Scorecard: per grading, the five verdicts counted by variant and check.

Missing evidence never becomes a pass, and an error never leaves the denominator:
pass rate = pass / (pass + fail + unproven).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from ledger.digest import Digest
from ledger.events import Body, Entry, GradingCompleted, GradingStarted, VerdictGiven
from ledger.outcomes import LEFT_OUT, Cause, Verdict
from ledger.projections.projection import RowReader, encode_state

Word = TypeVar("Word", Verdict, Cause)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The verdicts of one check on the trials of one variant.

    Attributes:
        verdicts: count of each verdict that was given, in order of name.
        causes: count of each cause of an unproven verdict, in order of name.
    """

    variant: str
    check: str
    verdicts: tuple[tuple[Verdict, int], ...] = ()
    causes: tuple[tuple[Cause, int], ...] = ()

    def count(self, verdict: Verdict) -> int:
        """Return how often ``verdict`` was given."""
        return dict(self.verdicts).get(verdict, 0)

    @property
    def counted(self) -> int:
        """The denominator: pass + fail + unproven."""
        return sum(count for verdict, count in self.verdicts if verdict not in LEFT_OUT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorecard:
    """One grading; ``rows`` in order of variant and check, those alone that have verdicts."""

    grading: Digest
    run: Digest
    suite: Digest
    position: int
    planned: int
    given: int = 0
    is_complete: bool = False
    rows: tuple[Counts, ...] = ()


class ScorecardProjection:
    """Key: the grading."""

    name = "scorecard"
    version = 1
    kinds: frozenset[type[Body]] = frozenset({GradingStarted, VerdictGiven, GradingCompleted})
    openers: frozenset[type[Body]] = frozenset({GradingStarted})
    _reader = RowReader("scorecard", Scorecard)

    def key(self, entry: Entry) -> str:
        """Return the grading."""
        body = entry.event.body
        return entry.address if isinstance(body, GradingStarted) else body.grading  # type: ignore[attr-defined]

    def fold(self, state: Scorecard | None, entries: Sequence[Entry]) -> Scorecard:
        """Return ``state`` with ``entries`` counted."""
        scorecard = state or _open(entries[0])
        given = [
            entry.event.body for entry in entries if isinstance(entry.event.body, VerdictGiven)
        ]
        return replace(
            scorecard,
            given=scorecard.given + len(given),
            rows=_count(scorecard.rows, given),
            is_complete=scorecard.is_complete
            or any(isinstance(entry.event.body, GradingCompleted) for entry in entries),
        )

    def encode(self, state: Scorecard) -> bytes:
        """Return the row of ``state``."""
        return encode_state(state)

    def decode(self, row: bytes) -> Scorecard:
        """Return the state in ``row``."""
        return self._reader.read(row)


def _open(entry: Entry) -> Scorecard:
    body = entry.event.body
    assert isinstance(body, GradingStarted)  # noqa: S101 - an event names only earlier ones
    return Scorecard(
        grading=entry.address,
        run=body.run,
        suite=body.suite,
        position=entry.position,
        planned=body.planned,
    )


def _count(rows: tuple[Counts, ...], given: Sequence[VerdictGiven]) -> tuple[Counts, ...]:
    """Return ``rows`` with the verdicts ``given`` added."""
    new = Counter((body.variant, body.check, body.verdict, body.cause) for body in given)
    counted = {(row.variant, row.check): row for row in rows}
    for (variant, check, verdict, cause), count in new.items():
        row = counted.get((variant, check)) or Counts(variant=variant, check=check)
        counted[variant, check] = replace(
            row,
            verdicts=_add(row.verdicts, verdict, count),
            causes=row.causes if cause is None else _add(row.causes, cause, count),
        )
    return tuple(counted[place] for place in sorted(counted))


def _add(
    counts: tuple[tuple[Word, int], ...], word: Word, count: int
) -> tuple[tuple[Word, int], ...]:
    total = dict(counts)
    total[word] = total.get(word, 0) + count
    return tuple(sorted(total.items()))


SCORECARD = ScorecardProjection()
