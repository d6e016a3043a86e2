"""What a verification finds, as values."""

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """What a finding is."""

    DAMAGE = "damage"
    MISSING = "missing"
    ROLLBACK = "rollback"
    REDACTED = "redacted"
    UNKNOWN = "unknown"
    UNFINISHED = "unfinished"


FAULTS = frozenset({Outcome.DAMAGE, Outcome.MISSING, Outcome.ROLLBACK})
"""The outcomes that mean that the record is not what it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing to know.

    Attributes:
        outcome: damage, missing and rollback are faults; redacted and unknown are as they should
            be; unfinished means that something could not be checked at all.
        where: the stored thing, for example ``event 17`` or ``tile 0/3``.
        what: what is the matter with it.
    """

    outcome: Outcome
    where: str
    what: str


@dataclass(slots=True)
class Tally:
    """How much was checked."""

    events: int = 0
    artifacts: int = 0
    redacted: int = 0
    tiles: int = 0
    checkpoints: int = 0
    projection_rows: int = 0


def damage(where: str, what: str) -> Finding:
    """Return a finding of damage."""
    return Finding(outcome=Outcome.DAMAGE, where=where, what=what)


def missing(where: str, what: str) -> Finding:
    """Return a finding of something that is not there."""
    return Finding(outcome=Outcome.MISSING, where=where, what=what)
